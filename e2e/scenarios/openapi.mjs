// OpenAPI specifications of an organization: set as text or by URL, processed, kept by version.

import assert from 'node:assert/strict';

import { flatten } from '../lib/content.mjs';
import { answered, created, refused } from '../lib/expect.mjs';

const pets = (title) => `openapi: 3.0.3\ninfo: {title: ${title}, version: '1'}\npaths: {}\n`;

export default async function openapi({ step, organization, alice, anonymous }) {
    const { orgs } = alice.api;
    const org = organization.id;
    let first;

    await step('a specification is added, and processed after the answer', async () => {
        await refused(orgs.createOpenApiSpec(org, { slug: 'no slug', source: { text: pets('Pets') } }), 400);
        await refused(orgs.createOpenApiSpec(org, { slug: 'pets', source: { url: 'http://127.0.0.1/openapi.json' } }), 400);
        await refused(anonymous.api.orgs.createOpenApiSpec(org, { slug: 'pets', source: { text: pets('Pets') } }), 401);
        const spec = await answered(orgs.createOpenApiSpec(org, { slug: 'pets', source: { text: pets('Pets') } }), 201);
        assert.deepEqual([spec.slug, spec.visibility], ['pets', 'private']);
        await refused(orgs.createOpenApiSpec(org, { slug: 'pets', source: { text: pets('Pets') } }), 409);
        first = (await processed(alice, org, 'pets')).lastVersion;
        assert.ok(first);
    });

    await step('a source that is the same makes no version, another one does', async () => {
        await answered(orgs.createOrUpdateOpenApiSpecBySlug(org, 'pets', { source: { text: pets('Pets') } }), 200);
        assert.equal((await processed(alice, org, 'pets')).lastVersion, first);
        await answered(orgs.createOrUpdateOpenApiSpecBySlug(org, 'pets', { source: { text: pets('Animals') } }), 200);
        const { lastVersion } = await processed(alice, org, 'pets');
        const { items } = await answered(orgs.listOpenApiSpecVersions(org, 'pets'), 200);
        assert.deepEqual(items.map(({ id }) => id), [lastVersion, first]);
    });

    await step('a source that is wrong says why, and leaves the newest version', async () => {
        await answered(orgs.createOrUpdateOpenApiSpecBySlug(org, 'events', { source: { text: 'asyncapi: 3.0.0\n' } }), 201);
        const spec = await processed(alice, org, 'events');
        assert.deepEqual([spec.lastProcessErrorCode, spec.lastVersion], ['PARSE_ERROR', undefined]);
        assert.match(spec.lastProcessedErrors[0].message, /AsyncAPI/);
        await refused(orgs.getLatestOpenApiSpecVersion(org, 'events'), 404);
        const { items } = await answered(orgs.listOpenApiSpecs(org), 200);
        assert.deepEqual(items.map(({ slug }) => slug), ['events', 'pets']);
    });

    await step('versions are read, with their content', async () => {
        const latest = await answered(orgs.getLatestOpenApiSpecVersion(org, 'pets'), 200);
        assert.equal(await (await fetch(latest.url)).text(), pets('Animals'));
        const version = await answered(orgs.getOpenApiSpecVersionById(org, 'pets', first), 200);
        assert.equal(await (await fetch(version.url)).text(), pets('Pets'));
        const content = await answered(orgs.getLatestOpenApiSpecVersionContent(org, 'pets'), 200);
        assert.equal(content.filesystem['openapi.yaml'].specification.info.title, 'Animals');
        const old = await answered(orgs.getOpenApiSpecVersionContentById(org, 'pets', first), 200);
        assert.equal(old.filesystem['openapi.yaml'].specification.info.title, 'Pets');
        await refused(orgs.getOpenApiSpecVersionById(org, 'pets', 'none'), 404);
        const changes = await answered(alice.call('GET', `/orgs/${org}/openapi/pets/versions/latest/changes`), 200);
        assert.deepEqual([changes.from, changes.to, changes.changes], [first, latest.id, []]);
        await refused(alice.call('GET', `/orgs/${org}/openapi/pets/versions/latest/changes`, { query: { from: 'none' } }), 400);
    });

    await step('a public specification is read without a token, until it is private', async () => {
        await refused(orgs.updateOpenApiSpecBySlug(org, 'pets', { visibility: 'everybody' }), 400);
        const { urls } = await answered(orgs.updateOpenApiSpecBySlug(org, 'pets', { visibility: 'public' }), 200);
        const whole = await fetch(urls.published);
        assert.equal(await whole.text(), pets('Animals'));
        const again = await fetch(urls.published, { headers: { 'If-None-Match': whole.headers.get('ETag') } });
        assert.equal(again.status, 304);
        await answered(orgs.updateOpenApiSpecBySlug(org, 'pets', { visibility: 'private' }), 200);
        assert.equal((await fetch(urls.published)).status, 404);
    });

    await step('pages are computed of a specification', async () => {
        const paths = "  /tides:\n    get: {operationId: listTides, summary: List tides, tags: [tides], responses: {'200': {description: OK}}}\n";
        const text = `openapi: 3.0.3\ninfo: {title: Tides, version: '1'}\npaths:\n${paths}`;
        await answered(orgs.createOrUpdateOpenApiSpecBySlug(org, 'computed', { source: { text } }), 201);
        await processed(alice, org, 'computed');
        const template = { id: 'api-reference', params: { contentRefs: { spec: { kind: 'openapi', spec: 'computed' } } } };
        const space = await created(orgs.createSpace(org, { title: 'Computed', template }), '/spaces');
        const { spaces } = alice.api;
        const { pages } = await answered(spaces.listPages(space.id), 200);
        const tides = flatten(pages).find(({ title }) => title === 'tides');
        assert.ok(tides.documentId);
        const page = await answered(spaces.getPageById(space.id, tides.id, { format: 'markdown' }), 200);
        assert.match(page.markdown, /openapi-operation spec="computed" path="\/tides"/);
        await answered(spaces.getPageById(space.id, tides.id, { format: 'document' }), 200);
        await answered(spaces.getPageByPath(space.id, encodeURIComponent(tides.path)), 200);
        await answered(spaces.getCurrentRevision(space.id), 200);
        const { pages: asked } = await answered(spaces.listPages(space.id, { computed: false }), 200);
        assert.ok(flatten(asked).some(({ type }) => type === 'computed'));
        assert.ok(!flatten(asked).some(({ id }) => id === tides.id));
        const orphans = await answered(alice.call('GET', `/spaces/${space.id}/openapi-orphans`), 200);
        assert.deepEqual(orphans.prose, []);
        await answered(orgs.deleteOpenApiSpecBySlug(org, 'computed'), 205);
    });

    await step('a specification is deleted', async () => {
        await answered(orgs.deleteOpenApiSpecBySlug(org, 'pets'), 205);
        await answered(orgs.deleteOpenApiSpecBySlug(org, 'pets'), 204);
        await refused(orgs.getOpenApiSpecBySlug(org, 'pets'), 404);
    });
}

/** Waits until a specification is processed, and returns it. */
export async function processed(person, org, slug) {
    for (let i = 0; i < 4000; i++) {
        const spec = await answered(person.api.orgs.getOpenApiSpecBySlug(org, slug), 200);
        if (spec.processingState === 'complete') return spec;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${slug} was never processed`);
}
