// What somebody wrote to harm readers: nothing of it runs, and nothing leaves the site.

import { readFileSync } from 'node:fs';

const FILES = ['html', 'svg', 'attributes', 'schemes', 'katex', 'mermaid'];

/** The payloads that the tests of the renderer have, see internal/markup/testdata/attacks. */
export function payloads() {
    return FILES.flatMap((name) =>
        readFileSync(new URL(`../../internal/markup/testdata/attacks/${name}.txt`, import.meta.url), 'utf8')
            .split('\n')
            .filter((line) => line !== '' && !line.startsWith('//'))
            .map((line) => (line.startsWith('"') && line.endsWith('"') && line.length > 2 ? unquoted(line) : line))
            .filter((payload) => !payload.includes('\0')), // which the API refuses
    );
}

function unquoted(line) {
    try {
        return JSON.parse(line.replace(/\\x([0-9a-f]{2})/gi, '\\u00$1'));
    } catch {
        return line;
    }
}

/** Every place of a page that an author fills, with a payload in it. */
const page = (p) => {
    const line = p.replace(/\n/g, ' ');
    return [
        '---', `description: ${JSON.stringify(line)}`, `icon: ${JSON.stringify(line.slice(0, 40))}`, `cover: ${JSON.stringify(line)}`, '---', '',
        p, '', `## ${line}`, '', `[link](<${line.replace(/[<>]/g, '')}>) ![image](<${line.replace(/[<>]/g, '')}>)`, '', `\`${line}\``, '',
        '```' + line.replace(/`/g, ''), p, '```', '', '```mermaid', p, '```', '', `$$${line}$$`, '',
        `{% hint style="${line.replace(/["%]/g, '')}" icon="${line.replace(/["%]/g, '')}" %}`, p, '{% endhint %}', '',
        `{% tabs %}`, `{% tab title="${line.replace(/"/g, '&quot;')}" %}`, p, '{% endtab %}', '{% endtabs %}', '',
        `{% embed url="${line.replace(/"/g, '&quot;')}" %}`, '', `{% code title="${line.replace(/"/g, '&quot;')}" %}`, '```js', p, '```', '{% endcode %}', '',
        `| ${line.replace(/\|/g, '\\|')} |`, '| --- |', `| ${line.replace(/\|/g, '\\|')} |`, '',
        `<figure><img src="${line.replace(/"/g, '&quot;')}" alt="${line.replace(/"/g, '&quot;')}"><figcaption><p>${line}</p></figcaption></figure>`, '',
        `<details><summary>${line}</summary>`, '', p, '', '</details>', '', `word[^1]`, '', `[^1]: ${line}`, '',
    ].join('\n');
};

const PER_PAGE = 6; // payloads of one page

/** Asks that nothing of a page runs, and that nothing leaves the host. */
export async function harmless(p, check) {
    const links = await p.$$eval('a[href], img[src], source[srcset], form[action]', (list) =>
        list.map((e) => e.getAttribute('href') ?? e.getAttribute('src') ?? e.getAttribute('srcset') ?? e.getAttribute('action')));
    check(links.every((l) => !/^\s*(javascript|vbscript|data:text)/i.test(l)), `an address that runs: ${links.filter((l) => /script|data:/i.test(l)).join(' ')}`);
    // Images of other hosts are what an author may show; everything else stays on the host.
    const wrong = p.wrong.filter((w) => !/Failed to load resource|ERR_/.test(w) && !/^(image|media): http/.test(w));
    check(wrong.length === 0, wrong.join('; '));
}

export async function attacks(run) {
    const call = run.call.bind(run);
    const { items: [organization] } = await call('GET', '/orgs');
    const space = await call('POST', `/orgs/${organization.id}/spaces`, { title: '"><img src=x onerror=alert(1)>', editMode: 'live' });
    const all = payloads();
    const pages = [];
    for (let i = 0; i < all.length; i += PER_PAGE) pages.push(all.slice(i, i + PER_PAGE));
    for (let i = 0; i < pages.length; i += 10) {
        await call('POST', `/spaces/${space.id}/content`, {
            changes: pages.slice(i, i + 10).map((list, n) => ({
                operation: 'insert_page', title: `${i + n} ${list[0].replace(/\s+/g, ' ').slice(0, 100)}`, slug: `attack-${i + n}`, document: { markdown: list.map(page).join('\n\n') },
            })),
        });
    }
    const site = await call('POST', `/orgs/${organization.id}/sites`, { title: '<script>alert(1)</script>', type: 'ultimate', visibility: 'public', spaces: [space.id] });
    const { urls } = await call('POST', `/orgs/${organization.id}/sites/${site.id}/publish`, {});
    const root = new URL(urls.published).pathname.replace(/\/?$/, '/');

    for (let i = 0; i < pages.length; i++) {
        await run.test(`payloads of page ${i}: ${JSON.stringify(pages[i][0]).slice(0, 60)}`, async ({ open, check }) => {
            const p = await open(`${root}attack-${i}`);
            check((await p.$('main')) !== null, 'the page is not shown');
            await p.evaluate(() => {
                for (const e of document.querySelectorAll('main *')) {
                    for (const name of ['click', 'mouseover', 'focus', 'toggle']) if (!(name === 'click' && e.closest('a, button, summary, img'))) e.dispatchEvent(new Event(name));
                }
            });
            await harmless(p, check);
        });
    }
    console.log(`browser: ${all.length} payloads on ${pages.length} pages`);
}
