// A foreigner sees and changes nothing: every required operation on an organization's things is
// called by someone from elsewhere and must look as if the things were not there. The operations
// come from the manifest, so a new one is walked as soon as it is named there.

import assert from 'node:assert/strict';

import { change, handbookSpace } from '../lib/content.mjs';
import { refused } from '../lib/expect.mjs';
import { operationEnded } from '../lib/git.mjs';
import { openRequest, write } from '../lib/requests.mjs';
import { REQUIRED, REQUIRED_OWN } from '../operations.mjs';
import { analysed } from './conversations.mjs';
import { processed } from './openapi.mjs';
import { translated } from './translations.mjs';

// Operations that a stranger may rightly call, or that name nothing of one organization.
const OPEN_TO_STRANGERS = new Set([
    'getApiInformation',
    'getAuthenticatedUser',
    'getUserById',
    'updateUserById',
    'listOrganizationsForAuthenticatedUser',
    'getOrganizationsForEmailDomain',
    'getSubdomain',
    'joinOrganization',
    'listSSOProviderLoginsInOrganization', // what a page to sign in shows
    'joinOrganizationWithInvite',
    'POST /orgs',
    'GET /user/tokens',
    'POST /user/tokens',
    'DELETE /user/tokens/{tokenId}',
    'GET /user/inbox',
    'POST /user/inbox/read',
    'GET /user/notifications',
    'GET /user/deleted-orgs',
    'GET /templates',
    'resolvePublishedContentByUrl',
    'getPublishedContentByUrl',
    'getContentByUrl',
    'getEmbedByUrl',
    'POST /spaces/{spaceId}/git/webhook', // whoever has its secret, and nobody learns whose space it is
]);

export default async function isolation(scene) {
    const { step, organization, alice, bob, mallory, anonymous, description, world } = scene;
    const { orgs, spaces } = alice.api;
    await world.enroll(bob, organization, 'read');
    const collection = (await orgs.createCollection(organization.id, { title: 'Secret' })).data;
    const space = await handbookSpace(scene, 'Secret');
    await spaces.moveSpace(space.id, { parent: collection.id });
    const revision = (await spaces.getCurrentRevision(space.id)).data;
    const body = { markdown: 'Secret' };
    const comment = (await spaces.postCommentInSpace(space.id, { body })).data;
    const reply = (await spaces.postCommentReplyInSpace(space.id, comment.id, { body })).data;
    const team = (await orgs.createOrganizationTeam(organization.id, { title: 'Secret', members: [bob.id] })).data;
    const invite = (await orgs.createOrganizationInvite(organization.id, { role: 'read' })).data;
    const grants = { role: 'read', users: [bob.id], teams: [team.id] };
    await alice.api.collections.inviteToCollection(collection.id, grants);
    await alice.api.spaces.inviteToSpace(space.id, grants);
    const { request, review, conflict } = await reviewedRequest(scene, space, revision.pages[0]);

    const site = (await orgs.createSite(organization.id, { title: 'Secret' })).data;
    const section = (await orgs.addSectionToSite(organization.id, site.id, { spaceId: space.id })).data;
    const group = (await orgs.addSectionGroupToSite(organization.id, site.id, { title: 'Secret', sections: [section.id] })).data;

    const [siteSpace] = section.siteSpaces;
    const link = (await orgs.createSiteShareLink(organization.id, site.id, { name: 'Secret' })).data;
    const destination = { kind: 'site-space', siteSpaceId: siteSpace.id };
    const redirect = (await orgs.createSiteRedirect(organization.id, site.id, { source: '/secret', destination })).data;
    const server = (await orgs.createSiteMcpServer(organization.id, site.id, { name: 'Secret', url: 'https://secret.invalid/', headers: {} })).data;

    const upload = (await orgs.generateStorageUploadUrl(organization.id, { file: { name: 'a.woff2', type: '', size: 10 }, kind: 'customization_font' })).data;
    await fetch(upload.url, { method: 'PUT', body: 'wOF2secret' });
    const font = (await orgs.createCustomFont(organization.id, { fontFamily: 'Secret', fontFaces: [{ weight: 400, storageKey: upload.key }] })).data;

    const secretSpec = { source: { text: '{"openapi":"3.1.0","info":{"title":"Secret","version":"1"},"paths":{}}' } };
    await orgs.createOrUpdateOpenApiSpecBySlug(organization.id, 'secret', secretSpec);
    const spec = await processed(alice, organization.id, 'secret');

    const talk = { id: 'secret', parts: [{ type: 'message', role: 'user', body: 'Why does the secret export fail?' }] };
    await orgs.ingestConversation(organization.id, talk);
    const [{ issue }] = await analysed(alice, organization.id, ['secret']);

    // Its runs are asked for: what is edited below starts none.
    const language = { source: { space: space.id, language: 'en' }, language: 'es', runOnMerge: false };
    const translation = (await orgs.createTranslation(organization.id, language)).data;
    await translated(alice, organization.id, translation.id);
    const [block] = (await alice.call('GET', `/orgs/${organization.id}/translations/${translation.id}/blocks`)).data.items;
    await orgs.updateGlossaryEntries(organization.id, { operations: [{ type: 'insert', translations: { en: 'Secret' } }] });
    const { items: [entry] } = (await orgs.listGlossaryEntries(organization.id)).data;

    const hooks = `/orgs/${organization.id}/webhooks`;
    const webhook = (await alice.call('POST', hooks, { body: { url: 'https://secret.invalid/', events: ['webhook.replay'] } })).data;
    const delivery = (await alice.call('POST', `${hooks}/${webhook.id}/test`)).data;
    await attempted(alice, `${hooks}/${webhook.id}/deliveries`); // what is under way would be noted later
    await alice.call('PATCH', `${hooks}/${webhook.id}`, { body: { enabled: false } }); // its log stays as it is

    const machines = `/orgs/${organization.id}/service-accounts`;
    const machine = (await alice.call('POST', machines, { body: { name: 'Secret', role: 'read' } })).data;
    const token = (await alice.call('POST', `${machines}/${machine.id}/tokens`, { body: { label: 'Secret' } })).data;

    const saml = (await orgs.createOrganizationSamlProvider(organization.id, { label: 'Secret' })).data;
    const oidc = (await alice.call('POST', `/orgs/${organization.id}/oidc`, { body: { label: 'Secret', issuer: 'https://secret.invalid', clientId: 'secret' } })).data;

    // An address that may not be called: what is asked for ends at once.
    const git = `/spaces/${space.id}/git`;
    await alice.call('PUT', `${git}/connection`, { body: { url: 'https://127.0.0.1/secret.git', ref: 'main', direction: 'import', pollSeconds: 0 } });
    const { items: [operation] } = (await alice.call('POST', `${git}/sync`)).data;
    await operationEnded(alice, `${git}/operations/${operation.id}`);

    const wanted = { body: { hostname: `${organization.id.toLowerCase()}.docs.acme.test` } };
    const { data: hostname } = await alice.call('PUT', `/orgs/${organization.id}/sites/${site.id}/hostname`, wanted);
    const { items: [auditEvent] } = (await alice.call('GET', `/orgs/${organization.id}/audit-events`)).data;

    // What stands in for each path parameter. An operation with a parameter of another name fails
    // its step until the thing is created above and named here.
    const things = {
        organizationId: organization.id,
        collectionId: collection.id,
        spaceId: space.id,
        teamId: team.id,
        userId: bob.id,
        inviteId: invite.id,
        samlProviderId: saml.id,
        oidcProviderId: oidc.id,
        serviceAccountId: machine.id,
        tokenId: token.id,
        webhookId: webhook.id,
        deliveryId: delivery.id,
        revisionId: revision.id,
        pageId: revision.pages[0].id,
        pagePath: revision.pages[0].path,
        documentId: revision.pages[0].documentId,
        fileId: revision.files[0].id,
        reusableContentId: revision.reusableContents[0].id,
        changeRequestId: request.id,
        commentId: comment.id,
        commentReplyId: reply.id,
        reviewId: review.id,
        conflictId: conflict.id,
        operationId: operation.id,
        siteId: site.id,
        siteSectionId: section.id,
        siteSectionGroupId: group.id,
        siteSpaceId: siteSpace.id,
        shareLinkId: link.id,
        siteRedirectId: redirect.id,
        siteMcpServerId: server.id,
        fontId: font.id,
        specSlug: spec.slug,
        hostname: hostname.hostname,
        auditEventId: auditEvent.id,
        versionId: spec.lastVersion,
        conversationId: 'secret',
        issueId: issue.id,
        clusterId: issue.cluster,
        translationId: translation.id,
        blockId: block?.id ?? 'none',
        glossaryEntryId: entry.id,
    };
    const guarded = [...Object.values(REQUIRED).flat(), ...REQUIRED_OWN]
        .filter((name) => !OPEN_TO_STRANGERS.has(name))
        .map((name) => description.operation(name));
    const snapshot = () => visibleTo(alice, guarded, things);
    await known(alice, `/orgs/${organization.id}/tokens`, 'bootstrap');
    const before = await snapshot();

    for (const operation of guarded) {
        const expected = operation.method === 'DELETE' ? 204 : 404;
        await step(`${operation.id}: ${expected} for a foreigner, 401 without a token`, async () => {
            const { status } = await call(mallory, operation, things);
            assert.equal(status, expected, 'foreigner');
            assert.equal((await call(anonymous, operation, things)).status, 401, 'no token');
        });
    }

    await step('a foreigner cannot reach a thing through an organization of their own', async () => {
        const detour = { ...things, organizationId: mallory.organization };
        for (const operation of guarded.filter(({ parameters }) => namesThingInOrganization(parameters))) {
            const { status } = await call(mallory, operation, detour);
            // An admin's body may be judged before the thing is looked for.
            const expected = { GET: [404], DELETE: [204] }[operation.method] ?? [400, 404];
            assert.ok(expected.includes(status), `${operation.id} answered ${status}`);
        }
    });

    await step('a foreigner cannot name a thing of another organization', async () => {
        const home = mallory.organization;
        const { orgs, collections, spaces } = mallory.api;
        const mine = (await orgs.createCollection(home, { title: 'Mine' })).data;
        const own = (await orgs.createSpace(home, { title: 'Mine' })).data;
        const position = { before: { type: 'collection', collection: collection.id } };
        const attempts = [
            () => orgs.createCollection(home, { parent: collection.id }),
            () => orgs.createSpace(home, { parent: collection.id }),
            () => collections.moveCollection(mine.id, { parent: collection.id }),
            () => collections.moveCollection(mine.id, { position }),
            () => collections.transferCollection(mine.id, { organization: organization.id }),
            () => collections.inviteToCollection(mine.id, { role: 'read', teams: [team.id] }),
            () => collections.inviteToCollection(mine.id, { role: 'read', users: [bob.id] }),
            () => spaces.moveSpace(own.id, { parent: collection.id }),
            () => spaces.moveSpace(own.id, { position }),
            () => spaces.transferSpace(own.id, { organization: organization.id }),
            () => spaces.inviteToSpace(own.id, { role: 'read', teams: [team.id] }),
            () => spaces.inviteToSpace(own.id, { role: 'read', users: [bob.id] }),
            () => orgs.createOrganizationInvite(home, { level: 'read', space: space.id }),
            () => orgs.createOrganizationInvite(home, { level: 'read', collection: collection.id }),
            () => orgs.createOrganizationTeam(home, { title: 'Spies', members: [bob.id] }),
        ];
        for (const attempt of attempts) {
            await refused(attempt(), 400, 404);
        }
    });

    await step('nothing has changed', async () => {
        assert.deepEqual(await snapshot(), before);
    });
}

// Waits until an organization knows a token: that it was used is written a while later.
async function known(person, tokens, label) {
    for (let i = 0; i < 4000; i++) {
        const { items } = (await person.call('GET', tokens)).data;
        if (items.some((item) => item.label === label)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the token ${label} was never listed`);
}

// Waits until every delivery of a webhook was tried.
async function attempted(person, deliveries) {
    for (let i = 0; i < 4000; i++) {
        const { items } = (await person.call('GET', deliveries)).data;
        if (items.every((item) => item.attempts > 0)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('a delivery was never tried');
}

// A change request with a review and a conflict.
async function reviewedRequest({ alice }, space, page) {
    const { spaces } = alice.api;
    const request = await openRequest(alice, space, 'Secret');
    await write(alice, space, request, page, 'Mine.\n');
    await change(alice, space, [{ operation: 'update_page', page: page.id, document: { markdown: 'Theirs.\n' } }]);
    await spaces.updateChangeRequest(space.id, request.id);
    const { data: { items: [conflict] } } = await alice.call('GET', `/spaces/${space.id}/change-requests/${request.id}/conflicts`);
    const { data: review } = await spaces.submitChangeRequestReview(space.id, request.id, { status: 'approved' });
    await spaces.requestReviewersForChangeRequest(space.id, request.id, { users: [alice.id] });
    return { request, review, conflict };
}

function namesThingInOrganization(parameters) {
    return parameters.includes('organizationId') && parameters.length > 1;
}

async function call(person, operation, things) {
    const body = ['GET', 'DELETE'].includes(operation.method) ? undefined : {};
    return await person.request(operation.method, fill(operation, things), body);
}

// Everything that the person can read of the things, but for when members were last seen: the
// server notes that a while after it answered them.
async function visibleTo(person, operations, things) {
    const seen = {};
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
        const { status, body } = await call(person, operation, things);
        // When somebody was last there is noted a while later, and a signature tells the time.
        const lasting = JSON.stringify({ status, body }, (key, value) => (['lastSeenAt', 'lastUsedAt'].includes(key) ? undefined : value));
        seen[operation.id] = JSON.parse(lasting.replaceAll(/(signature|token)=[^"&]*/g, ''));
    }
    return seen;
}

function fill(operation, things) {
    return operation.template.replace(/\{(\w+)\}/g, (_, parameter) => {
        assert.ok(parameter in things, `isolation has nothing for {${parameter}}`);
        return things[parameter];
    });
}
