// Reviews of change requests, who is asked for them, and the rules of merging.

import assert from 'node:assert/strict';

import { liveSpace, words } from '../lib/content.mjs';
import { answered, created, deletedOnce, ids, paged, refused } from '../lib/expect.mjs';
import { edit, note, openRequest } from '../lib/requests.mjs';

export default async function reviews(scene) {
    const { step, alice, bob, carol, mallory, organization, world } = scene;
    const { spaces, orgs } = alice.api;
    const space = await liveSpace(scene, 'Reviews');
    await world.enroll(bob, organization, 'review');
    await world.enroll(carol, organization, 'edit');
    const request = await openRequest(carol, space, '');
    const at = [space.id, request.number];
    const insert = (title) => edit(carol, space, request, [{ operation: 'insert_page', title, document: { markdown: `${title}.\n` } }]);
    const listed = async (query) => ids((await answered(spaces.getReviewsByChangeRequestId(...at, query), 200)).items);
    const asked = (query) => spaces.getRequestedReviewersByChangeRequestId(...at, query);
    const submit = (person, status, comment) => {
        const call = person.api.spaces.submitChangeRequestReview(...at, { status, comment });
        return created(call, `/spaces/${space.id}/change-requests/${request.id}/reviews`);
    };
    const merge = () => spaces.mergeChangeRequest(...at);
    const all = [];
    let first;

    await step('people who may review are asked, which opens a draft', async () => {
        await insert('Ebb');
        const ask = (users, more) => carol.api.spaces.requestReviewersForChangeRequest(...at, { users, ...more });
        for (const user of [carol.id, mallory.id, 'absent']) {
            await refused(ask([bob.id, user]), 400);
        }
        assert.deepEqual((await asked()).data.items, []);
        assert.equal((await spaces.getChangeRequestById(...at)).data.status, 'draft');
        const { users } = await answered(ask([bob.id, alice.id, bob.id], { subject: 'Please', description: note('Look at it.') }), 200);
        assert.deepEqual(users.map(({ user, requestedBy }) => [user.id, requestedBy.id]), [[bob.id, carol.id], [alice.id, carol.id]]);
        const { data } = await spaces.getChangeRequestById(...at);
        assert.deepEqual([data.status, data.subject], ['open', 'Please']);
        await paged(asked, ({ user }) => user.id, [bob.id, alice.id]);
        assert.deepEqual(ids((await spaces.listChangeRequestsForSpace(space.id, { requestedReviewer: bob.id })).data.items), [request.id]);
    });

    await step('somebody is no longer asked', async () => {
        await deletedOnce(() => carol.api.spaces.removeRequestedReviewerFromChangeRequest(...at, alice.id));
        assert.deepEqual((await asked()).data.items.map(({ user }) => user.id), [bob.id]);
    });

    await step('a review is given by who may', async () => {
        await refused(carol.api.spaces.submitChangeRequestReview(...at, { status: 'approved' }), 403);
        await refused(bob.api.spaces.submitChangeRequestReview(...at, { status: 'fine' }), 400);
        await refused(bob.api.spaces.submitChangeRequestReview(...at, {}), 400);
        first = await submit(bob, 'changes-requested');
        assert.deepEqual([first.reviewer.id, first.requestedBy.id, first.outdated], [bob.id, carol.id, false]);
        assert.deepEqual(await answered(spaces.getChangeRequestReviewById(...at, first.id), 200), first);
        await refused(spaces.getChangeRequestReviewById(...at, 'absent'), 404);
        assert.deepEqual((await asked()).data.items, []);
    });

    await step('rules keep a request from being merged, and say which', async () => {
        const rules = (...rules) => ({ mergeRules: { type: 'rules', rules } });
        await orgs.updateOrganizationById(organization.id, rules({ rule: 'require_at_least_one_approved_review' }));
        assert.match(await refused(merge(), 412), /approved/);
        await spaces.updateSpaceById(space.id, rules({ rule: 'require_all_reviews_approved' }, { rule: 'require_author_to_merge' }));
        const { status, body } = await alice.request('POST', `/spaces/${space.id}/change-requests/${request.number}/merge`);
        assert.equal(status, 412);
        assert.equal(body.error.details.length, 2, JSON.stringify(body));
        const { data } = await spaces.getChangeRequestById(...at);
        assert.equal(data.status, 'open');
        assert.deepEqual((await spaces.listPages(space.id)).data.pages, []);
        await spaces.updateSpaceById(space.id, { mergeRules: { type: 'inherit' } });
    });

    await step('a review counts until there is a newer one, or a newer revision', async () => {
        const second = await submit(bob, 'approved');
        assert.deepEqual(await listed(), [second.id, first.id]);
        assert.deepEqual(await listed({ outdated: true }), [first.id]);
        assert.deepEqual(await listed({ outdated: false }), [second.id]);
        await insert('Flood');
        assert.deepEqual(await listed({ outdated: false }), []);
        await refused(merge(), 412);
        all.push(first.id, second.id);
        await paged((query) => spaces.getReviewsByChangeRequestId(...at, query), ({ id }) => id, all);
    });

    await step('a review can be words alone, and have words beside its verdict', async () => {
        await refused(bob.api.spaces.submitChangeRequestReview(...at, { status: 'comment' }), 400);
        const alone = await submit(bob, 'comment', { markdown: 'Is *this* right?' });
        assert.equal(alone.status, 'comment');
        const { comment } = await answered(spaces.getChangeRequestReviewById(...at, alone.id, { format: 'markdown' }), 200);
        assert.equal(comment.body.markdown.trim(), 'Is *this* right?');
        const both = await submit(bob, 'changes-requested', { markdown: 'It is not.' });
        const shown = await answered(spaces.getChangeRequestReviewById(...at, both.id, { format: 'document' }), 200);
        assert.equal(words(shown.comment.body.document), 'It is not.');
        await refused(merge(), 412);
        all.push(alone.id, both.id);
        await paged((query) => spaces.getReviewsByChangeRequestId(...at, query), ({ id }) => id, all);
    });

    await step('approved, it is merged', async () => {
        const third = await submit(bob, 'approved');
        assert.equal((await answered(merge(), 200)).result, 'merge');
        assert.deepEqual(await listed({ outdated: false }), [third.id]);
        await refused(bob.api.spaces.submitChangeRequestReview(...at, { status: 'approved' }), 412);
        await refused(carol.api.spaces.requestReviewersForChangeRequest(...at, { users: [bob.id] }), 412);
    });

    await step('a request that is not there has no reviews', async () => {
        for (const absent of ['9', 'absent']) {
            await refused(spaces.getReviewsByChangeRequestId(space.id, absent), 404);
            await refused(spaces.getChangeRequestReviewById(space.id, absent, first.id), 404);
            await refused(spaces.getRequestedReviewersByChangeRequestId(space.id, absent), 404);
        }
        const other = await openRequest(carol, space, 'Other');
        await refused(spaces.getChangeRequestReviewById(space.id, other.number, first.id), 404);
    });
}
