// Links: what pages refer to and whether it is there, and who refers to a page; kept right through
// moves, renames and deletions, and across the spaces of an organization.

import assert from 'node:assert/strict';

import { change, handbookSpace, liveSpace, pageTitled } from '../lib/content.mjs';
import { answered, everyPage, ids, paged, refused } from '../lib/expect.mjs';

export default async function links(scene) {
    await within(scene);
    await across(scene);
    await proposed(scene);
}

async function within(scene) {
    const { step, alice } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene);
    const of = (title) => pageTitled(alice, space, title);
    const list = (query) => spaces.listSpaceLinks(space.id, query);
    const broken = async () => (await list({ status: 'broken' })).data;

    await step('a space tells everything that it refers to, with numbers that agree', async () => {
        const { items, stats } = await answered(list(), 200);
        assert.equal(items.length, stats.total);
        assert.equal(items.filter(({ status }) => status === 'broken').length, stats.broken.total);
        const kinds = new Set(items.map(({ targetReference }) => targetReference?.kind));
        for (const kind of ['page', 'file', 'reusable-content']) {
            assert.ok(kinds.has(kind), kind);
        }
        assert.ok(items.every(({ locationReferences }) => locationReferences.length > 0));
        const seen = await everyPage(list);
        assert.deepEqual(seen, items);
        await refused(list({ limit: 1001 }), 400);
        await refused(list({ page: 'forged' }), 400);
        await refused(list({ status: 'odd' }), 400);
        await refused(spaces.listSpaceLinks('absent'), 404);
    });

    await step('a link to nothing is broken, and where it stands is told', async () => {
        const { items, stats } = await broken();
        assert.equal(stats.broken.total, 1);
        const [{ status, targetReference, locationReferences }] = items;
        assert.equal(status, 'broken');
        assert.equal(targetReference, undefined);
        assert.equal(locationReferences[0].page.id, (await of('Moorings')).id);
        assert.equal(locationReferences[0].internalLocation.type, 'node');
    });

    await step('a page tells what it refers to, and what refers to it', async () => {
        const [moorings, home, night] = [await of('Moorings'), await of('Harbour handbook'), await of('Night arrivals')];
        const { items, stats } = await answered(spaces.listPageLinksInSpace(space.id, moorings.id), 200);
        assert.equal(stats.total, items.length);
        assert.equal(stats.broken.total, 1);
        const anchor = items.find(({ targetReference }) => targetReference?.internalLocation?.anchor === 'before');
        assert.equal(anchor.targetReference.page.id, home.id);
        const filtered = await answered(spaces.listPageLinksInSpace(space.id, moorings.id, { status: 'broken' }), 200);
        assert.equal(filtered.items.length, 1);
        const back = (query) => spaces.listSpacePageBacklinks(space.id, moorings.id, query);
        const place = ({ page, reusableContent }) => page?.id ?? reusableContent.title;
        const expected = [home.id, night.id, 'Safety notice'];
        assert.deepEqual((await answered(back(), 200)).items.map(place).toSorted(), expected.toSorted());
        await paged(back, place, expected);
        await refused(spaces.listSpacePageBacklinks(space.id, 'absent'), 404);
        await refused(spaces.listPageLinksInSpace(space.id, 'absent'), 404);
    });

    await step('a page that is moved and renamed keeps its links', async () => {
        const moorings = await of('Moorings');
        const guides = await of('Guides');
        const before = (await list()).data.stats;
        const fields = { title: 'Berths', slug: 'berths', into: guides.id };
        await change(alice, space, [{ operation: 'update_page', page: moorings.id, ...fields }]);
        const { items, stats } = (await list()).data;
        assert.deepEqual(stats, before);
        const target = items.find(({ targetReference }) => targetReference?.page?.id === moorings.id);
        assert.equal(target.targetReference.page.title, 'Berths');
        assert.equal(target.targetReference.page.path, 'guides/berths');
    });

    await step('a deleted page leaves broken links, and comes back whole', async () => {
        const signals = await of('Signals');
        const before = (await spaces.getSpaceById(space.id)).data.revision;
        await change(alice, space, [{ operation: 'delete_page', page: signals.id }]);
        const after = (await broken()).stats.broken.total;
        assert.equal(after, 2);
        await answered(alice.call('POST', `/spaces/${space.id}/revisions/${before}/rollback`), 200);
        assert.equal((await broken()).stats.broken.total, 1);
    });
}

async function across(scene) {
    const { step, alice, bob, organization, world } = scene;
    const { spaces, orgs } = alice.api;
    const target = await handbookSpace(scene, 'Target');
    const source = await liveSpace(scene, 'Source');
    const shelf = (await orgs.createCollection(organization.id, { title: 'Shelf' })).data;
    const moorings = await pageTitled(alice, target, 'Moorings');
    await world.enroll(bob, organization, null);
    await spaces.inviteToSpace(source.id, { role: 'read', users: [bob.id] });

    await step('spaces, their pages, collections and people are referred to', async () => {
        const markdown = [
            `A [space](/spaces/${target.id}), a [page](/spaces/${target.id}/pages/${moorings.id}),`,
            `a [place](/spaces/${target.id}/pages/${moorings.id}#buoys), a [shelf](/collections/${shelf.id}),`,
            `[Alice](/users/${alice.id} "mention"), [out](https://harbour.example/),`,
            `[nowhere](/spaces/${target.id}/pages/absent) and a [specification](/openapi/absent).`,
        ].join('\n');
        await change(alice, source, [{ operation: 'insert_page', title: 'Away', document: { markdown } }]);
        const { items, stats } = await answered(spaces.listSpaceLinks(source.id), 200);
        const kinds = items.map(({ targetReference }) => targetReference?.kind ?? 'broken').toSorted();
        assert.deepEqual(kinds, ['broken', 'broken', 'collection', 'page', 'page', 'space', 'url', 'user']);
        assert.deepEqual(stats, { total: 8, broken: { total: 2 } });
        const page = items.find(({ targetReference }) => targetReference?.kind === 'page');
        assert.equal(page.targetReference.space.id, target.id);
    });

    await step('a page tells who refers to it from other spaces', async () => {
        const { items } = await answered(spaces.listSpacePageBacklinks(target.id, moorings.id), 200);
        assert.ok(items.some(({ space }) => space.id === source.id));
    });

    await step('what somebody cannot see is broken for them', async () => {
        const { items, stats } = await answered(bob.api.spaces.listSpaceLinks(source.id), 200);
        assert.equal(stats.total, 8);
        assert.ok(!JSON.stringify(items).includes('Moorings'));
        assert.ok(!ids(items.map(({ targetReference }) => targetReference?.space ?? {})).includes(target.id));
        await refused(bob.api.spaces.listSpacePageBacklinks(target.id, moorings.id), 404);
    });
}

async function proposed(scene) {
    const { step, alice } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene, 'Proposed');
    const signals = await pageTitled(alice, space, 'Signals');
    const moorings = await pageTitled(alice, space, 'Moorings');
    const request = (await spaces.createChangeRequest(space.id, { subject: 'Fewer signals' })).data;
    const list = (query) => spaces.listChangeRequestLinks(space.id, request.id, query);

    await step('a change request without changes has the links of its space', async () => {
        const { items, stats } = await answered(list(), 200);
        const there = await answered(spaces.listSpaceLinks(space.id), 200);
        assert.deepEqual(items, there.items);
        assert.deepEqual(stats, { ...there.stats, broken: { ...there.stats.broken, changeRequest: 0 } });
    });

    await step('what a change request breaks is told apart', async () => {
        const before = (await answered(spaces.listSpaceLinks(space.id), 200)).stats;
        const path = `/spaces/${space.id}/change-requests/${request.id}/content`;
        const body = { changes: [{ operation: 'delete_page', page: signals.id }] };
        await answered(alice.call('POST', path, { body }), 200);
        const { stats } = await answered(list(), 200);
        assert.deepEqual(stats.broken, { total: before.broken.total + 1, changeRequest: 1 });
        const broken = async (brokenContext) => (await answered(list({ status: 'broken', brokenContext }), 200)).items.length;
        assert.equal(await broken('change-request'), 1);
        assert.equal(await broken('space'), before.broken.total);
        assert.deepEqual((await answered(spaces.listSpaceLinks(space.id), 200)).stats, before);
        await refused(list({ brokenContext: 'odd' }), 400);
        await refused(spaces.listChangeRequestLinks(space.id, 'absent'), 404);
    });

    await step('its pages and files tell what they refer to, and where they are used', async () => {
        const { items, stats } = await answered(spaces.listPageLinksInChangeRequest(space.id, request.id, moorings.id), 200);
        assert.equal(stats.total, items.length);
        const back = await answered(spaces.listChangeRequestPageBacklinks(space.id, request.id, moorings.id), 200);
        assert.ok(back.items.length > 0);
        const [file] = (await spaces.listFiles(space.id)).data.items;
        await answered(spaces.listChangeRequestFileBacklinks(space.id, request.id, file.id), 200);
        await refused(spaces.listPageLinksInChangeRequest(space.id, request.id, signals.id), 404);
        await refused(spaces.listChangeRequestPageBacklinks(space.id, request.id, 'absent'), 404);
        await refused(spaces.listChangeRequestFileBacklinks(space.id, request.id, 'absent'), 404);
    });
}
