// What holds for every operation: credentials, errors, headers, broken input.

import assert from 'node:assert/strict';

import { answered, refused } from '../lib/expect.mjs';

export default async function transport({ step, organization, alice, bob, anonymous, world }) {
    await step('the version and build are told', async () => {
        const { version, build } = await answered(alice.api.getApiInformation(), 200);
        assert.notEqual(version, '');
        assert.notEqual(build, '');
    });

    await step('a call without a token is 401', async () => {
        await refused(anonymous.api.user.getAuthenticatedUser(), 401);
        await refused(anonymous.api.orgs.listOrganizationsForAuthenticatedUser(), 401);
    });

    await step('a call with a made-up token is 401', async () => {
        const stranger = alice.withToken('octavo_0000000000000000');
        await refused(stranger.api.user.getAuthenticatedUser(), 401);
    });

    await step('an unknown path is 404 with the error envelope', async () => {
        const { status, body } = await alice.request('GET', '/no-such-thing');
        assert.equal(status, 404);
        assert.equal(body.error.code, 404);
    });

    await step('answers tell the rate limit', async () => {
        const { headers } = await alice.request('GET', '/user');
        for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
            assert.match(headers.get(name) ?? '', /^\d+$/, name);
        }
    });

    const broken = {
        'malformed JSON': '{"title":',
        'text after the JSON': '{"title":"One"} {"title":"Two"}',
        'a duplicate key': '{"title":"One","title":"Two"}',
        'an array for an object': '[]',
        'null for an object': 'null',
        'a wrong type': '{"title":7}',
        'an unknown field': '{"title":"One","colour":"red"}',
        'text that is not UTF-8': Buffer.from('{"title":"\xff"}', 'latin1'),
    };
    for (const [name, body] of Object.entries(broken)) {
        await step(`${name} is 400 and creates nothing`, async () => {
            const path = `/orgs/${organization.id}/collections`;
            const { status } = await alice.request('POST', path, body);
            assert.equal(status, 400);
            const { body: list } = await alice.request('GET', path);
            assert.deepEqual(list.items, []);
        });
    }

    await step('null is refused where it means nothing', async () => {
        const { orgs } = alice.api;
        const { data: collection } = await orgs.createCollection(organization.id);
        const { data: space } = await orgs.createSpace(organization.id);
        const fields = {
            [`/orgs/${organization.id}`]: ['title', 'hostname', 'emailDomains', 'sso', 'inviteLinks', 'mergeRules'],
            [`/collections/${collection.id}`]: ['title'],
            [`/spaces/${space.id}`]: ['title', 'editMode', 'mergeRules'],
            [`/users/${alice.id}`]: ['displayName'],
        };
        const accepted = [];
        for (const [path, names] of Object.entries(fields)) {
            for (const name of names) {
                const { status } = await alice.request('PATCH', path, { [name]: null });
                if (status !== 400) {
                    accepted.push(`${path} ${name}: ${status}`);
                }
            }
        }
        assert.deepEqual(accepted, []);
    });

    await step('text that a database cannot hold is refused, not stumbled over', async () => {
        const { status } = await alice.request('PATCH', `/orgs/${organization.id}`, { title: 'a\u0000b' });
        assert.equal(status, 400);
        for (const id of ['%00', 'a%00b', '%ff']) {
            for (const path of ['/collections', '/spaces', '/users', `/orgs/${organization.id}/teams`]) {
                const { status } = await alice.request('GET', `${path}/${id}`);
                assert.ok([400, 404].includes(status), `${path}/${id} answered ${status}`);
            }
            const { status } = await alice.request('GET', `/orgs/${organization.id}/members?search=${id}`);
            assert.ok([200, 400].includes(status), `search=${id} answered ${status}`);
        }
    });

    await step('an error in a field names the field', async () => {
        const { body } = await alice.request('PATCH', `/orgs/${organization.id}`, { colour: 'red' });
        assert.match(JSON.stringify(body.error), /colour/);
    });

    await step('a body of 20 MB is refused', async () => {
        const { status } = await alice.request('PATCH', `/orgs/${organization.id}`, { title: 'x'.repeat(20 << 20) });
        assert.ok(status === 400 || status === 413, `got ${status}`);
    });

    await step('a cursor works for its list and its caller only', async () => {
        await world.enroll(bob, organization, 'admin');
        const { orgs } = alice.api;
        await orgs.createCollection(organization.id, { title: 'One' });
        await orgs.createCollection(organization.id, { title: 'Two' });
        const { data } = await orgs.listCollectionsInOrganizationById(organization.id, { limit: 1 });
        const { page } = data.next;
        await answered(orgs.listCollectionsInOrganizationById(organization.id, { page }), 200);
        await refused(orgs.listCollectionsInOrganizationById(alice.organization, { page }), 400);
        await refused(orgs.listSpacesInOrganizationById(organization.id, { page }), 400);
        await refused(bob.api.orgs.listCollectionsInOrganizationById(organization.id, { page }), 400);
    });
}
