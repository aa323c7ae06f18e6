// How a site looks, what it knows of its visitors, what integrations would add, and who works on it.

import assert from 'node:assert/strict';

import { answered, deletedOnce, paged, refused } from '../lib/expect.mjs';

const UNSIGNED = {
    type: 'object',
    description: 'Unsigned claims of the site visitor.',
    additionalProperties: false,
    properties: { beta: { type: 'boolean', description: 'Tries new things' } },
};
const SCHEMA = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: false,
    properties: { plan: { type: 'string', enum: ['free', 'pro'], description: 'Plan' }, unsigned: UNSIGNED },
};

export default async function siteSettings({ step, organization, alice, bob, world }) {
    const { orgs } = alice.api;
    const org = organization.id;
    const space = (await orgs.createSpace(org, { title: 'Handbook' })).data;
    const site = (await orgs.createSite(org, { title: 'Docs', spaces: [space.id] })).data.id;
    const [place] = (await orgs.listSiteSpaces(org, site)).data.items;
    await world.enroll(bob, organization, 'read');

    await step('a look is complete from the start, and replaced as a whole', async () => {
        const look = await answered(orgs.getSiteCustomizationById(org, site), 200);
        assert.equal(look.title, 'Docs');
        const { updatedAt: _, ...settings } = look;
        settings.styling.font = 'Lato';
        settings.header.links = [{ title: 'Home', to: { kind: 'url', url: 'https://acme.test' }, links: [] }];
        const changed = await answered(orgs.updateSiteCustomizationById(org, site, settings), 200);
        assert.equal(changed.styling.font, 'Lato');
        assert.deepEqual(await answered(orgs.getSiteCustomizationById(org, site), 200), changed);
        await refused(orgs.updateSiteCustomizationById(org, site, { ...settings, styling: { font: 'Comic' } }), 400);
        await refused(bob.api.orgs.updateSiteCustomizationById(org, site, settings), 403);
        assert.deepEqual(await answered(orgs.getSiteCustomizationById(org, site), 200), changed);
    });

    await step('a site space overrides a part of it', async () => {
        const read = () => answered(orgs.getSiteSpaceCustomizationById(org, site, place.id), 200);
        assert.equal((await read()).hasOverrides, false);
        const change = { title: 'Old docs', styling: { theme: 'muted' } };
        const override = await answered(orgs.overrideSiteSpaceCustomizationById(org, site, place.id, change), 200);
        assert.deepEqual([override.hasOverrides, override.title, override.styling.theme, override.styling.font], [true, 'Old docs', 'muted', 'Lato']);
        await refused(orgs.overrideSiteSpaceCustomizationById(org, site, place.id, { styling: { theme: 'blue' } }), 400);
        await refused(orgs.getSiteSpaceCustomizationById(org, site, 'absent'), 404);
        await deletedOnce(() => orgs.deleteSiteSpaceCustomizationById(org, site, place.id));
        assert.equal((await read()).title, 'Docs');
    });

    await step('what is known of visitors has a schema', async () => {
        await refused(orgs.getSiteAdaptiveSchema(org, site), 404);
        assert.deepEqual((await answered(orgs.listSiteAdaptiveTemplateConditions(org, site), 200)).items, []);
        await refused(orgs.updateSiteAdaptiveSchema(org, site, { jsonSchema: { type: 'string' } }), 400);
        await refused(bob.api.orgs.updateSiteAdaptiveSchema(org, site, { jsonSchema: SCHEMA }), 403);
        await answered(orgs.updateSiteAdaptiveSchema(org, site, { jsonSchema: SCHEMA }), 200);
        assert.deepEqual((await answered(orgs.getSiteAdaptiveSchema(org, site), 200)).jsonSchema, SCHEMA);
        const { items } = await answered(orgs.listSiteAdaptiveTemplateConditions(org, site), 200);
        assert.deepEqual(items.map(({ condition }) => condition), [
            'visitor.claims.plan === "free"', 'visitor.claims.plan === "pro"', 'visitor.claims.unsigned.beta === true',
        ]);
    });

    await step('MCP servers', async () => {
        const server = { name: 'Tools', url: 'https://mcp.acme.test/', headers: { Authorization: 'Bearer x' }, condition: 'visitor.claims.plan' };
        const made = await answered(orgs.createSiteMcpServer(org, site, server), 201);
        assert.deepEqual(made.headers, { Authorization: '(hidden)' }); // values are never read back
        const other = await answered(orgs.createSiteMcpServer(org, site, { ...server, name: 'More', transport: 'http' }), 201);
        await paged((query) => orgs.listSiteMcpServers(org, site, query), ({ id }) => id, [made.id, other.id]);
        const changed = await answered(orgs.updateSiteMcpServerById(org, site, made.id, { name: 'Better', condition: null }), 200);
        assert.deepEqual([changed.name, changed.condition], ['Better', undefined]);
        assert.deepEqual(await answered(orgs.getSiteMcpServerById(org, site, made.id), 200), changed);
        for (const bad of [{ url: 'file:///etc/passwd' }, { headers: { 'X Y': '1' } }, { condition: 'a b' }, { transport: 'smtp' }]) {
            await refused(orgs.createSiteMcpServer(org, site, { ...server, ...bad }), 400);
        }
        await refused(bob.api.orgs.getSiteMcpServerById(org, site, made.id), 403);
        await deletedOnce(() => orgs.deleteSiteMcpServerById(org, site, made.id));
        await refused(orgs.getSiteMcpServerById(org, site, made.id), 404);
    });

    await step('integrations add nothing, and there are no ads', async () => {
        assert.deepEqual(await answered(orgs.listSiteIntegrationScripts(org, site), 200), []);
        assert.deepEqual((await answered(orgs.listSiteIntegrations(org, site), 200)).items, []);
        for (const wish of [{ status: 'disabled' }, { status: 'in-review', topic: 'webdev' }, { status: 'disabled' }]) {
            await answered(orgs.updateSiteAdsById(org, site, wish), 204);
            assert.ok((await answered(orgs.getSiteById(org, site), 200)).ads.status);
        }
        await refused(bob.api.orgs.updateSiteAdsById(org, site, { status: 'disabled' }), 403);
    });

    await step('people and teams get a role on a site', async () => {
        const at = `/orgs/${org}/sites/${site}/permissions`;
        const team = (await orgs.createOrganizationTeam(org, { title: 'Writers' })).data;
        await answered(alice.call('POST', at, { body: { role: 'edit', users: [bob.id], teams: [team.id] }, empty: true }), 204);
        const users = await answered(alice.call('GET', `${at}/users`), 200);
        assert.deepEqual(users.items.map(({ user, permission }) => [user.id, permission]), [[bob.id, 'edit']]);
        await answered(alice.call('PATCH', `${at}/users/${bob.id}`, { body: { role: 'comment' }, empty: true }), 204);
        await answered(alice.call('PATCH', `${at}/teams/${team.id}`, { body: { role: 'comment' }, empty: true }), 204);
        const teams = await answered(alice.call('GET', `${at}/teams`), 200);
        assert.deepEqual(teams.items.map(({ permission }) => permission), ['comment']);
        const { items } = await answered(orgs.listPermissionsAggregateInSite(org, site), 200);
        const roles = Object.fromEntries(items.map(({ user, permission }) => [user.id, permission]));
        assert.deepEqual([roles[alice.id], roles[bob.id]], ['admin', 'comment']);
        const { role, rule } = await answered(bob.call('GET', `${at}/explain`), 200);
        assert.deepEqual([role, rule], ['comment', 'user-grant']);
        await refused(alice.call('PATCH', `${at}/users/${bob.id}`, { body: { role: 'owner' } }), 400);
        await refused(bob.call('GET', `${at}/users`), 403);
        await deletedOnce(() => alice.call('DELETE', `${at}/users/${bob.id}`));
        await deletedOnce(() => alice.call('DELETE', `${at}/teams/${team.id}`));
        assert.deepEqual((await answered(alice.call('GET', `${at}/users`), 200)).items, []);
    });
}
