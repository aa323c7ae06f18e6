// Follows every link of a site, or of a folder of pages: `node browser/crawl.mjs ADDRESS`, where
// an address begins with http: or file:. Every page, picture, style, script and font must be
// there. Without arguments it is a module; see export.mjs.

import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const AT_ONCE = 8;
const MOST = 20_000;

/** The addresses that a document refers to, as browsers find them. */
function* addresses(text, isStyle) {
    if (!isStyle) {
        const body = text.replace(/<script\b[^>]*>[^]*?<\/script>/g, (s) => s.slice(0, s.indexOf('>') + 1));
        for (const [tag, name] of body.matchAll(/<([a-z][\w-]*)\b[^>]*>/g)) {
            for (const [, key, value] of tag.matchAll(/\s(href|src|srcset|poster|action|data-diagrams)="([^"]*)"/g)) {
                if (name === 'link' && /rel="(canonical|alternate)"/.test(tag) && /^https?:/.test(value)) continue; // of another place
                if (/\smethod="post"/.test(tag) || /\/~octavo\/(mcp$|try\/)/.test(value)) continue; // what is posted to
                if (key !== 'srcset') yield [unescaped(value), name];
                else for (const part of value.split(',')) yield [unescaped(part.trim().split(/\s/)[0]), name];
            }
            const refresh = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(tag);
            if (refresh) yield [unescaped(refresh[1]), 'a'];
        }
    }
    for (const [, value] of text.matchAll(/url\("([^"]+)"\)/g)) yield [value, 'style'];
}

const unescaped = (text) => text.replace(/&(amp|lt|gt|quot|#34|#39|#43);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#34': '"', '#39': "'", '#43': '+' })[name]);

/** Reads an address: its status, and its text if it is one. */
async function read(url) {
    if (url.protocol === 'file:') {
        const text = await readFile(url).catch(() => null);
        if (text === null) return { status: 404 };
        return { status: 200, url, type: /\.html$/.test(url.pathname) ? 'text/html' : /\.css$/.test(url.pathname) ? 'text/css' : '', text: text.toString() };
    }
    const answer = await fetch(url, { headers: { 'User-Agent': 'octavo-crawl/1 (bot)' } });
    const type = answer.headers.get('content-type') ?? '';
    return { status: answer.status, url: new URL(answer.url), type, text: /html|css/.test(type) ? await answer.text() : (await answer.arrayBuffer(), '') };
}

/**
 * Follows all links below an address. Returns how many pages and other files there are, which
 * links lead nowhere, and which anchors are not on their page.
 */
export async function crawl(start) {
    const root = new URL('.', start), seen = new Map(), queue = [];
    const result = { pages: 0, files: 0, links: 0, unresolved: 0, wrong: [] };
    const wanted = []; // anchors, looked for at the end
    const visit = (url, from) => {
        const key = url.href.split('#')[0];
        if (url.hash.length > 1) wanted.push([key, url.hash.slice(1), from]);
        if (seen.has(key) || seen.size >= MOST) return;
        seen.set(key, null);
        queue.push([new URL(key), from]);
    };
    const work = async (url, from) => {
        const { status, url: at, type, text } = await read(url);
        if (status !== 200) {
            result.wrong.push(`${from} refers to ${url.href}: ${status}`);
            return;
        }
        const isPage = /html/.test(type);
        result[isPage ? 'pages' : 'files']++;
        if (!/html|css/.test(type)) return;
        if (isPage) {
            seen.set(url.href, new Set([...text.matchAll(/\sid="([^"]*)"/g)].map((m) => unescaped(m[1]))));
            result.unresolved += text.match(/<[a-z]+ class="broken"/g)?.length ?? 0;
        }
        for (const [value, name] of addresses(text, /css/.test(type))) {
            if (!value || /^(data|mailto|tel|javascript):/.test(value)) continue;
            const to = new URL(value, at);
            if (!to.href.startsWith(root.href)) {
                if (name !== 'a' && !/^https?:/.test(value)) result.wrong.push(`${url.href} refers to ${to.href}, which is not part of it`);
                continue;
            }
            result.links++;
            visit(to, url.href);
        }
    };
    visit(new URL(start), 'the beginning');
    const one = async () => {
        for (let next; (next = queue.shift());) await work(...next);
    };
    while (queue.length) await Promise.all(Array.from({ length: AT_ONCE }, one));
    for (const [key, anchor, from] of wanted) {
        const ids = seen.get(key);
        if (ids && !anchor.startsWith('~') && ![decodeURIComponent(anchor), decodeURIComponent(anchor).toLowerCase()].some((id) => ids.has(id))) result.wrong.push(`${from}: ${key}#${anchor} has no such anchor`);
    }
    return result;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
    const result = await crawl(process.argv[2]);
    for (const line of result.wrong) console.log(line);
    console.log(`crawl: ${result.pages} pages, ${result.files} files, ${result.links} links, ${result.unresolved} references that the pages say are broken, ${result.wrong.length} wrong`);
    process.exitCode = result.wrong.length === 0 ? 0 : 1;
}
