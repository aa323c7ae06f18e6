// Pictures in the width that a screen shows, and what other web sites show inside of a page.

import { deflateSync } from 'node:zlib';

/** A PNG file of a screen full of windows: flat colours, edges, and some noise. */
function png(width, height, seed) {
    let state = seed;
    const random = () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32;
    const rows = Buffer.alloc((width * 3 + 1) * height);
    const boxes = Array.from({ length: 400 }, () => [random() * width, random() * height, random() * 90, random() * 20, random() * 255]);
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) rows.fill(x % 160 < 2 ? 90 : 235 + random() * 3, y * (width * 3 + 1) + 1 + x * 3, y * (width * 3 + 1) + 4 + x * 3);
    }
    for (const [left, top, w, h, shade] of boxes) {
        for (let y = top | 0; y < Math.min(height, top + h); y++) rows.fill(shade, y * (width * 3 + 1) + 1 + (left | 0) * 3, y * (width * 3 + 1) + 1 + Math.min(width, (left + w) | 0) * 3);
    }
    const table = Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n >>> 0; });
    const crc = (b) => { let c = ~0; for (const v of b) c = table[(c ^ v) & 255] ^ (c >>> 8); return ~c >>> 0; };
    const chunk = (kind, body) => {
        const head = Buffer.alloc(4), tail = Buffer.alloc(4), named = Buffer.concat([Buffer.from(kind), body]);
        head.writeUInt32BE(body.length);
        tail.writeUInt32BE(crc(named));
        return Buffer.concat([head, named, tail]);
    };
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width);
    head.writeUInt32BE(height, 4);
    head.set([8, 2, 0, 0, 0], 8);
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

const VIDEO = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ';

/** A page with pictures from top to bottom, and one with embedded pages. */
async function site(run) {
    const { items: [organization] } = await run.call('GET', '/orgs');
    const space = await run.call('POST', `/orgs/${organization.id}/spaces`, { title: 'Media', editMode: 'live' });
    const files = [['wide', 1900, 900], ['tall', 1200, 1600], ['small', 300, 200], ['dark', 1900, 900]].map(([name, w, h], i) => ({ name: `${name}.png`, ref: name, contentType: 'image/png', base64: png(w, h, i + 1).toString('base64') }));
    const filler = 'Some words to read.\n\n'.repeat(100);
    const markdown = `![A wide one](./wide)\n\n${filler}![A tall one](./tall)\n\n${filler}<picture><source srcset="./dark" media="(prefers-color-scheme: dark)"><img src="./wide" alt="Of two"></picture>\n\n![A small one](./small)\n\n<div><figure><img src="./wide" alt="left"></figure> <figure><img src="./tall" alt="right"></figure></div>\n\nIn a <img src="./wide" alt="line" data-size="line"> of text.\n`;
    const embeds = `{% embed url="${VIDEO}" %}\nA film about us\n{% endembed %}\n\n{% embed url="https://example.com/" %}\n`;
    await run.call('POST', `/spaces/${space.id}/content`, { changes: [
        { operation: 'insert_files', files },
        { operation: 'insert_page', title: 'Pictures', slug: 'pictures', document: { markdown } },
        { operation: 'insert_page', title: 'Films', slug: 'films', document: { markdown: embeds } },
    ] });
    const made = await run.call('POST', `/orgs/${organization.id}/sites`, { title: 'Media', type: 'ultimate', visibility: 'public', spaces: [space.id] });
    const at = `/orgs/${organization.id}/sites/${made.id}`;
    const { urls } = await run.call('POST', `${at}/publish`, {});
    return { at, root: new URL(urls.published).pathname.replace(/\/?$/, '/') };
}

/** The width that the address of a file names, or 0 for the file itself. */
const widthOf = (address) => Number(/~octavo\/pictures\/.*?\/(\d+)\/[^/]*$/.exec(address)?.[1] ?? 0);

export async function media(run) {
    const { at, root } = await site(run);
    const PAGE = `${root}pictures`;

    await run.test('pictures have the width of the screen, and nothing moves', async ({ open, check }) => {
        for (const [width, scale, wide, left] of [[1440, 1, 768, 384], [1440, 2, 1536, 768], [390, 2, 768, 768], [390, 3, 1152, 1152]]) {
            const page = await open(PAGE, {
                before: async (p) => {
                    await p.setViewport({ width, height: 800, deviceScaleFactor: scale });
                    await p.evaluateOnNewDocument(() => {
                        window.moved = 0;
                        new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.moved += e.value; }).observe({ type: 'layout-shift', buffered: true });
                    });
                },
            });
            const image = (alt) => page.$eval(`img[alt="${alt}"]`, async (i) => { i.scrollIntoView(); await i.decode(); return { src: i.currentSrc, width: i.getBoundingClientRect().width, natural: i.naturalWidth }; });
            check(await page.$eval('img[alt="A tall one"]', (i) => !i.complete || i.currentSrc === ''), 'a picture far below is loaded at once');
            check((await page.$eval('img[alt="A wide one"]', (i) => i.fetchPriority)) === 'high', 'the first picture has no priority');
            const first = await image('A wide one'), two = await image('Of two'), beside = await image('left'), line = await image('line');
            check(widthOf(first.src) === wide, `${width} px, ${scale}: the first picture is ${first.src}`);
            check(widthOf(two.src) === wide, `${width} px, ${scale}: a later picture is ${two.src}`);
            check(widthOf(beside.src) === left, `${width} px, ${scale}: a picture beside another one is ${beside.src}`);
            check(widthOf((await image('A small one')).src) === 0, 'a small picture is made smaller');
            check(line.width > 20 && line.width < 60, `a picture in a line is ${line.width} px wide`);
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            check(overflow <= 0, `the page is ${overflow} px too wide`);
            check((await page.evaluate(() => window.moved)) < 0.01, `the page moves: ${await page.evaluate(() => window.moved)}`);
            check(page.wrong.length === 0, page.wrong.join('; '));
            await page.close();
        }
    });

    await run.test('a dark picture is as small as a light one', async ({ open, check }) => {
        await run.call('PUT', `${at}/customization`, { themes: { default: 'system', toggeable: true } });
        const page = await open(PAGE, { width: 1440, dark: true });
        const src = await page.$eval('img[alt="Of two"]', async (i) => { i.scrollIntoView(); await i.decode(); return i.currentSrc; });
        check(src.endsWith('/768/dark.png'), `in the dark there is ${src}`);
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('an enlarged picture has its pixels, by mouse and keyboard', async ({ open, check }) => {
        const page = await open(PAGE, { width: 1440 });
        await page.focus('img[alt="A wide one"]');
        await page.keyboard.press('Enter');
        const large = await page.waitForSelector('dialog.zoom img');
        check(widthOf(await large.evaluate(async (i) => { await i.decode(); return i.currentSrc; })) >= 1536 || widthOf(await large.evaluate((i) => i.currentSrc)) === 0, 'the enlarged picture is the small one');
        await page.keyboard.press('Escape');
        await page.waitForFunction(() => !document.querySelector('dialog.zoom'));
        check(await page.evaluate(() => document.activeElement.alt === 'A wide one'), 'the focus does not return');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('a video is a link, unless the site allows frames and the reader asks', async ({ open, check }) => {
        const films = `${root}films`;
        const plain = await open(films);
        check((await plain.$('button.player, iframe')) === null, 'there is a frame that the site does not allow');
        check((await plain.$eval('.embed a', (a) => a.href)) === VIDEO, 'the video is no link');
        await run.call('PUT', `${at}/customization`, { embeds: { providers: ['youtube'] } });
        const page = await open(films);
        check((await page.$$('button.player')).length === 1, 'there is not one video');
        check((await page.$eval('button.player', (b) => b.textContent)).includes('youtube-nocookie.com'), 'the button does not name the host');
        check((await page.$eval('.embed a', (a) => a.href)) === VIDEO, 'the link is gone');
        check(page.wrong.length === 0, `before the click: ${page.wrong.join('; ')}`);
        const asked = [];
        await page.setRequestInterception(true);
        page.on('request', (r) => {
            if (new URL(r.url()).host === new URL(run.base).host) return r.continue();
            asked.push(r.url());
            return r.respond({ status: 200, contentType: 'text/html', body: '<title>film</title><script>try { top.location = "https://evil.test/"; } catch { document.title = "refused"; }</script>' });
        });
        await page.focus('button.player');
        await page.keyboard.press('Enter');
        const frame = await (await page.waitForSelector('iframe.player')).contentFrame();
        await frame.waitForFunction(() => document.title === 'refused').catch(() => check(false, 'the frame can lead away'));
        check(asked.length === 1 && asked[0].startsWith('https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?'), `loaded: ${asked}`);
        check(await page.evaluate(() => document.activeElement.localName === 'iframe' && document.activeElement.title === 'A film about us'), 'the frame has no focus, or no name');
        const script = await open(films, { script: false });
        check((await script.$('button.player')) === null && (await script.$eval('.embed a', (a) => a.href)) === VIDEO, 'without a script there is no link');
        const blocked = await page.evaluate(() => new Promise((done) => {
            addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective));
            const f = document.createElement('iframe');
            f.src = 'https://example.com/';
            document.body.append(f);
        }));
        check(blocked === 'frame-src', `another host can be framed: ${blocked}`);
    });
}
