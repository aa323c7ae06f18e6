// Who may do what: grants to people and teams on spaces and collections, default levels, and the
// role that results.

import assert from 'node:assert/strict';

import { answered, deletedOnce, paged, refused } from '../lib/expect.mjs';

// The two kinds of content have the same permission operations under different names.
const SPACE = {
    noun: 'space',
    create: (api, organization) => api.orgs.createSpace(organization.id, { title: 'Space' }),
    of: ({ spaces }) => ({
        get: spaces.getSpaceById,
        update: spaces.updateSpaceById,
        invite: spaces.inviteToSpace,
        listUsers: spaces.listUserPermissionsInSpace,
        updateUser: spaces.updateUserPermissionInSpace,
        removeUser: spaces.removeUserFromSpace,
        listTeams: spaces.listTeamPermissionsInSpace,
        updateTeam: spaces.updateTeamPermissionInSpace,
        removeTeam: spaces.removeTeamFromSpace,
        aggregate: spaces.listPermissionsAggregateInSpace,
    }),
};
const COLLECTION = {
    noun: 'collection',
    create: (api, organization) => api.orgs.createCollection(organization.id, { title: 'Collection' }),
    of: ({ collections }) => ({
        get: collections.getCollectionById,
        update: collections.updateCollectionById,
        invite: collections.inviteToCollection,
        listUsers: collections.listUserPermissionsInCollection,
        updateUser: collections.updateUserPermissionInCollection,
        removeUser: collections.removeUserFromCollection,
        listTeams: collections.listTeamPermissionsInCollection,
        updateTeam: collections.updateTeamPermissionInCollection,
        removeTeam: collections.removeTeamFromCollection,
        aggregate: collections.listPermissionsAggregateInCollection,
    }),
};

// The rights that each role adds on a space, from the lowest role up.
const LADDER = {
    read: ['view', 'access'],
    comment: ['comment'],
    edit: ['edit'],
    review: ['review', 'merge'],
    create: ['admin', 'viewInviteLinks', 'triggerGitSync', 'installIntegration'],
    admin: [],
};

export default async function permissions(scene) {
    const { organization, alice, bob, carol, world } = scene;
    await world.enroll(bob, organization, null);
    await world.enroll(carol, organization, 'edit');
    const guests = { title: 'Guests', members: [bob.id] };
    const { data: team } = await alice.api.orgs.createOrganizationTeam(organization.id, guests);

    await ladder(scene);
    await grants(scene, SPACE, team);
    await grants(scene, COLLECTION, team);
    await defaultLevels(scene);
    await precedence(scene);
}

async function ladder({ step, organization, alice, carol }) {
    const { orgs } = alice.api;
    const space = (await orgs.createSpace(organization.id, { title: 'Ladder' })).data;
    const rights = new Set();

    for (const [role, added] of Object.entries(LADDER)) {
        added.forEach((right) => rights.add(right));
        await step(`the role ${role} has its rights on a space and no more`, async () => {
            await orgs.updateMemberInOrganizationById(organization.id, carol.id, { role });
            const { permissions } = await answered(carol.api.spaces.getSpaceById(space.id), 200);
            const granted = Object.keys(permissions).filter((right) => permissions[right]);
            assert.deepEqual(granted.toSorted(), [...rights].toSorted());
        });
    }
    await orgs.updateMemberInOrganizationById(organization.id, carol.id, { role: 'edit' });
}

async function grants({ step, organization, alice, bob, carol, mallory }, kind, team) {
    const content = (await kind.create(alice.api, organization)).data;
    const admin = kind.of(alice.api);
    const bobs = kind.of(bob.api);
    const grant = (body) => admin.invite(content.id, body);
    const effective = async (query) => {
        const { data } = await admin.aggregate(content.id, query);
        return Object.fromEntries(data.items.map(({ user, permission }) => [user.id, permission]));
    };

    await step(`a guest sees no ${kind.noun}`, async () => {
        await refused(bobs.get(content.id), 404);
    });

    await step(`a person is granted a role on a ${kind.noun}`, async () => {
        await answered(grant({ role: 'read', users: [bob.id] }), 204);
        const { permissions } = await answered(bobs.get(content.id), 200);
        assert.equal(permissions.view, true);
        assert.equal(permissions.admin, false);
        await refused(bobs.update(content.id, { title: 'Owned' }), 403);
        await refused(bobs.invite(content.id, { role: 'admin', users: [bob.id] }), 403);
    });

    await step(`a person's role on a ${kind.noun} is changed`, async () => {
        await answered(admin.updateUser(content.id, bob.id, { role: 'create' }), 204);
        const { data } = await admin.listUsers(content.id);
        assert.equal(data.items.find(({ user }) => user.id === bob.id).permission, 'create');
        assert.equal((await bobs.get(content.id)).data.permissions.admin, true);
        await refused(bobs.invite(content.id, { role: 'admin', users: [bob.id] }), 403);
        await refused(admin.updateUser(content.id, bob.id, { role: 'owner' }), 400);
        await refused(admin.updateUser(content.id, mallory.id, { role: 'read' }), 404);
    });

    await step(`everyone with access to a ${kind.noun} is listed with their role`, async () => {
        assert.deepEqual(await effective(), { [alice.id]: 'admin', [bob.id]: 'create', [carol.id]: 'edit' });
        assert.deepEqual(await effective({ role: 'edit' }), { [carol.id]: 'edit' });
        await paged((query) => admin.aggregate(content.id, query), ({ user }) => user.id, [alice.id, bob.id, carol.id]);
        await refused(admin.aggregate(content.id, { role: 'owner' }), 400);
    });

    await step(`the people granted a role on a ${kind.noun} are paged`, async () => {
        await answered(grant({ role: 'review', users: [carol.id] }), 204);
        await paged((query) => admin.listUsers(content.id, query), ({ user }) => user.id, [bob.id, carol.id]);
    });

    await step(`a person's role on a ${kind.noun} is taken away`, async () => {
        await deletedOnce(() => admin.removeUser(content.id, bob.id));
        await refused(bobs.get(content.id), 404);
    });

    await step(`a team is granted a role on a ${kind.noun}`, async () => {
        await answered(grant({ role: 'read', teams: [team.id] }), 204);
        await answered(bobs.get(content.id), 200);
        await answered(admin.updateTeam(content.id, team.id, { role: 'comment' }), 204);
        await paged((query) => admin.listTeams(content.id, query), ({ team }) => team.id, [team.id]);
        const { data } = await admin.listTeams(content.id);
        assert.equal(data.items[0].permission, 'comment');
        assert.equal((await effective())[bob.id], 'comment');
        await refused(admin.updateTeam(content.id, 'absent', { role: 'read' }), 404);
    });

    await step(`a team's role on a ${kind.noun} is taken away`, async () => {
        await deletedOnce(() => admin.removeTeam(content.id, team.id));
        await refused(bobs.get(content.id), 404);
    });

    await step(`a bad grant on a ${kind.noun} is refused and grants nothing`, async () => {
        for (const body of [{}, { role: 'read' }, { role: 'read', users: [] }, { role: 'owner', users: [bob.id] }]) {
            await refused(grant(body), 400);
        }
        await refused(grant({ role: 'read', users: [bob.id, 'absent'] }), 404);
        await refused(grant({ role: 'read', users: [bob.id], teams: ['absent'] }), 404);
        await refused(grant({ role: 'read', users: [bob.id], nope: 1 }), 400);
        await refused(bobs.get(content.id), 404);
    });
}

async function defaultLevels({ step, organization, alice, carol }) {
    const { orgs, spaces, collections } = alice.api;
    const parent = (await orgs.createCollection(organization.id, { title: 'Parent' })).data;
    const space = (await orgs.createSpace(organization.id, { title: 'Child', parent: parent.id })).data;
    const rights = async () => (await carol.api.spaces.getSpaceById(space.id)).data.permissions;

    await step('a default level resets every member but admins', async () => {
        assert.equal((await rights()).edit, true);
        await spaces.updateSpaceById(space.id, { defaultLevel: 'read' });
        assert.equal((await rights()).edit, false);
        assert.equal((await spaces.getSpaceById(space.id)).data.permissions.admin, true);
    });

    await step('a default level of nobody hides the space', async () => {
        await spaces.updateSpaceById(space.id, { defaultLevel: null });
        await refused(carol.api.spaces.getSpaceById(space.id), 404);
        const { data } = await carol.api.orgs.listSpacesInOrganizationById(organization.id);
        assert.ok(!data.items.some(({ id }) => id === space.id));
        assert.equal((await spaces.getSpaceById(space.id)).data.permissions.admin, true);
    });

    await step('a space inherits from its collection', async () => {
        await spaces.updateSpaceById(space.id, { defaultLevel: 'inherit' });
        await collections.updateCollectionById(parent.id, { defaultLevel: 'comment' });
        assert.equal((await rights()).comment, true);
        assert.equal((await rights()).edit, false);
        await collections.updateCollectionById(parent.id, { defaultLevel: null });
        await refused(carol.api.spaces.getSpaceById(space.id), 404);
    });
}

async function precedence({ step, organization, alice, carol }) {
    const { orgs, spaces, collections } = alice.api;
    const parent = (await orgs.createCollection(organization.id, { title: 'Parent' })).data;
    const space = (await orgs.createSpace(organization.id, { title: 'Child', parent: parent.id })).data;
    const team = (await orgs.createOrganizationTeam(organization.id, { title: 'Creators', members: [carol.id] })).data;
    const decides = async (rule, role) => {
        const { data } = await spaces.listPermissionsAggregateInSpace(space.id);
        assert.equal(data.items.find(({ user }) => user.id === carol.id)?.permission, role);
        const query = { user: carol.id };
        const { data: why } = await alice.call('GET', `/spaces/${space.id}/permissions/explain`, { query });
        assert.deepEqual([why.rule, why.role], [rule, role]);
    };

    await step('the nearest rule decides, not the highest role, and is explained', async () => {
        await decides('organization-role', 'edit');
        await collections.inviteToCollection(parent.id, { role: 'read', users: [carol.id] });
        await decides('user-grant', 'read');
        await spaces.inviteToSpace(space.id, { role: 'create', teams: [team.id] });
        await decides('team-grant', 'create');
        await spaces.inviteToSpace(space.id, { role: 'comment', users: [carol.id] });
        await decides('user-grant', 'comment');
        await spaces.updateSpaceById(space.id, { defaultLevel: null });
        await decides('user-grant', 'comment');
    });

    await step('everyone may ask why they have their role, and not about others', async () => {
        const path = `/collections/${parent.id}/permissions/explain`;
        const { role, source } = await answered(carol.call('GET', path), 200);
        assert.equal(role, 'read');
        assert.deepEqual(source, { type: 'collection', id: parent.id });
        await refused(carol.call('GET', path, { query: { user: alice.id } }), 403);
    });
}
