// What scenarios about content share: a space with the handbook of the fixtures, and ways to look
// into trees and documents.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { answered } from './expect.mjs';

const HANDBOOK = fileURLToPath(new URL('../fixtures/handbook', import.meta.url));
const BLOCKS = new URL('../fixtures/blocks/', import.meta.url);

/** Creates a space that is edited live and holds the handbook. */
export async function handbookSpace({ alice, organization, octavo }, title = 'Handbook') {
    const space = await liveSpace({ alice, organization }, title);
    await octavo.import(HANDBOOK, space.id);
    return (await alice.api.spaces.getSpaceById(space.id)).data;
}

/** Imports the handbook again, with some files written anew; null leaves one out. */
export async function importEdited({ octavo }, space, files) {
    const folder = await mkdtemp(join(tmpdir(), 'octavo-e2e-handbook-'));
    try {
        await cp(HANDBOOK, folder, { recursive: true });
        for (const [name, text] of Object.entries(files)) {
            const path = join(folder, name);
            await mkdir(dirname(path), { recursive: true });
            await (text === null ? rm(path) : writeFile(path, text));
        }
        return await octavo.import(folder, space.id);
    } finally {
        await rm(folder, { recursive: true, force: true });
    }
}

/** The text of a file of the handbook. */
export function handbookFile(name) {
    return readFile(join(HANDBOOK, name));
}

/** Creates an empty space that is edited live. */
export async function liveSpace({ alice, organization }, title) {
    const { data } = await alice.api.orgs.createSpace(organization.id, { title, editMode: 'live', empty: true });
    return data;
}

/** The pages with one group of blocks each: { name: markdown }, with ids put in for words in capitals. */
export async function blockPages(ids) {
    const names = (await readdir(BLOCKS)).filter((name) => name.endsWith('.md')).sort();
    const pages = {};
    for (const name of names) {
        const text = await readFile(new URL(name, BLOCKS), 'utf8');
        pages[name.replace('.md', '')] = text.replace(/\b(SPACE|COLLECTION|USER)\b/g, (word) => ids[word]);
    }
    return pages;
}

/** Applies a batch of changes and returns its outcome; with a revision, only if it is the newest. */
export async function change(person, space, changes, revision) {
    const headers = revision ? { 'If-Match': `"${revision}"` } : {};
    const { status, body } = await person.request('POST', `/spaces/${space.id}/content`, { changes }, headers);
    if (status !== 200) {
        throw new Error(`the batch was answered with ${status}: ${JSON.stringify(body)}`);
    }
    return body;
}

/** The status and the message that a batch is refused with. */
export async function changeRefused(person, space, changes, revision) {
    const headers = revision ? { 'If-Match': `"${revision}"` } : {};
    const { status, body } = await person.request('POST', `/spaces/${space.id}/content`, { changes }, headers);
    return { status, message: body?.error?.message };
}

/** Every page of a tree, parents first. */
export function flatten(pages) {
    return pages.flatMap((page) => [page, ...flatten(page.pages ?? [])]);
}

/** The page of a space with the title. */
export async function pageTitled(person, space, title) {
    const { pages } = await answered(person.api.spaces.listPages(space.id), 200);
    const found = flatten(pages).find((page) => page.title === title);
    if (!found) {
        throw new Error(`no page ${title} among ${flatten(pages).map((page) => page.title)}`);
    }
    return found;
}

/** Every node, leaf and mark of a document or a part of one. */
export function* nodes(part) {
    yield part;
    for (const below of [part.nodes, part.fragments, part.leaves, part.marks]) {
        for (const node of below ?? []) {
            yield* nodes(node);
        }
    }
}

/** The words of a document or a part of one. */
export function words(part) {
    return [...nodes(part)].map(({ object, text }) => (object === 'leaf' ? text : '')).join('');
}
