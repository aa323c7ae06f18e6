// Who may read a site, where its old addresses lead, and previews.

import assert from 'node:assert/strict';

import { answered, created, deletedOnce, ids, paged, refused } from '../lib/expect.mjs';

export default async function siteAudience({ step, organization, alice, bob, world }) {
    const { orgs, spaces } = alice.api;
    const org = organization.id;
    const space = (await orgs.createSpace(org, { title: 'Handbook' })).data;
    const site = (await orgs.createSite(org, { title: 'Docs', visibility: 'share-link', spaces: [space.id] })).data.id;
    const [place] = (await orgs.listSiteSpaces(org, site)).data.items;
    const [page] = (await spaces.listPages(space.id)).data.pages;
    await world.enroll(bob, organization, 'read');

    await step('share links', async () => {
        const link = await created(orgs.createSiteShareLink(org, site, { name: 'Press' }), `/orgs/${org}/sites/${site}/share-links`);
        assert.deepEqual([link.active, link.urls.published], [true, undefined]);
        const { urls } = await answered(orgs.publishSite(org, site), 200);
        const other = await answered(orgs.createSiteShareLink(org, site, { name: 'Partners' }), 201);
        assert.ok(other.urls.published.startsWith(urls.published), other.urls.published);
        const list = (query) => orgs.listSiteShareLinks(org, site, query);
        await paged(list, ({ id }) => id, [link.id, other.id]);
        assert.deepEqual(ids((await list({ search: 'PART' })).data.items), [other.id]);
        const off = await answered(orgs.updateSiteShareLinkById(org, site, other.id, { active: false, name: 'Former' }), 200);
        assert.deepEqual([off.active, off.name, off.urls.published], [false, 'Former', undefined]);
        await refused(orgs.updateSiteShareLinkById(org, site, other.id, { active: null }), 400);
        await refused(orgs.createSiteShareLink(org, site, { name: 'x'.repeat(51) }), 400);
        await refused(bob.api.orgs.listSiteShareLinks(org, site), 403);
        await deletedOnce(() => orgs.deleteSiteShareLinkById(org, site, other.id));
    });

    await step('the key of visitor tokens', async () => {
        const auth = await answered(orgs.getSitePublishingAuthById(org, site), 200);
        const change = { backend: 'custom', fallbackURL: 'https://login.acme.test/in' };
        const changed = await answered(orgs.updateSitePublishingAuthById(org, site, change), 200);
        assert.deepEqual([changed.privateKey, changed.fallbackURL], [auth.privateKey, change.fallbackURL]);
        const renewed = await answered(orgs.regenerateSitePublishingAuthById(org, site), 200);
        assert.notEqual(renewed.privateKey, auth.privateKey);
        assert.deepEqual(await answered(orgs.getSitePublishingAuthById(org, site), 200), renewed);
        await refused(orgs.updateSitePublishingAuthById(org, site, { backend: 'custom', fallbackURL: 'javascript:alert(1)' }), 400);
        await refused(bob.api.orgs.getSitePublishingAuthById(org, site), 403);
    });

    await step('a preview has an address with a token', async () => {
        const { url } = await answered(orgs.getSitePublishingPreviewById(org, site, { siteSpace: place.id, claims: '(plan:pro)' }), 200);
        assert.match(url, /[?&]token=/);
        await refused(orgs.getSitePublishingPreviewById(org, site, { claims: '(plan' }), 400);
        await refused(orgs.getSitePublishingPreviewById(org, site, { siteSpace: 'absent' }), 404);
        await refused(bob.api.orgs.getSitePublishingPreviewById(org, site), 403);
    });

    await step('redirects', async () => {
        const to = { kind: 'site-page', siteSpaceId: place.id, pageId: page.id };
        const out = { kind: 'external', url: 'https://blog.acme.test/posts' };
        const make = (body) => orgs.createSiteRedirect(org, site, body);
        const old = await created(make({ source: '/Old', destination: to }), `/orgs/${org}/sites/${site}/redirects`);
        assert.equal(old.source, '/old');
        const blog = await answered(make({ source: '/blog/*', captureWildcard: true, destination: out }), 201);
        await paged((query) => orgs.listSiteRedirects(org, site, query), ({ id }) => id, [old.id, blog.id]);
        assert.deepEqual(ids((await orgs.listSiteRedirects(org, site, { search: 'BLOG' })).data.items), [blog.id]);
        const find = (source) => orgs.getSiteRedirectBySource(org, site, { source });
        assert.equal((await answered(find('/blog/2026/hello'), 200)).target, 'https://blog.acme.test/posts/2026/hello');
        assert.deepEqual((await answered(find('/OLD/'), 200)).redirect, old);
        const moved = await answered(orgs.updateSiteRedirectById(org, site, old.id, { source: '/older', draft: true }), 200);
        assert.deepEqual([moved.source, moved.draft], ['/older', true]);
        await refused(find('/older'), 404);
        await refused(make({ source: '/blog/*', destination: to }), 409);
        await refused(make({ source: 'no slash', destination: to }), 400);
        await refused(make({ source: '/x', destination: { kind: 'external', url: 'javascript:alert(1)' } }), 400);
        await refused(make({ source: '/x', destination: { ...to, pageId: 'absent' } }), 404);
        await refused(bob.api.orgs.createSiteRedirect(org, site, { source: '/x', destination: to }), 403);
        await deletedOnce(() => orgs.deleteSiteRedirectById(org, site, blog.id));
        await refused(find('/blog/2026/hello'), 404);
    });

    await step('many redirects at once', async () => {
        const body = {
            redirects: [
                { source: '/a', destination: { kind: 'site-space', siteSpaceId: place.id } },
                { source: 'bad', destination: { kind: 'site-space', siteSpaceId: place.id } },
                { source: '/older', intent: 'draft', destination: null },
            ],
        };
        const { results } = await answered(alice.call('PUT', `/orgs/${org}/sites/${site}/redirects`, { body }), 200);
        assert.deepEqual(results.map(({ status }) => status), ['created', 'error', 'deleted']);
    });
}
