// People: who am I, who is that, and what may I change.

import assert from 'node:assert/strict';

import { answered, refused } from '../lib/expect.mjs';

export default async function users({ step, organization, alice, bob, world }) {
    await world.enroll(bob, organization, 'read');

    await step('the caller is told who they are', async () => {
        const user = await answered(alice.api.user.getAuthenticatedUser(), 200);
        assert.equal(user.id, alice.id);
        assert.equal(user.email, alice.email);
    });

    await step('members of an organization see each other', async () => {
        const user = await answered(bob.api.users.getUserById(alice.id), 200);
        assert.equal(user.id, alice.id);
    });

    await step('a person changes their own name and picture', async () => {
        const change = { displayName: 'Alice Doe', photoURL: 'https://example.com/alice.png' };
        const user = await answered(alice.api.users.updateUserById(alice.id, change), 200);
        assert.equal(user.displayName, change.displayName);
        assert.equal(user.photoURL, change.photoURL);
        const read = await answered(alice.api.user.getAuthenticatedUser(), 200);
        assert.deepEqual(read, user);
    });

    await step('a bad change is 400', async () => {
        await refused(alice.api.users.updateUserById(alice.id, {}), 400);
        await refused(alice.api.users.updateUserById(alice.id, { displayName: '' }), 400);
        await refused(alice.api.users.updateUserById(alice.id, { displayName: 'x'.repeat(65) }), 400);
        await refused(alice.api.users.updateUserById(alice.id, { photoURL: 'javascript:alert(1)' }), 400);
        await refused(alice.api.users.updateUserById(alice.id, { email: 'root@example.com' }), 400);
    });

    await step('nobody changes another person', async () => {
        await refused(bob.api.users.updateUserById(alice.id, { displayName: 'Owned' }), 403, 404);
        const user = await answered(alice.api.user.getAuthenticatedUser(), 200);
        assert.equal(user.displayName, 'Alice Doe');
    });

    await step('an unknown person is 404', async () => {
        await refused(alice.api.users.getUserById('nobody'), 404);
    });
}
