// Machines of an organization, the tokens that it knows, the inbox, and an organization that is
// deleted and restored. Operations of our own.

import assert from 'node:assert/strict';

import { answered, created, deletedOnce, ids, refused } from '../lib/expect.mjs';

export default async function machines({ step, organization, alice, bob, mallory, world }) {
    const accounts = `/orgs/${organization.id}/service-accounts`;
    let machine, token;
    await world.enroll(bob, organization, 'edit');

    await step('a service account acts with its own token', async () => {
        machine = await created(alice.call('POST', accounts, { body: { name: 'Release', role: 'edit' } }), accounts);
        token = await answered(alice.call('POST', `${accounts}/${machine.id}/tokens`, { body: { label: 'CI' } }), 201);
        const user = await answered(alice.withToken(token.token).api.user.getAuthenticatedUser(), 200);
        assert.equal(user.id, machine.id);
        await refused(bob.call('POST', accounts, { body: { name: 'Mine', role: 'edit' } }), 403);
        await refused(mallory.call('GET', `${accounts}/${machine.id}`), 404);
    });

    await step('it is changed and listed', async () => {
        await answered(alice.call('PATCH', `${accounts}/${machine.id}`, { body: { name: 'Releases' } }), 200);
        const one = await answered(alice.call('GET', `${accounts}/${machine.id}`), 200);
        assert.equal(one.name, 'Releases');
        const list = await answered(alice.call('GET', accounts), 200);
        assert.ok(ids(list.items).includes(machine.id));
        const tokens = await answered(alice.call('GET', `${accounts}/${machine.id}/tokens`), 200);
        assert.deepEqual(ids(tokens.items), [token.id]);
    });

    await step('an admin sees the token and accepts it', async () => {
        const known = `/orgs/${organization.id}/tokens`;
        const { items } = await answered(alice.call('GET', known), 200);
        assert.equal(items.find(({ id }) => id === token.id).owner.id, machine.id);
        const one = await answered(alice.call('POST', `${known}/${token.id}/unblock`), 200);
        assert.equal(one.blocked, false);
        await deletedOnce(() => alice.call('DELETE', `${known}/${token.id}`));
        await refused(alice.withToken(token.token).api.user.getAuthenticatedUser(), 401);
    });

    await step('a token of a machine is revoked, then the machine is deleted', async () => {
        const other = await answered(alice.call('POST', `${accounts}/${machine.id}/tokens`, { body: { label: 'Night' } }), 201);
        await deletedOnce(() => alice.call('DELETE', `${accounts}/${machine.id}/tokens/${other.id}`));
        await deletedOnce(() => alice.call('DELETE', `${accounts}/${machine.id}`));
    });

    await step('the inbox and its settings are read and changed', async () => {
        await answered(bob.call('GET', '/user/inbox', { query: { unread: true } }), 200);
        await answered(bob.call('POST', '/user/inbox/read', { body: {} }), 200);
        const { count } = await answered(bob.call('GET', '/user/inbox', { query: { unread: true, limit: 0 } }), 200);
        assert.equal(count, 0);
        const settings = await answered(bob.call('GET', '/user/notifications'), 200);
        assert.ok(Object.keys(settings).length > 0);
    });

    await step('an organization is deleted and restored', async () => {
        const made = await answered(alice.call('POST', '/orgs', { body: { title: 'Short-lived' } }), 201);
        await answered(mallory.call('DELETE', `/orgs/${made.id}`), 204);
        await answered(alice.api.orgs.getOrganizationById(made.id), 200);
        await deletedOnce(() => alice.call('DELETE', `/orgs/${made.id}`));
        await refused(alice.api.orgs.getOrganizationById(made.id), 404);
        const { items } = await answered(alice.call('GET', '/user/deleted-orgs'), 200);
        assert.deepEqual(ids(items), [made.id]);
        await refused(mallory.call('POST', `/user/deleted-orgs/${made.id}/restore`), 404);
        await answered(alice.call('POST', `/user/deleted-orgs/${made.id}/restore`, { empty: true }), 204);
        await answered(alice.api.orgs.getOrganizationById(made.id), 200);
        await answered(alice.call('DELETE', `/orgs/${made.id}`), 205);
    });
}
