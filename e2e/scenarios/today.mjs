// Operations and names of the client of today that the other client does not know: who did what, sources of
// specifications, host names by their name, new spaces for a site. Its description judges the reads.

import assert from 'node:assert/strict';

export default async function today({ step, organization, alice, mallory, anonymous, run }) {
    const org = organization.id;
    const { orgs } = alice.api;
    const space = (await orgs.createSpace(org, { title: 'Handbook' })).data.id;
    const site = (await orgs.createSite(org, { title: 'Docs', spaces: [space] })).data.id;
    const get = async (person, path, status = 200) => {
        const answer = await person.request('GET', path);
        assert.equal(answer.status, status, `GET ${path}`);
        return answer.body;
    };

    await step('the audit log in the form of GitBook', async () => {
        const { items } = await get(alice, `/orgs/${org}/audit-events?action=site.create`);
        assert.deepEqual(items.map(({ target }) => target), [{ type: 'site', id: site }]);
        const event = await get(alice, `/orgs/${org}/audit-events/${items[0].id}`);
        assert.equal(event.payload.title, 'Docs');
        const actions = await get(alice, `/orgs/${org}/audit-event-actions`);
        assert.ok(actions.items.some(({ id }) => id === 'site.create'));
        await get(mallory, `/orgs/${org}/audit-events`, 404);
        await get(anonymous, `/orgs/${org}/audit-events`, 401);
    });

    await step('the source of a specification', async () => {
        const text = 'openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\npaths: {}\n';
        await alice.request('PUT', `/orgs/${org}/openapi/pets`, { source: { text } });
        const path = `/orgs/${org}/openapi/pets/versions/latest/content/raw`;
        let answer;
        for (let tries = 0; tries < 100 && answer?.status !== 200; tries++) {
            answer = await alice.request('GET', path);
            await new Promise((done) => setTimeout(done, 100));
        }
        assert.deepEqual(answer.body, { text, format: 'yaml' });
    });

    await step('a host name, by its name', async () => {
        const name = `${run}.docs.acme.test`;
        assert.equal((await alice.request('PUT', `/orgs/${org}/sites/${site}/hostname`, { hostname: name })).status, 200);
        const hostname = await get(alice, `/custom-hostnames/${name}`);
        assert.deepEqual(hostname.target, { type: 'site', site });
        await get(mallory, `/custom-hostnames/${name}`, 404);
        assert.equal((await alice.request('PATCH', `/custom-hostnames/${name}`)).status, 204);
        assert.equal((await alice.request('DELETE', `/custom-hostnames/${name}`)).status, 205);
        assert.equal((await alice.request('DELETE', `/custom-hostnames/${name}`)).status, 204);
    });

    await step('a part of a site with a new space, and a redirect to a page by its path', async () => {
        const made = await alice.request('POST', `/orgs/${org}/sites/${site}/site-spaces`, { spaceId: null, title: 'News', template: { id: 'changelog' } });
        assert.equal(made.status, 201);
        const news = made.body.space.id;
        const { pages } = await get(alice, `/spaces/${news}/content/pages`);
        const destination = { kind: 'path', spaceId: news, path: pages[0].path };
        const redirect = await alice.request('POST', `/orgs/${org}/sites/${site}/redirects`, { source: '/old', destination });
        assert.deepEqual([redirect.status, redirect.body.destination.pageId], [201, pages[0].id]);
    });

    await step('change requests of a space and of a site', async () => {
        await alice.request('POST', `/spaces/${space}/change-requests`, { subject: 'Here' });
        const subjects = async (filter) => (await get(alice, `/orgs/${org}/change-requests?status=draft&${filter}`)).items.map(({ subject }) => subject);
        assert.deepEqual(await subjects(`space=${space}`), ['Here']);
        assert.deepEqual(await subjects(`site=${site}`), ['Here']);
        assert.deepEqual(await subjects('site=site_none'), []);
    });

    await step('who sees a site by default', async () => {
        const changed = await alice.request('PATCH', `/orgs/${org}/sites/${site}`, { defaultLevel: 'read' });
        assert.deepEqual([changed.status, changed.body.defaultLevel], [200, 'read']);
    });

    await step('what several readers asked', async () => {
        const at = `/orgs/${org}/sites/${site}`;
        const ask = (question, network) => alice.request('POST', `${at}/ask`, { question }, { 'X-Forwarded-For': `10.1.${network}.1` });
        await ask('too early', 0);
        await alice.request('PATCH', at, { keepsQuestions: true });
        for (let network = 0; network < 2 * 3 - 1; network++) { // so one of two nodes has three of them
            assert.equal((await ask('Where do zeppelins moor?', network)).status, 200);
            await ask('my own secret', 0);
        }
        const [question] = await eventually(async () => (await get(alice, `${at}/questions?answered=no`)).items);
        assert.equal(question.question, 'where do zeppelins moor?');
        assert.ok(question.stats.answers >= 3, JSON.stringify(question.stats));
        assert.equal((await get(alice, `${at}/questions`)).items.length, 1);
        assert.equal((await get(alice, `${at}/questions/${question.id}?relevance=relevant`)).id, question.id);
        assert.equal((await get(alice, `${at}/question-stats`)).total, 1);
        await get(mallory, `${at}/questions`, 404);
        await get(mallory, `${at}/questions/${question.id}`, 404);
        await get(anonymous, `${at}/question-stats`, 401);
        await alice.request('PATCH', at, { keepsQuestions: false });
        assert.deepEqual((await get(alice, `${at}/questions`)).items, []);
    });

    await step('a search that is announced', async () => {
        assert.equal((await alice.request('POST', `/orgs/${org}/sites/${site}/search/prewarm`)).status, 204);
    });
}

const DEADLINE = 180_000; // other nodes see questions when they are stored

/** Reads a list until it has an item. */
async function eventually(read) {
    const end = Date.now() + DEADLINE;
    let items = await read();
    while (items.length === 0 && Date.now() < end) {
        await new Promise((done) => setTimeout(done, 200));
        items = await read();
    }
    return items;
}
