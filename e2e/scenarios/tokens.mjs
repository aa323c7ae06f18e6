// Personal tokens: made by their owner, narrowed by scopes, ended at once. Operations of our own.

import assert from 'node:assert/strict';

import { answered, deletedOnce, ids, paged, refused } from '../lib/expect.mjs';

export default async function tokens({ step, organization, alice, mallory }) {
    const list = (query) => alice.call('GET', '/user/tokens', { query });
    const post = (body) => alice.call('POST', '/user/tokens', { body });
    const revoke = (person, { id }) => person.call('DELETE', `/user/tokens/${id}`);
    let full, narrow;

    await step('a token is made and works', async () => {
        full = await answered(post({ label: 'Laptop' }), 201);
        const { id } = await answered(alice.withToken(full.token).api.user.getAuthenticatedUser(), 200);
        assert.equal(id, alice.id);
    });

    await step('the secret is shown once', async () => {
        const { data } = await list();
        assert.ok(ids(data.items).includes(full.id));
        assert.ok(!JSON.stringify(data).includes(full.token));
    });

    await step('a token with a scope does no more than that', async () => {
        narrow = await answered(post({ label: 'Robot', scopes: ['read'] }), 201);
        const robot = alice.withToken(narrow.token);
        await answered(robot.api.orgs.getOrganizationById(organization.id), 200);
        await refused(robot.api.orgs.createCollection(organization.id, { title: 'By a robot' }), 403);
        await refused(robot.call('POST', '/user/tokens', { body: { label: 'Wider' } }), 403);
    });

    await step('the list pages through the tokens', async () => {
        const { data } = await list();
        await paged(list, ({ id }) => id, ids(data.items));
    });

    await step('a bad token is 400', async () => {
        const bodies = [
            {},
            { label: '' },
            { label: 'x'.repeat(51) },
            { label: 'A', scopes: ['root'] },
            { label: 'A', expiresAt: '2001-01-01T00:00:00.000Z' },
            { label: 'A', nope: true },
        ];
        for (const body of bodies) {
            await refused(post(body), 400);
        }
    });

    await step('a token is revoked by its owner only, and ends at once', async () => {
        await answered(revoke(mallory, full), 204);
        await answered(alice.withToken(full.token).api.user.getAuthenticatedUser(), 200);
        await deletedOnce(() => revoke(alice, full));
        await refused(alice.withToken(full.token).api.user.getAuthenticatedUser(), 401);
        await deletedOnce(() => revoke(alice, narrow));
    });
}
