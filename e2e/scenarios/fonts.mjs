// Files that are uploaded for an organization, fonts that are made of them, and sites that use the fonts.

import assert from 'node:assert/strict';

import { answered, refused } from '../lib/expect.mjs';

const REGULAR = `wOF2${'regular'.repeat(8)}`;
const BOLD = `wOFF${'bold'.repeat(8)}`;

export default async function fonts({ step, organization, alice, anonymous, mallory }) {
    const { orgs } = alice.api;
    const org = organization.id;
    const announce = (who, bytes, kind = 'customization_font', type = 'font/woff2') =>
        who.api.orgs.generateStorageUploadUrl(org, { file: { name: 'face.woff2', type, size: bytes.length }, kind });
    const send = (url, bytes, type = 'font/woff2') => fetch(url, { method: 'PUT', body: bytes, headers: { 'Content-Type': type } });
    const upload = async (bytes) => {
        const { url, key } = await answered(announce(alice, bytes), 201);
        assert.equal((await send(url, bytes)).status, 204);
        return key;
    };
    const face = (weight, storageKey) => ({ weight, storageKey });
    let font;

    await step('a file is uploaded to the address that was given out for it', async () => {
        const { url } = await answered(announce(alice, REGULAR), 201);
        assert.equal((await send(url, REGULAR, 'text/html')).status, 400, 'another type');
        assert.equal((await send(url, `${REGULAR}!`)).status, 400, 'another size');
        assert.equal((await send(url, REGULAR.replace('wOF2', 'GIF8'))).status, 400, 'not a font');
        assert.equal((await send(url.replace('size=', 'size=1'), REGULAR)).status, 404, 'another address');
        assert.equal((await send(url, REGULAR)).status, 204);
        assert.equal((await send(url, REGULAR)).status, 409, 'a second time');
        await refused(announce(alice, 'PK', 'import_file', 'application/zip'), 400);
        await refused(announce(alice, ''), 400);
        await refused(announce(mallory, REGULAR), 404);
        await refused(announce(anonymous, REGULAR), 401);
    });

    await step('a font is made of uploads', async () => {
        const [regular, bold] = [await upload(REGULAR), await upload(BOLD)];
        await refused(orgs.createCustomFont(org, { fontFamily: 'Harbour', fontFaces: [face(700, bold)] }), 412);
        await refused(orgs.createCustomFont(org, { fontFamily: 'Harbour', fontFaces: [face(400, 'none')] }), 400);
        font = await answered(orgs.createCustomFont(org, { fontFamily: 'Harbour', fontFaces: [face(700, bold), face(400, regular)] }), 201);
        assert.deepEqual(font.fontFaces.map(({ weight, sources }) => [weight, sources[0].format]), [[400, 'woff2'], [700, 'woff']]);
        assert.equal(await (await fetch(font.fontFaces[0].sources[0].url)).text(), REGULAR);
        const { items } = await answered(orgs.listCustomFonts(org), 200);
        assert.deepEqual(items.map(({ id }) => id), [font.id]);
        assert.equal((await answered(orgs.getCustomFont(org, font.id), 200)).fontFamily, 'Harbour');
        await refused(orgs.getCustomFont(org, 'none'), 404);
    });

    await step('a font is changed', async () => {
        await refused(orgs.updateCustomFont(org, font.id, { fontFaces: [face(400, null)] }), 412);
        font = await answered(orgs.updateCustomFont(org, font.id, { fontFamily: 'Quay', fontFaces: [face(700, null)] }), 201);
        assert.deepEqual([font.fontFamily, font.fontFaces.length], ['Quay', 1]);
    });

    await step('a site serves the font that it uses', async () => {
        const space = (await orgs.createSpace(org, { title: 'Handbook' })).data.id;
        const site = (await orgs.createSite(org, { title: 'Docs', visibility: 'public', spaces: [space] })).data.id;
        const settings = await answered(orgs.getSiteCustomizationById(org, site), 200);
        const { permissions, ...definition } = font;
        const wear = (styling) => orgs.updateSiteCustomizationById(org, site, { ...settings, styling: { ...settings.styling, ...styling } });
        await refused(wear({ font: { ...definition, id: 'none' } }), 400);
        const { styling } = await answered(wear({ font: definition }), 200);
        await answered(orgs.publishSite(org, site), 200);
        const file = await fetch(styling.font.fontFaces[0].sources[0].url);
        assert.deepEqual([file.status, await file.text()], [200, REGULAR]);
        await refused(orgs.deleteCustomFont(org, font.id), 412);
        await answered(wear({ font: 'Inter' }), 200);
        assert.equal((await fetch(styling.font.fontFaces[0].sources[0].url)).status, 404);
    });

    await step('a font is deleted', async () => {
        await answered(orgs.deleteCustomFont(org, font.id), 205);
        await answered(orgs.deleteCustomFont(org, font.id), 204);
        assert.deepEqual((await answered(orgs.listCustomFonts(org), 200)).items, []);
    });
}
