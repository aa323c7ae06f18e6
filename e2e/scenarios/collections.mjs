// Collections: nesting, order, defaults, and moving house.

import assert from 'node:assert/strict';

import { answered, created, deletedOnce, ids, paged, precedes, refused } from '../lib/expect.mjs';

export default async function collections({ step, organization, alice, mallory, world }) {
    const { orgs, collections } = alice.api;
    const post = (body) => orgs.createCollection(organization.id, body);
    const create = async (body) => await created(post(body), '/collections');
    const list = (query) => orgs.listCollectionsInOrganizationById(organization.id, query);
    const pointer = ({ id }) => ({ type: 'collection', collection: id });
    let guides, recipes, api;

    await step('create answers 201 and where the collection is', async () => {
        guides = await create({ title: 'Guides' });
        assert.equal(guides.title, 'Guides');
        assert.equal(guides.organization, organization.id);
        assert.equal(guides.parent, undefined);
        assert.equal(guides.defaultLevel, 'inherit');
        assert.deepEqual(guides.permissions, { view: true, admin: true, viewInviteLinks: true, create: true });
        assert.deepEqual(await answered(collections.getCollectionById(guides.id), 200), guides);
    });

    await step('create takes a parent, and no body at all', async () => {
        recipes = await create({ title: 'Recipes', parent: guides.id });
        assert.equal(recipes.parent, guides.id);
        api = await create();
        assert.equal(api.parent, undefined);
    });

    await step('a bad collection is refused', async () => {
        await refused(post({ title: 'x'.repeat(51) }), 400);
        await refused(post({ nope: true }), 400);
        await refused(post({ title: 'Lost', parent: 'absent' }), 400, 404);
    });

    await step('the list pages, with and without what is nested', async () => {
        await paged(list, ({ id }) => id, [guides.id, recipes.id, api.id]);
        assert.deepEqual(ids((await list({ nested: false })).data.items).toSorted(), [guides.id, api.id].toSorted());
        assert.equal((await list({ nested: true })).data.items.length, 3);
        await refused(list({ nested: 'maybe' }), 400);
    });

    await step('a patch changes title and description', async () => {
        const change = { title: 'Handbook', description: 'How we work' };
        const patched = await answered(collections.updateCollectionById(guides.id, change), 200);
        assert.deepEqual(patched, { ...guides, ...change });
        await refused(collections.updateCollectionById(guides.id, { nope: true }), 400);
        await refused(collections.updateCollectionById(guides.id, { description: 'x'.repeat(101) }), 400);
        assert.deepEqual(await answered(collections.getCollectionById(guides.id), 200), patched);
    });

    await step('the default level is nobody, a role, or inherited', async () => {
        for (const defaultLevel of [null, 'read', 'inherit']) {
            const patched = await answered(collections.updateCollectionById(guides.id, { defaultLevel }), 200);
            assert.equal(patched.defaultLevel, defaultLevel);
            const read = await answered(collections.getCollectionById(guides.id), 200);
            assert.equal(read.defaultLevel, defaultLevel);
        }
        await refused(collections.updateCollectionById(guides.id, { defaultLevel: 'owner' }), 400);
    });

    await step('the spaces of a collection are listed', async () => {
        const parent = guides.id;
        const first = (await orgs.createSpace(organization.id, { title: 'First', parent })).data;
        const second = (await orgs.createSpace(organization.id, { title: 'Second', parent })).data;
        await orgs.createSpace(organization.id, { title: 'Elsewhere' });
        const spaces = (query) => collections.listSpacesInCollectionById(parent, query);
        await paged(spaces, ({ id }) => id, [first.id, second.id]);
    });

    await step('move changes the parent', async () => {
        const moved = await answered(collections.moveCollection(api.id, { parent: guides.id }), 200);
        assert.equal(moved.parent, guides.id);
        const back = await answered(collections.moveCollection(api.id, { parent: null }), 200);
        assert.equal(back.parent, undefined);
    });

    await step('move changes the order', async () => {
        await answered(collections.moveCollection(api.id, { position: { before: pointer(guides) } }), 200);
        precedes((await list({ nested: false })).data.items, api.id, guides.id);
        await answered(collections.moveCollection(api.id, { position: { after: pointer(guides) } }), 200);
        precedes((await list({ nested: false })).data.items, guides.id, api.id);
    });

    await step('a move to the same place is 409', async () => {
        await refused(collections.moveCollection(api.id, { position: { after: pointer(guides) } }), 409);
        const [alone, only] = [await create({ title: 'Alone' }), await create({ title: 'Only' })];
        await answered(collections.moveCollection(only.id, { parent: alone.id }), 200);
        await refused(collections.moveCollection(only.id, { parent: alone.id }), 409);
    });

    await step('a move to a bad place is 400', async () => {
        const move = (body) => collections.moveCollection(api.id, body);
        await refused(move({}), 400);
        await refused(move({ position: { before: pointer({ id: 'absent' }) } }), 400);
        await refused(move({ position: { before: pointer(recipes) }, parent: null }), 400);
        await refused(move({ position: { before: pointer(api) } }), 400);
        await refused(move({ nope: true }), 400);
        await refused(move({ parent: 'absent' }), 400, 404);
        await refused(collections.moveCollection('absent', { parent: null }), 404);
    });

    await step('a collection does not move into itself or what is inside it', async () => {
        await refused(collections.moveCollection(guides.id, { parent: guides.id }), 400, 409);
        await refused(collections.moveCollection(guides.id, { parent: recipes.id }), 400, 409);
        assert.equal((await collections.getCollectionById(guides.id)).data.parent, undefined);
    });

    await step('a transfer takes along what is inside', async () => {
        const destination = await world.newOrganization('Destination');
        const moved = await answered(collections.transferCollection(guides.id, { organization: destination.id }), 200);
        assert.equal(moved.organization, destination.id);
        assert.equal((await collections.getCollectionById(recipes.id)).data.organization, destination.id);
        const { data } = await collections.listSpacesInCollectionById(guides.id);
        assert.ok(data.items.length > 0);
        assert.ok(data.items.every((space) => space.organization === destination.id));
        assert.ok(!ids((await list()).data.items).includes(guides.id));
    });

    await step('a transfer to where it is, or where one has no right, is refused', async () => {
        await refused(collections.transferCollection(api.id, { organization: organization.id }), 409);
        await refused(collections.transferCollection(api.id, { organization: mallory.organization }), 403, 404);
        await refused(collections.transferCollection(api.id, {}), 400);
        assert.equal((await collections.getCollectionById(api.id)).data.organization, organization.id);
    });

    await step('delete answers 205, then 204', async () => {
        await deletedOnce(() => collections.deleteCollectionById(api.id));
        await refused(collections.getCollectionById(api.id), 404);
        await refused(collections.updateCollectionById(api.id, { title: 'Back' }), 404);
        await refused(collections.listSpacesInCollectionById(api.id), 404);
        assert.ok(!ids((await list()).data.items).includes(api.id));
    });
}
