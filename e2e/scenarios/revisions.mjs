// Revisions: the history of a space, any revision read like the newest, what each one changed, and
// the ways back. Copies of a space and templates begin a history.

import assert from 'node:assert/strict';

import { change, flatten, handbookFile, handbookSpace, importEdited, liveSpace, pageTitled } from '../lib/content.mjs';
import { answered, created, ids, paged, refused } from '../lib/expect.mjs';

// Every type of change but those of tags, which the client does not know.
const CHANGES = [
    'file_created', 'file_deleted', 'file_edited', 'page_created', 'page_deleted', 'page_edited', 'page_moved',
    'reusable_content_created', 'reusable_content_deleted', 'reusable_content_edited', 'variables_edited',
];

export default async function revisions(scene) {
    await history(scene);
    await copies(scene);
    await templates(scene);
}

async function history(scene) {
    const { step, alice } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene);
    const list = (query) => alice.call('GET', `/spaces/${space.id}/revisions`, { query });
    const rollback = (revision) => alice.call('POST', `/spaces/${space.id}/revisions/${revision}/rollback`);
    const changesOf = (revision, query) => {
        return answered(spaces.getRevisionSemanticChanges(space.id, revision, query), 200);
    };
    const first = space.revision;
    const seen = [];

    await step('a revision tells what it created', async () => {
        const { changes, more } = await changesOf(first, { limit: 1000 });
        assert.equal(more ?? 0, 0);
        const { data: revision } = await spaces.getRevisionById(space.id, first);
        const created = changes.filter(({ type }) => type === 'page_created').map(({ page }) => page.id);
        assert.deepEqual(created.toSorted(), ids(flatten(revision.pages)).toSorted());
        seen.push(...changes);
        const cut = await changesOf(first, { limit: 3 });
        assert.equal(cut.changes.length, 3);
        assert.equal(cut.more, changes.length - 3);
        await refused(spaces.getRevisionSemanticChanges(space.id, first, { limit: -1 }), 400);
    });

    await step('an import keeps the ids of what stayed and tells what did not', async () => {
        const moorings = await pageTitled(alice, space, 'Moorings');
        await importEdited(scene, space, {
            'SUMMARY.md': [
                '# Table of contents',
                '* [Harbour handbook](README.md)',
                '* [Quay](quay.md)',
                '  * [Moorings](moorings.md)',
                '* [Harbour office](https://harbour.example/new-office)',
                '## Guides',
                '* [Signals](guides/signals.md)',
            ].join('\n\n'),
            'quay.md': '# Quay\n\nNew here.\n',
            'moorings.md': '---\ndescription: Where to lie\nlayout:\n  width: wide\ncover: .gitbook/assets/pier.png\nvars:\n  free: 3\n---\n\n# Berths\n\nWritten anew.\n',
            'guides/night-arrivals.md': null,
            '.gitbook/vars.yaml': 'owner: the port captain\nberths: 90\n',
            '.gitbook/includes/safety.md': '---\ntitle: Safety first\n---\n\nMind the gap.\n',
            '.gitbook/includes/radio.md': 'Channel 12.\n',
            '.gitbook/assets/berths.txt': 'A  up to 9 m\n',
            '.gitbook/assets/tides.json': null,
            '.gitbook/assets/new.txt': 'new\n',
        });
        const { revision } = (await spaces.getSpaceById(space.id)).data;
        const { changes } = await changesOf(revision, { limit: 1000 });
        seen.push(...changes);
        const edited = changes.find(({ type, page }) => type === 'page_edited' && page.id === moorings.id);
        assert.deepEqual(edited.attributes.title, { before: 'Moorings', after: 'Berths' });
        assert.deepEqual(edited.attributes.description, { after: 'Where to lie' });
        for (const name of ['document', 'layout', 'cover', 'variables']) {
            assert.ok(name in edited.attributes, name);
        }
        const moved = changes.find(({ type, page }) => type === 'page_moved' && page.id === moorings.id);
        assert.equal(moved.parent.after.title, 'Quay');
    });

    await step('a revision can take everything away', async () => {
        await importEdited(scene, space, {
            'SUMMARY.md': '# Table of contents\n\n* [Harbour handbook](README.md)\n',
            'README.md': '# Harbour handbook\n\nEmpty.\n',
            '.gitbook/includes/safety.md': null,
        });
        const { revision } = (await spaces.getSpaceById(space.id)).data;
        seen.push(...(await changesOf(revision, { limit: 1000 })).changes);
    });

    await step('every type of change was told', async () => {
        assert.deepEqual([...new Set(seen.map(({ type }) => type))].sort(), CHANGES);
    });

    await step('the history pages from the newest to the oldest', async () => {
        const { data } = await list();
        assert.equal(data.items.at(-2).id, first);
        assert.equal(data.items[0].id, (await spaces.getSpaceById(space.id)).data.revision);
        assert.deepEqual(data.items[0].parents, [data.items[1].id]);
        await paged(list, ({ id }) => id, ids(data.items));
    });

    await step('an earlier revision is read as it was', async () => {
        await readsAsItWas(scene, space, first);
    });

    await step('a revision that is not of the space is not found', async () => {
        const other = await liveSpace(scene, 'Other');
        for (const revision of ['absent', other.revision]) {
            await refused(spaces.getRevisionById(space.id, revision), 404);
            await refused(spaces.listPagesInRevisionById(space.id, revision), 404);
            await refused(spaces.getRevisionSemanticChanges(space.id, revision), 404);
        }
    });

    await step('a rollback makes an earlier content the newest, as a revision of its own', async () => {
        const before = (await list()).data.items.length;
        const { revision } = await answered(rollback(first), 200);
        const current = await answered(spaces.getCurrentRevision(space.id), 200);
        assert.equal(current.id, revision);
        assert.equal(current.type, 'rollback');
        const { data: original } = await spaces.getRevisionById(space.id, first);
        assert.deepEqual(current.pages, original.pages);
        assert.equal((await list()).data.items.length, before + 1);
        await refused(rollback(first), 409);
        await refused(rollback('absent'), 404);
        await spaces.updateSpaceById(space.id, { editMode: 'locked' });
        const { data } = await list();
        await refused(rollback(data.items[1].id), 412);
    });
}

// Compares every read at a revision with what the fixture says.
async function readsAsItWas({ alice }, space, id) {
    const { spaces } = alice.api;
    const revision = await answered(spaces.getRevisionById(space.id, id), 200);
    assert.equal(revision.id, id);
    const { pages } = await answered(spaces.listPagesInRevisionById(space.id, id), 200);
    assert.deepEqual(pages, revision.pages);

    const moorings = flatten(pages).find(({ title }) => title === 'Moorings');
    const options = { format: 'markdown' };
    const page = await answered(spaces.getPageInRevisionById(space.id, id, moorings.id, options), 200);
    assert.equal(page.markdown, (await handbookFile('moorings.md')).toString());
    assert.deepEqual(await answered(spaces.getPageInRevisionByPath(space.id, id, 'moorings', options), 200), page);
    const { document } = await answered(spaces.getPageInRevisionById(space.id, id, moorings.id, { format: 'document' }), 200);
    assert.deepEqual(await answered(spaces.getPageDocumentInRevisionById(space.id, id, moorings.id), 200), document);
    assert.deepEqual(await answered(spaces.getDocumentById(space.id, moorings.documentId), 200), document);
    const evaluated = await answered(spaces.getPageDocumentInRevisionById(space.id, id, moorings.id, { evaluated: true }), 200);
    assert.match(JSON.stringify(evaluated), /the harbour master/);

    const files = (query) => spaces.listFilesInRevisionById(space.id, id, query);
    await paged(files, (file) => file.id, ids(revision.files));
    const berths = revision.files.find(({ name }) => name === 'berths.txt');
    assert.deepEqual(await answered(spaces.getFileInRevisionById(space.id, id, berths.id), 200), berths);
    const bytes = await (await fetch(berths.downloadURL)).text();
    assert.equal(bytes, (await handbookFile('.gitbook/assets/berths.txt')).toString());

    const [safety] = revision.reusableContents;
    const reusable = await answered(spaces.getReusableContentInRevisionById(space.id, id, safety.id), 200);
    assert.equal(reusable.title, 'Safety notice');
    const body = await answered(spaces.getReusableContentDocumentInRevisionById(space.id, id, safety.id), 200);
    assert.match(JSON.stringify(body), /lifejacket/);

    await refused(spaces.getPageInRevisionById(space.id, id, 'absent'), 404);
    await refused(spaces.getPageInRevisionByPath(space.id, id, 'absent'), 404);
    await refused(spaces.getPageDocumentInRevisionById(space.id, id, 'absent'), 404);
    await refused(spaces.getFileInRevisionById(space.id, id, 'absent'), 404);
    await refused(spaces.getReusableContentInRevisionById(space.id, id, 'absent'), 404);
    await refused(spaces.getReusableContentDocumentInRevisionById(space.id, id, 'absent'), 404);
}

async function copies(scene) {
    const { step, alice, mallory } = scene;
    const { spaces } = alice.api;
    const original = await handbookSpace(scene, 'Original');
    let copy;

    await step('a copy has the content and no history', async () => {
        copy = await created(spaces.duplicateSpace(original.id), '/spaces');
        assert.notEqual(copy.id, original.id);
        const { data: from } = await spaces.getCurrentRevision(original.id);
        const { data: to } = await spaces.getCurrentRevision(copy.id);
        assert.deepEqual(to.parents, []);
        assert.deepEqual(flatten(to.pages).map(({ path }) => path), flatten(from.pages).map(({ path }) => path));
        assert.deepEqual(ids(to.files), ids(from.files));
        const [page] = to.pages;
        const one = await answered(spaces.getPageById(copy.id, page.id, { format: 'document' }), 200);
        const other = await answered(spaces.getPageById(original.id, page.id, { format: 'document' }), 200);
        assert.deepEqual(one.document, other.document);
        const { data } = await alice.call('GET', `/spaces/${copy.id}/revisions`);
        assert.deepEqual(ids(data.items), [to.id]);
    });

    await step('a change of one is not a change of the other', async () => {
        await spaces.updateSpaceById(copy.id, { editMode: 'live' });
        const home = await pageTitled(alice, copy, 'Moorings');
        await change(alice, copy, [{ operation: 'update_page', page: home.id, title: 'Copied', document: { markdown: 'A zeppelin.\n' } }]);
        await change(alice, original, [{ operation: 'insert_page', document: { markdown: '# Only here\n\nA submarine.\n' } }]);
        await pageTitled(alice, original, 'Moorings');
        assert.ok(!flatten((await spaces.listPages(copy.id)).data.pages).some(({ title }) => title === 'Only here'));
        const found = async (space, query) => (await spaces.searchSpaceContent(space.id, { query })).data.items.length;
        assert.deepEqual([await found(copy, 'zeppelin'), await found(original, 'zeppelin')], [1, 0]);
        assert.deepEqual([await found(copy, 'submarine'), await found(original, 'submarine')], [0, 1]);
    });

    await step('a space is copied by those who may, and only if it is there', async () => {
        await refused(mallory.api.spaces.duplicateSpace(original.id), 404);
        await refused(spaces.duplicateSpace('absent'), 404);
    });
}

async function templates(scene) {
    const { step, alice, organization } = scene;
    const { spaces, orgs } = alice.api;
    const { data } = await alice.call('GET', '/templates');

    await step('there are at least three templates', async () => {
        const names = data.items.map(({ id }) => id);
        for (const name of ['product-docs', 'api-reference', 'changelog']) {
            assert.ok(names.includes(name), name);
        }
    });

    for (const { id, contentRefs } of data.items) {
        await step(`${id}: adds pages to what is there, without a broken link`, async () => {
            const space = await liveSpace(scene, id);
            await change(alice, space, [{ operation: 'insert_page', document: { markdown: '# Mine\n' } }]);
            const params = { contentRefs: {} };
            for (const name of Object.keys(contentRefs)) {
                params.contentRefs[name] = name === 'spec' ? { kind: 'openapi', spec: 'tides' } : { kind: 'url', url: `https://${name}.example/` };
            }
            await answered(spaces.applyTemplateToSpace(space.id, { id, params }), 201);
            const { pages } = await answered(spaces.listPages(space.id), 200);
            assert.equal(pages[0].title, 'Mine');
            assert.ok(flatten(pages).length > 3, `${flatten(pages).length} pages`);
            const bodies = [];
            for (const page of flatten(pages).filter(({ type }) => type === 'document')) {
                const { markdown } = await answered(spaces.getPageById(space.id, page.id, { format: 'markdown' }), 200);
                await answered(spaces.getPageById(space.id, page.id, { format: 'document' }), 200);
                bodies.push(markdown);
            }
            for (const name of Object.keys(contentRefs).filter((name) => name !== 'spec')) {
                assert.ok(bodies.some((text) => text.includes(`https://${name}.example/`)), name);
            }
            const { stats } = await answered(spaces.listSpaceLinks(space.id, { status: 'broken' }), 200);
            assert.equal(stats.broken.total, 0);
        });

        await step(`${id}: a space can begin with it`, async () => {
            const space = await created(orgs.createSpace(organization.id, { title: id, template: { id } }), '/spaces');
            const { pages } = await answered(spaces.listPages(space.id), 200);
            assert.ok(flatten(pages).length > 2);
        });
    }

    await step('a template that is not there, wrong references and a locked space are refused', async () => {
        const space = await liveSpace(scene, 'Bare');
        const apply = (body) => spaces.applyTemplateToSpace(space.id, body);
        const message = await refused(apply({ id: 'absent' }), 404);
        for (const { id } of data.items) {
            assert.ok(message.includes(id), message);
        }
        await refused(apply({ id: 'changelog', params: { contentRefs: { absent: { kind: 'url', url: 'https://a.example' } } } }), 400);
        await refused(apply({ id: 'changelog', params: { contentRefs: { repository: { kind: 'space', space: 'absent' } } } }), 400);
        await refused(apply({}), 400);
        assert.deepEqual((await spaces.listPages(space.id)).data.pages, []);
        await spaces.updateSpaceById(space.id, { editMode: 'locked' });
        await refused(apply({ id: 'changelog' }), 412);
    });
}
