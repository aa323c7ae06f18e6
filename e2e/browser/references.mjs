// Reference pages of the descriptions that internal/openapi is tested with: every page of every operation
// in a browser, and the first ten of them by axe-core.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { axeOn } from './access.mjs';

const execute = promisify(execFile);
const DESCRIPTIONS = new URL('../../internal/openapi/testdata/', import.meta.url);
const BY_AXE = 10;
const PICTURE = /^image: https?:/; // that a description names, on a host that a test does not reach
const FAILED = /^console: Failed to load resource: .* (https?:\S+)$/;

/** The files of a description: a text with `-- NAME --` before each. */
async function filesOf(name) {
    const text = await readFile(new URL(name, DESCRIPTIONS), 'utf8');
    return [...text.matchAll(/^-- (.+) --\n([^]*?)(?=^-- .+ --\n|$(?![^]))/gm)].map(([, file, content]) => [file, content]);
}

/** Publishes all descriptions. Those whose files have addresses are served by a server of ours. */
async function publish(run, folder) {
    const served = new Map();
    const server = createServer((request, answer) => {
        const text = served.get(request.url);
        answer.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/yaml' }).end(text);
    });
    await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
    const local = (text) => text.replaceAll(/https:\/\/((?:\w+\.)?example\.com)\//g, `http://127.0.0.1:${server.address().port}/$1/`);
    const slugs = [];
    try {
        for (const name of (await readdir(DESCRIPTIONS)).sort()) {
            const slug = basename(name, '.txt').replaceAll('.', '-');
            const files = await filesOf(name);
            let [[source]] = files;
            for (const [file, content] of files) {
                if (file.startsWith('https:')) {
                    served.set(new URL(local(file)).pathname, local(content));
                    continue;
                }
                await mkdir(dirname(join(folder, slug, file)), { recursive: true });
                await writeFile(join(folder, slug, file), content);
            }
            source = source.startsWith('https:') ? local(source) : source;
            await execute(run.binary, ['openapi', 'publish', '--url', run.base, '--token', run.token, '--slug', slug, source], { cwd: source.startsWith('http:') ? folder : join(folder, slug) });
            slugs.push(slug);
        }
    } finally {
        server.close();
    }
    return slugs;
}

/** A site with the computed pages of descriptions. Returns its address. */
async function site(run, folder, slugs, grouping = 'by-operation') {
    const computed = slugs.map((slug) => `## ${slug}\n\n* \`\`\`yaml\n  type: builtin:openapi\n  props:\n    models: true\n    grouping: ${grouping}\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: ${slug}\n  \`\`\`\n`);
    await rm(join(folder, 'site'), { recursive: true, force: true });
    await mkdir(join(folder, 'site'));
    const words = `${'Words of a line that is longer than any window. '.repeat(20)}\n\n## One\n\n`;
    await writeFile(join(folder, 'site', 'README.md'), '# References\n');
    await writeFile(join(folder, 'site', 'wide.md'), `---\nlayout:\n  width: wide\n---\n\n# Wide\n\n${words}Text.\n`);
    await writeFile(join(folder, 'site', 'block.md'), `# Block\n\n${words}<table data-full-width="true"><thead><tr><th>A</th></tr></thead><tbody><tr><td>B</td></tr></tbody></table>\n`);
    await writeFile(join(folder, 'site', 'SUMMARY.md'), `# Table of contents\n\n* [References](README.md)\n* [Wide](wide.md)\n* [Block](block.md)\n\n${computed.join('\n')}`);
    const { items: [organization] } = await run.call('GET', '/orgs');
    const space = await run.call('POST', `/orgs/${organization.id}/spaces`, { title: 'References', empty: true });
    await execute(run.binary, ['import', join(folder, 'site'), '--space', space.id, '--data', run.data, '--base-url', run.base]);
    const made = await run.call('POST', `/orgs/${organization.id}/sites`, { title: 'References', type: 'ultimate', visibility: 'public', spaces: [space.id] });
    const { urls } = await run.call('POST', `/orgs/${organization.id}/sites/${made.id}/publish`, {});
    return urls.published.replace(/\/?$/, '/');
}

/** The addresses of all pages of a site. */
async function addresses(root) {
    const map = await (await fetch(`${root}sitemap-pages.xml`)).text();
    return [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address);
}

/** Opens every page of a site. Returns the addresses of all, and of those that show operations. */
async function visit(root, { open, check }) {
    const pages = await addresses(root);
    const operations = [];
    const page = await open(pages[0]);
    for (const address of pages) {
        page.wrong.length = 0;
        await page.goto(address);
        check((await page.$('main h1')) !== null, `${address} is not shown`);
        const wrong = wrongOn(page, root);
        check(wrong.length === 0, `${address}: ${wrong.join('; ')}`);
        if (await page.$('.openapi-operation, .openapi-webhook')) operations.push(address);
    }
    return { pages, operations };
}

/**
 * What went wrong on a page of a site, apart from pictures of a description that are elsewhere. The console may name
 * such a picture after the next page is open, so each line is judged by its own address.
 */
function wrongOn(page, root) {
    const elsewhere = (address) => new URL(address).origin !== new URL(root).origin;
    return page.wrong.filter((w) => !PICTURE.test(w) && !elsewhere(FAILED.exec(w)?.[1] ?? root));
}

async function axeOnSome(run, addresses) {
    const step = Math.max(1, Math.floor(addresses.length / BY_AXE)); // of different descriptions
    for (const dark of [false, true]) {
        await run.test(`axe-core on reference pages, ${dark ? 'dark' : 'light'}`, async ({ open, check }) => {
            const wrong = [];
            for (const address of addresses.filter((_, i) => i % step === 0).slice(0, BY_AXE)) {
                const page = await open(address, { dark, policy: false });
                if (dark) await page.evaluate(() => { document.documentElement.dataset.scheme = 'dark'; });
                wrong.push(...await axeOn(page, address));
                await page.close();
            }
            check(wrong.length === 0, `\n  ${wrong.join('\n  ')}`);
        });
    }
}

/** Runs play in a folder of its own. */
async function inFolder(play) {
    const folder = await mkdtemp(join(tmpdir(), 'octavo-references-'));
    try {
        await play(folder);
    } finally {
        await rm(folder, { recursive: true, force: true });
    }
}

/** A description whose operations are sent to a server of ours. */
function triedAPI(address) {
    const name = { type: 'string', examples: ['Rex'] };
    const thing = { type: 'object', properties: { name, owner: { type: 'object', properties: { address: { type: 'object', properties: { street: { type: 'string', description: 'Without the number.' } } } } } } };
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
    const answer = (description) => ({ description, content: { 'application/json': { example: { ok: true } } } });
    return {
        openapi: '3.1.0', info: { title: 'Tried', version: '1' }, tags: [{ name: 'things' }],
        servers: [{ url: 'https://api.example.com' }, { url: `${address}/{version}`, description: 'Ours', variables: { version: { default: 'v0', enum: ['v0', 'v1', "v2'; echo"] } } }],
        components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }, security: [{ token: [] }],
        paths: { '/things/{id}': {
            post: {
                operationId: 'change', summary: 'Change a thing', tags: ['things'], parameters: [id],
                requestBody: { content: { 'application/json': { schema: thing } } }, responses: { 201: answer('Changed'), 404: answer('Not there') },
            },
            get: { operationId: 'look', summary: 'Look at a thing', tags: ['things'], parameters: [id], responses: { 200: answer('There'), 404: answer('Not there') } },
        } },
    };
}

/** A reader sends a request to a server of ours, and sees the answer. */
async function tried(run, folder) {
    const api = createServer((request, answer) => {
        answer.writeHead(201, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
        request.setEncoding('utf8').toArray().then(([body]) => answer.end(JSON.stringify({ at: request.url, key: request.headers.authorization, body: body && JSON.parse(body), html: '<img src=x onerror=alert(1)>', big: 'BIG' }).replace('"BIG"', '12345678901234567890')));
    });
    await new Promise((ready) => api.listen(0, '127.0.0.1', ready));
    try {
        const address = `http://127.0.0.1:${api.address().port}`;
        await writeFile(join(folder, 'tried.json'), JSON.stringify(triedAPI(address)));
        await execute(run.binary, ['openapi', 'publish', '--url', run.base, '--token', run.token, '--slug', 'tried', join(folder, 'tried.json')]);
        const root = await site(run, folder, ['tried']), listed = await site(run, folder, ['tried'], 'by-tag');
        await sends(run, root, address);
        await remembers(run, root, address);
        await reads(run, root, listed);
        await run.test('no form without a script', async ({ open, check }) => {
            const page = await open(await addressOf(root, 'change'), { script: false });
            const seen = (selector) => page.$eval(selector, (e) => e.checkVisibility());
            for (const form of ['.api-try', '.api-open', '.api-choose']) check(!(await seen(form)), `${form} is shown, which needs a script`);
            check((await page.$$eval('.api-servers li', (all) => all.length)) === 2, 'the servers are not listed');
            check((await page.$$eval('.api-request .tab', (all) => all.filter((e) => e.checkVisibility()).length)) === 4, 'the languages are not all shown');
        });
    } finally {
        api.close();
    }
}

const VERSION = '.api-choose [name="server.1.version"]';

/** A reader chooses a server, fills in the form and sees the answer. */
async function sends(run, root, address) {
    await run.test('a reader tries an operation', async ({ open, check }) => {
        const page = await open(await addressOf(root, 'change'));
        const samples = () => page.$$eval('.api-request code', (all) => all.map((code) => code.textContent));
        check((await samples()).every((code) => code.includes('https://api.example.com/things/')), 'samples are not for the first server');
        check(!(await page.$eval(VERSION, (e) => e.checkVisibility())), 'a variable of another server is shown');
        await page.select('.api-choose [name="server"]', '1');
        check((await samples()).every((code) => code.includes(`${address}/v0/things/`)), `samples are not for the chosen server: ${await samples()}`);
        check(await page.$eval(VERSION, (e) => e.checkVisibility()), 'the variable of the server is not shown');
        await page.select(VERSION, 'v1');
        check((await samples()).every((code) => code.includes(`${address}/v1/things/`) && !code.includes('/v0')), `samples are not for the chosen version: ${await samples()}`);
        check((await page.$eval('.api-base .api-server', (e) => e.textContent)) === `${address}/v1`, 'the address is not that of the chosen server');
        await page.select(VERSION, "v2'; echo");
        check((await samples()).every((code) => code.includes(`${address}/v1/things/`) && !code.includes('echo')), 'a value ends the literal of a sample');
        await page.click('.api-card .api-open');
        check(await page.$eval('.api-try', (e) => e.open && e.querySelector('.api-choose') !== null), 'the form for the server is not in the dialog');
        check((await page.evaluate(() => document.activeElement.name)) === 'path.id', 'the focus is not on the first value that is missing');
        await page.select(VERSION, 'v1');
        await page.type('.api-try [name="path.id"]', 'a b');
        await page.type('.api-try [name="credentials.token"]', 'secret');
        await page.click('.api-try [type=submit]');
        const shown = await page.waitForSelector('.api-answer pre').then((e) => e.evaluate((pre) => pre.textContent));
        const answer = JSON.parse(shown);
        check(answer.at === '/v1/things/a%20b' && answer.key === 'Bearer secret' && answer.body.name === 'Rex', shown);
        check(shown.includes('\n  "big": 12345678901234567890\n'), `a value is changed: ${shown}`);
        const colors = await page.$$eval('.api-answer :is(.nt, .s2, .mi)', (all) => new Set(all.map((e) => getComputedStyle(e).color)).size);
        check(colors === 3, `the answer has ${colors} colours`);
        check((await page.$eval('.api-answer .api-status', (e) => e.textContent)) === '201', 'the status is not shown');
        check((await axeOn(page, page.url())).length === 0, 'axe-core finds something wrong with the form');
        await page.keyboard.press('Escape');
        check(await page.evaluate(() => document.activeElement.className === 'api-open' && document.querySelector('.api-base .api-choose') !== null), 'after the dialog, the focus or the form for the server is elsewhere');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });
}

/** What a reader has chosen is there on the next page: language, server, credentials. */
async function remembers(run, root, address) {
    await run.test('choices stay on the next page', async ({ open, check }) => {
        const page = await open(await addressOf(root, 'change'));
        await page.evaluate(() => [...document.querySelectorAll('.api-request [role=tab]')].find((b) => b.textContent === 'Python').click());
        await page.evaluate(() => [...document.querySelectorAll('.api-answers [role=tab]')].at(-1).click());
        await page.select('.api-choose [name="server"]', '1');
        await page.select(VERSION, 'v1');
        await page.click('.api-open');
        await page.type('.api-try [name="credentials.token"]', 'secret');
        await page.goto(await addressOf(root, 'look'));
        const code = await page.$eval('.api-request .tab:not([hidden]) code', (e) => e.textContent);
        check(code.startsWith('import requests') && code.includes(`${address}/v1/things/`), `the sample of the next page is ${code}`);
        check((await page.$eval('.api-answers [aria-selected=true]', (e) => e.textContent)) === '200', 'the example of an error is shown, because one of another operation was');
        check((await page.$eval('.api-base .api-server', (e) => e.textContent)) === `${address}/v1`, 'the server is not the chosen one');
        await page.click('.api-open');
        const key = () => page.$eval('.api-try [name="credentials.token"]', (e) => e.value);
        check((await key()) === 'secret', 'the token has to be entered again');
        check(!(await page.evaluate(() => JSON.stringify(localStorage))).includes('secret'), 'the token stays in the browser');
        await page.keyboard.press('Escape');
        await page.select('.api-choose [name="server"]', '0');
        await page.goto(await addressOf(root, 'change'));
        await page.click('.api-open');
        check((await key()) === '', 'the token of one server is filled in for another one');
        check(page.wrong.length === 0, page.wrong.join('; '));
        const other = await open(await addressOf(root, 'look'));
        await other.click('.api-open');
        check((await other.$eval('.api-try [name="credentials.token"]', (e) => e.value)) === '', 'another tab has the token');
    });
}

/** A reader follows links to operations and their parameters. */
async function reads(run, root, listed) {
    const box = (page, selector) => page.$eval(selector, (e) => { const { left, right, top, bottom } = e.getBoundingClientRect(); return { left, right, top, bottom }; });
    await run.test('an operation has its samples beside it, from the title on', async ({ open, check }) => {
        for (const [address, title, width] of [[await addressOf(root, 'change'), 'h1'], [await addressOf(listed, 'things'), 'article h2']].flatMap((c) => [1280, 1440].map((width) => [...c, width]))) {
            const page = await open(address, { width });
            const [about, samples, head, main] = [await box(page, '.api-about'), await box(page, '.api-samples'), await box(page, title), await box(page, 'main')];
            check(about.right <= samples.left && about.right - about.left > 380 && samples.right - samples.left > 380, `${address} at ${width}: ${JSON.stringify([about, samples])}`);
            check(Math.abs(samples.top - head.top) < 16 && head.right <= samples.left, `${address} at ${width}: the title is at ${JSON.stringify(head)}, the samples at ${JSON.stringify(samples)}`);
            check(main.right > width - 48, `${address} at ${width}: the page ends at ${main.right}`);
            check(samples.bottom - samples.top < 900 - 64, `${address}: the samples are higher than the window`);
            check((await page.$$('.api-base')).length === 1, 'the servers are not shown once');
            await page.evaluate((by) => scrollTo({ top: by, behavior: 'instant' }), samples.top - 30);
            const top = (await box(page, '.api-samples')).top;
            check(top >= 64 && top < 120, `${address} at ${width}: the samples are at ${top} after scrolling`);
            check(page.wrong.length === 0, page.wrong.join('; '));
            await page.close();
        }
    });
    await run.test('pages and blocks are as wide as they say', async ({ open, check }) => {
        for (const [width, rail] of [[1440, true], [1280, true], [1000, false]]) {
            const wide = await open(await addressOf(root, 'wide'), { width }), block = await open(await addressOf(root, 'block'), { width });
            const [text, outline] = [await box(wide, 'article p'), await box(wide, '.outline')];
            check(text.right - text.left > (rail ? 800 : 600) && text.right > width - 48 && outline.bottom <= text.top, `at ${width}, a wide page has its text at ${JSON.stringify(text)}, the outline at ${JSON.stringify(outline)}`);
            const [table, words, beside] = [await box(block, 'article .table'), await box(block, 'article p'), await box(block, '.outline')];
            check(!rail || table.right > width - 48 && table.right - words.right > 200 && beside.left >= words.right && words.right - words.left <= 768, `at ${width}, a wide table is at ${JSON.stringify(table)}, the text at ${JSON.stringify(words)}`);
            for (const page of [wide, block]) {
                check((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${page.url()} is wider than ${width}`);
                await page.close();
            }
        }
    });
    await run.test('methods are in the navigation', async ({ open, check }) => {
        const page = await open(await addressOf(root, 'change'));
        const methods = await page.$$eval('.pages .method', (all) => all.map((e) => [e.textContent, getComputedStyle(e).color]));
        check(methods.map(([name]) => name).sort().join() === 'GET,POST' && methods[0][1] !== methods[1][1], JSON.stringify(methods));
    });
    await run.test('a link leads to a parameter', async ({ open, check }) => {
        const field = '#post-things-id--body\\.owner\\.address\\.street';
        const page = await open(`${await addressOf(root, 'change')}#post-things-id--body.owner.address.street`, { height: 700 });
        const at = await box(page, field);
        check(at.bottom > at.top && at.top >= 64 && at.bottom < 700, `the parameter is at ${JSON.stringify(at)}`);
        const other = await open(await addressOf(root, 'change'));
        check(!(await other.$eval(field, (e) => e.checkVisibility())), 'the parameter is not in something closed');
        const link = '#post-things-id--path\\.id > .api-line > .anchor';
        const opacity = () => other.$eval(link, (e) => getComputedStyle(e).opacity);
        check((await opacity()) === '0', 'the link is always shown');
        await other.hover('#post-things-id--path\\.id');
        check((await opacity()) === '1', 'the link is not shown when the pointer is on the parameter');
        await other.click(link);
        check(new URL(other.url()).hash === '#post-things-id--path.id', `the link leads to ${other.url()}`);
    });
}

/** The address of the page of a site that ends in a name. */
async function addressOf(root, name) {
    return (await addresses(root)).find((address) => address.endsWith(`/${name}`));
}

export async function references(run) {
    await inFolder(async (folder) => {
        const slugs = await publish(run, folder);
        const root = await site(run, folder, slugs);
        let seen = { pages: [], operations: [] };
        await run.test('reference pages', async (t) => {
            t.check(slugs.length === 21, `${slugs.length} descriptions`);
            seen = await visit(root, t);
            t.check(seen.operations.length >= 40, `${seen.operations.length} pages show operations`);
        });
        await axeOnSome(run, seen.operations);
        await tried(run, folder);
        console.log(`browser: ${seen.pages.length} pages of ${slugs.length} descriptions, ${seen.operations.length} with operations`);
    });
}

/** Every page of the descriptions in OCTAVO_TEST_DESCRIPTIONS, a folder of files. It takes about an hour for 5,000 operations. */
export async function descriptions(run) {
    const source = process.env.OCTAVO_TEST_DESCRIPTIONS;
    if (!source) throw new Error('OCTAVO_TEST_DESCRIPTIONS names no folder of descriptions');
    const all = [];
    for (const name of (await readdir(source)).sort()) {
        await inFolder(async (folder) => {
            const slug = basename(name).replace(/\.\w+$/, '').toLowerCase();
            const began = Date.now();
            await execute(run.binary, ['openapi', 'publish', '--url', run.base, '--token', run.token, '--slug', slug, join(source, name)]);
            const processed = Date.now();
            const root = await site(run, folder, [slug]);
            await run.test(`pages of ${name}`, async (t) => {
                const { pages, operations } = await visit(root, t);
                t.check(operations.length > 0, `${name} has no operation`);
                all.push(...operations);
                console.log(`browser: ${name}: processed in ${processed - began} ms, ${pages.length} pages, ${operations.length} with operations, read in ${Date.now() - processed} ms`);
            });
        });
    }
    await axeOnSome(run, all);
}
