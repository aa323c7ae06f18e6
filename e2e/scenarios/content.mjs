// The content of a space at its newest revision: the tree, pages by id and by path, documents,
// reusable contents; and batches of changes to it.

import assert from 'node:assert/strict';

import { change, changeRefused, flatten, handbookSpace, liveSpace, nodes, pageTitled, words } from '../lib/content.mjs';
import { answered, ids, refused } from '../lib/expect.mjs';

export default async function content(scene) {
    await reading(scene);
    await batches(scene);
    await mistakes(scene);
}

async function reading(scene) {
    const { step, alice } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene);
    const byTitle = (title) => pageTitled(alice, space, title);
    let revision;

    await step('the newest revision holds everything', async () => {
        revision = await answered(spaces.getCurrentRevision(space.id), 200);
        assert.equal(revision.id, space.revision);
        assert.equal(revision.type, 'edits');
        assert.equal(revision.files.length, 5);
        assert.deepEqual(revision.reusableContents.map(({ title }) => title), ['Safety notice']);
        assert.deepEqual(revision.variables, { owner: 'the harbour master', berths: 84, winter: false });
        const outline = flatten(revision.pages).map(({ type, title }) => `${type} ${title}`);
        assert.deepEqual(outline, [
            'document Harbour handbook',
            'document Moorings',
            'document Night arrivals',
            'link Harbour office',
            'group Guides',
            'document Signals',
            `computed ${revision.pages[2].pages[1].title}`,
        ]);
    });

    await step('a page tells all of its front matter', async () => {
        const page = await byTitle('Harbour handbook');
        const pier = revision.files.find(({ name }) => name === 'pier.png');
        assert.equal(page.emoji, '⚓');
        assert.equal(page.icon, 'anchor');
        assert.equal(page.description, 'Everything that a skipper asks before mooring.');
        assert.deepEqual(page.cover, { ref: { kind: 'file', file: pier.id }, yPos: 12, height: 320 });
        assert.equal(page.layout.width, 'wide');
        assert.equal(page.layout.coverSize, 'hero');
        assert.equal(page.layout.outline, false);
        assert.equal(page.layout.title, true);
        assert.deepEqual(page.variables, { channel: 12, pilot: 'Ines', open: true });
        const night = await byTitle('Night arrivals');
        assert.deepEqual([night.hidden, night.noIndex, night.noRobotsIndex], [true, true, false]);
        assert.equal(night.path, 'moorings/night-arrivals');
    });

    await step('links and computed pages tell what they lead to', async () => {
        const link = await byTitle('Harbour office');
        assert.deepEqual(link.target, { kind: 'url', url: 'https://harbour.example/office' });
        assert.equal(link.href, 'https://harbour.example/office');
        const computed = flatten(revision.pages).find(({ type }) => type === 'computed');
        assert.equal(computed.computed.type, 'builtin:openapi');
    });

    await step('what git knows is left out on demand', async () => {
        assert.ok(flatten(revision.pages)[0].git.oid);
        const { pages } = await answered(spaces.listPages(space.id, { metadata: false }), 200);
        assert.ok(flatten(pages).every(({ git }) => git === undefined));
        const { pages: all } = await answered(spaces.listPages(space.id, { computed: false }), 200);
        assert.deepEqual(all, revision.pages);
    });

    await step('every page is found by its id and by its path', async () => {
        for (const listed of flatten(revision.pages)) {
            const page = await answered(spaces.getPageById(space.id, listed.id, { format: 'document' }), 200);
            assert.equal(page.title, listed.title);
            assert.equal('document' in page, page.type === 'document');
            if (page.path) {
                const same = await answered(spaces.getPageByPath(space.id, encodeURIComponent(page.path)), 200);
                assert.deepEqual(same, page);
            }
        }
        await refused(spaces.getPageById(space.id, 'absent'), 404);
        await refused(spaces.getPageByPath(space.id, 'absent'), 404);
        await refused(spaces.getPageByPath(space.id, 'moorings%2Fabsent'), 404);
    });

    await step('a page has one form of content', async () => {
        const { id } = await byTitle('Moorings');
        const page = await answered(spaces.getPageById(space.id, id, { format: 'markdown' }), 200);
        assert.equal(page.document, undefined);
        assert.match(page.markdown, /^# Moorings\n\nBerths are given out by length\./);
        const path = await answered(spaces.getPageByPath(space.id, 'moorings', { format: 'markdown' }), 200);
        assert.deepEqual(path, page);
        await refused(spaces.getPageById(space.id, id, { format: 'pdf' }), 400);
    });

    await step('Markdown refers to pages by path, or by id', async () => {
        const { id } = await byTitle('Night arrivals');
        const moorings = await byTitle('Moorings');
        const get = (refs) => {
            const query = { format: 'markdown', 'format.markdown.refs': refs };
            return answered(alice.call('GET', `/spaces/${space.id}/content/page/${id}`, { query }), 200);
        };
        assert.match((await get('relative')).markdown, /\[buoys\]\(\.\.\/moorings\.md#buoys\)/);
        assert.ok((await get('stable')).markdown.includes(`[buoys](/pages/${moorings.id}#buoys)`));
    });

    await step('expressions are replaced by what they give', async () => {
        const { id } = await byTitle('Harbour handbook');
        const text = async (evaluated) => {
            const { document } = await answered(spaces.getPageById(space.id, id, { format: 'document', evaluated }), 200);
            return words(document);
        };
        assert.match(await text(true), /Call the pilot Ines on channel 12 before/);
        assert.match(await text('deterministic-only'), /Call the pilot Ines on channel 12 before/);
        assert.match(await text(false), /Call the pilot {2}on channel {2}before/);
        await refused(spaces.getPageById(space.id, id, { evaluated: 'maybe' }), 400);
    });

    await step('reusable contents take the place of what includes them', async () => {
        const { id } = await byTitle('Signals');
        const query = { format: 'document', dereferenced: true };
        const call = alice.call('GET', `/spaces/${space.id}/content/page/${id}`, { query });
        const { document } = await answered(call, 200);
        assert.match(words(document), /Wear a lifejacket/);
        assert.ok([...nodes(document)].every(({ type }) => type !== 'reusable-content'));
    });

    await step('documents are found by their ids', async () => {
        const page = await byTitle('Moorings');
        const { document } = await answered(spaces.getPageById(space.id, page.id, { format: 'document' }), 200);
        assert.deepEqual(await answered(spaces.getDocumentById(space.id, page.documentId), 200), document);
        await refused(spaces.getDocumentById(space.id, 'absent'), 404);
        const [{ id }] = revision.reusableContents;
        const reusable = await answered(spaces.getReusableContentById(space.id, id), 200);
        assert.equal(reusable.title, 'Safety notice');
        assert.match(words(await answered(spaces.getDocumentById(space.id, reusable.document), 200)), /lifejacket/);
        await refused(spaces.getReusableContentById(space.id, 'absent'), 404);
    });
}

async function batches(scene) {
    const { step, alice } = scene;
    const { spaces } = alice.api;
    const space = await liveSpace(scene, 'Logbook');
    const markdown = (text) => ({ markdown: text });
    let first, second;

    await step('a batch makes pages that refer to each other, in one revision', async () => {
        const outcome = await change(alice, space, [
            { operation: 'insert_page', ref: 'one', document: markdown('# One\n\nThen [two](./two.md).\n') },
            { operation: 'insert_page', ref: 'two', into: 'one', title: 'Two', document: markdown('Back to [one](./one.md).\n') },
        ]);
        [first, second] = outcome.changes.map(({ page }) => page.id);
        assert.deepEqual(outcome.changes.map(({ ref }) => ref), ['one', 'two']);
        const { pages } = await answered(spaces.listPages(space.id), 200);
        assert.deepEqual(ids(flatten(pages)), [first, second]);
        const { document } = await answered(spaces.getPageById(space.id, first, { format: 'document' }), 200);
        const [link] = [...nodes(document)].filter(({ type }) => type === 'link');
        assert.deepEqual(link.data.ref, { kind: 'page', page: second });
        assert.equal((await spaces.getCurrentRevision(space.id)).data.id, outcome.revision);
    });

    await step('metadata is set and taken away', async () => {
        const metadata = { emoji: '1f4d8', icon: 'book', description: 'The second', hidden: true, noIndex: true };
        await change(alice, space, [{ operation: 'update_page', page: second, ...metadata }]);
        const page = await answered(spaces.getPageById(space.id, second), 200);
        for (const [name, value] of Object.entries(metadata)) {
            assert.equal(page[name], value, name);
        }
        const nothing = { emoji: '', icon: '', description: '', hidden: false, noIndex: false };
        await change(alice, space, [{ operation: 'update_page', page: second, ...nothing }]);
        const bare = await answered(spaces.getPageById(space.id, second), 200);
        assert.deepEqual([bare.emoji, bare.icon, bare.description, bare.hidden], [undefined, undefined, undefined, false]);
    });

    await step('a page that is moved and renamed keeps its id, and its old path leads to it', async () => {
        await change(alice, space, [{ operation: 'update_page', page: second, into: null, at: 0, title: 'Deux' }]);
        const page = await answered(spaces.getPageByPath(space.id, 'deux'), 200);
        assert.equal(page.id, second);
        const old = await answered(spaces.getPageByPath(space.id, encodeURIComponent('one/two')), 200);
        assert.equal(old.id, second);
        const { pages } = await answered(spaces.listPages(space.id), 200);
        assert.deepEqual(ids(pages), [second, first]);
        const { markdown: text } = await answered(spaces.getPageById(space.id, first, { format: 'markdown' }), 200);
        assert.match(text, /\[two\]\(README\.md\)/);
    });

    await step('a document is written as blocks', async () => {
        const { document } = await answered(spaces.getPageById(space.id, first, { format: 'document' }), 200);
        document.nodes.push({ object: 'block', type: 'divider', isVoid: true, data: {} });
        await change(alice, space, [{ operation: 'update_page', page: first, document: { document } }]);
        const page = await answered(spaces.getPageById(space.id, first, { format: 'markdown' }), 200);
        assert.match(page.markdown, /\n\n(\*\*\*|---)\n$/);
    });

    await step('a deleted page takes those below along', async () => {
        await change(alice, space, [{ operation: 'update_page', page: first, into: second }]);
        const { changes } = await change(alice, space, [{ operation: 'delete_page', page: second }]);
        assert.deepEqual(changes, [{ object: 'deleted_page', page: second }]);
        assert.deepEqual((await spaces.listPages(space.id)).data.pages, []);
        await refused(spaces.getPageById(space.id, first), 404);
    });
}

async function mistakes(scene) {
    const { step, alice, bob, organization, world } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene, 'Untouched');
    const moorings = await pageTitled(alice, space, 'Moorings');
    const night = await pageTitled(alice, space, 'Night arrivals');
    const update = (page, fields) => ({ operation: 'update_page', page: page.id, ...fields });
    const insert = (text) => ({ operation: 'insert_page', document: { markdown: text } });
    const unchanged = async () => {
        assert.equal((await spaces.getSpaceById(space.id)).data.revision, space.revision);
    };

    const wrong = {
        'the 50th change is wrong': [400, [...Array(49).fill(insert('x')), update(moorings, { emoji: 'x'.repeat(51) })]],
        'there are 51 changes': [400, Array(51).fill(insert('x'))],
        'there is no change': [400, []],
        'a page is put below itself': [400, [update(moorings, { into: night.id })]],
        'a slug is taken': [400, [insert('# A\n'), { ...insert('# B\n'), slug: 'a' }]],
        'a page is not there': [404, [insert('x'), { operation: 'delete_page', page: 'absent' }]],
        'a node is of no known type': [
            400,
            [{ operation: 'insert_page', document: { document: { object: 'document', data: {}, nodes: [{ object: 'block', type: 'hologram', data: {} }] } } }],
        ],
        'a condition is no expression': [400, [update(moorings, { condition: 'visitor.(' })]],
    };
    for (const [name, [status, changes]] of Object.entries(wrong)) {
        await step(`nothing happens when ${name}`, async () => {
            const answer = await changeRefused(alice, space, changes);
            assert.ok([status, 409].includes(answer.status), `${answer.status}: ${answer.message}`);
            await unchanged();
        });
    }

    await step('nothing happens when somebody was faster', async () => {
        const { status, message } = await changeRefused(alice, space, [insert('x')], 'outdated');
        assert.equal(status, 412);
        assert.ok(message.includes(space.revision), message);
        await change(alice, space, [update(moorings, { title: moorings.title })], space.revision);
        await unchanged();
    });

    await step('a locked space is changed by nobody, any other only by those who may edit', async () => {
        await world.enroll(bob, organization, 'read');
        assert.equal((await changeRefused(bob, space, [insert('x')])).status, 403);
        await spaces.updateSpaceById(space.id, { editMode: 'locked' });
        assert.equal((await changeRefused(alice, space, [insert('x')])).status, 412);
        await unchanged();
    });
}
