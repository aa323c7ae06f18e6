// The same attacks through everything besides pages that people fill in and readers see.

import { harmless, payloads } from './attacks.mjs';

const MOST = 16; // payloads; all of them are in pages, see attacks.mjs

/** Payloads that fit into a title, the oddest ones first: those with the most kinds of characters. */
function short() {
    const kinds = (p) => new Set(p.replace(/[a-z0-9]/gi, '')).size;
    return [...new Set(payloads().map((p) => p.replace(/\s+/g, ' ').trim()))]
        .filter((p) => p.length > 4 && p.length <= 50)
        .sort((a, b) => kinds(b) - kinds(a) || (a < b ? -1 : 1))
        .slice(0, MOST);
}

const link = (p) => ({ title: p, to: { kind: 'url', url: 'https://example.com/' } });

/** The look of a site, with a payload wherever somebody can write. */
const look = (old, p) => ({
    ...old,
    title: p,
    announcement: { enabled: true, message: p, style: 'info', link: link(p) },
    header: { ...old.header, links: [{ ...link(p), style: 'button-primary', links: [] }, { title: p, to: null, style: 'link', links: [link(p)] }] },
    footer: { ...old.footer, copyright: p, groups: [{ title: p, links: [link(p)] }] },
    socialAccounts: [{ platform: 'github', handle: p, display: { header: true, footer: true } }],
});

export async function fields(run) {
    const call = run.call.bind(run);
    const { items: [organization] } = await call('GET', '/orgs');
    const space = await call('POST', `/orgs/${organization.id}/spaces`, { title: 'One', editMode: 'live' });
    const other = await call('POST', `/orgs/${organization.id}/spaces`, { title: 'Two', editMode: 'live' });
    const site = await call('POST', `/orgs/${organization.id}/sites`, { title: 'Fields', type: 'ultimate', visibility: 'public', spaces: [space.id] });
    const at = `/orgs/${organization.id}/sites/${site.id}`;
    const { urls } = await call('POST', `${at}/publish`, {});
    const section = await call('POST', `${at}/sections`, { spaceId: other.id, title: 'Two' });
    const root = new URL(urls.published).pathname.replace(/\/?$/, '/');
    const old = await call('GET', `${at}/customization`);
    const { id: request, number } = await call('POST', `/spaces/${space.id}/change-requests`, { subject: 'Fields' });
    await call('POST', `/spaces/${space.id}/change-requests/${request}/content`, { changes: [{ operation: 'insert_page', title: 'Added', document: { markdown: 'New.' } }] });

    const draft = new URL((await call('GET', `${at}/publishing/preview`)).url);
    draft.pathname += `~/changes/${number}/`;
    const marked = new URL(draft);
    marked.searchParams.set('diff', '');

    const list = short();
    for (const p of list) {
        await run.test(`fields with ${JSON.stringify(p)}`, async ({ open, check }) => {
            await call('PATCH', at, { title: p });
            await call('PATCH', `${at}/sections/${section.id}`, { title: p, description: p });
            await call('PATCH', `/spaces/${space.id}`, { title: p });
            await call('PATCH', `/spaces/${space.id}/change-requests/${request}`, { subject: p });
            await call('PUT', `${at}/customization`, look(old, p));
            const typed = encodeURIComponent(p);
            const pages = [root, `${root}~octavo/search?q=${typed}`, `${root}${typed}?x=${typed}`, String(draft), String(marked)];
            for (const path of pages) {
                const page = await open(path);
                check((await page.$('main')) !== null, `${path} is not shown`);
                await harmless(page, check);
                await page.close();
            }
        });
    }
    console.log(`browser: ${list.length} payloads in the fields of a site`);
}
