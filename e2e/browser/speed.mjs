// How long a reader waits on a slow phone, printed; and what must stay small whatever the
// machine: the bytes of a text page, and how much a page moves while it loads.

const GUIDE = '/s/guide/', RICH = '/s/guide/writing/pages';

/** A slow network and processor, as Lighthouse has them for phones. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
const CPU_SLOWDOWN = 4;

export const MOST_BYTES = 110_000; // of a text page with its fonts, without pictures
const MOST_SHIFT = 0.1;

const DRAWN = ['Text before.', '', '$$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$', '', '```mermaid', 'graph LR', '  A[Write] --> B[Merge] --> C[Read]', '```', '', 'Text behind.', ''].join('\n');

/** A page of about 5,500 elements: parts with text, lists, code, tables, tabs and hints. */
const LONG = Array.from({ length: 62 }, (_, i) => [
    `## Part ${i + 1}`, '', `The part with number ${i + 1} says something in a *sentence* with \`code\` and a [link](https://example.com/${i}), and then something else, so that the paragraph has a second line.`, '',
    ...Array.from({ length: 5 }, (_, j) => `* Point ${j + 1} of the list, with **bold** words`), '',
    '```js', `const value = ${i};`, 'for (const item of list) {', '  console.log(`item ${item}`, value + 1);', '}', '```', '',
    '| Name | Type | Meaning |', '| --- | --- | --- |', ...Array.from({ length: 3 }, (_, j) => `| \`field${j}\` | string | What it means |`), '',
    ...(i % 4 ? [] : ['{% tabs %}', '{% tab title="One" %}', 'First.', '{% endtab %}', '{% tab title="Two" %}', 'Second.', '{% endtab %}', '{% endtabs %}', '']),
    ...(i % 3 ? [] : ['{% hint style="warning" %}', 'Take care of this.', '{% endhint %}', '']),
].join('\n')).join('\n');

/** Collects what the browser measures, before anything of the page runs. */
function observe() {
    window.measured = { lcp: 0, cls: 0, tbt: 0 };
    const on = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
    on('largest-contentful-paint', (e) => { window.measured.lcp = e.startTime; });
    on('layout-shift', (e) => { if (!e.hadRecentInput) window.measured.cls += e.value; });
    on('longtask', (e) => { window.measured.tbt += Math.max(0, e.duration - 50); });
}

export async function speed(run) {
    const pages = { home: GUIDE, 'rich page': RICH, 'formula and diagram': await published(run, 'Drawn', DRAWN), 'long page': await published(run, 'Long', LONG) };
    const rows = [];
    for (const [name, path] of Object.entries(pages)) {
        await run.test(`the ${name} is fast`, async ({ open, check }) => {
            const sent = [];
            const page = await open(path, {
                width: 412, height: 823, waitUntil: 'networkidle0',
                before: async (page) => {
                    const session = await page.createCDPSession();
                    const types = new Map();
                    await session.send('Network.enable');
                    session.on('Network.responseReceived', (e) => types.set(e.requestId, { type: e.type, url: e.response.url }));
                    session.on('Network.loadingFinished', (e) => sent.push({ ...types.get(e.requestId), bytes: e.encodedDataLength }));
                    await session.send('Network.emulateNetworkConditions', NETWORK);
                    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
                    await page.evaluateOnNewDocument(observe);
                },
            });
            const { lcp, cls, tbt } = await page.evaluate(() => window.measured), nodes = await page.evaluate(() => document.querySelectorAll('*').length);
            const bytes = sent.reduce((sum, r) => sum + r.bytes, 0);
            const of = (type) => sent.filter((r) => r.type === type).reduce((sum, r) => sum + r.bytes, 0);
            rows.push({
                page: name, nodes, 'LCP ms': Math.round(lcp), CLS: +cls.toFixed(3), 'TBT ms': Math.round(tbt), requests: sent.length,
                'sent KB': kb(bytes), document: kb(of('Document')), style: kb(of('Stylesheet')), script: kb(of('Script')), fonts: kb(of('Font')),
            });
            check(page.wrong.length === 0, page.wrong.join('\n'));
            check(cls < MOST_SHIFT, `the page moves while it loads: ${cls}`);
            if (name === 'home') {
                check(bytes - of('Image') < MOST_BYTES, `a text page is ${bytes} bytes:\n${sent.map((r) => `${r.bytes} ${r.url}`).join('\n')}`);
                check(of('Font') > 0, 'the page was measured without its fonts');
            }
        });
    }
    console.table(rows);
}

const kb = (bytes) => +(bytes / 1000).toFixed(1);

/** Publishes a page, and returns its path. */
async function published(run, title, markdown) {
    const { items: [organization] } = await run.call('GET', '/orgs');
    const space = await run.call('POST', `/orgs/${organization.id}/spaces`, { title, editMode: 'live' });
    await run.call('POST', `/spaces/${space.id}/content`, { changes: [{ operation: 'insert_page', title, slug: 'measured', document: { markdown } }] });
    const site = await run.call('POST', `/orgs/${organization.id}/sites`, { title, type: 'ultimate', visibility: 'public', spaces: [space.id] });
    const { urls } = await run.call('POST', `/orgs/${organization.id}/sites/${site.id}/publish`, {});
    return new URL('measured', urls.published.replace(/\/?$/, '/')).pathname;
}
