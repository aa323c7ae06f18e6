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

    await step('a search that is announced', async () => {
        assert.equal((await alice.request('POST', `/orgs/${org}/sites/${site}/search/prewarm`)).status, 204);
    });
}
