// Invitations: by e-mail, and by links to the organization, a collection or a space.

import assert from 'node:assert/strict';

import { answered, deletedOnce, paged, refused } from '../lib/expect.mjs';

export default async function invites({ step, organization, alice, bob, carol, mallory, run }) {
    const { orgs } = alice.api;
    const space = (await orgs.createSpace(organization.id, { title: 'Shared' })).data;
    const other = (await orgs.createSpace(organization.id, { title: 'Kept' })).data;
    const collection = (await orgs.createCollection(organization.id, { title: 'Shared' })).data;
    const inside = (await orgs.createSpace(organization.id, { title: 'Inside', parent: collection.id })).data;
    const post = (body) => orgs.createOrganizationInvite(organization.id, body);
    const create = async (body) => await answered(post(body), 201);
    const patch = (invite, body) => orgs.updateOrganizationInviteById(organization.id, invite.id, body);
    const accept = (person, invite) => person.api.orgs.joinOrganizationWithInvite(organization.id, invite.id);
    let link;

    await step('a link to the organization is created and read', async () => {
        link = await create({ role: 'read' });
        assert.equal(link.role, 'read');
        assert.equal(link.redundant, true, 'redundant for an admin');
        assert.deepEqual(await answered(orgs.getOrganizationInviteLink(organization.id, link.id), 200), link);
    });

    await step('a bad link is refused', async () => {
        await refused(post({}), 400);
        await refused(post({ role: 'owner' }), 400);
        await refused(post({ level: 'read' }), 400);
        await refused(post({ role: 'read', level: 'read', space: space.id }), 400);
        await refused(post({ level: 'read', space: 'absent' }), 400, 404);
        await refused(post({ level: 'read', collection: 'absent' }), 400, 404);
    });

    await step('the role of a link is changed', async () => {
        const patched = await answered(patch(link, { role: 'edit' }), 200);
        assert.equal(patched.role, 'edit');
        await refused(patch(link, { level: 'edit' }), 400);
        await refused(patch(link, { nope: 'edit' }), 400);
    });

    await step('the list pages through the links to the organization only', async () => {
        const second = await create({ role: null });
        await create({ level: 'read', space: space.id });
        const list = (query) => orgs.listOrganizationInviteLinks(organization.id, query);
        await paged(list, ({ id }) => id, [link.id, second.id]);
    });

    await step('who accepts a link has its role', async () => {
        await answered(accept(bob, link), 200);
        const member = await answered(orgs.getMemberInOrganizationById(organization.id, bob.id), 200);
        assert.equal(member.role, 'edit');
    });

    await step('a link never lowers a role', async () => {
        await answered(accept(alice, link), 200);
        const member = await answered(orgs.getMemberInOrganizationById(organization.id, alice.id), 200);
        assert.equal(member.role, 'admin');
    });

    await step('a link to a space admits a guest to that space', async () => {
        const invite = await create({ level: 'comment', space: space.id });
        assert.equal(invite.level, 'comment');
        assert.equal(invite.space.id, space.id);
        await answered(accept(carol, invite), 200);

        const member = await answered(orgs.getMemberInOrganizationById(organization.id, carol.id), 200);
        assert.equal(member.role, null);
        const { permissions } = await answered(carol.api.spaces.getSpaceById(space.id), 200);
        assert.equal(permissions.comment, true);
        assert.equal(permissions.edit, false);
        await refused(carol.api.spaces.getSpaceById(other.id), 404);
    });

    await step('a link to a collection admits a guest to what is inside', async () => {
        const invite = await create({ level: 'read', collection: collection.id });
        const patched = await answered(patch(invite, { level: 'edit' }), 200);
        assert.equal(patched.level, 'edit');
        assert.equal(patched.collection.id, collection.id);
        await answered(accept(carol, invite), 200);

        await answered(carol.api.collections.getCollectionById(collection.id), 200);
        const { permissions } = await answered(carol.api.spaces.getSpaceById(inside.id), 200);
        assert.equal(permissions.edit, true);
    });

    await step('a revoked link admits nobody', async () => {
        await deletedOnce(() => orgs.deleteOrganizationInviteById(organization.id, link.id));
        await refused(orgs.getOrganizationInviteLink(organization.id, link.id), 404);
        assert.match(await refused(accept(mallory, link), 404, 412), /revoked|not found/i);
        await refused(orgs.getMemberInOrganizationById(organization.id, mallory.id), 404);
    });

    await step('links can be switched off for the organization', async () => {
        const open = await create({ role: 'read' });
        await answered(orgs.updateOrganizationById(organization.id, { inviteLinks: false }), 200);
        await refused(accept(mallory, open), 403, 404, 409, 412);
        await answered(orgs.updateOrganizationById(organization.id, { inviteLinks: true }), 200);
    });

    await step('people are invited by e-mail, each with a role or the common one', async () => {
        const emails = [`dave@guests-${run}.test`, { email: `erin@guests-${run}.test`, role: 'comment' }];
        const outcome = await answered(orgs.inviteUsersToOrganization(organization.id, { emails, role: 'read' }), 200);
        assert.equal(outcome.invited, 2);
    });

    await step('a bad invitation by e-mail is 400', async () => {
        for (const body of [{}, { emails: 'x@y.test' }, { emails: ['not an address'] }, { emails: [], nope: 1 }]) {
            await refused(orgs.inviteUsersToOrganization(organization.id, body), 400);
        }
    });

    await step('only an admin invites', async () => {
        await refused(bob.api.orgs.createOrganizationInvite(organization.id, { role: 'admin' }), 403);
        const emails = [`frank@guests-${run}.test`];
        await refused(bob.api.orgs.inviteUsersToOrganization(organization.id, { emails }), 403);
    });
}
