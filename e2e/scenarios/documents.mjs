// Documents: every block, inline and mark that the description knows is written as Markdown, comes
// back as a document that meets its schema, and can be written back without a change.

import assert from 'node:assert/strict';

import { blockPages, change, handbookSpace, nodes } from '../lib/content.mjs';
import { answered } from '../lib/expect.mjs';

// The page with what goes beyond the description; lib/amendments.mjs says what that is.
const BEYOND = 'beyond';

// Blocks that have a place in an address.
const LINKABLE = /^(heading-.|expandable|tabs-item|swagger|openapi-.*)$/;

// What Markdown has no way to say: only integrations know what they do.
const WITHOUT_MARKDOWN = ['integration.action'];

export default async function documents(scene) {
    const { step, organization, alice, description } = scene;
    const { spaces, orgs } = alice.api;
    const space = await handbookSpace(scene);
    const collection = (await orgs.createCollection(organization.id, { title: 'Shelf' })).data;
    const sources = await blockPages({ SPACE: space.id, COLLECTION: collection.id, USER: alice.id });
    const known = [];
    const pages = {};

    for (const [name, markdown] of Object.entries(sources)) {
        await step(`${name}: written as Markdown, read as a document that meets its schema`, async () => {
            const { changes } = await change(alice, space, [{ operation: 'insert_page', document: { markdown } }]);
            pages[name] = changes[0].page.id;
            const page = await answered(spaces.getPageById(space.id, pages[name], { format: 'document' }), 200);
            assert.equal(page.title, markdown.match(/^# (.*)$/m)[1]);
            known.push(...nodes(page.document));
            if (name !== BEYOND) {
                assert.deepEqual(description.schemaProblems('JSONDocument', page.document), []);
            }
        });
    }

    await step('the check would notice a mistake at any depth', async () => {
        const { data } = await spaces.getPageById(space.id, pages.containers, { format: 'document' });
        const inside = [...nodes(data.document)].slice(1);
        const unnoticed = inside.filter((node) => {
            const { object } = node;
            node.object = 'mistake';
            const problems = description.schemaProblems('JSONDocument', data.document);
            node.object = object;
            return problems.length === 0;
        });
        assert.deepEqual(unnoticed, []);
    });

    const types = (object) => [...new Set(known.filter((node) => node.object === object).map(({ type }) => type))];
    for (const object of ['block', 'inline', 'mark']) {
        await step(`every ${object} that the description knows is in one of the documents`, async () => {
            const missing = description.nodeTypes(object).filter((type) => !types(object).includes(type));
            assert.deepEqual(missing, []);
        });
    }

    await step('every key that their data can have is in one of the documents', async () => {
        const seen = new Set(known.flatMap(({ type, data }) => Object.keys(data ?? {}).map((key) => `${type}.${key}`)));
        assert.deepEqual(description.nodeKeys().filter((key) => !seen.has(key)), WITHOUT_MARKDOWN);
    });

    await step('every kind of column, view and reference is in one of the documents', async () => {
        const tables = known.filter(({ type }) => type === 'table').map(({ data }) => data);
        const columns = tables.flatMap(({ definition }) => Object.values(definition)).map(({ type }) => type);
        const views = tables.map(({ view }) => view.type);
        const references = known.map(({ data }) => data?.ref?.kind).filter(Boolean);
        const all = (name, property) => description.variants(name, property);
        assert.deepEqual([...new Set(columns)].sort(), all('DocumentTableDefinition', 'type'));
        assert.deepEqual([...new Set(views)].sort(), ['cards', 'grid']);
        assert.deepEqual([...new Set(references)].sort(), all('ContentRef', 'kind'));
    });

    await step('what can be linked to tells its anchor, each another one', async () => {
        for (const [name, id] of Object.entries(pages)) {
            const { document } = await answered(spaces.getPageById(space.id, id, { format: 'document' }), 200);
            const targets = [...nodes(document)].filter(({ type }) => LINKABLE.test(type));
            const anchors = targets.map(({ meta }) => meta?.id);
            assert.ok(anchors.every(Boolean), `${name}: ${anchors}`);
            assert.equal(new Set(anchors).size, anchors.length, `${name}: ${anchors}`);
        }
    });

    await step('what nobody knows is kept in the Markdown', async () => {
        const { markdown } = await answered(spaces.getPageById(space.id, pages.references, { format: 'markdown' }), 200);
        assert.match(markdown, /\{% lighthouse range="12" %\}\nA tag that nobody knows stays as it is\.\n\{% endlighthouse %\}/);
        assert.match(markdown, /<center>HTML that is not ours stays too\.<\/center>/);
    });

    for (const format of ['document', 'markdown']) {
        await step(`a page that is written back as ${format} is not a change`, async () => {
            const { data: before } = await spaces.getCurrentRevision(space.id);
            const changed = [];
            for (const [name, id] of Object.entries(pages)) {
                const page = await answered(spaces.getPageById(space.id, id, { format }), 200);
                const document = { [format]: page[format] };
                const { revision } = await change(alice, space, [{ operation: 'update_page', page: id, document }]);
                if (revision !== before.id) {
                    changed.push(name);
                    break;
                }
            }
            assert.deepEqual(changed, []);
        });
    }

    await step('the Markdown is the one that was written', async () => {
        for (const [name, id] of Object.entries(pages)) {
            const { markdown } = await answered(spaces.getPageById(space.id, id, { format: 'markdown' }), 200);
            assert.equal(markdown, sources[name], name);
        }
    });
}
