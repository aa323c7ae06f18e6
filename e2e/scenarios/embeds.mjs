// Cards of pages elsewhere: what the server finds at an address, and what it says of one that it does
// not fetch.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';

import { answered, refused } from '../lib/expect.mjs';
import { GIT_HOST } from '../lib/git.mjs';

const PAGE = `<!doctype html><title>Tides</title><meta property="og:site_name" content="Harbour office">
<meta name="description" content="High and low water."><link rel="icon" href="/icon.png">`;

export default async function embeds({ step, organization, alice, anonymous, mallory }) {
    const space = (await alice.api.orgs.createSpace(organization.id, { title: 'Handbook' })).data.id;
    let visits = 0;
    const elsewhere = createServer((request, response) => {
        visits += 1;
        response.setHeader('Content-Type', 'text/html').end(request.url === '/tides' ? PAGE : '');
    });
    await new Promise((done, fail) => elsewhere.once('error', fail).listen(0, GIT_HOST, done));
    const url = `http://${GIT_HOST}:${elsewhere.address().port}/tides`;
    const card = { type: 'link', title: 'Tides', site: 'Harbour office', description: 'High and low water.', icon: new URL('/icon.png', url).href };
    try {
        await step('a page is described', async () => {
            assert.deepEqual(await answered(alice.api.urls.getEmbedByUrl({ url }), 200), card);
            assert.deepEqual(await answered(alice.api.spaces.getEmbedByUrlInSpace(space, { url }), 200), card);
            assert.ok(visits >= 1);
        });

        await step('an address that is not called is a link', async () => {
            for (const host of ['127.0.0.1', '169.254.169.254', '2130706433', 'localhost']) {
                const address = `http://${host}:8081/latest`;
                const got = await answered(alice.api.spaces.getEmbedByUrlInSpace(space, { url: address }), 200);
                assert.deepEqual(got, { type: 'link', title: address, site: host });
            }
            for (const bad of ['tides', 'javascript:alert(1)', 'file:///etc/passwd', 'https://user:secret@example.com/']) {
                await refused(alice.api.urls.getEmbedByUrl({ url: bad }), 400);
                await refused(alice.api.spaces.getEmbedByUrlInSpace(space, { url: bad }), 400);
            }
        });

        await step('visitors of a site reach no private address', async () => {
            const { orgs } = alice.api;
            const site = (await orgs.createSite(organization.id, { title: 'Docs', visibility: 'public', spaces: [space] })).data.id;
            const { urls } = await answered(orgs.publishSite(organization.id, site), 200);
            const { apiToken } = await answered(anonymous.api.urls.resolvePublishedContentByUrl({ url: urls.published }), 200);
            const visitor = anonymous.withToken(apiToken);
            const got = await answered(visitor.api.spaces.getEmbedByUrlInSpace(space, { url }), 200);
            assert.deepEqual(got, { type: 'link', title: url, site: GIT_HOST });
        });

        await step('who may ask', async () => {
            await refused(anonymous.api.urls.getEmbedByUrl({ url }), 401);
            await refused(anonymous.api.spaces.getEmbedByUrlInSpace(space, { url }), 401);
            await refused(mallory.api.spaces.getEmbedByUrlInSpace(space, { url }), 404);
        });
    } finally {
        elsewhere.closeAllConnections();
        await new Promise((done) => elsewhere.close(done));
    }
}
