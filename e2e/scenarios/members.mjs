// Members: finding them, their roles, what they reach, and the admin that must remain.

import assert from 'node:assert/strict';

import { answered, deletedOnce, ids, paged, refused } from '../lib/expect.mjs';

export default async function members({ step, organization, alice, bob, carol, mallory, world }) {
    const { orgs } = alice.api;
    const list = (query) => orgs.listMembersInOrganizationById(organization.id, query);
    const read = async (person) => (await orgs.getMemberInOrganizationById(organization.id, person.id)).data;
    const setRole = (person, role) => orgs.updateMemberInOrganizationById(organization.id, person.id, { role });
    const found = async (query) => ids((await list(query)).data.items).toSorted();

    await world.enroll(bob, organization, 'edit');
    await world.enroll(carol, organization, null);

    await step('the list pages through all members', async () => {
        await paged(list, ({ id }) => id, [alice.id, bob.id, carol.id]);
    });

    await step('a guest does not learn who else is there', async () => {
        const { data } = await carol.api.orgs.listMembersInOrganizationById(organization.id);
        assert.ok(data.items.every(({ id }) => id === carol.id));
    });

    await step('the list is filtered by role', async () => {
        assert.deepEqual(await found({ role: 'admin' }), [alice.id]);
        assert.deepEqual(await found({ role: 'edit' }), [bob.id]);
        assert.deepEqual(await found({ role: 'guest' }), [carol.id]);
        assert.deepEqual(await found({ role: 'create' }), []);
        await refused(list({ role: 'owner' }), 400);
    });

    await step('the list is searched by address and name, whatever the case', async () => {
        assert.deepEqual(await found({ search: bob.email.toUpperCase() }), [bob.id]);
        await bob.api.users.updateUserById(bob.id, { displayName: 'Robert Tables' });
        assert.deepEqual(await found({ search: 'table' }), [bob.id]);
        assert.deepEqual(await found({ search: '%' }), []);
        assert.deepEqual(await found({ search: 'nobody' }), []);
    });

    await step('the list is sorted by the day of joining', async () => {
        const newest = await list({});
        assert.deepEqual(ids(newest.data.items), [carol.id, bob.id, alice.id]);
        const oldest = await list({ sort: 'joinedAt', order: 'asc' });
        assert.deepEqual(ids(oldest.data.items), [alice.id, bob.id, carol.id]);
        const named = await list({ sort: 'name', order: 'asc' });
        assert.deepEqual([...ids(named.data.items)].sort(), [alice.id, bob.id, carol.id].sort());
        assert.equal(ids(named.data.items)[0], alice.id);
        await refused(list({ sort: 'height' }), 400);
        await refused(list({ order: 'up' }), 400);
    });

    await step('a ping makes the member seen', async () => {
        await answered(bob.api.orgs.updateOrganizationMemberLastSeenAt(organization.id), 200);
        const { data } = await list({ sort: 'lastSeenAt' });
        assert.ok(ids(data.items).includes(bob.id));
        assert.ok(data.items.every(({ lastSeenAt }) => lastSeenAt));
        await refused(mallory.api.orgs.updateOrganizationMemberLastSeenAt(organization.id), 404);
    });

    await step('a role is changed, up to a guest', async () => {
        for (const role of ['review', null, 'comment']) {
            const patched = await answered(setRole(bob, role), 200);
            assert.equal(patched.role, role);
            assert.equal((await read(bob)).role, role);
        }
    });

    await step('a bad role change is refused', async () => {
        await refused(setRole(bob, 'owner'), 400);
        await refused(orgs.updateMemberInOrganizationById(organization.id, bob.id, { nope: 1 }), 400);
        await refused(orgs.updateMemberInOrganizationById(organization.id, bob.id, { disabled: true }), 400);
        await refused(setRole(mallory, 'read'), 404);
        await refused(bob.api.orgs.updateMemberInOrganizationById(organization.id, bob.id, { role: 'admin' }), 403);
    });

    await step('the last admin stays an admin', async () => {
        assert.match(await refused(setRole(alice, 'edit'), 400, 403, 409, 412), /admin/i);
        const removal = orgs.removeMemberFromOrganizationById(organization.id, alice.id);
        assert.match(await refused(removal, 400, 403, 409, 412), /admin/i);
        assert.equal((await read(alice)).role, 'admin');
    });

    await step('one of two admins may be demoted', async () => {
        await answered(setRole(bob, 'admin'), 200);
        await answered(setRole(bob, 'edit'), 200);
        assert.equal((await read(bob)).role, 'edit');
    });

    await step('the spaces of a member come with the role in each', async () => {
        const open = (await orgs.createSpace(organization.id, { title: 'Open' })).data;
        const hidden = (await orgs.createSpace(organization.id, { title: 'Hidden' })).data;
        await alice.api.spaces.updateSpaceById(hidden.id, { defaultLevel: null });

        const spaces = (person) => (query) => orgs.listSpacesForOrganizationMember(organization.id, person.id, query);
        await paged(spaces(bob), ({ space }) => space.id, [open.id]);
        const { data } = await spaces(bob)();
        assert.equal(data.items[0].permission, 'edit');
        assert.deepEqual((await spaces(carol)()).data.items, []);
        await refused(spaces(mallory)(), 404);

        await alice.api.spaces.inviteToSpace(open.id, { role: 'review', users: [bob.id] });
        assert.equal((await spaces(bob)()).data.items[0].permission, 'review');
        assert.equal((await read(bob)).spaces, 1);
    });

    await step('the teams of a member come with the role in each', async () => {
        const docs = (await orgs.createOrganizationTeam(organization.id, { title: 'Docs', members: [bob.id] })).data;
        const support = (await orgs.createOrganizationTeam(organization.id, { title: 'Support' })).data;
        await orgs.addMemberToOrganizationTeamById(organization.id, support.id, bob.id, { role: 'owner' });

        const teams = (query) => orgs.listTeamsForOrganizationMember(organization.id, bob.id, query);
        await paged(teams, ({ team }) => team.id, [docs.id, support.id]);
        const { data } = await teams({ title: 'SUPP' });
        assert.deepEqual(data.items.map(({ team, member }) => [team.id, member.role]), [[support.id, 'owner']]);

        assert.equal((await read(bob)).teams, 2);
    });

    await step('a member is marked as coming by single sign-on', async () => {
        const member = await answered(orgs.setUserAsSsoMemberForOrganization(organization.id, bob.id), 200);
        assert.equal(member.sso, true);
    });

    await step('a removed member is out', async () => {
        await deletedOnce(() => orgs.removeMemberFromOrganizationById(organization.id, bob.id));
        await refused(read(bob), 404);
        await refused(bob.api.orgs.getOrganizationById(organization.id), 404);
        assert.deepEqual(await found({}), [alice.id, carol.id].toSorted());
    });
}
