// The search of a site: the button, the dialog, and the page of results.

import { axeOn } from './access.mjs';

const FIELD = '.finder input[role=combobox]', BUTTON = '.search > button', OPEN = '.finder[open]';

const opened = async (page) => (await page.$(OPEN)) !== null;
const focused = (page, selector) => page.$eval(selector, (e) => e === document.activeElement);
const results = (query) => `.finder [role=listbox][data-query="${query}"] [role=option]`;

/** What the options of the finder say: titles, what they are part of, and what is marked in them. */
const options = (page) => page.$$eval('.finder [role=option]', (all) => all.map((o) => ({
    title: o.querySelector('strong').textContent, above: o.querySelector('small')?.textContent ?? '', href: new URL(o.href).pathname + new URL(o.href).hash,
    marks: [...o.querySelectorAll('mark')].map((m) => m.textContent), icon: o.querySelector('.icon, .emoji') !== null,
})));

/** Types a query, and waits for its answer. A site that was just published is not indexed yet. */
async function find(page, query) {
    for (let tries = 0; tries < 60; tries++) {
        await page.$eval(FIELD, (field) => { field.value = ''; });
        await page.type(FIELD, query);
        if (await page.waitForSelector(results(query), { timeout: 3000 }).catch(() => null)) return options(page);
        await page.reload();
        await page.keyboard.press('/');
    }
    throw new Error(`nothing is found for ${query}`);
}

let made;

/** Publishes a site with two sections. Returns its path. */
const searched = (run) => made ??= publish(run);

async function publish(run) {
    const { items: [organization] } = await run.call('GET', '/orgs');
    const insert = (title, markdown) => ({ operation: 'insert_page', title, slug: title.toLowerCase().replaceAll(' ', '-'), document: { markdown } });
    const space = async (title, pages) => {
        const made = await run.call('POST', `/orgs/${organization.id}/spaces`, { title, editMode: 'live', empty: true });
        await run.call('POST', `/spaces/${made.id}/content`, { changes: pages });
        return made.id;
    };
    const filler = 'One more line about nothing.\n\n'.repeat(60);
    const guide = await space('Guide', [
        insert('Overview', 'The begin of everything.\n'),
        insert('Rollback of a harbour', 'How a rollback of a harbour works, and what a rollback costs. Rollback, again.\n\n## Rollback by hand\n\nA rollback.\n'),
        insert('Operating', `${filler}## Tide tables\n\nThe zeppelin is moored in the container, not in an inner one.\n\n${filler}`),
    ]);
    const reference = await space('Reference', [insert('Start', 'Nothing.\n'), insert('Rollback', 'It is short.\n')]);
    const { pages } = await run.call('GET', `/spaces/${guide}/content`);
    await run.call('POST', `/spaces/${guide}/content`, { changes: [{ operation: 'update_page', page: pages.find((p) => p.slug === 'operating').id, icon: 'anchor' }] });
    const site = await run.call('POST', `/orgs/${organization.id}/sites`, { title: 'Searched', type: 'ultimate', visibility: 'public', spaces: [guide] });
    await run.call('POST', `/orgs/${organization.id}/sites/${site.id}/sections`, { spaceId: reference });
    const { urls } = await run.call('POST', `/orgs/${organization.id}/sites/${site.id}/publish`, {});
    return new URL(urls.published).pathname.replace(/\/?$/, '/');
}

export async function finder(run) {
    await run.test('the search opens when it is asked for, and gives the focus back', async ({ open, check }) => {
        const root = await searched(run), page = await open(root);
        for (let presses = 0; presses < 20 && !(await focused(page, BUTTON)); presses++) await page.keyboard.press('Tab');
        check(await focused(page, BUTTON), 'Tab does not reach the button');
        check(!(await opened(page)), 'Tab onto the button opens the search');
        check((await page.$eval(BUTTON, (b) => b.getAttribute('aria-haspopup'))) === 'dialog', 'the button does not say that it opens a dialog');
        await page.keyboard.press('Tab');
        check(!(await opened(page)) && !(await focused(page, BUTTON)), 'Tab does not leave the button');
        const ways = [[BUTTON, ['Enter']], [BUTTON, ['Space']], [BUTTON, ['Control', 'k']], ['.pages > ul a', ['/']], ['.pages > ul a', ['Control', 'k']]];
        for (const [from, keys] of ways) {
            await page.focus(from);
            for (const key of keys) await page.keyboard.down(key);
            for (const key of keys.toReversed()) await page.keyboard.up(key);
            check(await opened(page) && await focused(page, FIELD), `${keys.join('+')} on ${from} does not open the search`);
            await page.keyboard.type('ro');
            await page.keyboard.press('Escape');
            check(!(await opened(page)) && await focused(page, from), `after ${keys.join('+')} on ${from}, Escape does not give the focus back`);
        }
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press('/');
        await page.keyboard.press('Escape');
        check(await focused(page, BUTTON), 'nothing has the focus after a search that nothing had opened');
        await page.click(BUTTON);
        check(await opened(page), 'a click does not open the search');
        await page.mouse.click(5, 5);
        check(!(await opened(page)) && await focused(page, BUTTON), 'a click beside it does not close it');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('what is found: exact titles first, headings by their name, whole words', async ({ open, check }) => {
        const root = await searched(run), page = await open(root);
        await page.keyboard.press('/');
        const [exact, next] = await find(page, 'rollback');
        check(exact.title === 'Rollback' && exact.above.startsWith('Reference'), `the first result is ${JSON.stringify(exact)}`);
        check(next?.title === 'Rollback of a harbour' && next.icon, `the second result is ${JSON.stringify(next)}`);
        check((await page.$eval(FIELD, (f) => f.getAttribute('aria-expanded'))) === 'true', 'the field does not say that there are results');
        const active = () => page.$eval(FIELD, (f) => document.getElementById(f.getAttribute('aria-activedescendant'))?.querySelector('strong').textContent);
        check((await active()) === 'Rollback', `the first result is not chosen: ${await active()}`);
        await page.keyboard.press('ArrowDown');
        check((await active()) === next.title, 'the arrow does not choose the next one');
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('ArrowUp');
        check((await active()) === (await options(page)).at(-1).title, 'the arrow does not go around');
        await page.waitForFunction(() => /\d/.test(document.querySelector('.finder [role=status]').textContent)).catch(() => check(false, 'how many results there are is not said'));

        const [heading] = await find(page, 'in zeppelin');
        check(heading.title === 'Tide tables' && heading.above.endsWith('Operating') && heading.href.endsWith('/operating#tide-tables'), `the heading is ${JSON.stringify(heading)}`);
        check(heading.marks.every((m) => ['in', 'zeppelin'].includes(m)) && heading.marks.includes('zeppelin'), `marked is ${heading.marks}`);
        await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
        check(page.url().endsWith('/operating#tide-tables'), `Enter leads to ${page.url()}`);
        check(await page.$eval('#tide-tables', (h) => { const { top } = h.getBoundingClientRect(); return top >= 0 && top < innerHeight / 2; }), 'the heading is not where one lands');

        // On the page itself, the finder closes and the page moves.
        await page.evaluate(() => scrollTo(0, 0));
        await page.keyboard.press('/');
        const [again] = await page.waitForSelector('.finder [role=option]').then(() => options(page));
        check(again.title === 'Tide tables', `recently opened is ${JSON.stringify(again)}`);
        await find(page, 'zeppelin');
        await page.keyboard.press('Enter');
        check(!(await opened(page)), 'the finder covers the heading');
        check(await page.$eval('#tide-tables', (h) => h.getBoundingClientRect().top < innerHeight / 2), 'the page does not move to the heading');
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('pages are offered before anything is typed, and when nothing is found', async ({ open, check }) => {
        const root = await searched(run), page = await open(root);
        await page.keyboard.press('/');
        await page.waitForSelector('.finder [role=option]');
        const titles = (await options(page)).map((o) => o.title);
        check(titles.includes('Operating') && !titles.includes('Overview'), `suggested are ${titles}`);
        check((await page.$eval('.finder .group', (g) => g.textContent)) === 'Suggested pages', 'the list has no name');
        await page.keyboard.press('Enter');
        check(await opened(page), 'Enter without a choice leads somewhere');
        await page.keyboard.press('ArrowDown');
        await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
        const [first] = titles;
        check((await page.$eval('h1', (e) => e.textContent.trim())) === first, `it leads to ${page.url()}`);

        await page.keyboard.press('/');
        await page.type(FIELD, 'nosuchwordanywhere');
        await page.waitForSelector('.finder [role=listbox][data-query=nosuchwordanywhere]');
        const none = await page.$eval('.finder .none', (e) => e.textContent);
        check(none.includes('nosuchwordanywhere') && none.includes('spelling'), `it says ${none}`);
        check((await page.$eval('.finder .none', (e) => getComputedStyle(e).borderRadius)) === '0px', 'what is said looks like a label');
        check((await options(page)).length > 0, 'no pages are suggested');
        await page.waitForFunction(() => document.querySelector('.finder [role=status]').textContent.includes('nosuchword'));
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('a slow network: old answers never replace newer ones, and Enter waits', async ({ open, check }) => {
        const root = await searched(run), page = await open(root);
        await page.keyboard.press('/');
        await find(page, 'rollback');
        await page.reload();
        const held = [];
        await page.setRequestInterception(true);
        page.on('request', (r) => /q=(r|rol)$/.test(r.url()) ? held.push(r) : r.continue());
        const waits = async (query) => {
            for (;;) {
                const found = held.findLast((r) => r.url().endsWith(`q=${query}`));
                if (found) return found;
                await new Promise((done) => setTimeout(done, 20));
            }
        };
        await page.keyboard.press('/');
        await page.keyboard.type('r');
        const first = await waits('r');
        check((await page.$('.finder.busy')) !== null, 'nothing says that it works');
        await page.keyboard.type('ollback');
        await page.waitForSelector(results('rollback'));
        check((await page.$('.finder.busy')) === null, 'it says that it works without end');
        await first.respond({ status: 200, contentType: 'application/json', body: '{"hits":[{"title":["Old"],"href":"/"}]}' }).catch(() => {}); // given up
        await page.$eval(FIELD, (f) => { f.value = ''; });
        await page.keyboard.type('rol');
        const second = await waits('rol');
        await page.keyboard.press('Enter'); // before there is an answer
        check((await options(page)).every((o) => o.title !== 'Old'), 'an old answer is shown');
        await Promise.all([page.waitForNavigation(), second.respond({ status: 200, contentType: 'application/json', body: `{"hits":[{"title":["Rollback"],"href":"${root}reference/rollback"}]}` })]);
        check(page.url().endsWith('/rollback'), `Enter leads to ${page.url()}`);
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('without a network the search says so, and goes on with it', async ({ open, check }) => {
        const root = await searched(run), page = await open(root);
        await page.keyboard.press('/');
        await page.setOfflineMode(true);
        await page.keyboard.type('rollback');
        await page.waitForFunction(() => document.querySelector('.finder .none')?.textContent.includes('connection'));
        await page.setOfflineMode(false);
        await page.waitForSelector(results('rollback'));
        check(await page.$eval('.finder .none', (e) => e.hidden), 'it still says that there is no answer');
    });

    await run.test('an input method has its keys', async ({ open, check }) => {
        const root = await searched(run), page = await open(root);
        await page.keyboard.press('/');
        await find(page, 'rollback');
        const at = page.url();
        for (const key of ['Enter', 'Escape', 'ArrowDown']) {
            await page.$eval(FIELD, (f, key) => f.dispatchEvent(new KeyboardEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true })), key);
        }
        check(await opened(page) && page.url() === at, 'a key of an input method leads elsewhere');
        check((await page.$eval('.finder [aria-selected=true] strong', (e) => e.textContent)) === 'Rollback', 'a key of an input method chooses another result');
        // Some keyboards of phones compose every word.
        await page.$eval(FIELD, (f) => { f.value = 'zeppelin'; f.dispatchEvent(new InputEvent('input', { isComposing: true, bubbles: true })); });
        await page.waitForSelector(results('zeppelin'));
    });

    await run.test('search of one section', async ({ open, check }) => {
        const page = await open('/s/demo/');
        await page.keyboard.press('/');
        const found = await find(page, 'page');
        check(found.some((o) => o.above.startsWith('API')), `everywhere finds ${found.map((o) => o.above)}`);
        const [everywhere, one] = await page.$$eval('.finder .scopes button', (all) => all.map((b) => b.getAttribute('aria-pressed')));
        check(everywhere === 'true' && one === 'false', 'all sections are not searched first');
        await page.focus('.finder .scopes button:last-child');
        await page.keyboard.press('Enter');
        check(await opened(page), 'Enter on the choice of a section opens a result');
        await page.waitForFunction(() => ![...document.querySelectorAll('.finder [role=option] small')].some((e) => e.textContent.startsWith('API'))).catch(() => check(false, 'one section finds others'));
        const plain = await open('/s/demo/~octavo/search?q=page', { script: false });
        await Promise.all([plain.waitForNavigation(), plain.click('.scopes a:last-child')]);
        check(plain.url().endsWith('in=section') && (await plain.$$('.results a')).length > 0, `without a script, one section is at ${plain.url()}`);
        check(page.wrong.length === 0, page.wrong.join('; '));
    });

    await run.test('the search without a script', async ({ open, check }) => {
        const root = await searched(run), page = await open(root, { script: false });
        await Promise.all([page.waitForNavigation(), page.click(BUTTON)]);
        check((await page.$$('.results a')).length > 0, 'no pages are suggested');
        await page.type('.ask input[type=search]', 'zeppelin');
        await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
        check((await page.$eval('.results mark', (m) => m.textContent)) === 'zeppelin', 'what was searched for is not marked');
        check((await page.$eval('.ask input[type=search]', (f) => f.value)) === 'zeppelin', 'the field is empty');
        await Promise.all([page.waitForNavigation(), page.click('.results a')]);
        check(page.url().endsWith('/operating#tide-tables'), `the result leads to ${page.url()}`);
    });

    await run.test('the finder on a phone, and for a screen reader', async ({ open, check }) => {
        const root = await searched(run);
        for (const [width, height, dark] of [[390, 844, false], [1280, 800, true]]) {
            const page = await open(root, { width, height, dark, policy: false });
            await page.click(BUTTON);
            await page.waitForSelector('.finder [role=option]');
            const wrong = await axeOn(page, `suggestions at ${width}`);
            await find(page, 'rollback');
            const box = await page.$eval('.finder', (d) => { const { left, top, right, bottom } = d.getBoundingClientRect(); return { left, top, right, bottom }; });
            if (width === 390) check(box.left === 0 && box.top === 0 && box.right === 390 && Math.abs(box.bottom - height) < 1, `it does not fill the phone: ${JSON.stringify(box)}`);
            check(await page.$eval('.finder', (d) => d.scrollWidth <= d.clientWidth), 'it is wider than the screen');
            wrong.push(...await axeOn(page, `results at ${width}`));
            check(wrong.length === 0, wrong.join('; '));
            await page.click('.finder .closer');
            check(!(await opened(page)), 'the button does not close it');
            await page.close();
        }
    });
}
