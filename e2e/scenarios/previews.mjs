// A site as it could be: a change request and an old revision, by the address of a preview, with the
// client of a renderer and as web pages.

import assert from 'node:assert/strict';

import { change, handbookSpace } from '../lib/content.mjs';
import { answered, refused } from '../lib/expect.mjs';
import { arrive, checkFields, documentPages, readAll } from '../lib/renderer.mjs';
import { edit, openRequest } from '../lib/requests.mjs';

const MARK = 'Only in the draft';

export default async function previews(scene) {
    const { step, organization, alice, anonymous, mallory, renderer } = scene;
    const { orgs, spaces } = alice.api;
    const org = organization.id;
    const space = await handbookSpace(scene);
    const old = (await spaces.getSpaceById(space.id)).data.revision;
    await change(alice, space, [{ operation: 'insert_page', title: 'Since then', document: { markdown: 'New text.\n' } }]);
    const site = (await orgs.createSite(org, { title: 'Docs', visibility: 'public', spaces: [space.id] })).data.id;
    const home = (await orgs.publishSite(org, site)).data.urls.published;
    const { token } = (await alice.call('POST', '/user/tokens', { body: { label: 'Pages' } })).data;
    let request, preview, content;

    await step('a change request has a revision that readers do not have', async () => {
        const opened = await openRequest(alice, space, 'More pages');
        await edit(alice, space, opened, [{ operation: 'insert_page', title: 'Draft', document: { markdown: `${MARK}.\n` } }]);
        request = await answered(spaces.getChangeRequestById(space.id, opened.number), 200);
        const { apiToken } = await answered(anonymous.api.urls.resolvePublishedContentByUrl({ url: home }), 200);
        const visitor = anonymous.withToken(apiToken);
        for (const revision of [request.revision, old]) {
            await refused(visitor.api.spaces.getRevisionById(space.id, revision), 404);
        }
        await refused(visitor.api.spaces.getChangeRequestById(space.id, request.number), 404);
    });

    await step('who has the address of a preview reads both with a client', async () => {
        preview = new URL((await answered(orgs.getSitePublishingPreviewById(org, site), 200)).url);
        content = { organization: org, site, space: space.id, apiToken: preview.searchParams.get('token') };
        const titles = {};
        for (const revision of [request.revision, old]) {
            const read = await readAll(renderer, { ...content, revision });
            checkFields(read);
            titles[revision] = documentPages(read.revision.pages).map(({ title }) => title);
        }
        assert.ok(titles[request.revision].includes('Draft') && titles[request.revision].includes('Since then'), titles[request.revision].join());
        assert.ok(!titles[old].includes('Draft') && !titles[old].includes('Since then'), titles[old].join());
        const outside = await openForeign(scene);
        await refused(renderer.withToken(content.apiToken).api.spaces.getRevisionById(outside.id, outside.revision), 404);
    });

    await step('a renderer goes from the address of a change request to its pages', async () => {
        // It asks for the part in front of ~/ with the token of the preview, and for the request by its number.
        const found = await arrive(renderer.withToken(content.apiToken), home);
        assert.equal(found.preview, true);
        const shown = await answered(renderer.withToken(found.apiToken).api.spaces.getChangeRequestById(space.id, request.number), 200);
        assert.equal(shown.id, request.id);
        assert.ok(shown.createdBy.displayName && !shown.createdBy.email && shown.urls.app && shown.updatedAt);
        const { revision } = await readAll(renderer, { ...found, revision: shown.revision });
        assert.ok(documentPages(revision.pages).some(({ title }) => title === 'Draft'));
    });

    await step('the address of a change request or a revision gives a token for it alone', async () => {
        const at = async (path) => {
            const asker = renderer.withToken(content.apiToken);
            return answered(asker.api.urls.resolvePublishedContentByUrl({ url: new URL(path, home).href, visitor: { type: 'human' } }), 200);
        };
        const draft = await at(`~/changes/${request.number}/draft`);
        assert.deepEqual([draft.changeRequest, draft.revision, draft.pathname, draft.preview], [request.id, undefined, '/draft', true]);
        const { spaces: reader } = renderer.withToken(draft.apiToken).api;
        const { revision } = await answered(reader.getChangeRequestById(space.id, draft.changeRequest), 200);
        checkFields(await readAll(renderer, { ...draft, revision }));
        await refused(reader.getRevisionById(space.id, old), 404);
        const { changes } = await answered(reader.getChangeRequestChanges(space.id, request.id, { limit: 100 }), 200);
        assert.deepEqual(changes.map(({ type, page }) => [type, page.title]), [['page_created', 'Draft']]);
        const past = await at(`~/revisions/${old}`);
        assert.deepEqual([past.changeRequest, past.revision, past.pathname], [undefined, old, '/']);
        checkFields(await readAll(renderer, past));
        await refused(renderer.withToken(past.apiToken).api.spaces.getRevisionById(space.id, request.revision), 404);
        await refused(renderer.withToken(past.apiToken).api.spaces.getChangeRequestById(space.id, request.id), 404);
        await refused(anonymous.api.urls.resolvePublishedContentByUrl({ url: new URL(`~/changes/${request.number}`, home).href }), 404);
    });

    await step('the web pages of both are for members and for the preview', async () => {
        const arrival = await page(preview);
        assert.equal(arrival.status, 303);
        assert.ok(!arrival.location.includes('token='), arrival.location);
        const cookie = { cookie: arrival.cookie.split(';')[0] };
        const member = { authorization: `Bearer ${token}` };
        for (const [path, status, text] of [[`~/changes/${request.number}/draft`, 200, MARK], [`~/revisions/${request.revision}/draft`, 200, MARK],
            [`~/revisions/${old}/draft`, 404], [`~/revisions/${old}/`, 200], [`~/changes/999/`, 404], ['draft', 404]]) {
            for (const headers of [member, cookie]) {
                const shown = await page(new URL(path, home), headers);
                assert.equal(shown.status, status, `${path} ${JSON.stringify(Object.keys(headers))}`);
                assert.ok(!text || shown.text.includes(text), path);
                assert.ok(!path.startsWith('~') || status !== 200 || shown.robots?.includes('noindex'), `${path} is for search engines`);
            }
            const nobody = await page(new URL(path, home));
            assert.equal(nobody.status, 404, path);
            assert.ok(!nobody.text.includes(MARK), path);
        }
    });

    await step('a preview ends with the rights of who made it', async () => {
        await refused(mallory.api.orgs.getSitePublishingPreviewById(org, site), 404);
        await answered(orgs.deleteSiteById(org, site), 205);
        await refused(renderer.withToken(content.apiToken).api.spaces.getRevisionById(space.id, request.revision), 401, 404);
    });
}

// A space that is not on the site.
async function openForeign({ alice, organization }) {
    const { data } = await alice.api.orgs.createSpace(organization.id, { title: 'Elsewhere' });
    return data;
}

// One request for a web page, which follows no redirect.
async function page(url, headers = {}) {
    const response = await fetch(url, { headers, redirect: 'manual' });
    return {
        status: response.status, text: await response.text(), location: response.headers.get('location') ?? '',
        cookie: response.headers.get('set-cookie') ?? '', robots: response.headers.get('x-robots-tag'),
    };
}
