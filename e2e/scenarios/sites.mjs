// Sites, their sections, groups and site spaces, and where they are published.

import assert from 'node:assert/strict';

import { answered, created, deletedOnce, ids, paged, refused } from '../lib/expect.mjs';

export default async function sites({ step, organization, alice, bob, mallory, world }) {
    const { orgs, spaces } = alice.api;
    const org = organization.id;
    const space = async (title) => (await orgs.createSpace(org, { title })).data;
    const [handbook, guides, reference] = [await space('Handbook'), await space('Guides'), await space('Reference')];
    const structure = async () => answered(orgs.getSiteStructure(org, site.id), 200);
    let site, section, group, siteSpace;

    await world.enroll(bob, organization, 'read');

    await step('a site is created with spaces, unpublished', async () => {
        site = await created(orgs.createSite(org, { title: 'Acme Docs', visibility: 'unlisted', spaces: [handbook.id] }), `/orgs/${org}/sites`);
        assert.equal(site.published, false);
        assert.equal(site.siteSpaces, 1);
        assert.equal(site.urls.published, undefined);
        assert.deepEqual(await answered(orgs.getSiteById(org, site.id), 200), site);
        const { type, structure: items } = await structure();
        assert.equal(type, 'siteSpaces');
        assert.equal(items[0].space.id, handbook.id);
    });

    await step('a bad site is refused', async () => {
        for (const body of [{ title: 'x' }, { type: 'huge' }, { visibility: 'private' }, { nope: 1 }]) {
            await refused(orgs.createSite(org, body), 400);
        }
        await refused(orgs.createSite(org, { spaces: ['absent'] }), 404);
    });

    await step('the list pages and filters', async () => {
        const other = (await orgs.createSite(org, { title: 'Other', type: 'premium' })).data;
        const list = (query) => orgs.listSites(org, query);
        await paged(list, ({ id }) => id, [site.id, other.id]);
        for (const [query, expected] of [
            [{ space: handbook.id }, [site.id]],
            [{ title: 'OTHER' }, [other.id]],
            [{ published: true }, []],
            [{ published: false }, [site.id, other.id]],
            [{ type: ['premium', 'ultimate'] }, [other.id]],
        ]) {
            assert.deepEqual(ids((await list(query)).data.items), expected, JSON.stringify(query));
        }
        await refused(orgs.publishSite(org, other.id), 412);
        await deletedOnce(() => orgs.deleteSiteById(org, other.id));
        await refused(orgs.getSiteById(org, other.id), 404);
    });

    await step('publishing gives the site, its parts and its spaces an address', async () => {
        site = await answered(orgs.publishSite(org, site.id), 200);
        const read = (await spaces.getSpaceById(handbook.id)).data;
        assert.equal(read.visibility, 'unlisted');
        assert.equal(read.urls.published, site.urls.published);
        assert.equal((await structure()).structure[0].urls.published, site.urls.published);
        site = await answered(orgs.unpublishSite(org, site.id), 200);
        assert.equal(site.urls.published, undefined);
        assert.equal((await spaces.getSpaceById(handbook.id)).data.visibility, 'private');
        site = (await orgs.publishSite(org, site.id)).data;
    });

    await step('settings', async () => {
        const patch = (change) => orgs.updateSiteById(org, site.id, change);
        site = await answered(
            patch({ title: 'Docs', visibility: 'public', basename: `docs-${organization.id.toLowerCase()}`, adaptiveContent: { enabled: true }, agentsContext: 'excluded', proxy: 'acme.example/docs' }),
            200,
        );
        assert.equal(site.urls.published, 'https://acme.example/docs/');
        site = await answered(patch({ proxy: null }), 200);
        assert.ok(new URL(site.urls.published).hostname.startsWith(`${site.basename}.`), site.urls.published);
        assert.equal((await spaces.getSpaceById(handbook.id)).data.urls.public, site.urls.published);
        for (const change of [{ proxy: 'no path' }, { basename: 'Not OK' }, { title: null }]) {
            await refused(patch(change), 400);
        }
        await refused(patch({ defaultSiteSpace: 'absent' }), 404);
    });

    await step('the first section keeps what was there', async () => {
        section = await answered(orgs.addSectionToSite(org, site.id, { spaceId: guides.id, icon: 'book' }), 201);
        const { type, structure: items } = await structure();
        assert.equal(type, 'sections');
        assert.deepEqual(items.map(({ title, default: main }) => [title, main]), [['Docs', true], ['Guides', false]]);
        assert.deepEqual(items[0].siteSpaces.map((item) => item.space.id), [handbook.id]);
        await paged((query) => orgs.listSiteSections(org, site.id, query), ({ id }) => id, ids(items));
    });

    await step('a section is changed', async () => {
        const patch = (change) => orgs.updateSiteSectionById(org, site.id, section.id, change);
        section = await answered(patch({ title: 'How to', path: 'how-to', description: 'Steps', condition: 'visitor.claims.beta', icon: null }), 200);
        assert.equal(section.urls.published, `${site.urls.published}how-to/`);
        assert.equal((await answered(patch({ condition: null }), 200)).condition, undefined);
        for (const change of [{ path: 'a/b' }, { condition: 'visitor.' }, { condition: 'x'.repeat(1025) }, { title: 'x' }]) {
            await refused(patch(change), 400);
        }
    });

    await step('site spaces are variants of a section', async () => {
        siteSpace = await answered(orgs.addSpaceToSite(org, site.id, { spaceId: reference.id, sectionId: section.id }), 201);
        assert.equal(siteSpace.urls.published, `${site.urls.published}how-to/reference/`);
        siteSpace = await answered(orgs.updateSiteSpaceById(org, site.id, siteSpace.id, { path: 'v2', condition: 'visitor.claims.beta' }), 200);
        assert.equal((await spaces.getSpaceById(reference.id)).data.urls.published, siteSpace.urls.published);
        const list = (query) => orgs.listSiteSpaces(org, site.id, query);
        assert.equal((await list({ default: true })).data.items.length, 2);
        assert.deepEqual(ids((await list({ default: false })).data.items), [siteSpace.id]);
        section = (await orgs.updateSiteSectionById(org, site.id, section.id, { defaultSiteSpace: siteSpace.id })).data;
        assert.deepEqual(section.siteSpaces.map((item) => item.default), [false, true]);
    });

    await step('groups hold sections', async () => {
        group = await answered(orgs.addSectionGroupToSite(org, site.id, { title: 'More', icon: 'star' }), 201);
        group = await answered(orgs.addSectionToGroup(org, site.id, group.id, { sectionId: section.id }), 201);
        assert.deepEqual(ids(group.children), [section.id]);
        assert.deepEqual(ids(group.sections), [section.id]);
        group = await answered(orgs.updateSiteSectionGroupById(org, site.id, group.id, { title: 'Even more', icon: null }), 200);
        const inner = await answered(orgs.addSectionGroupToSite(org, site.id, { title: 'Inner', parent: group.id }), 201);
        await paged((query) => orgs.listSiteSectionGroups(org, site.id, query), ({ id }) => id, [group.id, inner.id]);
        await answered(orgs.moveSiteSectionGroup(org, site.id, inner.id, {}), 200);
        await deletedOnce(() => orgs.deleteSiteSectionGroupById(org, site.id, inner.id));
        await deletedOnce(() => orgs.removeSectionFromGroup(org, site.id, group.id, section.id));
    });

    await step('the order is changed', async () => {
        const sort = (item, position) => orgs.sortSiteStructure(org, site.id, { item, position });
        const first = (await structure()).structure[0];
        const pointer = { type: 'site-section', id: section.id };
        const moved = await answered(sort(pointer, { before: { type: 'site-section', id: first.id } }), 200);
        assert.equal(moved.id, section.id);
        assert.equal((await structure()).structure[0].id, section.id);
        await refused(sort(pointer, { before: pointer }), 400);
        await refused(sort({ type: 'site-section', id: 'absent' }, {}), 404);
        await answered(orgs.moveSiteSection(org, site.id, section.id, { position: { after: { type: 'site-section', siteSection: first.id } } }), 200);
        await answered(orgs.moveSiteSpace(org, site.id, siteSpace.id, {}), 200);
    });

    await step('a reader sees a site and changes nothing', async () => {
        const reader = bob.api.orgs;
        await answered(reader.getSiteById(org, site.id), 200);
        await answered(reader.getSiteStructure(org, site.id), 200);
        await refused(reader.updateSiteById(org, site.id, { title: 'Mine' }), 403);
        await refused(reader.addSectionToSite(org, site.id, { spaceId: guides.id }), 403);
        await refused(mallory.api.orgs.getSiteById(mallory.organization, site.id), 404);
    });

    await step('parts are deleted, spaces stay', async () => {
        await deletedOnce(() => orgs.deleteSiteSpaceById(org, site.id, siteSpace.id));
        assert.equal((await spaces.getSpaceById(reference.id)).data.visibility, 'private');
        await deletedOnce(() => orgs.deleteSiteSectionById(org, site.id, section.id));
        await deletedOnce(() => orgs.deleteSiteById(org, site.id));
        assert.equal((await spaces.getSpaceById(handbook.id)).data.visibility, 'private');
    });
}
