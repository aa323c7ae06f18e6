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
const ELSEWHERE = 'https://example.com/'; // a description has a picture there

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

export async function references(run) {
    const folder = await mkdtemp(join(tmpdir(), 'octavo-references-'));
    try {
        const slugs = await publish(run, folder);
        const root = await site(run, folder, slugs);
        const map = await (await fetch(`${root}sitemap-pages.xml`)).text();
        const pages = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address);
        const operations = [];
        await run.test('reference pages', async ({ open, check }) => {
            check(slugs.length === 21, `${slugs.length} descriptions`);
            for (const address of pages) {
                const page = await open(address);
                check((await page.$('main h1')) !== null, `${address} is not shown`);
                const wrong = page.wrong.some((w) => w.includes(ELSEWHERE)) ? page.wrong.filter((w) => !w.includes(ELSEWHERE) && !w.includes('Failed to load')) : page.wrong;
                check(wrong.length === 0, `${address}: ${wrong.join('; ')}`);
                if (await page.$('.openapi-operation, .openapi-webhook')) operations.push(address);
                await page.close();
            }
            check(operations.length >= 40, `${operations.length} pages show operations`);
        });
        for (const dark of [false, true]) {
            await run.test(`axe-core on reference pages, ${dark ? 'dark' : 'light'}`, async ({ open, check }) => {
                const wrong = [];
                const step = Math.max(1, Math.floor(operations.length / BY_AXE)); // of different descriptions
                for (const address of operations.filter((_, i) => i % step === 0).slice(0, BY_AXE)) {
                    const page = await open(address, { dark, policy: false });
                    if (dark) await page.evaluate(() => { document.documentElement.dataset.scheme = 'dark'; });
                    wrong.push(...await axeOn(page, address));
                    await page.close();
                }
                check(wrong.length === 0, `\n  ${wrong.join('\n  ')}`);
            });
        }
        console.log(`browser: ${pages.length} pages of ${slugs.length} descriptions, ${operations.length} with operations`);
    } finally {
        await rm(folder, { recursive: true, force: true });
    }
}
