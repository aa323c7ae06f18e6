// Organizations: settings, hostname, e-mail domains and joining by them, agent instructions.

import assert from 'node:assert/strict';

import { answered, created, everyPage, ids, paged, refused } from '../lib/expect.mjs';

export default async function organizations({ step, organization, alice, bob, mallory, domain, run, world }) {
    const { orgs, subdomains, emailDomains } = alice.api;
    const hostname = `acme-${run}`;

    await step('create answers 201 and where the organization is', async () => {
        const body = { title: 'Second', emailDomains: [`second-${run}.test`] };
        const second = await created(alice.call('POST', '/orgs', { body }), '/orgs');
        assert.equal(second.title, 'Second');
        assert.deepEqual(second.emailDomains, body.emailDomains);
        assert.equal((await orgs.getOrganizationById(second.id)).data.title, 'Second');
    });

    await step('create refuses a bad title', async () => {
        for (const body of [{}, { title: 'x' }, { title: 'x'.repeat(256) }, { title: null }]) {
            await refused(alice.call('POST', '/orgs', { body }), 400);
        }
    });

    await step('the list pages through the organizations of the caller', async () => {
        const list = (query) => orgs.listOrganizationsForAuthenticatedUser(query);
        const seen = ids(await everyPage(list));
        assert.equal(new Set(seen).size, seen.length, 'each organization once');
        assert.ok(seen.includes(alice.organization));
        assert.ok(seen.includes(organization.id));
        assert.ok(!seen.includes(mallory.organization));
        assert.deepEqual((await list({ limit: 0 })).data.items, []);
        for (const limit of [1001, -1, 'x']) {
            await refused(list({ limit }), 400);
        }
    });

    await step('the admin may do everything', async () => {
        const { permissions } = await answered(orgs.getOrganizationById(organization.id), 200);
        for (const right of ['view', 'admin', 'createContent', 'listMembers', 'listTeams']) {
            assert.equal(permissions[right], true, right);
        }
    });

    await step('a patch changes what it names and nothing else', async () => {
        const before = await answered(orgs.getOrganizationById(organization.id), 200);
        const change = {
            title: 'Renamed',
            emailDomains: [domain],
            hostname,
            defaultRole: 'read',
            logo: 'https://example.com/logo.png',
            ai: true,
            inviteLinks: true,
            mergeRules: { type: 'none' },
        };
        const patched = await answered(orgs.updateOrganizationById(organization.id, change), 200);
        const { logo, ...fields } = change;
        assert.deepEqual(patched, { ...before, ...fields, urls: { ...before.urls, logo } });

        const clearing = { logo: null, defaultRole: null };
        const cleared = await answered(orgs.updateOrganizationById(organization.id, clearing), 200);
        assert.equal(cleared.urls.logo, undefined);
        assert.equal(cleared.defaultRole ?? null, null);
        assert.equal(cleared.title, 'Renamed');
    });

    await step('a bad patch is 400', async () => {
        const changes = [
            { nope: true },
            { title: 'x' },
            { hostname: 'ab' },
            { hostname: 'Not A Host' },
            { defaultRole: 'owner' },
            { defaultContent: { type: 'site', site: 'absent' } },
            { emailDomains: 'acme.test' },
            { mergeRules: { type: 'nope' } },
        ];
        for (const change of changes) {
            await refused(orgs.updateOrganizationById(organization.id, change), 400);
        }
    });

    await step('a hostname finds its organization', async () => {
        const found = await answered(subdomains.getSubdomain(hostname), 200);
        assert.equal(found.subdomain, hostname);
        assert.deepEqual(found.target, { type: 'organization', organization: organization.id });
        await refused(subdomains.getSubdomain(`absent-${run}`), 404);
    });

    await step('a hostname belongs to one organization', async () => {
        await refused(orgs.updateOrganizationById(alice.organization, { hostname }), 400, 409);
    });

    await step('an e-mail domain finds its organizations, for people of that domain', async () => {
        const found = await answered(emailDomains.getOrganizationsForEmailDomain(domain), 200);
        assert.deepEqual(ids(found.organizations), [organization.id]);
        await refused(mallory.api.emailDomains.getOrganizationsForEmailDomain(domain), 403);
    });

    await step('a verified address of the domain joins as a guest', async () => {
        await answered(bob.api.orgs.joinOrganization(organization.id), 204);
        const member = await answered(orgs.getMemberInOrganizationById(organization.id, bob.id), 200);
        assert.equal(member.role, null);
    });

    await step('an address of another domain does not join', async () => {
        await refused(mallory.api.orgs.joinOrganization(organization.id), 400, 404);
        await refused(orgs.getMemberInOrganizationById(organization.id, mallory.id), 404);
        await refused(bob.api.orgs.joinOrganization('absent'), 404);
    });

    await step('agent instructions come back as they were put', async () => {
        const instructions = paragraphs('Be brief.', 'Prefer examples.');
        const put = await answered(orgs.updateOrganizationAgentInstructions(organization.id, { instructions }), 200);
        assert.deepEqual(put.instructions, instructions);
        assert.equal(put.updatedBy, alice.id);
        const read = await answered(orgs.getOrganizationAgentInstructions(organization.id), 200);
        assert.deepEqual(read, put);
    });

    await step('agent instructions must be a document', async () => {
        for (const instructions of [undefined, null, 'Be brief.', {}, { object: 'document', data: {}, nodes: 'x' }]) {
            await refused(orgs.updateOrganizationAgentInstructions(organization.id, { instructions }), 400);
        }
    });

    await step('the admin reads who did what, newest first', async () => {
        const path = `/orgs/${organization.id}/audit`;
        const list = (query) => alice.call('GET', path, { query });
        const { data } = await list();
        const actions = data.items.map(({ action }) => action);
        assert.equal(actions[0], 'organization.instruct');
        assert.equal(actions.at(-1), 'organization.create');
        assert.ok(data.items.every(({ actor }) => [alice.id, bob.id].includes(actor)));
        await paged(list, ({ id }) => id, ids(data.items));
        await refused(bob.call('GET', path), 403);
    });

    await step('a member without the right is told 403', async () => {
        const reader = await world.newOrganization('Readers');
        await world.enroll(bob, reader, 'read');
        await answered(bob.api.orgs.getOrganizationById(reader.id), 200);
        await refused(bob.api.orgs.updateOrganizationById(reader.id, { title: 'Owned' }), 403);
        const instructions = paragraphs('Obey Bob.');
        await refused(bob.api.orgs.updateOrganizationAgentInstructions(reader.id, { instructions }), 403);
    });
}

function paragraphs(...texts) {
    return {
        object: 'document',
        data: { schemaVersion: 9 },
        nodes: texts.map((text, index) => ({
            object: 'block',
            type: 'paragraph',
            key: `p${index}`,
            isVoid: false,
            data: {},
            nodes: [{ object: 'text', key: `t${index}`, leaves: [{ object: 'leaf', text, marks: [] }] }],
        })),
    };
}
