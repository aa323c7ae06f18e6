// Conversations of users: ingested, analysed, clustered, answered by a change request.

import assert from 'node:assert/strict';

import { answered, created, refused } from '../lib/expect.mjs';

const says = (body, role = 'user') => ({ type: 'message', role, body });

export default async function conversations({ step, organization, alice, anonymous }) {
    const { orgs, spaces } = alice.api;
    const org = organization.id;
    let cluster;

    await step('one conversation or several are ingested, each once', async () => {
        await refused(anonymous.api.orgs.ingestConversation(org, { id: '1', parts: [] }), 401);
        await refused(orgs.ingestConversation(org, { id: '', parts: [] }), 400);
        const metadata = { url: 'https://desk.invalid/1', attributes: { plan: 'pro' }, createdAt: '2026-01-05T10:00:00.000Z' };
        const first = { id: '1', subject: 'Export', metadata, parts: [says('<p>The PDF export stops halfway.</p>'), says('Which browser?', 'team-member')] };
        await answered(orgs.ingestConversation(org, first), 204);
        await answered(orgs.ingestConversation(org, [first, { id: '2', parts: [says('Why is the PDF export empty?')] }, { id: '3', parts: [says('How do I invite a colleague?')] }]), 204);
        const { items } = await answered(orgs.listConversations(org), 200);
        assert.deepEqual(items.map(({ id }) => id).sort(), ['1', '2', '3']);
        assert.deepEqual((await answered(orgs.listConversations(org, { source: items[0].source }), 200)).items.length, 3);
    });

    await step('a help desk sends conversations by itself', async () => {
        const hooks = `/orgs/${org}/conversations-webhooks`;
        await refused(alice.call('POST', hooks, { body: { format: 'fax' } }), 400);
        const { url } = await answered(alice.call('POST', hooks, { body: { format: 'zendesk' } }), 201);
        const ticket = { id: 9, subject: 'Import', description: 'The import of a folder ends early.' };
        const send = (to) => fetch(to, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ticket }) });
        assert.equal((await send(url)).status, 204);
        assert.equal((await send(`${url}x`)).status, 404);
        const { conversation } = await answered(orgs.getConversationById(org, '9'), 200);
        assert.equal(conversation.source, 'integration:zendesk:webhook');
        await alice.call('DELETE', `/orgs/${org}/conversations/9`);
    });

    await step('a conversation is read as it was sent', async () => {
        await analysed(alice, org, ['1', '2', '3']);
        const { conversation, parts, metadata } = await answered(orgs.getConversationById(org, '1'), 200);
        assert.ok(conversation.processedAt);
        assert.deepEqual(parts.map(({ role }) => role), ['user', 'team-member']);
        assert.equal(metadata.attributes.plan, 'pro');
        await refused(orgs.getConversationById(org, 'none'), 404);
    });

    await step('issues are in clusters', async () => {
        const { items } = await answered(orgs.listConversationsIssues(org, { conversation: '1' }), 200);
        assert.equal(items[0].issue.title, 'The PDF export stops halfway.');
        cluster = items[0].issue.cluster;
        await answered(orgs.getConversationIssueById(org, items[0].issue.id), 200);
        await refused(orgs.getConversationIssueById(org, 'none'), 404);
        const same = await answered(orgs.listConversationsIssues(org, { cluster }), 200);
        assert.deepEqual(same.items.map(({ conversation }) => conversation.id).sort(), ['1', '2']);
        const clusters = await answered(orgs.listConversationsIssuesClusters(org, { orderBy: 'issues' }), 200);
        assert.equal(clusters.items[0].id, cluster);
        assert.equal(clusters.items[0].weeklyPulse.length, 13);
        assert.equal((await answered(orgs.getConversationsIssuesCluster(org, cluster), 200)).stats.issues, 2);
        await refused(orgs.getConversationsIssuesCluster(org, 'none'), 404);
        await alice.call('GET', `/orgs/${org}/conversations-clusters-moves`);
    });

    await step('a change request answers a cluster, whose counters follow it', async () => {
        const space = await created(orgs.createSpace(org, { title: 'Answers' }), '/spaces');
        await alice.call('GET', `/orgs/${org}/conversations-clusters/${cluster}/pages`);
        const { data: request } = await alice.call('POST', `/spaces/${space.id}/conversations-clusters/${cluster}/change-request`, { body: {} });
        assert.equal(request.conversationsIssuesCluster, cluster);
        const counters = async () => (await answered(orgs.getConversationsIssuesCluster(org, cluster), 200)).stats;
        assert.equal((await counters()).tasksBacklog, 1);
        await answered(spaces.mergeChangeRequest(space.id, request.id), 200);
        assert.deepEqual([(await counters()).tasksBacklog, (await counters()).tasksCompleted], [0, 1]);
    });

    await step('personal data is masked, and conversations are deleted', async () => {
        await answered(orgs.ingestConversation(org, { id: '4', parts: [says('Write to joe@example.com: how do I log in?')] }), 204);
        await alice.call('POST', `/orgs/${org}/conversations/4/redact`);
        assert.match((await answered(orgs.getConversationById(org, '4'), 200)).parts[0].body, /Write to \[email\]/);
        await alice.call('DELETE', `/orgs/${org}/conversations/4`);
        await refused(orgs.getConversationById(org, '4'), 404);
    });
}

/** Waits until conversations are analysed and their issues are in clusters. */
export async function analysed({ api: { orgs } }, org, ids) {
    for (let i = 0; i < 4000; i++) {
        const { items } = (await orgs.listConversationsIssues(org, { limit: 1000 })).data;
        if (ids.every((id) => items.some(({ issue, conversation }) => conversation.id === id && issue.cluster))) return items;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the conversations were never analysed');
}
