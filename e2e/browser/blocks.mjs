// Blocks as a reader meets them: tables, tabs, formulas, diagrams and code.

const PHONE = { width: 390, height: 844 };

const TABLE = ['| Name | Type | Default | What it does |', '| - | - | - | - |',
    ...['organizationId', 'string', 'visibility'].map((name) => `| \`${name}\` | \`string\` | \`sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\` | One of the things that readers look for in a table of parameters. |`)].join('\n');
const TABS = ['{% tabs %}', ...Array.from({ length: 16 }, (_, i) => `{% tab title="Language ${i + 1}" %}\nText ${i + 1}.\n{% endtab %}`), '{% endtabs %}'].join('\n');
const MATRIX = '$$A = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\\\ 5 & 6 \\end{pmatrix}$$', FRACTION = '$$\\left(\\frac{1}{2}\\right)$$';
const LONG_SUM = `$$${Array.from({ length: 24 }, (_, i) => `x_{${i}}^2`).join(' + ')} = \\mathbb{R}$$`;
const GANTT = '```mermaid\ngantt\n  dateFormat YYYY-MM-DD\n  section One\n  Draft :a, 2026-01-01, 10d\n  Review :after a, 5d\n```';
const FLOW = '```mermaid\ngraph LR\n  A[Write] --> B[Merge] --> C[Read]\n```', BROKEN = '```mermaid\ngraph TD\n  A --\n```';
const SHELL = '```bash\n$ npm install --save-dev "octavo" # all\nadded 3 packages\n$ octavo serve\n```';
const LONG_LINE = `\`\`\`js\nconst words = "${'word '.repeat(60)}";\nconst b = 2;\n\`\`\``;
const DIFF = '```diff\n- removed // gone\n+ added\n```';

const shown = (page, selector) => page.$eval(selector, (e) => e.checkVisibility({ visibilityProperty: true }));
const wider = (page, width) => page.evaluate((w) => document.documentElement.scrollWidth - w, width);

export async function blocks(run) {
    const root = await publish(run);

    await run.test('tables keep words whole and their first column in sight', async ({ open, check }) => {
        const page = await open(`${root}tables`, PHONE);
        const lines = await page.$$eval('.table code', (all) => all.filter((e) => e.textContent.length < 20).map((e) => e.getClientRects().length));
        check(lines.length > 5 && lines.every((n) => n === 1), `short code has ${lines} lines`);
        check(await wider(page, 390) <= 0, 'the page is wider than the phone');
        const first = () => page.$eval('.table td', (e) => e.getBoundingClientRect().left);
        const before = await first();
        const moved = await page.$eval('.table', (e) => { e.scrollLeft = 200; return e.scrollLeft; });
        check(moved > 100, `the table is scrolled by ${moved}`);
        check(Math.abs(await first() - before) < 2, 'the first column is scrolled away');
        check((await page.$eval('.table', (e) => getComputedStyle(e).backgroundImage)).includes('gradient'), 'nothing tells that there is more');
        const desktop = await open(`${root}tables`);
        check((await desktop.$eval('.pinned td', (e) => getComputedStyle(e).position)) === 'static', 'the first column covers others where there is room');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('a long row of tabs goes on and shows the one that is chosen', async ({ open, check }) => {
        const page = await open(`${root}tables`, PHONE);
        const inside = () => page.$eval('.tablist', (list) => {
            const row = list.getBoundingClientRect(), tab = list.querySelector('[aria-selected=true]').getBoundingClientRect();
            return list.scrollWidth > list.clientWidth && tab.left >= row.left && tab.right <= row.right;
        });
        await page.focus('.tablist [aria-selected=true]');
        const at = await page.evaluate(() => scrollY);
        await page.keyboard.press('End');
        check((await page.$eval('.tablist [aria-selected=true]', (e) => e.textContent)) === 'Language 16' && await inside(), 'the last tab is chosen out of sight');
        check((await page.evaluate(() => scrollY)) === at, 'the page is scrolled');
        await page.reload();
        check((await page.$eval('.tablist [aria-selected=true]', (e) => e.textContent)) === 'Language 16' && await inside(), 'the tab that was chosen before is out of sight');
    });

    await run.test('formulas have their font, and stay inside of a phone', async ({ open, check }) => {
        const fonts = [];
        const page = await open(`${root}formulas`, { ...PHONE, before: async (page) => page.on('response', (r) => r.url().includes('stix') && fonts.push(r.url())) });
        await page.evaluate(() => document.fonts.ready);
        check(fonts.length > 0, 'the font is not loaded');
        const high = (of) => page.$eval(of, (e) => e.getBoundingClientRect().height);
        const fence = await high('.math:nth-of-type(1) mo[fence]'), matrix = await high('.math:nth-of-type(1) mtable');
        check(fence > matrix * 0.9, `a fence of ${fence} is around a matrix of ${matrix}`);
        check(await wider(page, 390) <= 0, 'the page is wider than the phone');
        const scrolled = await page.$$eval('.math', (all) => all.map((e) => [e.scrollWidth > e.clientWidth, e.tabIndex]));
        check(scrolled.some(([wide]) => wide) && scrolled.every(([wide, tab]) => wide === (tab === 0)), `formulas are scrolled by ${JSON.stringify(scrolled)}`);
        check(await page.$$eval('.math', (all) => all.at(-1).textContent.includes('ℝ')), 'a double-struck letter is an ordinary one');
        fonts.length = 0;
        await open(`${root}tables`, { before: async (other) => other.on('response', (r) => r.url().includes('stix') && fonts.push(r.url())) });
        check(fonts.length === 0, 'a page without formulas loads the font');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('diagrams are drawn in their width, and a broken one is shown with its problem', async ({ open, check }) => {
        const page = await open(`${root}diagrams`);
        await page.waitForFunction(() => document.querySelectorAll('.diagram.drawn img').length === 2).catch(() => check(false, 'diagrams are not drawn'));
        const widths = await page.$$eval('.diagram img', (all) => Promise.all(all.map((i) => i.decode().then(() => i.naturalWidth))));
        check(widths[1] > 400, `the pictures are ${widths} wide`);
        const gantt = decodeURIComponent(await page.$$eval('.diagram img', (all) => all[1].src));
        check((gantt.match(/class="task /g) ?? []).length === 2 && gantt.includes('font-family:octavo-text'), `the chart is ${gantt.slice(0, 300)}`);
        await page.waitForSelector('.diagram-problem').catch(() => check(false, 'the problem of a diagram is not told'));
        check((await page.$eval('.diagram-problem', (e) => e.textContent)).includes('line') && await shown(page, '.diagram:not(.drawn) code'), 'the source of a broken diagram is not shown');
        await page.focus('.diagram img');
        await page.keyboard.press('Enter');
        check(await page.$eval('dialog.zoom img', (e) => e.getBoundingClientRect().width) > widths[0], 'the picture is not enlarged');
        await page.keyboard.press('Escape');
        await page.waitForFunction(() => !document.querySelector('dialog.zoom'));
        check(await page.evaluate(() => document.activeElement.matches('.diagram img')), 'the focus does not come back');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('a page with diagrams and formulas is loaded once', async ({ open, check }) => {
        let sent = [];
        const count = async (page) => {
            sent = [];
            const session = await page.createCDPSession(), addresses = new Map();
            await session.send('Network.enable');
            session.on('Network.requestWillBeSent', (e) => addresses.set(e.requestId, e.request.url));
            session.on('Network.loadingFinished', (e) => sent.push({ at: addresses.get(e.requestId), bytes: e.encodedDataLength }));
        };
        const keeps = (count) => new Promise((done) => {
            const look = () => { indexedDB.open('octavo-diagrams').onsuccess = ({ target: { result } }) => {
                result.transaction('uses').objectStore('uses').count().onsuccess = (e) => { result.close(); if (e.target.result >= count) done(); else setTimeout(look, 100); };
            }; };
            look();
        });
        const drawn = (page) => page.waitForFunction(() => document.querySelectorAll('.diagram.drawn img').length === 2 && document.querySelector('.diagram-problem')).catch(() => check(false, 'diagrams are not drawn'));
        const first = await open(`${root}diagrams`, { before: count });
        await drawn(first);
        await first.evaluate(keeps, 3);
        await first.close();
        const second = await open(`${root}diagrams`, { before: count });
        await drawn(second);
        const bytes = sent.reduce((sum, r) => sum + r.bytes, 0);
        console.log(`browser: the second visit of a page with diagrams and formulas is ${bytes} bytes`);
        check(second.frames().length === 1, 'the second visit draws again');
        check(bytes > 0 && bytes < 6000, `the second visit is ${JSON.stringify(sent.filter((r) => r.bytes))}`);
        // Another diagram is drawn by the library that the browser has.
        const other = await open(`${root}other-diagram`, { before: count });
        await other.waitForSelector('.diagram.drawn img');
        const library = sent.filter((r) => r.at?.includes('/mermaid-'));
        check(library.every((r) => r.bytes === 0), `another diagram loads ${JSON.stringify(library)}`);
        await other.evaluate(() => { document.documentElement.dataset.shown = 'dark'; document.documentElement.dataset.scheme = 'dark'; });
        const light = await other.$eval('.diagram img', (e) => e.src);
        await other.waitForFunction((before) => document.querySelector('.diagram img')?.src !== before, {}, light);
        check(second.wrong.length + other.wrong.length === 0, [...second.wrong, ...other.wrong].join('; '));
    });

    await run.test('code is coloured, wrapped, and copied as it is typed', async ({ open, check }) => {
        const page = await open(`${root}code`);
        const parts = await page.$$eval('[data-language=bash] :is(.gp, .nf, .no, .s2, .go)', (all) => all.map((e) => `${e.className} ${e.textContent.trim()}`));
        check(['gp $', 'nf npm', 'no --save-dev', 's2 "octavo"', 'go added 3 packages'].every((p) => parts.includes(p)), `the parts are ${parts}`);
        await page.hover('[data-language=bash]');
        await page.click('[data-language=bash] .copy');
        await page.waitForSelector('.copy.done');
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        check(copied === 'npm install --save-dev "octavo" # all\noctavo serve', `what was copied is ${JSON.stringify(copied)}`);
        const wrap = '[data-language=js] [aria-pressed]', fits = () => page.$eval('[data-language=js] pre', (e) => e.scrollWidth <= e.clientWidth);
        check(!(await fits()) && await page.$eval(wrap, (e) => !e.hidden) && await page.$eval('[data-language=bash] [aria-pressed]', (e) => e.hidden), 'the switch is not where a line is long');
        await page.focus(wrap);
        await page.keyboard.press('Enter');
        check(await fits() && (await page.$eval(wrap, (e) => e.ariaPressed)) === 'true', 'lines are not wrapped');
        await page.keyboard.press('Enter');
        check(!(await fits()), 'lines stay wrapped');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('on a touch screen, buttons are beside the code', async ({ open, check }) => {
        const page = await open(`${root}code`, { ...PHONE, before: (page) => page.setViewport({ ...PHONE, hasTouch: true, isMobile: true }) });
        const apart = await page.$$eval('.code', (all) => all.map((box) => {
            const code = box.querySelector('pre').getBoundingClientRect(), tools = box.querySelector('.code-tools').getBoundingClientRect();
            return tools.width > 20 && (tools.left >= code.right - 1 || tools.bottom <= code.top + 1);
        }));
        check(apart.length === 4 && apart.every(Boolean), `the buttons are apart from the code: ${apart}`);
        check(await wider(page, 390) <= 0, 'the page is wider than the phone');
    });
}

/** Publishes a site with blocks, and returns its path. */
async function publish(run) {
    const { items: [organization] } = await run.call('GET', '/orgs');
    const space = await run.call('POST', `/orgs/${organization.id}/spaces`, { title: 'Blocks', editMode: 'live', empty: true });
    const pages = {
        Tables: [TABLE, TABS], Formulas: [MATRIX, FRACTION, `Inline $$${LONG_SUM.slice(2, -2)}$$ in a line.`, LONG_SUM],
        Diagrams: [FLOW, GANTT, BROKEN, MATRIX], 'Other diagram': [FLOW.replace('Merge', 'Change')],
        Code: [SHELL, LONG_LINE, DIFF, `{% code title="main.go" %}\n\`\`\`go\npackage main\n\`\`\`\n{% endcode %}`],
    };
    await run.call('POST', `/spaces/${space.id}/content`, {
        changes: Object.entries(pages).map(([title, parts]) => ({ operation: 'insert_page', title, slug: title.toLowerCase().replaceAll(' ', '-'), document: { markdown: `${parts.join('\n\n')}\n` } })),
    });
    const site = await run.call('POST', `/orgs/${organization.id}/sites`, { title: 'Blocks', type: 'ultimate', visibility: 'public', spaces: [space.id] });
    const { urls } = await run.call('POST', `/orgs/${organization.id}/sites/${site.id}/publish`, {});
    return new URL(urls.published).pathname.replace(/\/?$/, '/');
}
