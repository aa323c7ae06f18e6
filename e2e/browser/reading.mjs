// What a reader does on a site.

import { MOST_BYTES } from './speed.mjs';

const GUIDE = '/s/guide/', RICH = '/s/guide/writing/pages';

/** The text that a reader sees. */
const text = (page, selector) => page.$eval(selector, (e) => e.textContent.trim());
const shown = (page, selector) => page.$eval(selector, (e) => e.checkVisibility({ visibilityProperty: true }));

export async function reading(run) {
    await run.test('navigation leads to pages, back and forth', async ({ open, check }) => {
        const page = await open(GUIDE);
        await Promise.all([page.waitForNavigation(), page.click('.pages a[href$="/getting-started/quick-start"]')]);
        check((await text(page, 'h1')) === 'Quick start', 'the page is not the one of the entry');
        check((await text(page, '.pages [aria-current=page]')).endsWith('Quick start'), 'the entry is not marked');
        await Promise.all([page.waitForNavigation(), page.click('.turn [rel=next]')]);
        await Promise.all([page.waitForNavigation(), page.click('.turn [rel=prev]')]);
        check((await text(page, 'h1')) === 'Quick start', 'next and previous do not lead back');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('a section, a variant, and a page that only some visitors see', async ({ open, check }) => {
        const beta = '.pages a[href$="/guides/chains"]', path = '/s/demo/guides/chains';
        const page = await open('/s/demo/');
        await Promise.all([page.waitForNavigation(), page.click('.sections a[href="/s/demo/api/"]')]);
        check(new URL(page.url()).pathname === '/s/demo/api/', `the section is at ${page.url()}`);
        await page.goto(`${run.base}/s/demo/quick-start`);
        check((await page.$(beta)) === null, 'everybody sees the page in the navigation');
        check((await page.evaluate(async (at) => (await fetch(at)).status, path)) === 404, 'everybody can open the page');
        check(page.wrong.every((w) => w.includes('404')), page.wrong.join('; '));

        await page.goto(`${run.base}${path}?visitor.beta=true`);
        check((await text(page, 'h1')) === 'Chains', 'who has the claim does not see the page');
        check(!page.url().includes('visitor.'), 'the claim stays in the address');
        check((await page.$(beta)) !== null, 'the page is not in the navigation');
        await page.goto(`${run.base}/s/demo/quick-start`);
        check((await page.$(beta)) !== null, 'the claim is forgotten on the next page');
        const [response] = await Promise.all([page.waitForNavigation(), page.$eval('.drop a[href^="/s/demo/ja/quick-start"]', (a) => a.click())]);
        check(response.status() === 200 && new URL(page.url()).pathname === '/s/demo/ja/quick-start', `the variant is at ${page.url()}`);
    });

    await run.test('light and dark are remembered', async ({ open, check }) => {
        const page = await open(GUIDE);
        const paper = () => page.$eval('body', (e) => getComputedStyle(e).backgroundColor);
        const choose = async (value) => {
            await page.focus('.scheme > summary');
            await page.keyboard.press('Enter');
            await page.focus(`.scheme [value=${value}]`);
            await page.keyboard.press('Enter');
            check((await page.$eval('.scheme [aria-pressed=true]', (b) => b.value)) === value, `${value} is not marked`);
            check(await page.$eval('.scheme', (d) => !d.open && d.firstElementChild === document.activeElement), 'the focus does not return to the switch');
        };
        const light = await paper();
        check((await page.$eval('.scheme [aria-pressed=true]', (b) => b.value)) === 'system', 'the first choice is not that of the system');
        await choose('dark');
        const dark = await paper();
        check(light !== dark, 'the switch changes nothing');
        await page.reload();
        check((await paper()) === dark, 'the choice is not remembered');
        await page.goto(run.base + RICH);
        check((await paper()) === dark, 'the choice is not that of other pages');
        await choose('light');
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
        check((await paper()) === light, 'the system overrules what was chosen');
        await choose('system');
        check((await paper()) === dark, 'the system is not followed');
        await page.reload();
        check((await paper()) === dark, 'following the system is not remembered');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('blocks that do something', async ({ open, check }) => {
        const page = await open(RICH);
        const [first, second] = await page.$$('.tablist [role=tab]');
        check(first && second, 'there are no tabs');
        await second.click();
        check((await second.evaluate((e) => e.getAttribute('aria-selected'))) === 'true', 'a tab is not chosen by a click');
        await page.keyboard.press('ArrowLeft');
        check((await first.evaluate((e) => e.getAttribute('aria-selected'))) === 'true', 'a tab is not chosen by an arrow');
        check((await page.$$eval('.tabs.ready', (all) => all.every((t) => [...t.querySelectorAll(':scope > .tab')].filter((p) => !p.hidden).length === 1))), 'more than one panel is shown');

        const details = await page.$('details.expandable:not([open]) > summary');
        await details.click();
        check(await details.evaluate((e) => e.parentElement.open), 'an expandable does not open');

        const code = await page.$('.code');
        await code.hover();
        await (await code.$('.copy')).click();
        await page.waitForSelector('.copy.done');
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        check(copied === (await code.$$eval('.line', (lines) => lines.map((l) => l.textContent).join('\n'))), `what was copied is not the code: ${copied}`);

        await page.click('a.annotation');
        check(await shown(page, '.popover'), 'an annotation does not open');
        await page.keyboard.press('Escape');

        await page.$eval('.diagram', (d) => d.scrollIntoView());
        await page.waitForSelector('.diagram.drawn img').catch(() => check(false, 'diagrams are not drawn'));
        check(await page.$eval('.diagram.drawn img', (i) => i.decode().then(() => i.naturalWidth > 50)), 'the picture of a diagram is empty');

        check((await page.$('math msup, math mfrac, math mi')) !== null, 'formulas are not typeset');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('pictures are enlarged', async ({ open, check }) => {
        const page = await open(GUIDE);
        await page.click('article figure img');
        check(await shown(page, 'dialog.zoom'), 'the picture is not enlarged');
        await page.keyboard.press('Escape');
        await page.waitForFunction(() => !document.querySelector('dialog.zoom')).catch(() => check(false, 'Escape does not close it'));
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('the outline follows the reader', async ({ open, check }) => {
        const page = await open(RICH);
        const links = await page.$$('.outline a');
        await links[6].click();
        await page.waitForFunction(() => document.querySelectorAll('.outline a')[6].hasAttribute('aria-current'));
        check((await page.$$('.outline [aria-current]')).length === 1, 'more than one part is marked');
        const long = await open(`${await longSite(run)}long-text`);
        check((await long.$('.frame.long')) !== null, 'the page is not a long one');
        for (const part of [170, 20, 178]) {
            await long.$eval(`.outline a[href="#part-${part}"]`, (a) => a.click());
            await long.waitForFunction((id) => { const { top } = document.getElementById(id).getBoundingClientRect(); return top > 0 && top < innerHeight / 2; }, { timeout: 20_000 }, `part-${part}`).catch(() => check(false, `the outline does not lead to part ${part}`));
        }
    });

    await run.test('a phone has a menu, and nothing is wider than it', async ({ open, check }) => {
        for (const path of [GUIDE, RICH, '/s/demo/', '/s/demo/api/reference/jobs/createjob']) {
            const page = await open(path, { width: 375, height: 740 });
            check((await page.evaluate(() => document.documentElement.scrollWidth)) <= 375, `${path} is wider than the screen`);
            check(!(await shown(page, '.pages')), 'the menu covers the page');
            const hidden = () => page.waitForFunction(() => !document.querySelector('.pages').checkVisibility({ visibilityProperty: true })).catch(() => check(false, 'the menu stays open'));
            const opened = async () => {
                await page.click('.menu-open');
                await page.waitForFunction(() => document.querySelector('.pages').checkVisibility({ visibilityProperty: true }));
            };
            await opened();
            check(await page.$eval('.menu-close', (e) => e === document.activeElement), 'the focus does not go into the menu');
            for (const back of [false, true]) { // nothing behind the menu is reached
                if (back) await page.keyboard.down('Shift');
                for (let presses = 0; presses < 12; presses++) {
                    await page.keyboard.press('Tab');
                    check(await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest('.pages') !== null), 'Tab leaves the menu');
                }
                if (back) await page.keyboard.up('Shift');
            }
            await page.keyboard.press('Escape');
            await hidden();
            check(await page.$eval('.menu-open', (e) => e === document.activeElement), 'the focus does not return');
            await opened();
            await page.mouse.click(365, 400);
            await hidden();
            check((await page.$$('[inert]')).length === 0, 'something stays out of reach');
            if (await page.$('.sections')) {
                check((await page.$$('.places a')).length >= (await page.$$('.sections > ul > li > a')).length, 'the menu does not have the sections');
                check(await page.$eval('.sections :is([aria-current], .current)', (e) => { const { left, right } = e.getBoundingClientRect(); return left >= 0 && right <= innerWidth; }), 'the tab of the section is out of sight');
            }
            check(page.wrong.length === 0, page.wrong.join('; '));
            await page.close();
        }
    });

    await run.test('no page is wider than a window, and no title is below a menu', async ({ open, check }) => {
        for (const path of [GUIDE, RICH, '/s/demo/', '/s/demo/api/', await boldSite(run)]) {
            const page = await open(path);
            for (const width of [320, 375, 600, 768, 861, 1024, 1101, 1241, 1440]) {
                await page.setViewport({ width, height: 900 });
                const wide = await page.evaluate(() => document.documentElement.scrollWidth);
                check(wide <= width, `${path} is ${wide} wide in a window of ${width}`);
                const over = await page.evaluate(() => {
                    const [title, menu] = ['h1', '.actions'].map((s) => document.querySelector(s)?.getBoundingClientRect());
                    return title && menu && title.right > menu.left && title.left < menu.right && title.top < menu.bottom && title.bottom > menu.top;
                });
                check(!over, `the title of ${path} is below the menu of the page in a window of ${width}`);
            }
            check(page.wrong.length === 0, page.wrong.join('; '));
            await page.close();
        }
    });

    await run.test('paper has what is behind tabs and what is closed', async ({ open, check }) => {
        const page = await open(RICH);
        const parts = await page.$$eval('article .tab, article details', (all) => all.map((e) => { const c = e.cloneNode(true); c.querySelectorAll('button, .tab-title, summary').forEach((x) => x.remove()); return c.textContent.trim().split(/\s+/).slice(0, 3).join(' '); }));
        check(parts.length > 2, `the page has ${parts.length} parts that can be closed`);
        const paper = async () => (await page.evaluate(() => document.querySelector('article').innerText)).replace(/\s+/g, ' ');
        await page.emulateMediaType('print');
        const text = await paper();
        for (const part of parts) check(text.includes(part), `paper lacks ${part}`);
        check(!(await shown(page, '.bar')) && !(await shown(page, '.pages')), 'paper has the header');
        check((await page.pdf()).length > 10_000, 'the PDF is empty');
        await page.emulateMediaType(null);
        check((await page.$$eval('.tab', (all) => all.filter((t) => t.hidden).length)) > 0, 'all tabs stay open after printing');
    });

    await run.test('the list of pages stays where it was', async ({ open, check }) => {
        const page = await open(`${await longSite(run)}entry-3`, { height: 700 });
        const top = () => page.$eval('.pages', (e) => e.scrollTop);
        await page.$eval('.pages', (e) => { e.scrollTop = 2000; });
        const link = await page.evaluateHandle(() => [...document.querySelectorAll('.pages a')].find((a) => a.getBoundingClientRect().top > 300));
        await Promise.all([page.waitForNavigation(), link.click()]);
        await page.waitForFunction(() => document.querySelector('.pages').scrollTop > 0).catch(() => {});
        check(Math.abs((await top()) - 2000) < 4, `the list is scrolled to ${await top()}`);
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('the menu of a phone is scrolled to its last entry, and is there without a table of contents', async ({ open, check }) => {
        const root = await longSite(run);
        const bottom = (page, selector) => page.$eval(selector, (e) => e.getBoundingClientRect().bottom);
        for (const path of ['entry-3', '']) { // the home page hides its table of contents
            const page = await open(root + path, { width: 390, height: 844 });
            await page.click('.menu-open');
            await page.waitForFunction(() => document.querySelector('.pages').checkVisibility({ visibilityProperty: true }));
            check((await page.$$('.pages a[href*="/entry-"]')).length === 200, 'the menu does not have all entries');
            check(await bottom(page, '.pages') <= 844, `the menu ends at ${await bottom(page, '.pages')}`);
            await page.mouse.move(100, 400);
            const last = '.pages a[href$="/entry-200"]';
            for (let turns = 0; turns < 100 && await bottom(page, last) > 844; turns++) {
                await page.mouse.wheel({ deltaY: 400 });
                await new Promise((done) => setTimeout(done, 20));
            }
            check(await bottom(page, last) <= 844, 'the last entry cannot be reached by scrolling');
            check(await bottom(page, '.menu-close') > 0, 'the menu cannot be closed from its end');
            check((await page.evaluate(() => scrollY)) === 0, 'the page behind the menu is scrolled');
            await Promise.all([page.waitForNavigation(), page.click(last)]);
            check((await text(page, 'h1')) === 'Entry 200', 'the last entry does not lead to its page');
            await page.click('.menu-open');
            check(await bottom(page, '.pages [aria-current]') <= 844, 'the entry of the page is out of sight');
            check(page.wrong.length === 0, page.wrong.join('; '));
            await page.close();
        }
        const wide = await open(root);
        check(!(await shown(wide, '.pages')) && !(await shown(wide, '.menu-open')), 'a hidden table of contents is shown');
        const middle = await wide.$eval('main', (e) => { const b = e.getBoundingClientRect(); return (b.left + b.right) / 2; });
        check(Math.abs(middle - 640) < 10, `without navigation and outline, the middle of the page is at ${middle}`);
    });

    await run.test('the keyboard reaches everything', async ({ open, check }) => {
        const page = await open(GUIDE);
        const focused = () => page.evaluate(() => { const e = document.activeElement; return e.className + ' ' + (e.id || e.getAttribute('href')); });
        await page.keyboard.press('Tab');
        check(await page.$eval('.skip', (e) => e === document.activeElement && e.getBoundingClientRect().left >= 0), 'the first stop is not a visible link to the content');
        const links = await page.$$eval('.pages a', (all) => all.filter((a) => a.checkVisibility({ visibilityProperty: true })).map((a) => a.getAttribute('href')));
        const reached = new Set();
        for (let presses = 0; presses < 80; presses++) {
            await page.keyboard.press('Tab');
            reached.add(await page.evaluate(() => document.activeElement.closest('.pages') && document.activeElement.getAttribute('href')));
            check((await page.$('.finder[open]')) === null, 'the search opens by itself');
        }
        check(links.length > 20 && links.every((href) => reached.has(href)), `80 presses of Tab do not reach ${links.filter((href) => !reached.has(href))}`);
        // And on, to the end of the page: nothing keeps the focus, and everything has it once.
        const start = () => page.evaluate(() => {
            const e = document.activeElement;
            e.reached = true;
            return e === document.body || e.matches('.skip');
        });
        await page.evaluate(() => document.activeElement.blur());
        await page.focus('.skip');
        for (let presses = 0; presses < 400 && (presses === 0 || !(await start())); presses++) await page.keyboard.press('Tab');
        const missed = await page.$$eval(':is(a[href], button, input, summary)', (all) => all
            .filter((e) => !e.disabled && e.tabIndex >= 0 && e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length && !e.reached && !e.matches('.skip, .finder *'))
            .map((e) => e.outerHTML.slice(0, 80)));
        check(await start() && missed.length === 0, `Tab does not reach ${missed.join()}`);

        await page.focus('.skip');
        await page.keyboard.press('Enter');
        await page.keyboard.press('Tab');
        check(await page.evaluate(() => document.activeElement.closest('main') !== null), `the first stop after the link to the content is ${await focused()}`);
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('the samples of an operation are beside its parameters', async ({ open, check }) => {
        const root = await longSite(run);
        for (const [path, outline] of [['operations', true], ['operation', false]]) {
            for (const width of [1280, 1440, 1600]) {
                const page = await open(root + path, { width });
                const box = (selector) => page.$eval(selector, (e) => { const { left, right, top, bottom } = e.getBoundingClientRect(); return { left, right, top, bottom }; });
                const samples = await box('.api-samples'), about = await box('.api-about');
                check(samples.left >= about.right && samples.top < about.bottom && about.right - about.left > 300 && samples.right - samples.left > 300,
                    `${path} at ${width}: the samples are at ${JSON.stringify(samples)}, the parameters at ${JSON.stringify(about)}`);
                check(samples.right <= width && (await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${path} is wider than ${width}`);
                check((await page.$('.outline')) !== null === outline, `the outline of ${path} is ${outline ? 'not there' : 'there'}`);
                if (outline) {
                    await page.$eval('.outline details', (e) => e.open || e.firstElementChild.click());
                    const list = await box('.outline ul'), main = await box('main');
                    check(list.bottom > list.top && (list.bottom <= main.top || list.left >= main.right), `${path} at ${width}: the outline covers the page`);
                }
                check(page.wrong.length === 0, page.wrong.join('; '));
                await page.close();
            }
        }
        const phone = await open(`${root}operations`, { width: 390, height: 844 });
        check((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, 'operations are wider than a phone');
    });

    await run.test('everything is there without a script', async ({ open, check }) => {
        const without = await open(RICH, { script: false });
        const all = await text(without, 'main > article');
        for (const word of ['Linux', 'Elsewhere']) check(all.includes(word), `without a script, ${word} is missing`);
        const panels = await without.$$eval('.tab, .step, .expandable, .hint', (list) => list.filter((e) => !e.checkVisibility()).length);
        check(panels === 0, `${panels} blocks are not shown without a script`);
        const phone = await open(GUIDE, { width: 375, height: 740, script: false });
        await phone.click('.menu-open');
        await phone.waitForFunction(() => document.querySelector('.pages').checkVisibility({ visibilityProperty: true })).catch(() => check(false, 'the menu does not open without a script'));
        const found = await open('/s/guide/~octavo/search?q=rollback', { script: false });
        check((await found.$$('.results a')).length > 0, 'the form finds nothing without a script');
    });

    await run.test('a text page is small, with its fonts', async ({ open, check }) => {
        let bytes = 0, fonts = 0;
        const pictures = new Set();
        await open(GUIDE, {
            waitUntil: 'networkidle0',
            before: async (page) => {
                const session = await page.createCDPSession();
                await session.send('Network.enable');
                session.on('Network.responseReceived', (e) => { if (e.type === 'Font') fonts++; if (e.type === 'Image') pictures.add(e.requestId); });
                session.on('Network.loadingFinished', (e) => { if (!pictures.has(e.requestId)) bytes += e.encodedDataLength; });
            },
        });
        check(fonts > 0, 'the page was read without its fonts');
        check(bytes > 0 && bytes < MOST_BYTES, `it is ${bytes} bytes`);
    });

    await run.test('a reviewer sees what changed', async ({ open, check }) => {
        const page = await open(await run.reviewed(), { script: false });
        check((await text(page, '.draft')).includes('Better words'), 'the banner does not name the change request');
        check((await page.$$eval('article ins', (all) => all.map((e) => e.textContent).join(' '))).includes('new'), 'what was added is not marked');
        check((await page.$$eval('article del', (all) => all.map((e) => e.textContent).join(' '))).includes('Gone soon'), 'what was removed is not marked');
        check((await page.$eval('.draft [role=switch]', (e) => e.getAttribute('aria-checked'))) === 'true', 'the switch is not on');
        check((await page.$$('.draft .sign-added')).length === 1, 'the added page is not listed');
        await page.click('.draft-note a');
        check(new URL(page.url()).hash.length > 1, 'there is no way to the first change');
        await Promise.all([page.waitForNavigation(), page.click('.draft [role=switch]')]);
        check((await page.$$('article :is(ins, del)')).length === 0, 'the changes cannot be hidden');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('a coloured header and an announcement', async ({ open, check }) => {
        const root = await boldSite(run);
        const page = await open(`${root}page-59`);
        check((await page.evaluate(() => scrollY)) === 0, 'the page is scrolled away from its announcement');
        check(await page.$eval('.pages [aria-current]', (e) => e.getBoundingClientRect().bottom <= innerHeight), 'the entry of the page is out of sight');
        const colour = (on, selector, of) => on.$eval(selector, (e, name) => getComputedStyle(e)[name], of);
        check((await colour(page, '.bar .button.primary', 'backgroundColor')) !== (await colour(page, '.bar', 'backgroundColor')), 'the button has the colour of the header');
        const tops = await page.$$eval('article .button', (all) => all.map((e) => e.getBoundingClientRect().top));
        check(tops.length === 2 && tops[0] === tops[1], `buttons in a line are at ${tops}`);
        check(await shown(page, '.announcement'), 'the announcement is not shown');
        await page.click('.announcement button');
        check(!(await shown(page, '.announcement')) && await page.evaluate(() => document.activeElement.matches('.name')), 'the announcement is not closed');
        await page.goto(`${run.base}${root}page-3`);
        check(!(await shown(page, '.announcement')), 'a closed announcement comes back');
        await page.evaluate(() => localStorage.setItem('octavo:closed', '"another"'));
        await page.reload();
        check(await shown(page, '.announcement'), 'who closed another announcement does not see this one');
        const phone = await open(root, { width: 375, height: 740 });
        check((await colour(phone, '.search .icon', 'color')) === (await colour(phone, '.bar .tool', 'color')), 'the sign of the search cannot be seen');
    });

    await run.test('an address without a site says so in the middle', async ({ open, check }) => {
        const page = await open('/s/no-such-site/');
        const middle = await page.$eval('main', (e) => { const b = e.getBoundingClientRect(); return (b.left + b.right) / 2; });
        check(Math.abs(middle - 640) < 10, `the middle of the message is at ${middle}`);
    });

    await run.test('an address without a page says so and helps', async ({ open, check }) => {
        const page = await open('/s/guide/no/such/page');
        check((await page.$('h1')) !== null && (await page.$('main a')) !== null, 'there is no way on');
    });
}

let bold;

/** Publishes a site with a coloured header, an announcement and more pages than fit, and returns its path. */
function boldSite(run) {
    return bold ??= makeBoldSite(run);
}

async function makeBoldSite(run) {
    const { items: [organization] } = await run.call('GET', '/orgs');
    const space = await run.call('POST', `/orgs/${organization.id}/spaces`, { title: 'Bold', editMode: 'live' });
    const markdown = '<a href="https://a.example" class="button primary" data-icon="rocket">One</a> <a href="https://b.example" class="button secondary">Two</a>\n';
    for (const from of [0, 30]) {
        await run.call('POST', `/spaces/${space.id}/content`, {
            changes: Array.from({ length: 30 }, (_, i) => ({ operation: 'insert_page', title: `Page ${from + i}`, slug: `page-${from + i}`, document: { markdown } })),
        });
    }
    const site = await run.call('POST', `/orgs/${organization.id}/sites`, { title: 'Bold', type: 'ultimate', visibility: 'public', spaces: [space.id] });
    const at = `/orgs/${organization.id}/sites/${site.id}`;
    const look = await run.call('GET', `${at}/customization`);
    const to = { kind: 'url', url: 'https://a.example' };
    look.styling.theme = 'bold';
    look.header.links = [{ title: 'Start', to, style: 'button-primary' }];
    look.announcement = { enabled: true, message: 'News', style: 'info', link: { title: 'Read', to } };
    await run.call('PUT', `${at}/customization`, look);
    const { urls } = await run.call('POST', `${at}/publish`, {});
    return new URL(urls.published).pathname.replace(/\/?$/, '/');
}

const TIDES = `openapi: 3.1.0
info: {title: Tides, version: '1'}
servers: [{url: https://api.acme.test/v1}]
paths:
  /harbours/{harbour}/tides:
    parameters: [{name: harbour, in: path, required: true, description: Id of the harbour., schema: {type: string}}]
    get:
      summary: List tides
      parameters: [{name: from, in: query, description: First day., schema: {type: string, format: date}}]
      responses: {'200': {description: The tides, content: {application/json: {schema: {type: array, items: {type: object, properties: {at: {type: string, format: date-time}}}}}}}}
    post:
      summary: Add a tide
      responses: {'201': {description: Added}}
`;

let long;

/** Publishes a site with 200 entries, a home page that hides its table of contents, and pages of operations. Returns its path. */
function longSite(run) {
    return long ??= makeLongSite(run);
}

async function makeLongSite(run) {
    const { items: [organization] } = await run.call('GET', '/orgs');
    await run.call('PUT', `/orgs/${organization.id}/openapi/tides`, { source: { text: TIDES } });
    for (let tries = 0; tries < 600 && (await run.call('GET', `/orgs/${organization.id}/openapi/tides`)).processingState !== 'complete'; tries++) {
        await new Promise((done) => setTimeout(done, 100));
    }
    const space = await run.call('POST', `/orgs/${organization.id}/spaces`, { title: 'Long', editMode: 'live', empty: true });
    const insert = (title, markdown) => ({ operation: 'insert_page', title, slug: title.toLowerCase().replaceAll(' ', '-'), document: { markdown } });
    const hide = (part) => `---\nlayout:\n  ${part}:\n    visible: false\n---\n\n`;
    const block = (method) => `{% openapi-operation spec="tides" path="/harbours/{harbour}/tides" method="${method}" %}\n[Tides](https://api.acme.test/)\n{% endopenapi-operation %}\n\n`;
    const pages = [
        insert('Home', `${hide('tableOfContents')}Welcome.\n`),
        insert('Long text', Array.from({ length: 180 }, (_, i) => `## Part ${i}\n\n${'Some words of a long text. '.repeat(20 + i % 7 * 5)}\n\n`).join('')),
        insert('Operations', block('get') + block('post')), insert('Operation', hide('outline') + block('get')),
        ...Array.from({ length: 200 }, (_, i) => insert(`Entry ${i + 1}`, 'Text.\n')),
    ];
    for (let from = 0; from < pages.length; from += 50) {
        await run.call('POST', `/spaces/${space.id}/content`, { changes: pages.slice(from, from + 50) });
    }
    const site = await run.call('POST', `/orgs/${organization.id}/sites`, { title: 'Long', type: 'ultimate', visibility: 'public', spaces: [space.id] });
    const { urls } = await run.call('POST', `/orgs/${organization.id}/sites/${site.id}/publish`, {});
    return new URL(urls.published).pathname.replace(/\/?$/, '/');
}
