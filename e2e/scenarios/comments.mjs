// Comments: on a space and on a change request, on a page, a block or a cell of a table; replies,
// reactions, who may what, and who wrote.

import assert from 'node:assert/strict';

import { change, liveSpace, words } from '../lib/content.mjs';
import { answered, deletedOnce, ids, paged, refused } from '../lib/expect.mjs';

const PAGE = `# Moorings

Tie up at the quay.

{% hint style="info" %}
Mind the tide.
{% endhint %}

| Berth | Depth |
| ----- | ----- |
| East  | 4 m   |
`;

export default async function comments(scene) {
    const { alice, bob, carol, organization, world } = scene;
    await world.enroll(bob, organization, 'comment');
    await world.enroll(carol, organization, 'read');
    const space = await liveSpace(scene, 'Discussed');
    const { changes } = await change(alice, space, [{ operation: 'insert_page', document: { markdown: PAGE } }]);
    const page = changes[0].page.id;
    const request = (await alice.api.spaces.createChangeRequest(space.id, { subject: 'Say more' })).data;

    await discussed(scene, { space, page, level: 'on a space', calls: onSpace, path: [space.id] });
    const path = [space.id, request.id];
    await discussed(scene, { space, page, request, level: 'on a change request', calls: onChangeRequest, path });
    await apart(scene, space, request);
    await quoted(scene, space, page);
    await guests(scene, space);
}

// The operations of each level, by one name.
const onSpace = {
    list: 'listCommentsInSpace',
    post: 'postCommentInSpace',
    get: 'getCommentInSpace',
    update: 'updateCommentInSpace',
    remove: 'deleteCommentInSpace',
    replies: 'listCommentRepliesInSpace',
    reply: 'postCommentReplyInSpace',
    getReply: 'getCommentReplyInSpace',
    updateReply: 'updateCommentReplyInSpace',
    removeReply: 'deleteCommentReplyInSpace',
    commenters: 'listCommentersInSpace',
};
const onChangeRequest = Object.fromEntries(
    Object.entries(onSpace).map(([name, operation]) => [name, operation.replace(/InSpace$/, 'InChangeRequest')]),
);

async function discussed({ step: told, alice, bob, carol, mallory }, { space, page, request, level, calls, path }) {
    const step = (title, body) => told(`${level}: ${title}`, body);
    const as = (person, name, ...rest) => person.api.spaces[calls[name]](...path, ...rest);
    const open = async () => {
        const { data } = await (request
            ? alice.api.spaces.getChangeRequestById(space.id, request.id)
            : alice.api.spaces.getSpaceById(space.id));
        return data.comments;
    };
    const { document } = (await alice.api.spaces.getPageById(space.id, page)).data;
    const [, hint, table] = document.nodes;
    let comment;
    let reply;

    await step('a body is Markdown or a document, and comes back as either', async () => {
        comment = await answered(as(bob, 'post', { body: { markdown: 'Is this **all**?' } }), 200);
        assert.equal(comment.postedBy.id, bob.id);
        assert.equal(comment.status, 'open');
        assert.equal(comment.target.space, space.id);
        assert.equal(comment.target.changeRequest, request?.id);
        assert.equal(words(comment.body.document), 'Is this all?');
        const markdown = (await as(carol, 'get', comment.id, { format: 'markdown' })).data;
        assert.deepEqual(markdown.body, { markdown: 'Is this **all**?' });
        const again = await answered(as(bob, 'post', { body: { document: comment.body.document } }), 200);
        const { body } = (await as(bob, 'get', again.id, { format: 'markdown' })).data;
        assert.equal(body.markdown.trim(), 'Is this **all**?');
        assert.equal(await open(), 2);
        await deletedOnce(() => as(bob, 'remove', again.id));
        assert.equal(await open(), 1);
    });

    await step('a comment is about a page, a block at any depth, or a cell', async () => {
        const body = { markdown: 'Really?' };
        const nested = hint.nodes[0].key;
        const targets = [
            [{ page }, 'Moorings'],
            [{ page, node: nested }, 'Mind the tide.'],
            [{ page, node: table.key, tableCell: { record: 'r1', definition: 'c2' } }, '4 m'],
        ];
        for (const [target, quote] of targets) {
            const posted = await answered(as(bob, 'post', { ...target, body }), 200);
            assert.deepEqual(posted.target.page, { id: page });
            assert.equal(posted.target.node?.id, target.node);
            assert.deepEqual(posted.target.tableCell, target.tableCell);
            assert.equal(posted.target.quote, quote);
        }
        await refused(as(bob, 'post', { page: 'absent', body }), 404);
        await refused(as(bob, 'post', { page, node: 'absent', body }), 404);
        await refused(as(bob, 'post', { page, node: table.key, tableCell: { record: 'r9', definition: 'c1' }, body }), 404);
        await refused(as(bob, 'post', { node: nested, body }), 400);
        await refused(as(bob, 'post', { body: {} }), 400);
        assert.equal(await open(), 4);
    });

    await step('lists are ordered, narrowed and paged', async () => {
        const list = (query) => as(carol, 'list', query);
        const newest = (await list()).data.items;
        assert.equal(newest.at(-1).id, comment.id);
        assert.deepEqual(ids((await list({ order: 'asc' })).data.items), ids(newest).toReversed());
        assert.equal((await list({ targetPage: page })).data.items.length, 3);
        assert.equal((await list({ authors: [alice.id] })).data.items.length, 0);
        assert.equal((await list({ authors: [alice.id, bob.id] })).data.items.length, 4);
        await paged(list, ({ id }) => id, ids(newest));
        await refused(list({ order: 'odd' }), 400);
        await refused(list({ status: 'odd' }), 400);
    });

    await step('replies form a thread', async () => {
        reply = await answered(as(bob, 'reply', comment.id, { body: { markdown: 'No, there is *more*.' } }), 200);
        await answered(as(alice, 'reply', comment.id, { body: { markdown: 'Thanks' } }), 200);
        const { items } = (await as(carol, 'replies', comment.id, { format: 'markdown' })).data;
        assert.deepEqual(items.map(({ body }) => body.markdown), ['No, there is *more*.', 'Thanks']);
        await paged((query) => as(carol, 'replies', comment.id, query), ({ id }) => id, ids(items));
        const { replies, repliers } = (await as(carol, 'get', comment.id)).data;
        assert.equal(replies, 2);
        assert.deepEqual(repliers.map(({ user, count }) => [user.id, count]), [[alice.id, 1], [bob.id, 1]]);
        const edited = await answered(as(bob, 'updateReply', comment.id, reply.id, { body: { markdown: 'No.' } }), 200);
        assert.ok(edited.editedAt);
        assert.equal(words((await as(carol, 'getReply', comment.id, reply.id)).data.body.document), 'No.');
        await refused(as(bob, 'updateReply', comment.id, items[1].id, { body: { markdown: 'x' } }), 403);
    });

    await step('a person reacts with an emoji once', async () => {
        await answered(as(bob, 'update', comment.id, { addedReactions: ['👍', '🎉'] }), 200);
        await answered(as(bob, 'update', comment.id, { addedReactions: ['1f44d'] }), 200);
        const { reactions } = await answered(
            as(alice, 'update', comment.id, { addedReactions: ['👍'], removedReactions: ['🎉'] }),
            200,
        );
        const given = Object.fromEntries(reactions.map(({ emoji, count }) => [emoji, count]));
        assert.deepEqual(given, { '👍': 2, '🎉': 1 });
        await answered(as(alice, 'updateReply', comment.id, reply.id, { addedReactions: ['👀'] }), 200);
        await refused(as(bob, 'update', comment.id, { addedReactions: ['👍'.repeat(200)] }), 400);
        await refused(as(bob, 'update', comment.id, { addedReactions: ['yes'] }), 400);
        await refused(as(carol, 'update', comment.id, { addedReactions: ['👍'] }), 403);
    });

    await step('a comment is resolved and reopened', async () => {
        const before = await open();
        const resolved = await answered(as(alice, 'update', comment.id, { resolved: true }), 200);
        assert.equal(resolved.status, 'resolved');
        assert.equal(resolved.resolvedBy.id, alice.id);
        assert.equal(await open(), before - 1);
        assert.deepEqual(ids((await as(carol, 'list', { status: 'resolved' })).data.items), [comment.id]);
        const reopened = await answered(as(bob, 'update', comment.id, { resolved: false }), 200);
        assert.equal(reopened.status, 'open');
        assert.equal(await open(), before);
    });

    await step('what a person may do is told and kept', async () => {
        const { permissions } = (await as(carol, 'get', comment.id)).data;
        assert.deepEqual(permissions, { view: true, edit: false, reply: false, delete: false });
        assert.equal((await as(bob, 'get', comment.id)).data.permissions.edit, true);
        assert.equal((await as(alice, 'get', comment.id)).data.permissions.delete, true);
        await refused(as(carol, 'post', { body: { markdown: 'x' } }), 403);
        await refused(as(carol, 'reply', comment.id, { body: { markdown: 'x' } }), 403);
        await refused(as(carol, 'remove', comment.id), 403);
        await refused(as(mallory, 'get', comment.id), 404);
        await refused(as(mallory, 'post', { body: { markdown: 'x' } }), 404);
    });

    await step('who wrote is listed', async () => {
        await paged((query) => as(carol, 'commenters', query), ({ id }) => id, [alice.id, bob.id]);
    });

    await step('what is deleted takes its replies along', async () => {
        await deletedOnce(() => as(bob, 'removeReply', comment.id, reply.id));
        await refused(as(bob, 'getReply', comment.id, reply.id), 404);
        await deletedOnce(() => as(bob, 'remove', comment.id));
        await refused(as(bob, 'replies', comment.id), 404);
        await refused(as(bob, 'update', comment.id, { resolved: true }), 404);
    });
}

async function apart({ step, alice }, space, request) {
    const { spaces } = alice.api;
    await step('comments of the space and of a change request are apart', async () => {
        const body = { markdown: 'Here' };
        const here = (await spaces.postCommentInSpace(space.id, { body })).data;
        const there = (await spaces.postCommentInChangeRequest(space.id, request.id, { body })).data;
        await refused(spaces.getCommentInSpace(space.id, there.id), 404);
        await refused(spaces.getCommentInChangeRequest(space.id, request.id, here.id), 404);
        await refused(spaces.getCommentInChangeRequest(space.id, 'absent', there.id), 404);
        const byNumber = await spaces.getCommentInChangeRequest(space.id, String(request.number), there.id);
        assert.equal(byNumber.data.id, there.id);
    });
}

async function quoted({ step, alice }, space, page) {
    const { spaces } = alice.api;
    await step('a comment on what is gone can be read, with the text that it was about', async () => {
        await change(alice, space, [{ operation: 'delete_page', page }]);
        const { items } = (await spaces.listCommentsInSpace(space.id, { targetPage: page, order: 'asc' })).data;
        assert.deepEqual(items.map(({ target }) => target.quote), ['Moorings', 'Mind the tide.', '4 m']);
        const { revision } = items[0].target;
        assert.equal((await spaces.getPageInRevisionById(space.id, revision, page)).data.title, 'Moorings');
    });
}

async function guests({ step, alice, carol, organization }, space) {
    await step('a guest takes part and learns nobody’s address', async () => {
        await alice.api.orgs.updateMemberInOrganizationById(organization.id, carol.id, { role: null });
        await alice.api.spaces.inviteToSpace(space.id, { role: 'comment', users: [carol.id] });
        const { items } = (await carol.api.spaces.listCommentsInSpace(space.id)).data;
        assert.ok(items.length > 0);
        assert.ok(items.every(({ postedBy }) => postedBy.email === undefined));
        assert.deepEqual((await carol.api.spaces.listCommentersInSpace(space.id)).data.items, []);
        await answered(carol.api.spaces.postCommentInSpace(space.id, { body: { markdown: 'Hello' } }), 200);
    });
}
