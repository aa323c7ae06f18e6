// A space in another language, without an engine: what nobody translated is listed, and what somebody did stays.

import assert from 'node:assert/strict';

import { answered, refused } from '../lib/expect.mjs';

export default async function translations({ step, organization, alice, anonymous }) {
    const { orgs } = alice.api;
    const org = organization.id;
    const none = { object: 'document', data: {}, nodes: [] };
    let space, translation, result, page;

    const write = (id, changes) => alice.call('POST', `/spaces/${id}/content`, { body: { changes } });

    await step('a translation makes a space of its own', async () => {
        space = (await alice.call('POST', `/orgs/${org}/spaces`, { body: { title: 'Handbook', editMode: 'live', empty: true, language: 'en' } })).data;
        await write(space.id, [{ operation: 'insert_page', title: 'Start', document: { markdown: 'One.\n\nTwo.' } }]);
        const source = { space: space.id, language: 'en' };
        await refused(orgs.createTranslation(org, { source, language: 'en' }), 400);
        await refused(anonymous.api.orgs.createTranslation(org, { source, language: 'es' }), 401);
        const made = await answered(orgs.createTranslation(org, { source, language: 'es', instructions: none }), 201);
        translation = await translated(alice, org, made.id);
        result = translation.result.space;
        assert.notEqual(result, space.id);
        assert.equal(translation.stats.runs, 1);
        const { items } = await answered(orgs.listTranslations(org), 200);
        assert.ok(items.some(({ id }) => id === translation.id));
    });

    await step('what is not translated is listed, until somebody does it', async () => {
        const blocks = `/orgs/${org}/translations/${translation.id}/blocks`;
        const untranslated = (await alice.call('GET', blocks)).data.items;
        assert.deepEqual(untranslated.map(({ source, status }) => [source, status]), [['Start', 'untranslated'], ['One.', 'untranslated'], ['Two.', 'untranslated']]);
        page = untranslated[0].page;
        await write(result, [{ operation: 'update_page', page, title: 'Comienzo', document: { markdown: 'Uno.\n\nDos.' } }]);
        await write(space.id, [{ operation: 'update_page', page, document: { markdown: 'One.\n\nTwo and three.' } }]);
        await answered(orgs.runTranslation(org, translation.id), 204);
        await translated(alice, org, translation.id);
        const { items } = (await alice.call('GET', blocks)).data;
        assert.deepEqual(items.map(({ source, text, status }) => [source, text, status]), [['Two and three.', 'Dos.', 'stale']]);
        const accept = (id) => alice.call('POST', `${blocks}/${encodeURIComponent(id)}/accept`, { empty: true });
        await refused(accept('none'), 404);
        await answered(accept(items[0].id), 204);
        assert.deepEqual((await alice.call('GET', blocks)).data.items, []);
        const now = (await alice.call('GET', `/spaces/${result}/content/page/${page}?format=markdown`)).data;
        assert.deepEqual([now.title, now.slug], ['Comienzo', 'start']);
        assert.match(now.markdown, /Uno\.\n\nDos\./);
        await refused(orgs.runTranslation(org, 'none'), 404);
    });

    await step('a glossary is changed by batches', async () => {
        await refused(orgs.updateGlossaryEntries(org, { operations: [{ type: 'insert', translations: { en: 'a\nb' } }] }), 400);
        await answered(orgs.updateGlossaryEntries(org, { operations: [{ type: 'insert', translations: { en: 'space', es: 'espacio' } }] }), 204);
        const { items } = await answered(orgs.listGlossaryEntries(org), 200);
        const entry = items.find(({ translations: { en } }) => en === 'space');
        await answered(orgs.updateGlossaryEntries(org, { operations: [{ type: 'update', id: entry.id, translations: { en: 'space', es: 'ámbito' } }] }), 204);
        const now = await answered(orgs.getGlossaryEntry(org, entry.id), 200);
        assert.equal(now.translations.es, 'ámbito');
        await answered(orgs.updateGlossaryEntries(org, { operations: [{ type: 'delete', id: entry.id }] }), 204);
        await refused(orgs.getGlossaryEntry(org, entry.id), 404);
    });

    await step('instructions are replaced, and the translation is deleted', async () => {
        await refused(orgs.updateTranslation(org, translation.id, {}), 400);
        const now = await answered(orgs.updateTranslation(org, translation.id, { instructions: none }), 200);
        assert.deepEqual(now.instructions.nodes, []);
        await answered(orgs.deleteTranslation(org, translation.id), 205);
        await answered(orgs.deleteTranslation(org, translation.id), 204);
        await refused(orgs.getTranslation(org, translation.id), 404);
    });
}

/** Waits until a translation has run, and returns it. */
export async function translated(person, org, id) {
    for (let i = 0; i < 4000; i++) {
        const translation = await answered(person.api.orgs.getTranslation(org, id), 200);
        if (translation.status === 'completed') return translation;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${id} was never translated`);
}
