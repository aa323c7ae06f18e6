// Webhooks: made by admins, with a secret that is shown once, a test, and a log that can be replayed.
// Operations of our own. What is sent is tested beside the server, which may call this machine there.

import assert from 'node:assert/strict';

import { answered, created, deletedOnce, ids, paged, refused } from '../lib/expect.mjs';

// Names below .invalid exist nowhere.
const NOWHERE = 'https://hooks.invalid/octavo';

export default async function webhooks({ step, organization, alice, bob, mallory, world }) {
    const root = `/orgs/${organization.id}/webhooks`;
    const post = (body) => alice.call('POST', root, { body });
    const list = (query) => alice.call('GET', root, { query });
    const of = (method, rest = '', options) => alice.call(method, `${root}/${hook.id}${rest}`, options);
    const patch = (body) => of('PATCH', '', { body });
    let hook, delivery;

    await world.enroll(bob, organization, 'create');

    await step('a webhook is made, and its secret is shown once', async () => {
        hook = await created(post({ url: NOWHERE }), root);
        assert.deepEqual(hook.events, ['*']);
        assert.equal(hook.enabled, true);
        assert.ok(hook.secret.length >= 32);
        const { secret, ...rest } = hook;
        assert.deepEqual(await answered(of('GET'), 200), rest);
        assert.ok(!JSON.stringify((await list()).data).includes(secret));
        const other = await created(post({ url: NOWHERE, events: ['space_content_updated'], enabled: false }), root);
        await paged(list, ({ id }) => id, [hook.id, other.id]);
    });

    await step('a bad webhook is refused', async () => {
        for (const body of [
            {},
            { url: 'ftp://hooks.invalid/' },
            { url: 'http://127.0.0.1/' },
            { url: 'http://169.254.169.254/latest' },
            { url: NOWHERE, events: ['Space.*'] },
            { url: NOWHERE, secret: 'short' },
            { url: NOWHERE, nope: 1 },
        ]) {
            await refused(post(body), 400);
        }
    });

    await step('only admins see and make webhooks', async () => {
        await refused(bob.call('GET', root), 403);
        await refused(bob.call('POST', root, { body: { url: NOWHERE } }), 403);
        await refused(mallory.call('GET', root), 404);
    });

    await step('a test is in the log', async () => {
        delivery = await answered(of('POST', '/test'), 202);
        assert.equal(delivery.type, 'webhook.test');
        assert.equal(delivery.payload.organization, organization.id);
        const { data } = await of('GET', '/deliveries');
        assert.ok(ids(data.items).includes(delivery.id));
    });

    await step('a webhook that is switched off gives up what waits', async () => {
        assert.equal((await answered(patch({ enabled: false }), 200)).enabled, false);
        const { data } = await of('GET', '/deliveries', { query: { status: 'failed' } });
        assert.ok(ids(data.items).includes(delivery.id));
        await refused(of('POST', '/test'), 412);
        await refused(of('POST', `/deliveries/${delivery.id}/replay`), 412);
    });

    await step('a delivery is replayed', async () => {
        const { secret } = await answered(patch({ enabled: true, secret: null, events: ['webhook.*'] }), 200);
        assert.notEqual(secret, hook.secret);
        const again = await answered(of('POST', `/deliveries/${delivery.id}/replay`), 202);
        assert.equal(again.replayOf, delivery.id);
        assert.equal(again.eventId, delivery.eventId);
        await refused(of('POST', '/deliveries/absent/replay'), 404);
        await answered(patch({ enabled: false }), 200);
    });

    await step('delete answers 205, then 204', async () => {
        await deletedOnce(() => of('DELETE'));
        await refused(of('GET', '/deliveries'), 404);
    });
}
