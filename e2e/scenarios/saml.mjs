// Identity providers of an organization: made incomplete, completed, changed and deleted by admins; what a page
// where people sign in shows of them, to everybody. How people sign in by one is played in Chromium.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { answered, created, deletedOnce, paged, refused } from '../lib/expect.mjs';

const certificate = readFileSync(new URL('../fixtures/idp.pem', import.meta.url), 'utf8');

export default async function saml({ step, organization, alice, bob, mallory, world }) {
    const { orgs } = alice.api;
    const root = `/orgs/${organization.id}/saml`;
    const get = () => orgs.getOrganizationSamlProviderById(organization.id, provider.id);
    const update = (body) => orgs.updateOrganizationSamlProvider(organization.id, provider.id, body);
    const logins = async () => (await answered(orgs.listSsoProviderLoginsInOrganization(organization.id), 200)).items;
    let provider, team;

    await world.enroll(bob, organization, 'create');

    await step('a provider needs only a label, and is pending', async () => {
        provider = await created(orgs.createOrganizationSamlProvider(organization.id, { label: 'Example' }), root);
        assert.equal(provider.status, 'pending');
        assert.equal(provider.defaultRole, null);
        assert.match(provider.service.acsURL, /\/saml\/\w+\/acs$/);
        assert.deepEqual(await answered(get(), 200), provider);
        assert.deepEqual(await logins(), []);
    });

    await step('a provider that is complete is shown where people sign in', async () => {
        team = (await orgs.createOrganizationTeam(organization.id, { title: 'Staff' })).data;
        const now = await answered(
            update({ entityID: 'https://idp.invalid/', ssoURL: 'https://idp.invalid/sso', certificate, defaultTeam: team.id, defaultRole: 'edit' }),
            200,
        );
        assert.equal(now.status, 'active');
        assert.equal(now.defaultTeam.id, team.id);
        assert.deepEqual(await logins(), [{ id: provider.id, label: 'Example', startURL: now.service.startURL }]);
        const open = await fetch(`${new URL(now.urls.location).origin}/v1/orgs/${organization.id}/sso`);
        assert.equal(open.status, 200, 'without a token');
    });

    await step('bad input changes nothing', async () => {
        const before = await answered(get(), 200);
        for (const body of [{ label: '' }, { label: 'x'.repeat(31) }, { certificate: 'nonsense' }, { certificate: 'x'.repeat(10_001) }, { ssoURL: 'javascript:x' }, { defaultTeam: 'nonsense' }]) {
            await refused(update(body), 400);
        }
        assert.deepEqual(await answered(get(), 200), before);
    });

    await step('admins list them, and nobody else', async () => {
        const other = await created(orgs.createOrganizationSamlProvider(organization.id, { label: 'Other' }), root);
        await paged((query) => orgs.listSamlProvidersInOrganizationById(organization.id, query), ({ id }) => id, [provider.id, other.id]);
        await refused(bob.api.orgs.listSamlProvidersInOrganizationById(organization.id), 403);
        await refused(mallory.api.orgs.getOrganizationSamlProviderById(organization.id, provider.id), 404);
    });

    await step('a provider that is deleted is gone', async () => {
        await deletedOnce(() => orgs.deleteOrganizationSamlProvider(organization.id, provider.id));
        await refused(get(), 404);
        assert.deepEqual(await logins(), []);
    });
}
