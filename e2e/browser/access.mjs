// Pages that everybody can use: axe-core finds nothing on them.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PAGES = [
    '/', '/login',
    '/s/guide/', '/s/guide/writing/pages', '/s/guide/getting-started/quick-start', '/s/guide/publishing/visitors', '/s/guide/working-with-content/git',
    '/s/guide/~octavo/search?q=import', '/s/guide/no-such-page', '/s/demo/', '/s/demo/concepts/retries', '/s/demo/reference/limits', '/s/demo/changelog/', '/s/demo/api/reference/jobs/createjob', '/s/demo/ar/quick-start',
];

/** Returns what axe-core finds wrong with a page. */
export async function axeOn(page, path) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    return violations.map((v) => `${path}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`);
}

export async function access(run) {
    const pages = [...PAGES, await run.reviewed()];
    for (const dark of [false, true]) {
        await run.test(`axe-core, ${dark ? 'dark' : 'light'}`, async ({ open, check }) => {
            const wrong = [];
            for (const path of pages) {
                // The policy of the page allows no script but its own; axe-core is ours.
                const page = await open(path, { dark, policy: false });
                if (dark) await page.evaluate(() => { document.documentElement.dataset.scheme = 'dark'; });
                wrong.push(...await axeOn(page, path));
                await page.close();
            }
            check(wrong.length === 0, `\n  ${wrong.join('\n  ')}`);
        });
    }
}
