// Files of a space: uploaded, listed, fetched by an address that is signed, and who uses them.

import assert from 'node:assert/strict';

import { change, changeRefused, handbookFile, handbookSpace, liveSpace, pageTitled } from '../lib/content.mjs';
import { answered, ids, paged, refused } from '../lib/expect.mjs';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export default async function files(scene) {
    await uploading(scene);
    await fetching(scene);
    await using(scene);
}

async function uploading(scene) {
    const { step, alice, bob, organization, world } = scene;
    const { spaces } = alice.api;
    const space = await liveSpace(scene, 'Uploads');
    const list = (query) => spaces.listFiles(space.id, query);
    const upload = (person, name, bytes, field = 'file') => {
        const form = new FormData();
        form.append(field, new Blob([bytes]), name);
        return person.request('POST', `/spaces/${space.id}/content/files`, form);
    };
    const uploaded = [];

    await step('a file is uploaded and known by what it is', async () => {
        const { status, headers, body } = await upload(alice, 'pier.png', await handbookFile('.gitbook/assets/pier.png'));
        assert.equal(status, 201);
        assert.ok(headers.get('location').endsWith(`/v1/spaces/${space.id}/content/files/${body.id}`));
        assert.equal(body.name, 'pier.png');
        assert.equal(body.contentType, 'image/png');
        assert.deepEqual(body.dimensions, { width: 12, height: 8 });
        assert.deepEqual(await answered(spaces.getFileById(space.id, body.id), 200), body);
        uploaded.push(body.id);
    });

    await step('files come in batches, with the pages that show them', async () => {
        const { changes, insertedFiles } = await change(alice, space, [
            { operation: 'insert_files', files: [{ name: 'dot.png', ref: 'dot.png', contentType: 'image/png', base64: PIXEL }] },
            { operation: 'insert_page', title: 'Dot', document: { markdown: '![A dot](./dot.png)\n' } },
        ]);
        const [dot] = insertedFiles;
        assert.deepEqual(dot.dimensions, { width: 1, height: 1 });
        uploaded.push(dot.id);
        const { document } = await answered(spaces.getPageById(space.id, changes[0].page.id, { format: 'document' }), 200);
        assert.deepEqual(document.nodes[0].nodes[0].data.ref, { kind: 'file', file: dot.id });
    });

    await step('the list pages through the files', async () => {
        await paged(list, ({ id }) => id, uploaded);
        assert.deepEqual(ids((await list()).data.items).toSorted(), uploaded.toSorted());
    });

    await step('what is not a file is refused', async () => {
        const { body: { error } } = await alice.request('POST', `/spaces/${space.id}/content/files`, '{}');
        assert.equal(error.code, 415);
        const form = new FormData();
        form.append('note', 'no file');
        assert.equal((await alice.request('POST', `/spaces/${space.id}/content/files`, form)).status, 400);
        for (const file of [
            { name: 'x', url: 'http://127.0.0.1/', contentType: 'text/plain' },
            { name: 'x', url: 'file:///etc/passwd' },
            { name: 'x', base64: '!', contentType: 'text/plain' },
            { name: 'x', base64: PIXEL },
            { name: 'x' },
        ]) {
            const { status } = await changeRefused(alice, space, [{ operation: 'insert_files', files: [file] }]);
            assert.equal(status, 400, JSON.stringify(file));
        }
        await refused(spaces.getFileById(space.id, 'absent'), 404);
        assert.equal((await list()).data.items.length, uploaded.length);
    });

    await step('a reader uploads nothing, and nobody into a locked space', async () => {
        await world.enroll(bob, organization, 'read');
        assert.equal((await upload(bob, 'x.txt', 'x')).status, 403);
        await spaces.updateSpaceById(space.id, { editMode: 'locked' });
        assert.equal((await upload(alice, 'x.txt', 'x')).status, 412);
        assert.equal((await list()).data.items.length, uploaded.length);
    });
}

async function fetching(scene) {
    const { step, alice } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene, 'Downloads');
    const { items } = (await spaces.listFiles(space.id)).data;
    const named = (name) => items.find((file) => file.name === name);

    await step('anybody with the address gets the bytes, whole or in part', async () => {
        for (const file of items) {
            const response = await fetch(file.downloadURL);
            assert.equal(response.status, 200, file.name);
            const bytes = Buffer.from(await response.arrayBuffer());
            assert.deepEqual(bytes, await handbookFile(`.gitbook/assets/${file.name}`));
            assert.equal(bytes.length, file.size);
            assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
        }
        const part = await fetch(named('berths.txt').downloadURL, { headers: { Range: 'bytes=0-0' } });
        assert.equal(part.status, 206);
        assert.equal(await part.text(), 'A');
    });

    await step('a drawing does not act as a page of this host', async () => {
        const { headers } = await fetch(named('entrance.drawing.svg').downloadURL);
        assert.match(headers.get('content-disposition'), /^attachment/);
        assert.match(headers.get('content-security-policy'), /sandbox/);
    });

    await step('an address that was changed gives nothing', async () => {
        const { downloadURL, id } = named('berths.txt');
        const other = named('tides.json');
        for (const url of [
            downloadURL.replace(/signature=[^&]*/, 'signature=forged'),
            downloadURL.replace(/&signature=[^&]*/, ''),
            downloadURL.replace(id, other.id),
            downloadURL.replace('type=text', 'type=text%2Fhtml'),
            downloadURL.replace('berths.txt', 'berths.html'),
        ]) {
            assert.notEqual(url, downloadURL);
            const { status } = await fetch(url);
            assert.ok(status >= 400 && status < 500, `${url} answered ${status}`);
        }
    });
}

async function using(scene) {
    const { step, alice } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene, 'Usage');
    const { items } = (await spaces.listFiles(space.id)).data;
    const pier = items.find(({ name }) => name === 'pier.png');
    const backlinks = (query) => spaces.listSpaceFileBacklinks(space.id, pier.id, query);

    await step('a file tells which pages use it', async () => {
        const users = [await pageTitled(alice, space, 'Harbour handbook'), await pageTitled(alice, space, 'Moorings')];
        const { data } = await backlinks();
        assert.deepEqual(data.items.map(({ kind, page }) => `${kind} ${page.id}`).toSorted(), users.map(({ id }) => `page ${id}`).toSorted());
        await paged(backlinks, ({ page }) => page.id, ids(users));
        const unused = items.find(({ name }) => name === 'entrance.drawing.svg');
        assert.deepEqual((await spaces.listSpaceFileBacklinks(space.id, unused.id)).data.items, []);
        await refused(spaces.listSpaceFileBacklinks(space.id, 'absent'), 404);
    });
}
