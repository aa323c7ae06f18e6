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

/** A site with the computed pages of all descriptions. Returns its address. */
async function site(run, folder, slugs) {
    const computed = slugs.map((slug) => `## ${slug}\n\n* \`\`\`yaml\n  type: builtin:openapi\n  props:\n    models: true\n    grouping: by-operation\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: ${slug}\n  \`\`\`\n`);
    await mkdir(join(folder, 'site'));
    await writeFile(join(folder, 'site', 'README.md'), '# References\n');
    await writeFile(join(folder, 'site', 'SUMMARY.md'), `# Table of contents\n\n* [References](README.md)\n\n${computed.join('\n')}`);
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

/** A reader sends a request to a server of ours, and sees the answer. */
async function tried(run, folder) {
    const api = createServer((request, answer) => {
        answer.writeHead(201, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
        request.setEncoding('utf8').toArray().then(([body]) => answer.end(JSON.stringify({ at: request.url, key: request.headers.authorization, body: JSON.parse(body), html: '<img src=x onerror=alert(1)>' })));
    });
    await new Promise((ready) => api.listen(0, '127.0.0.1', ready));
    try {
        const description = {
            openapi: '3.1.0', info: { title: 'Tried', version: '1' },
            servers: [{ url: 'https://api.example.com' }, { url: `http://127.0.0.1:${api.address().port}/{version}`, variables: { version: { default: 'v0', enum: ['v0', 'v1', "v2'; echo"] } } }],
            components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
            paths: { '/things/{id}': { post: {
                operationId: 'change', summary: 'Change a thing', security: [{ token: [] }], parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
                requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { name: { type: 'string', examples: ['Rex'] } } } } } }, responses: { 201: { description: 'Changed' } },
            } } },
        };
        await writeFile(join(folder, 'tried.json'), JSON.stringify(description));
        await execute(run.binary, ['openapi', 'publish', '--url', run.base, '--token', run.token, '--slug', 'tried', join(folder, 'tried.json')]);
        await rm(join(folder, 'site'), { recursive: true });
        const root = await site(run, folder, ['tried']);
        await run.test('a reader tries an operation', async ({ open, check }) => {
            const page = await open(await addressOf(root, 'change'));
            const samples = () => page.$$eval('.api-request code', (all) => all.map((code) => code.textContent));
            const server = `http://127.0.0.1:${api.address().port}`;
            check((await samples()).every((code) => code.includes('https://api.example.com/things/')), 'samples are not for the first server');
            await page.click('.api-try > summary');
            const version = '.api-choose [name="server.1.version"]';
            check(!(await page.$eval(version, (e) => e.checkVisibility())), 'a variable of another server is shown');
            await page.select('.api-choose [name="server"]', '1');
            check((await samples()).every((code) => code.includes(`${server}/v0/things/`)), `samples are not for the chosen server: ${await samples()}`);
            check(await page.$eval(version, (e) => e.checkVisibility()), 'the variable of the server is not shown');
            await page.select(version, 'v1');
            check((await samples()).every((code) => code.includes(`${server}/v1/things/`) && !code.includes('/v0')), `samples are not for the chosen version: ${await samples()}`);
            check((await page.$eval('.api-address .api-server', (e) => e.textContent)) === `${server}/v1`, 'the address is not that of the chosen server');
            await page.select(version, "v2'; echo");
            check((await samples()).every((code) => code.includes(`${server}/v1/things/`) && !code.includes('echo')), 'a value ends the literal of a sample');
            await page.select(version, 'v1');
            await page.type('.api-try [name="path.id"]', 'a b');
            await page.type('.api-try [name="credentials.token"]', 'secret');
            await page.click('.api-try button');
            const shown = await page.waitForSelector('.api-answer pre').then((e) => e.evaluate((pre) => pre.textContent));
            const answer = JSON.parse(shown);
            check(answer.at === '/v1/things/a%20b' && answer.key === 'Bearer secret' && answer.body.name === 'Rex', shown);
            check((await page.$eval('.api-answer .api-status', (e) => e.textContent)) === '201', 'the status is not shown');
            check((await axeOn(page, page.url())).length === 0, 'axe-core finds something wrong with the form');
            check(page.wrong.length === 0, page.wrong.join('; '));
        });
        await run.test('no form without a script', async ({ open, check }) => {
            const page = await open(await addressOf(root, 'change'), { script: false });
            check(!(await page.$eval('.api-try', (e) => e.checkVisibility())), 'a form is shown that sends nothing');
            check(!(await page.$eval('.api-choose', (e) => e.checkVisibility())), 'a form is shown that changes nothing');
        });
    } finally {
        api.close();
    }
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
