// Teams and who is in them.

import assert from 'node:assert/strict';

import { answered, deletedOnce, ids, paged, refused } from '../lib/expect.mjs';

export default async function teams({ step, organization, alice, bob, carol, mallory, world }) {
    const { orgs } = alice.api;
    const post = (body) => orgs.createOrganizationTeam(organization.id, body);
    const list = (query) => orgs.listTeamsInOrganizationById(organization.id, query);
    const listMembers = (query) => orgs.listTeamMembersInOrganizationById(organization.id, team.id, query);
    const memberIds = async () => (await listMembers()).data.items.map((item) => item.organization.id).toSorted();
    const update = (change) => orgs.updateMembersInOrganizationTeam(organization.id, team.id, change);
    let team;

    await world.enroll(bob, organization, 'read');
    await world.enroll(carol, organization, 'edit');

    await step('a team is created with its members', async () => {
        team = await answered(post({ title: 'Writers', members: [bob.id] }), 201);
        assert.equal(team.title, 'Writers');
        assert.deepEqual(team.permissions, { admin: true, view: true });
        assert.deepEqual(await answered(orgs.getTeamInOrganizationById(organization.id, team.id), 200), team);
        assert.deepEqual(await memberIds(), [bob.id]);
        assert.equal(team.members, 1);
    });

    await step('a bad team is refused', async () => {
        for (const body of [{}, { title: '' }, { title: 'x'.repeat(65) }, { title: 'A', nope: 1 }]) {
            await refused(post(body), 400);
        }
        await refused(post({ title: 'Spies', members: [mallory.id] }), 400, 404);
        assert.equal((await list()).data.items.length, 1);
    });

    await step('the list pages, and filters by title and by owner', async () => {
        const readers = await answered(post({ title: 'Readers' }), 201);
        await paged(list, ({ id }) => id, [team.id, readers.id]);
        assert.deepEqual(ids((await list({ title: 'WRIT' })).data.items), [team.id]);

        await orgs.addMemberToOrganizationTeamById(organization.id, readers.id, carol.id, { role: 'owner' });
        assert.deepEqual(ids((await list({ owner: carol.id })).data.items), [readers.id]);
    });

    await step('a team is renamed', async () => {
        const patch = (change) => orgs.updateTeamInOrganizationById(organization.id, team.id, change);
        assert.equal((await answered(patch({ title: 'Authors' }), 200)).title, 'Authors');
        await refused(patch({}), 400);
        await refused(patch({ title: 'A', nope: 1 }), 400);
    });

    await step('members are added by id and by address', async () => {
        await answered(update({ add: [carol.email, alice.id] }), 204);
        assert.deepEqual(await memberIds(), [alice.id, bob.id, carol.id].toSorted());
        await paged(listMembers, (item) => item.organization.id, [alice.id, bob.id, carol.id]);
    });

    await step('memberships set roles', async () => {
        await answered(update({ memberships: { [carol.id]: { role: 'owner' } } }), 204);
        const { data } = await listMembers();
        const roles = Object.fromEntries(data.items.map((item) => [item.organization.id, item.team.role]));
        assert.equal(roles[carol.id], 'owner');
        assert.equal(roles[bob.id], 'member');
    });

    await step('who is both added and removed is removed', async () => {
        await answered(update({ add: [bob.id], remove: [bob.email] }), 204);
        assert.deepEqual(await memberIds(), [alice.id, carol.id].toSorted());
    });

    await step('a stranger is not added, and nothing else of the change is kept', async () => {
        await refused(update({ add: [bob.id, mallory.id] }), 400, 404);
        assert.deepEqual(await memberIds(), [alice.id, carol.id].toSorted());
        await refused(update({ nope: [] }), 400);
        await refused(orgs.addMemberToOrganizationTeamById(organization.id, team.id, mallory.id, {}), 400, 404);
    });

    await step('one member is added, promoted and removed', async () => {
        await answered(orgs.addMemberToOrganizationTeamById(organization.id, team.id, bob.id), 204);
        await answered(orgs.addMemberToOrganizationTeamById(organization.id, team.id, bob.id, { role: 'owner' }), 204);
        const { data } = await listMembers();
        assert.equal(data.items.find((item) => item.organization.id === bob.id).team.role, 'owner');
        await refused(orgs.addMemberToOrganizationTeamById(organization.id, team.id, bob.id, { role: 'boss' }), 400);
        await deletedOnce(() => orgs.deleteMemberFromOrganizationTeamById(organization.id, team.id, bob.id));
        assert.deepEqual(await memberIds(), [alice.id, carol.id].toSorted());
    });

    await step('an owner manages the members of that team and nothing else', async () => {
        const { orgs: asCarol } = carol.api;
        await answered(asCarol.addMemberToOrganizationTeamById(organization.id, team.id, bob.id, {}), 204);
        await refused(asCarol.removeTeamFromOrganizationById(organization.id, team.id), 403);
        await refused(asCarol.createOrganizationTeam(organization.id, { title: 'Mine' }), 403);
        await refused(bob.api.orgs.addMemberToOrganizationTeamById(organization.id, team.id, alice.id, {}), 403);
    });

    await step('delete answers 205, then 204', async () => {
        await deletedOnce(() => orgs.removeTeamFromOrganizationById(organization.id, team.id));
        await refused(orgs.getTeamInOrganizationById(organization.id, team.id), 404);
        await refused(listMembers(), 404);
    });
}
