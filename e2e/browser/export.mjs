// A site as static files: in a folder, and on a web server that knows nothing of it.

import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { crawl } from './crawl.mjs';

const run = promisify(execFile);
const text = (page, selector) => page.$eval(selector, (e) => e.textContent.trim());
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' };

/** Writes a site of a server into a folder. */
export async function writeSite(run_, site, dir) {
    const binary = resolve(process.env.OCTAVO_BIN ?? '../bin/octavo');
    await run(binary, ['site', 'export', '--url', run_.base, site, dir], { env: { ...process.env, OCTAVO_TOKEN: run_.token } });
    return dir;
}

/** Serves a folder below a path, as the simplest web server does. */
async function serveFolder(dir, below) {
    const server = createServer(async (request, answer) => {
        let name = decodeURIComponent(new URL(request.url, 'http://x').pathname);
        if (!name.startsWith(below)) return answer.writeHead(404).end();
        name = join(dir, name.slice(below.length));
        if ((await stat(name).catch(() => null))?.isDirectory()) name = join(name, 'index.html');
        if (!(await stat(name).catch(() => null))) return answer.writeHead(404).end();
        answer.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream' });
        createReadStream(name).pipe(answer);
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    return { base: `http://127.0.0.1:${server.address().port}${below}`, close: () => server.close() };
}

async function read(open, check, home) {
    const page = await open(home);
    check((await page.$('article figure img')) !== null, 'the first page has no picture');
    check(await page.$eval('article figure img', (i) => i.decode().then(() => i.naturalWidth > 0)), 'the picture is not there');
    await Promise.all([page.waitForNavigation(), page.click('.pages a[href$="/getting-started/quick-start/index.html"]')]);
    check((await text(page, 'h1')) === 'Quick start', 'the navigation leads elsewhere');
    check(await page.evaluate(() => document.fonts.ready.then(() => document.fonts.check('16px octavo-text'))), 'the font is not there');

    await page.keyboard.press('/');
    await page.waitForSelector('.finder [role=option]'); // pages to begin with
    await page.keyboard.type('rollb');
    await page.waitForSelector('.finder [data-query="rollb"] [role=option] mark');
    const [first, part] = await page.$eval('.finder [aria-selected=true]', (o) => [o.querySelector('strong').textContent, new URL(o.href).hash]);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    check((await text(page, part ? `[id="${decodeURIComponent(part.slice(1))}"]` : 'h1')) === first, `Enter does not lead to ${first}`);
    check((await text(page, 'main')).toLowerCase().includes('rollb'), 'the page that was found does not have the word');
    await page.keyboard.press('/');
    await page.keyboard.type('nosuchwordanywhere');
    await page.waitForFunction(() => document.querySelector('.finder .none')?.textContent.includes('nosuchword'));
    await page.keyboard.press('Escape');
    check((await page.$('.finder[open]')) === null, 'Escape does not close the finder');

    const paper = () => page.$eval('body', (e) => getComputedStyle(e).backgroundColor);
    const light = await paper();
    await page.click('.scheme > summary');
    await page.click('.scheme [value=dark]');
    check((await paper()) !== light, 'the switch of the scheme changes nothing');
    await page.goto(new URL('writing/pages/index.html', home).href);
    check((await paper()) !== light, 'the scheme is not remembered');
    await page.$eval('.diagram', (d) => d.scrollIntoView());
    await page.waitForSelector('.diagram.drawn img').catch(() => check(false, 'diagrams are not drawn'));
    await page.click('.tablist [role=tab]:nth-child(2)');

    await page.goto(new URL('~octavo/search/index.html?q=import', home).href);
    await page.waitForSelector('.results mark').catch(() => check(false, 'the page of the search finds nothing'));
    check((await page.$eval('.ask input[type=search]', (f) => f.value)) === 'import', 'the page of the search does not show the query');
    await page.goto(new URL('~octavo/search/index.html?q=quick+start', home).href);
    check((await page.waitForSelector('.results a').then((a) => a.evaluate((e) => e.textContent))) === 'Quick start', 'the page with the title is not the first');
    check(page.wrong.length === 0, page.wrong.join('; '));
}

export async function exported(run) {
    const dir = await mkdtemp(join(tmpdir(), 'octavo-export-'));
    try {
        for (const site of ['guide', 'demo']) {
            await run.test(`crawl of ${site}`, async ({ check }) => {
                const live = await crawl(`${run.base}/s/${site}/`);
                check(live.wrong.length === 0, `on the server:\n  ${live.wrong.join('\n  ')}`);
                const folder = await writeSite(run, site, join(dir, site));
                const files = await crawl(pathToFileURL(join(folder, 'index.html')).href);
                check(files.wrong.length === 0, `of the folder:\n  ${files.wrong.join('\n  ')}`);
                check(files.pages >= 20 && files.links > 500, `only ${files.pages} pages and ${files.links} links were found in the folder`);
                const plain = await serveFolder(folder, '/any/where/');
                const served = await crawl(plain.base).finally(plain.close);
                check(served.wrong.length === 0, `on a web server:\n  ${served.wrong.join('\n  ')}`);
                console.log(`browser: ${site}: ${live.pages} pages and ${live.links} links on the server, ${files.pages} and ${files.links} in the folder`);
            });
        }
        await run.test('a site in a folder', ({ open, check }) => read(open, check, pathToFileURL(join(dir, 'guide', 'index.html')).href));
        await run.test('a site on another web server', async ({ open, check }) => {
            const plain = await serveFolder(join(dir, 'guide'), '/any/where/');
            await read(open, check, plain.base).finally(plain.close);
        });
        await run.test('an export twice', async ({ check }) => {
            const again = await writeSite(run, 'demo', join(dir, 'again'));
            for (const name of ['index.html', 'sitemap.xml', '.octavo-export']) {
                check((await readFile(join(again, name))).equals(await readFile(join(dir, 'demo', name))), `${name} differs`);
            }
        });
    } finally {
        await rm(dir, { recursive: true, force: true });
    }
}
