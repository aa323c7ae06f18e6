// A published site as its visitors read it: from an address to a token, what it reads, search, and
// questions.

import assert from 'node:assert/strict';

import { change, handbookSpace } from '../lib/content.mjs';
import { answered, refused } from '../lib/expect.mjs';

export default async function published(scene) {
    const { step, organization, alice, anonymous, mallory } = scene;
    const { orgs } = alice.api;
    const org = organization.id;
    const space = await handbookSpace(scene);
    const faq = { markdown: '# Questions\n\n## How do I moor at night?\n\nCall the harbour office.\n' };
    await change(alice, space, [{ operation: 'insert_page', document: faq }]);
    const site = (await orgs.createSite(org, { title: 'Docs', visibility: 'public', spaces: [space.id] })).data.id;
    const url = async () => (await orgs.getSiteById(org, site)).data.urls.published;
    let content, visitor;

    await step('a site that is not published is not found', async () => {
        await refused(orgs.getPublishedContentSite(org, site), 404);
        await answered(orgs.publishSite(org, site), 200);
    });

    await step('an address leads to content, without a token', async () => {
        const { urls } = anonymous.api;
        const home = await url();
        content = await answered(urls.resolvePublishedContentByUrl({ url: home }), 200);
        assert.deepEqual([content.organization, content.site, content.space, content.pathname], [org, site, space.id, '/']);
        const page = await answered(urls.getPublishedContentByUrl({ url: `${home}no/such/page` }), 200);
        assert.deepEqual([page.siteSpace, page.pathname, page.complete], [content.siteSpace, '/no/such/page', true]);
        await refused(urls.resolvePublishedContentByUrl({ url: 'https://elsewhere.test/' }), 404);
        await refused(urls.getPublishedContentByUrl({ url: 'https://elsewhere.test/' }), 404);
        await refused(urls.resolvePublishedContentByUrl({ url: 'nowhere' }), 400);
        visitor = anonymous.withToken(content.apiToken);
    });

    await step('the token reads the site', async () => {
        const read = await answered(visitor.api.orgs.getPublishedContentSite(org, site), 200);
        assert.deepEqual(read.structure.structure.map(({ id }) => id), [content.siteSpace]);
        assert.deepEqual(Object.keys(read.customizations.siteSpaces), [content.siteSpace]);
        assert.equal((await answered(visitor.api.spaces.getSpaceById(space.id), 200)).id, space.id);
        await refused(visitor.api.orgs.getSitePublishingAuthById(org, site), 403);
        await refused(anonymous.api.orgs.getPublishedContentSite(org, site), 401);
        await refused(mallory.api.orgs.getPublishedContentSite(org, site), 404);
    });

    await step('an address leads members to content', async () => {
        const find = (who, address) => who.api.urls.getContentByUrl({ url: address });
        const atHome = await answered(find(alice, await url()), 200);
        assert.deepEqual([atHome.space.id, atHome.page], [space.id, undefined]);
        const inside = await answered(find(alice, `${space.urls.app}/questions`), 200);
        assert.equal(inside.page.title, 'Questions');
        await refused(find(alice, 'https://elsewhere.test/'), 404);
        await refused(find(mallory, await url()), 404);
        await refused(find(mallory, space.urls.app), 404);
        await refused(find(anonymous, await url()), 401);
    });

    await step('a visit is explained', async () => {
        const why = (address, query) => alice.call('GET', `/orgs/${org}/sites/${site}/explain`, { query: { url: address, ...query } });
        const seen = await answered(why(await url()), 200);
        assert.deepEqual([seen.visible, seen.space, seen.steps.at(-1).type], [true, space.id, 'page']);
        const missing = await answered(why(`${await url()}no/such/page`, { claims: '{"plan":"pro"}' }), 200);
        assert.deepEqual([missing.visible, missing.steps.at(-1).passed], [false, false]);
        await refused(why(await url(), { claims: 'plan' }), 400);
        await refused(mallory.call('GET', `/orgs/${org}/sites/${site}/explain`, { query: { url: await url() } }), 404);
    });

    await step('search', async () => {
        const find = (body) => visitor.api.orgs.searchSiteContent(org, site, body);
        for (const shape of [{ mode: 'all' }, { scope: { mode: 'all' } }, { mode: 'current', siteSpaceId: content.siteSpace }, { siteSpaceIds: [content.siteSpace], mode: 'specific' }]) {
            const { items } = await answered(find({ query: 'moorings', ...shape }), 200);
            assert.deepEqual(items.map(({ id, pages }) => [id, pages[0].title]), [[space.id, 'Moorings']], JSON.stringify(shape));
        }
        await refused(find({ query: '', mode: 'all' }), 400);
        await refused(find({ query: 'moorings', mode: 'some' }), 400);
        await refused(mallory.api.orgs.searchSiteContent(org, site, { query: 'moorings', mode: 'all' }), 404);
    });

    await step('a question is answered with quotations, as a stream', async () => {
        const body = { question: 'moor at night', scope: { mode: 'all' } };
        for (const format of ['markdown', 'document']) {
            const events = await all(visitor.api.orgs.streamAskInSite(org, site, body, { format }));
            assert.equal(events.length, 1);
            const { answer, sources } = events[0].answer;
            assert.ok(answer[format], format);
            assert.equal(sources[0].space, space.id);
        }
        const none = await all(visitor.api.orgs.streamAskInSite(org, site, { ...body, question: 'zeppelin' }, { format: 'markdown' }));
        assert.deepEqual(none[0].answer.sources, []);
    });

    await step('a space is copied beside its original', async () => {
        const at = `/orgs/${org}/sites/${site}/site-spaces/${content.siteSpace}/duplicate`;
        const copy = await answered(alice.call('POST', at), 201);
        assert.deepEqual([copy.object, copy.default], ['site-space', false]);
        await refused(mallory.call('POST', at), 404);
    });

    await step('questions are suggested, as a stream', async () => {
        const events = await all(visitor.api.orgs.streamRecommendedQuestionsInSite(org, site, { siteSpaceId: content.siteSpace }));
        assert.ok(events.some(({ question }) => question === 'How do I moor at night?'), JSON.stringify(events));
    });
}

async function all(stream) {
    const events = [];
    for await (const event of stream) {
        events.push(event);
    }
    return events;
}
