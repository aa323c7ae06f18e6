// Search: in a space and in an organization; what is found, in which order, and by whom.

import assert from 'node:assert/strict';

import { change, handbookSpace, liveSpace } from '../lib/content.mjs';
import { answered, everyPage, ids, refused } from '../lib/expect.mjs';

export default async function search(scene) {
    const { step, alice, bob, mallory, organization, world } = scene;
    const { spaces, orgs } = alice.api;
    const space = await handbookSpace(scene);
    const find = async (query) => (await answered(spaces.searchSpaceContent(space.id, { query }), 200)).items;
    const titles = async (query) => (await find(query)).map(({ title }) => title);

    await step('a word is found with the section that it stands in', async () => {
        const [page] = await find('entrance closed');
        assert.equal(page.title, 'Signals');
        assert.equal(page.path, 'guides/signals');
        assert.deepEqual(page.ancestors.map(({ title }) => title), ['Guides']);
        const [section] = page.sections;
        assert.equal(section.title, 'Lights');
        assert.match(section.path, /^guides\/signals#lights$/);
        assert.match(section.body, /entrance is closed/);
    });

    await step('titles come before words in the text', async () => {
        assert.equal((await titles('moorings'))[0], 'Moorings');
    });

    await step('the last word may be a beginning, a long one may be misspelled', async () => {
        assert.ok((await titles('lifej')).length > 0);
        assert.ok((await titles('lifejakcet')).length > 0);
        assert.deepEqual(await titles('lfjckt'), []);
    });

    await step('reusable content is found where it is used', async () => {
        assert.deepEqual((await titles('lifejacket')).toSorted(), ['Harbour handbook', 'Signals']);
    });

    await step('a page that is out of the index is not found', async () => {
        assert.deepEqual(await titles('bascule'), []);
    });

    await step('languages without spaces are found', async () => {
        const markdown = '# 港口\n\n夜间停泊需要提前联系港务局。\n\nท่าเรือปิดในเวลากลางคืน\n\n潮汐表は毎朝更新されます。\n';
        await change(alice, space, [{ operation: 'insert_page', document: { markdown } }]);
        for (const query of ['港务局', '停泊', 'กลางคืน', '毎朝']) {
            assert.deepEqual(await titles(query), ['港口'], query);
        }
    });

    await step('a change is found at once, and what it replaced is not', async () => {
        const insert = { operation: 'insert_page', title: 'Ferry', document: { markdown: 'Leaves at nine.\n' } };
        const { changes } = await change(alice, space, [insert]);
        const page = changes[0].page.id;
        assert.deepEqual(ids(await find('leaves nine')), [page]);
        await change(alice, space, [{ operation: 'update_page', page, document: { markdown: 'Stays at home.\n' } }]);
        assert.deepEqual(await find('leaves nine'), []);
        assert.deepEqual(ids(await find('stays home')), [page]);
        await change(alice, space, [{ operation: 'delete_page', page }]);
        assert.deepEqual(await find('stays home'), []);
    });

    await step('results page through, and a bad query is refused', async () => {
        const list = (query) => spaces.searchSpaceContent(space.id, { query: 'lifejacket', ...query });
        const all = (await answered(list(), 200)).items;
        assert.ok(all.length > 1);
        assert.deepEqual(ids(await everyPage(list)), ids(all));
        assert.deepEqual((await list({ limit: 0 })).data.items, []);
        await refused(list({ limit: 1001 }), 400);
        await refused(list({ page: 'forged' }), 400);
        for (const query of ['', 'x'.repeat(513)]) {
            await refused(spaces.searchSpaceContent(space.id, { query }), 400);
        }
        for (const query of ['"', '*', 'a AND', 'NEAR(', '-- \\', '%_', '𝔘', '()', 'NOT']) {
            await answered(spaces.searchSpaceContent(space.id, { query }), 200);
        }
    });

    await step('an organization is searched by space, as far as somebody may look', async () => {
        const secret = await liveSpace(scene, 'Secret');
        await change(alice, secret, [{ operation: 'insert_page', document: { markdown: '# Smugglers\n\nUnder the moorings.\n' } }]);
        await world.enroll(bob, organization, null);
        await spaces.inviteToSpace(space.id, { role: 'read', users: [bob.id] });
        const seen = async (person) => {
            const { items } = await answered(person.api.orgs.searchOrganizationContent(organization.id, { query: 'moorings' }), 200);
            return items;
        };
        const mine = await seen(alice);
        assert.deepEqual(ids(mine).toSorted(), [secret.id, space.id].toSorted());
        assert.ok(mine.every(({ pages }) => pages.length > 0));
        assert.deepEqual(ids(await seen(bob)), [space.id]);
        await refused(mallory.api.orgs.searchOrganizationContent(organization.id, { query: 'moorings' }), 404);
        await refused(orgs.searchOrganizationContent(organization.id, { query: '' }), 400);
        await refused(orgs.searchOrganizationContent(organization.id, { query: 'x', page: 'forged' }), 400);
    });
}
