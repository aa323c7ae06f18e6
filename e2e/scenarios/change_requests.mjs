// Change requests: opened, edited, read at their own level, brought up to date, their conflicts
// ended, merged.

import assert from 'node:assert/strict';

import { change, flatten, handbookFile, handbookSpace, liveSpace, pageTitled, words } from '../lib/content.mjs';
import { answered, created, ids, paged, refused } from '../lib/expect.mjs';
import { edit, note, openRequest, textOf, write } from '../lib/requests.mjs';

export default async function changeRequests(scene) {
    await opening(scene);
    await reading(scene);
    await merging(scene);
    await conflicting(scene);
    await deciding(scene);
    await meanwhile(scene);
}

async function opening(scene) {
    const { step, alice, bob, carol, organization, world } = scene;
    const { spaces, orgs } = alice.api;
    const space = await liveSpace(scene, 'Opening');
    const other = await liveSpace(scene, 'Other');
    await world.enroll(bob, organization, 'read');
    await world.enroll(carol, organization, 'edit');
    const list = (query) => spaces.listChangeRequestsForSpace(space.id, query);
    let first;
    let second;

    await step('a change request begins as a draft of what is there', async () => {
        first = await openRequest(carol, space, ' Tides ');
        assert.equal(first.number, 1);
        assert.equal(first.subject, 'Tides');
        assert.equal(first.status, 'draft');
        assert.equal(first.createdBy.id, carol.id);
        assert.deepEqual([first.revision, first.revisionInitial, first.revisionMergedAncestor], Array(3).fill(space.revision));
        assert.equal(first.outdated, false);
        second = await created(spaces.createChangeRequest(space.id, {}), `/spaces/${space.id}/change-requests`);
        assert.equal(second.number, 2);
        await refused(spaces.createChangeRequest(space.id, { subject: 'x'.repeat(101) }), 400);
        await refused(spaces.createChangeRequest(space.id, { agentTaskId: 'absent' }), 404);
        await refused(bob.api.spaces.createChangeRequest(space.id, {}), 403);
    });

    await step('it is found by its id and its number, in its own space only', async () => {
        assert.deepEqual(await answered(spaces.getChangeRequestById(space.id, first.id), 200), first);
        assert.deepEqual(await answered(spaces.getChangeRequestById(space.id, '1'), 200), first);
        for (const name of ['0', '3', '-1', '1.0', 'absent']) {
            await refused(spaces.getChangeRequestById(space.id, name), 404);
        }
        await refused(spaces.getChangeRequestById(other.id, first.id), 404);
        await refused(spaces.getChangeRequestById(other.id, '1'), 404);
    });

    await step('its subject, description and status are changed', async () => {
        const update = (body) => spaces.updateChangeRequestById(space.id, '1', body);
        const named = await answered(update({ subject: 'High tides', description: note('Why they matter.') }), 200);
        assert.equal(named.subject, 'High tides');
        assert.equal(words(named.description), 'Why they matter.');
        assert.equal(named.status, 'draft');
        for (const status of ['open', 'archived', 'draft', 'open']) {
            assert.equal((await answered(update({ status }), 200)).status, status);
        }
        await refused(update({ status: 'merged' }), 400);
        await refused(update({ subject: 'x'.repeat(101) }), 400);
        await refused(update({ description: { object: 'document', data: {}, nodes: 'none' } }), 400);
        await refused(bob.api.spaces.updateChangeRequestById(space.id, '1', { subject: 'No' }), 403);
    });

    await step('lists are narrowed, and open ones are what they show', async () => {
        assert.deepEqual(ids((await list()).data.items), [first.id]);
        assert.deepEqual(ids((await list({ status: 'draft' })).data.items), [second.id]);
        assert.deepEqual(ids((await list({ status: 'archived' })).data.items), []);
        assert.deepEqual(ids((await list({ creator: carol.id })).data.items), [first.id]);
        assert.deepEqual(ids((await list({ creator: bob.id })).data.items), []);
        assert.deepEqual(ids((await list({ contributor: bob.id })).data.items), []);
        assert.deepEqual(ids((await list({ requestedReviewer: bob.id })).data.items), []);
        assert.deepEqual(ids((await list({ conversationsIssuesCluster: 'absent' })).data.items), []);
        await refused(list({ status: 'closed' }), 400);
        const elsewhere = await openRequest(alice, other, 'Elsewhere');
        await spaces.updateChangeRequestById(other.id, '1', { status: 'open' });
        await spaces.updateChangeRequestById(space.id, '2', { status: 'open' });
        await paged(list, ({ id }) => id, [first.id, second.id]);
        const all = (query) => orgs.listChangeRequestsForOrganization(organization.id, query);
        await paged(all, ({ id }) => id, [first.id, second.id, elsewhere.id]);
        assert.deepEqual(ids((await all({ creator: carol.id })).data.items), [first.id]);
    });

    await step('a space counts its change requests', async () => {
        const { data } = await spaces.getSpaceById(space.id);
        assert.deepEqual([data.changeRequests, data.changeRequestsOpen, data.changeRequestsDraft], [2, 2, 0]);
    });
}

async function reading(scene) {
    const { step, alice, carol } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene, 'Reading');
    const request = await openRequest(carol, space, 'Quay');
    const { number } = request;
    let quay;

    await step('before it is edited it reads as the space', async () => {
        const { pages } = await answered(spaces.listPages(space.id), 200);
        const mine = await answered(spaces.listPagesInChangeRequest(space.id, number), 200);
        assert.deepEqual(ids(flatten(mine.pages)), ids(flatten(pages)));
        assert.deepEqual((await answered(spaces.getChangeRequestChanges(space.id, number), 200)).changes, []);
        assert.deepEqual((await answered(spaces.getContributorsByChangeRequestId(space.id, number), 200)).items, []);
    });

    await step('edits are seen in it, and nowhere else', async () => {
        const moorings = await pageTitled(alice, space, 'Moorings');
        const { changes } = await edit(carol, space, request, [
            { operation: 'insert_page', ref: 'quay', document: { markdown: '# Quay\n\nSee [the moorings](moorings.md).\n' } },
            { operation: 'update_page', page: moorings.id, title: 'Berths' },
        ]);
        quay = changes[0].page;
        const revision = await answered(spaces.getRevisionOfChangeRequestById(space.id, number), 200);
        assert.equal(revision.id, (await spaces.getChangeRequestById(space.id, number)).data.revision);
        const { pages } = await answered(spaces.listPagesInChangeRequest(space.id, number), 200);
        assert.deepEqual(pages, revision.pages);
        assert.ok(flatten(pages).some(({ title }) => title === 'Berths'));
        await pageTitled(alice, space, 'Moorings');
        await refused(spaces.getPageById(space.id, quay.id), 404);
    });

    await step('pages are read by id and by path, in each format', async () => {
        const byID = await answered(spaces.getPageInChangeRequestById(space.id, number, quay.id, { format: 'document' }), 200);
        assert.deepEqual(await answered(spaces.getPageInChangeRequestByPath(space.id, number, 'quay', { format: 'document' }), 200), byID);
        assert.equal(byID.document.nodes[0].nodes[1].data.ref.page, (await pageTitled(alice, space, 'Moorings')).id);
        assert.match(await textOf(alice, space, quay, request), /^# Quay\n/);
        await refused(spaces.getPageInChangeRequestById(space.id, number, 'absent'), 404);
        await refused(spaces.getPageInChangeRequestByPath(space.id, number, 'absent'), 404);
    });

    await step('files and reusable contents are read as they are in it', async () => {
        const form = new FormData();
        form.append('file', new Blob(['deep']), 'depth.txt');
        const { status, body: depth } = await carol.request('POST', `/spaces/${space.id}/change-requests/${number}/content/files`, form);
        assert.equal(status, 201);
        const list = (query) => spaces.listFilesInChangeRequestById(space.id, number, query);
        const { data: { items } } = await spaces.listFiles(space.id);
        await paged(list, ({ id }) => id, [...ids(items), depth.id]);
        const file = await answered(spaces.getFileInChangeRequestById(space.id, number, depth.id), 200);
        assert.equal(file.name, 'depth.txt');
        assert.equal(await (await fetch(file.downloadURL)).text(), 'deep');
        await refused(spaces.getFileById(space.id, depth.id), 404);
        await refused(spaces.getFileInChangeRequestById(space.id, number, 'absent'), 404);
        const { reusableContents: [safety] } = await answered(spaces.getRevisionOfChangeRequestById(space.id, number), 200);
        const reusable = await answered(spaces.getReusableContentInChangeRequestById(space.id, number, safety.id), 200);
        assert.equal(reusable.title, 'Safety notice');
        await refused(spaces.getReusableContentInChangeRequestById(space.id, number, 'absent'), 404);
    });

    await step('what it changes is told, and who did', async () => {
        const { changes, more } = await answered(spaces.getChangeRequestChanges(space.id, number, { limit: 100 }), 200);
        assert.deepEqual(changes.map(({ type }) => type).toSorted(), ['file_created', 'page_created', 'page_edited']);
        assert.equal(more ?? 0, 0);
        const { attributes } = changes.find(({ type }) => type === 'page_edited');
        assert.deepEqual(attributes.title, { before: 'Moorings', after: 'Berths' });
        assert.equal((await answered(spaces.getChangeRequestChanges(space.id, number, { limit: 1 }), 200)).more, 2);
        await refused(spaces.getChangeRequestChanges(space.id, number, { limit: 1001 }), 400);
        const { items } = await answered(spaces.getContributorsByChangeRequestId(space.id, number), 200);
        assert.deepEqual(items.map(({ user, count, actionType }) => [user.id, count, actionType]), [[carol.id, 2, 'edit']]);
        assert.deepEqual(ids((await spaces.listChangeRequestsForSpace(space.id, { status: 'draft', contributor: carol.id })).data.items), [request.id]);
    });

    await step('one that is not there has no content', async () => {
        for (const absent of ['9', 'absent']) {
            await refused(spaces.getRevisionOfChangeRequestById(space.id, absent), 404);
            await refused(spaces.listPagesInChangeRequest(space.id, absent), 404);
            await refused(spaces.listFilesInChangeRequestById(space.id, absent), 404);
            await refused(spaces.getChangeRequestChanges(space.id, absent), 404);
            await refused(spaces.getContributorsByChangeRequestId(space.id, absent), 404);
        }
    });
}

async function merging(scene) {
    const { step, alice, carol } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene, 'Merging');
    const merge = (request) => spaces.mergeChangeRequest(space.id, request.number);

    await step('merged, it is the content of the space, and final', async () => {
        const request = await openRequest(carol, space, 'Buoys');
        const moorings = await pageTitled(alice, space, 'Moorings');
        const text = (await handbookFile('moorings.md')).toString().replace('Yellow', 'Orange');
        await write(carol, space, request, moorings, text.replace('# Moorings\n\n', ''));
        await refused(carol.api.spaces.mergeChangeRequest(space.id, request.number), 403);
        const { result, revision } = await answered(merge(request), 200);
        assert.equal(result, 'merge');
        assert.match(await textOf(alice, space, moorings), /Orange buoys/);
        const { data: head } = await spaces.getCurrentRevision(space.id);
        assert.equal(head.id, revision);
        assert.equal(head.type, 'merge');
        const merged = await answered(spaces.getChangeRequestById(space.id, request.number), 200);
        assert.deepEqual([merged.status, merged.revisionMerged], ['merged', revision]);
        await refused(merge(request), 412);
        await refused(spaces.updateChangeRequest(space.id, request.number), 412);
        await refused(spaces.updateChangeRequestById(space.id, request.number, { status: 'open' }), 412);
        const { status } = await carol.request('POST', `/spaces/${space.id}/change-requests/${request.number}/content`, { changes: [{ operation: 'delete_page', page: moorings.id }] });
        assert.equal(status, 412);
        const { changes } = await answered(spaces.getChangeRequestChanges(space.id, request.number), 200);
        assert.deepEqual(changes.map(({ type, page }) => [type, page.id]), [['page_edited', moorings.id]]);
    });

    await step('other blocks of the same page agree', async () => {
        const [page] = (await change(alice, space, [{ operation: 'insert_page', document: { markdown: '# Tides\n\nEbb.\n\nFlood.\n\nSlack.\n' } }])).changes.map((c) => c.page);
        const one = await openRequest(alice, space, 'One');
        const two = await openRequest(carol, space, 'Two');
        await write(alice, space, one, page, 'Ebb of one.\n\nFlood.\n\nSlack.\n');
        await write(carol, space, two, page, 'Ebb.\n\nFlood.\n\nSlack of two.\n');
        assert.equal((await answered(merge(one), 200)).result, 'merge');
        assert.equal((await spaces.getChangeRequestById(space.id, two.number)).data.outdated, true);
        assert.equal((await answered(merge(two), 200)).result, 'merge');
        assert.equal(await textOf(alice, space, page), '# Tides\n\nEbb of one.\n\nFlood.\n\nSlack of two.\n');
    });

    await step('an archived one is not merged', async () => {
        const request = await openRequest(carol, space, 'Later');
        await spaces.updateChangeRequestById(space.id, request.number, { status: 'archived' });
        assert.match(await refused(merge(request), 412), /archived/);
    });
}

async function conflicting(scene) {
    const { step, alice, carol } = scene;
    const { spaces } = alice.api;
    const space = await liveSpace(scene, 'Conflicting');
    const { changes } = await change(alice, space, [
        { operation: 'insert_page', title: 'Tides', document: { markdown: 'Ebb.\n\nFlood.\n' } },
        { operation: 'insert_page', title: 'Charts', document: { markdown: 'Paper.\n' } },
    ]);
    const [tides, charts] = changes.map(({ page }) => page);
    const request = await openRequest(carol, space, 'Mine');
    const conflictsAt = `/spaces/${space.id}/change-requests/${request.number}/conflicts`;
    const conflicts = async (query) => (await answered(alice.call('GET', conflictsAt, { query }), 200)).items;
    const merge = () => answered(spaces.mergeChangeRequest(space.id, request.number), 200);
    const update = () => answered(spaces.updateChangeRequest(space.id, request.number), 200);
    let head;

    await step('a conflict is told, and nothing is published', async () => {
        await write(carol, space, request, tides, 'Ebb as carol has it.\n\nFlood, too.\n');
        await write(carol, space, request, charts, 'Paper and ink.\n');
        await change(alice, space, [
            { operation: 'update_page', page: tides.id, document: { markdown: 'Ebb as alice has it.\n\nFlood.\n' } },
            { operation: 'delete_page', page: charts.id },
        ]);
        head = (await spaces.getSpaceById(space.id)).data.revision;
        const { result, revision } = await merge();
        assert.deepEqual([result, revision], ['conflicts', head]);
        assert.equal(await textOf(alice, space, tides), '# Tides\n\nEbb as alice has it.\n\nFlood.\n');
        assert.equal((await spaces.getSpaceById(space.id)).data.revision, head);
        assert.equal((await spaces.getChangeRequestById(space.id, request.number)).data.status, 'draft');
        assert.deepEqual(await conflicts(), []);
    });

    await step('an update records it in the request, which keeps its own form', async () => {
        const { result, revision } = await update();
        assert.equal(result, 'conflicts');
        const { data } = await spaces.getChangeRequestById(space.id, request.number);
        assert.deepEqual([data.revision, data.outdated, data.revisionMergedAncestor], [revision, false, head]);
        assert.equal(await textOf(alice, space, tides, request), '# Tides\n\nEbb as carol has it.\n\nFlood, too.\n');
        assert.deepEqual((await conflicts()).map(({ page, part }) => `${part} ${page}`).toSorted(), [`deleted ${charts.id}`, `document ${tides.id}`]);
        const again = await update();
        assert.deepEqual([again.result, again.revision], ['conflicts', revision]);
        assert.equal((await merge()).result, 'conflicts');
        await answered(spaces.getRevisionOfChangeRequestById(space.id, request.number), 200);
        await answered(spaces.getChangeRequestChanges(space.id, request.number), 200);
    });

    await step('ended, the request is merged', async () => {
        for (const { id, part } of await conflicts()) {
            const body = part === 'document' ? { resolution: 'document', document: { markdown: 'Ebb of both.' } } : { resolution: 'main' };
            await answered(carol.call('POST', `${conflictsAt}/${id}`, { body }), 200);
            await refused(carol.call('POST', `${conflictsAt}/${id}`, { body }), 409);
        }
        assert.deepEqual(await conflicts(), []);
        assert.equal((await conflicts({ status: 'all' })).length, 2);
        assert.equal((await merge()).result, 'merge');
        assert.equal(await textOf(alice, space, tides), '# Tides\n\nEbb of both.\n\nFlood, too.\n');
        await refused(spaces.getPageById(space.id, charts.id), 404);
    });

    await step('the history of a request is told', async () => {
        const list = (query) => alice.call('GET', `/spaces/${space.id}/change-requests/${request.number}/revisions`, { query });
        const { items } = (await list()).data;
        assert.deepEqual(items.map(({ type }) => type), ['edits', 'edits', 'update', 'edits', 'edits']);
        await paged(list, ({ id }) => id, ids(items));
    });
}

// Two requests on one paragraph, from conflict to merge by nothing but an edit.
async function deciding(scene) {
    const { step, alice, carol } = scene;
    const { spaces } = alice.api;
    const space = await liveSpace(scene, 'Deciding');
    const { changes } = await change(alice, space, [{ operation: 'insert_page', title: 'Tides', document: { markdown: 'Ebb.\n\nFlood.\n' } }]);
    const [tides] = changes.map(({ page }) => page);
    const [mine, theirs] = [await openRequest(carol, space, 'Mine'), await openRequest(carol, space, 'Theirs')];
    const merge = async ({ number }) => (await answered(spaces.mergeChangeRequest(space.id, number), 200)).result;
    const update = async ({ number }) => (await answered(spaces.updateChangeRequest(space.id, number), 200)).result;

    await step('rewriting the contested block decides, an edit beside it does not', async () => {
        await write(carol, space, mine, tides, 'Ebb of mine.\n\nFlood.\n');
        await write(carol, space, theirs, tides, 'Ebb of theirs.\n\nFlood.\n');
        assert.equal(await merge(theirs), 'merge');
        assert.equal(await update(mine), 'conflicts');
        await write(carol, space, mine, tides, 'Ebb of mine.\n\nFlood, too.\n');
        assert.equal(await update(mine), 'conflicts');
        assert.equal(await merge(mine), 'conflicts');
        await write(carol, space, mine, tides, 'Ebb of both.\n\nFlood, too.\n');
        assert.equal(await merge(mine), 'merge');
        assert.equal(await textOf(alice, space, tides), '# Tides\n\nEbb of both.\n\nFlood, too.\n');
    });
}

// A space that is edited, rolled back, copied or moved while requests are open.
async function meanwhile(scene) {
    const { step, alice, world } = scene;
    const { spaces } = alice.api;
    const space = await liveSpace(scene, 'Meanwhile');
    const { changes, revision: first } = await change(alice, space, [
        { operation: 'insert_page', title: 'Tides', document: { markdown: 'Ebb.\n\nFlood.\n\nSlack.\n' } },
    ]);
    const [tides] = changes.map(({ page }) => page);
    const merge = (request) => answered(spaces.mergeChangeRequest(space.id, request.number), 200);

    await step('a request is merged into a space that was rolled back meanwhile', async () => {
        await change(alice, space, [{ operation: 'update_page', page: tides.id, document: { markdown: 'Ebb, live.\n\nFlood.\n\nSlack.\n' } }]);
        const request = await openRequest(alice, space, 'Rolled back');
        await write(alice, space, request, tides, 'Ebb, live.\n\nFlood.\n\nSlack, mine.\n');
        await answered(alice.call('POST', `/spaces/${space.id}/revisions/${first}/rollback`), 200);
        assert.equal((await merge(request)).result, 'merge');
        assert.equal(await textOf(alice, space, tides), '# Tides\n\nEbb.\n\nFlood.\n\nSlack, mine.\n');
    });

    await step('a request is merged into a space that was copied and moved meanwhile', async () => {
        const request = await openRequest(alice, space, 'Moved');
        await write(alice, space, request, tides, 'Ebb.\n\nFlood, mine.\n\nSlack, mine.\n');
        const copy = await created(spaces.duplicateSpace(space.id), '/spaces');
        assert.deepEqual((await spaces.listChangeRequestsForSpace(copy.id, { status: 'draft' })).data.items, []);
        const elsewhere = await world.newOrganization('Elsewhere');
        await spaces.transferSpace(space.id, { organization: elsewhere.id });
        assert.equal((await merge(request)).result, 'merge');
        assert.equal(await textOf(alice, space, tides), '# Tides\n\nEbb.\n\nFlood, mine.\n\nSlack, mine.\n');
        assert.equal(await textOf(alice, copy, tides), '# Tides\n\nEbb.\n\nFlood.\n\nSlack, mine.\n');
    });
}
