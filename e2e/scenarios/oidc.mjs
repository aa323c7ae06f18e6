// OpenID providers of an organization, which admins make, change and delete. How people sign in by one is played in
// Chromium.

import assert from 'node:assert/strict';

export default async function oidc({ step, organization, alice, bob, world }) {
    const root = `/orgs/${organization.id}/oidc`;
    const call = async (person, method, path, body) => (await person.request(method, path, body));
    let provider;

    await world.enroll(bob, organization, 'create');

    await step('an admin makes a provider, whose secret nobody reads again', async () => {
        const made = await call(alice, 'POST', root, { label: 'Login', issuer: 'https://login.invalid', clientId: 'octavo', clientSecret: 'very-secret' });
        assert.equal(made.status, 201);
        provider = made.body;
        assert.ok(provider.hasClientSecret && !JSON.stringify(provider).includes('very-secret'));
        assert.equal((await call(bob, 'POST', root, { label: 'Mine', issuer: 'https://login.invalid', clientId: 'x' })).status, 403);
    });

    await step('it is read, listed and changed', async () => {
        const { body: changed } = await call(alice, 'PATCH', `${root}/${provider.id}`, { label: 'Work' });
        assert.equal(changed.label, 'Work');
        assert.deepEqual((await call(alice, 'GET', `${root}/${provider.id}`)).body, changed);
        assert.deepEqual((await call(alice, 'GET', root)).body.items, [changed]);
        assert.equal((await call(alice, 'PATCH', `${root}/${provider.id}`, { label: '' })).status, 400);
    });

    await step('it is deleted once', async () => {
        assert.equal((await call(alice, 'DELETE', `${root}/${provider.id}`)).status, 205);
        assert.equal((await call(alice, 'DELETE', `${root}/${provider.id}`)).status, 204);
        assert.equal((await call(alice, 'GET', `${root}/${provider.id}`)).status, 404);
    });
}
