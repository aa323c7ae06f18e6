// PDFs: an address for an hour, which anybody can fetch, of a revision that stays the same.

import assert from 'node:assert/strict';

import { handbookSpace, pageTitled } from '../lib/content.mjs';
import { answered, refused } from '../lib/expect.mjs';

export default async function pdf(scene) {
    const { step, alice, mallory, anonymous } = scene;
    const { spaces } = alice.api;
    const space = await handbookSpace(scene, 'On paper');
    const fetched = async (url) => {
        const response = await fetch(url);
        assert.equal(response.status, 200, url);
        assert.equal(response.headers.get('content-type'), 'application/pdf');
        return Buffer.from(await response.arrayBuffer()).toString('latin1');
    };
    const sheets = (file) => file.split('/Type/Page/').length - 1;
    let whole;

    await step('a space is a PDF with a contents page and bookmarks', async () => {
        const { url } = await answered(spaces.getSpacePdf(space.id), 200);
        whole = await fetched(url);
        assert.ok(whole.startsWith('%PDF-1.7') && whole.endsWith('%%EOF\n'));
        assert.match(whole, /\/Type\/Outlines\/First/);
        assert.match(whole, /\/Title \(Moorings\)/);
        assert.equal(await fetched(url), whole, 'the same revision is the same file');
        for (const bad of [url.replace(/signature=[^&]*/, 'signature=forged'), url.replace(space.id, 'absent'), `${url}&page=x`]) {
            assert.equal((await fetch(bad)).status, 404, bad);
        }
    });

    await step('a page, with and without those below it', async () => {
        const page = await pageTitled(alice, space, 'Moorings');
        const alone = await fetched((await answered(spaces.getSpacePdf(space.id, { page: page.id, only: true }), 200)).url);
        const below = await fetched((await answered(spaces.getSpacePdf(space.id, { page: page.id }), 200)).url);
        assert.ok(sheets(alone) <= sheets(below) && sheets(below) < sheets(whole));
        await refused(spaces.getSpacePdf(space.id, { page: 'absent' }), 404);
        await refused(spaces.getSpacePdf(space.id, { only: true }), 400);
    });

    await step('a change request has its own', async () => {
        const request = await answered(spaces.createChangeRequest(space.id, { subject: 'More' }), 201);
        const { url } = await answered(spaces.getChangeRequestPdf(space.id, request.id), 200);
        assert.equal(sheets(await fetched(url)), sheets(whole));
        await refused(spaces.getChangeRequestPdf(space.id, 'absent'), 404);
    });

    await step('only for who may read the space', async () => {
        await refused(mallory.api.spaces.getSpacePdf(space.id), 404);
        await refused(anonymous.api.spaces.getSpacePdf(space.id), 401);
    });
}
