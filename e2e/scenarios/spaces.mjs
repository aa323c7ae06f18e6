// Spaces: life, trash, restoration, order, and moving house.

import assert from 'node:assert/strict';

import { answered, created, deletedOnce, ids, paged, precedes, refused } from '../lib/expect.mjs';

export default async function spaces({ step, organization, alice, bob, mallory, world }) {
    const { orgs, spaces, collections } = alice.api;
    const post = (body) => orgs.createSpace(organization.id, body);
    const create = async (body) => await created(post(body), '/spaces');
    const list = (query) => orgs.listSpacesInOrganizationById(organization.id, query);
    const pointer = ({ id }) => ({ type: 'space', space: id });
    const shelf = (await orgs.createCollection(organization.id, { title: 'Shelf' })).data;
    let guide, manual;

    await step('create answers 201 and where the space is', async () => {
        guide = await create({ title: 'Guide', emoji: '1f389', parent: shelf.id, language: 'en' });
        assert.equal(guide.title, 'Guide');
        assert.equal(guide.emoji, '1f389');
        assert.equal(guide.organization, organization.id);
        assert.equal(guide.parent, shelf.id);
        assert.equal(guide.language, 'en');
        assert.notEqual(guide.revision, '');
        assert.deepEqual(await answered(spaces.getSpaceById(guide.id), 200), guide);
    });

    await step('a new space is private, inherits, and its live edits are locked', async () => {
        manual = await create();
        assert.equal(manual.editMode, 'locked');
        assert.equal(manual.visibility, 'private');
        assert.equal(manual.defaultLevel, 'inherit');
        assert.deepEqual(manual.mergeRules, { type: 'inherit' });
        const { comments, changeRequests, changeRequestsOpen, changeRequestsDraft } = manual;
        assert.deepEqual([comments, changeRequests, changeRequestsOpen, changeRequestsDraft], [0, 0, 0, 0]);
    });

    await step('its creator may do everything', async () => {
        for (const [right, allowed] of Object.entries(manual.permissions)) {
            assert.equal(allowed, true, right);
        }
    });

    await step('create takes an edit mode and an empty space', async () => {
        const live = await create({ title: 'Live', editMode: 'live', empty: true });
        assert.equal(live.editMode, 'live');
        await spaces.deleteSpaceById(live.id);
    });

    await step('a bad space is refused', async () => {
        await refused(post({ title: 'x'.repeat(51) }), 400);
        await refused(post({ language: 'klingon' }), 400);
        await refused(post({ editMode: 'ajar' }), 400);
        await refused(post({ parent: 'absent' }), 400, 404);
    });

    await step('the list pages through the organization', async () => {
        await paged(list, ({ id }) => id, [guide.id, manual.id]);
    });

    await step('a patch changes what it names', async () => {
        const change = {
            title: 'Handbook',
            editMode: 'live',
            language: 'fr',
            defaultLevel: 'read',
            mergeRules: { type: 'none' },
        };
        const patched = await answered(spaces.updateSpaceById(guide.id, change), 200);
        const { updatedAt, visibility } = patched; // both follow from the change
        assert.deepEqual(patched, { ...guide, ...change, updatedAt, visibility });
        await answered(spaces.updateSpaceById(guide.id, { defaultLevel: 'inherit', editMode: 'locked' }), 200);
    });

    await step('a space has an emoji or an icon, not both', async () => {
        const icon = 'https://example.com/icon.png';
        const pictured = await answered(spaces.updateSpaceById(guide.id, { icon }), 200);
        assert.equal(pictured.urls.icon, icon);
        const smiling = await answered(spaces.updateSpaceById(guide.id, { emoji: '1f600' }), 200);
        assert.equal(smiling.emoji, '1f600');
        assert.equal(smiling.urls.icon, undefined);
        await refused(spaces.updateSpaceById(guide.id, { emoji: '1f600', icon }), 400);
        const bare = await answered(spaces.updateSpaceById(guide.id, { emoji: null, icon: null }), 200);
        assert.notEqual(bare.emoji, '1f600');
    });

    await step('a bad patch is 400', async () => {
        const patch = (change) => spaces.updateSpaceById(guide.id, change);
        await refused(patch({ nope: true }), 400);
        await refused(patch({ title: 7 }), 400);
        await refused(patch({ title: 'x'.repeat(51) }), 400);
        await refused(patch({ defaultLevel: 'owner' }), 400);
        await refused(patch({ icon: 'not a URL' }), 400);
    });

    await step('move changes the parent', async () => {
        const moved = await answered(spaces.moveSpace(manual.id, { parent: shelf.id }), 200);
        assert.equal(moved.parent, shelf.id);
        const { data } = await collections.listSpacesInCollectionById(shelf.id);
        assert.deepEqual(ids(data.items).toSorted(), [guide.id, manual.id].toSorted());
    });

    await step('move changes the order', async () => {
        const inShelf = async () => (await collections.listSpacesInCollectionById(shelf.id)).data.items;
        await answered(spaces.moveSpace(manual.id, { position: { before: pointer(guide) } }), 200);
        precedes(await inShelf(), manual.id, guide.id);
        await answered(spaces.moveSpace(manual.id, { position: { after: pointer(guide) } }), 200);
        precedes(await inShelf(), guide.id, manual.id);
    });

    await step('a move to the same place is 409', async () => {
        await refused(spaces.moveSpace(manual.id, { position: { after: pointer(guide) } }), 409);
        await refused(spaces.moveSpace(manual.id, { parent: shelf.id }), 409);
    });

    await step('a move to a bad place is 400', async () => {
        await refused(spaces.moveSpace(manual.id, {}), 400);
        await refused(spaces.moveSpace(manual.id, { position: { before: pointer({ id: 'absent' }) } }), 400);
        await refused(spaces.moveSpace(manual.id, { parent: null, position: { before: pointer(guide) } }), 400);
        await refused(spaces.moveSpace(manual.id, { parent: 'absent' }), 400, 404);
        await refused(spaces.moveSpace('absent', { parent: null }), 404);
    });

    await step('a deleted space is 404 everywhere and in no list', async () => {
        await deletedOnce(() => spaces.deleteSpaceById(manual.id));
        await refused(spaces.getSpaceById(manual.id), 404);
        await refused(spaces.updateSpaceById(manual.id, { title: 'Ghost' }), 404);
        await refused(spaces.moveSpace(manual.id, { parent: null }), 404);
        await refused(spaces.transferSpace(manual.id, { organization: alice.organization }), 404);
        await refused(spaces.inviteToSpace(manual.id, { role: 'read', users: [alice.id] }), 404);
        await refused(spaces.listUserPermissionsInSpace(manual.id), 404);
        await refused(spaces.listTeamPermissionsInSpace(manual.id), 404);
        await refused(spaces.listPermissionsAggregateInSpace(manual.id), 404);
        assert.deepEqual(ids((await list()).data.items), [guide.id]);
        assert.deepEqual(ids((await collections.listSpacesInCollectionById(shelf.id)).data.items), [guide.id]);
    });

    await step('a deleted space is restored as it was', async () => {
        await refused(mallory.api.spaces.restoreSpace(manual.id), 404);
        const restored = await answered(spaces.restoreSpace(manual.id), 200);
        assert.equal(restored.id, manual.id);
        assert.equal(restored.parent, shelf.id);
        assert.equal(restored.deletedAt, undefined);
        await answered(spaces.getSpaceById(manual.id), 200);
        await paged(list, ({ id }) => id, [guide.id, manual.id]);
    });

    await step('what is not in the trash is not restored', async () => {
        await refused(spaces.restoreSpace(manual.id), 409);
        await refused(spaces.restoreSpace('absent'), 404);
    });

    await step('a transfer changes the organization', async () => {
        const destination = await world.newOrganization('Destination');
        const moved = await answered(spaces.transferSpace(manual.id, { organization: destination.id }), 200);
        assert.equal(moved.organization, destination.id);
        assert.equal(moved.parent, undefined);
        assert.deepEqual(ids((await list()).data.items), [guide.id]);
        const { data } = await orgs.listSpacesInOrganizationById(destination.id);
        assert.deepEqual(ids(data.items), [manual.id]);
    });

    await step('a transfer to where it is, or where one has no right, is refused', async () => {
        await refused(spaces.transferSpace(guide.id, { organization: organization.id }), 409);
        await refused(spaces.transferSpace(guide.id, { organization: mallory.organization }), 403, 404);
        await refused(spaces.transferSpace(guide.id, {}), 400);
        assert.equal((await spaces.getSpaceById(guide.id)).data.organization, organization.id);
    });

    await step('a reader may look and not touch', async () => {
        await world.enroll(bob, organization, 'read');
        const { permissions } = await answered(bob.api.spaces.getSpaceById(guide.id), 200);
        assert.equal(permissions.view, true);
        for (const right of ['admin', 'edit', 'comment', 'merge', 'review', 'installIntegration', 'triggerGitSync']) {
            assert.equal(permissions[right], false, right);
        }
        await refused(bob.api.spaces.updateSpaceById(guide.id, { title: 'Owned' }), 403);
        await refused(bob.api.spaces.deleteSpaceById(guide.id), 403);
        await refused(bob.api.orgs.createSpace(organization.id, { title: 'Mine' }), 403);
    });
}
