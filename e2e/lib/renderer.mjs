// The read path of a site renderer: from the address that a visitor asks for to content, with the
// newer client that such a renderer uses and the tokens that addresses give.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

import { answered } from './expect.mjs';

// How many segments of a path a renderer asks for at most.
const SEGMENTS = 4;

// A renderer refuses a token that ends sooner.
const TOKEN_LASTS = 120;

/** Signs a token that authenticates a visitor, as the backend of the site's owner does. */
export function visitorToken(key, claims = {}) {
    const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const now = Math.floor(Date.now() / 1000);
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iat: now, exp: now + 600, ...claims })}`;
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** The prefixes of an address that a renderer asks for, the shortest first: { url, tail }. */
export function prefixes(address) {
    const { origin, pathname } = new URL(address);
    const segments = pathname.split('/').filter(Boolean);
    const count = Math.min(segments.length, SEGMENTS);
    return Array.from({ length: count + 1 }, (_, length) => ({
        url: `${origin}/${segments.slice(0, length).join('/')}`,
        tail: segments.slice(length).join('/'),
    }));
}

/**
 * Resolves every prefix of an address and checks that all answers that a renderer may take describe
 * the same content. Returns the answer for the longest prefix, with the tail that was not asked for
 * appended to its path, as asked the address that it is for, and as shorter what the others gave.
 *
 * @param renderer an Actor with the renderer's client and no token
 * @param visitor what the renderer knows of the visitor
 */
export async function arrive(renderer, address, visitor) {
    const body = (url) => ({ url, redirectOnError: false, visitor: { type: 'human', unsignedClaims: {}, ...visitor } });
    const answers = [];
    for (const { url, tail } of prefixes(address)) {
        const { status, body: answer } = await renderer.request('POST', '/urls/published', body(url));
        answers.push({ url, tail, status, answer });
    }
    const primary = answers.at(-1);
    assert.equal(primary.status, 200, `${primary.url} must resolve`);
    assert.equal(primary.answer.redirect, undefined, `${primary.url} is redirected to ${primary.answer.redirect}`);
    const content = whole(primary);
    for (const other of answers.filter(({ status, answer }) => status === 200 && answer.complete)) {
        assert.deepEqual(whole(other), content, `${other.url} and ${primary.url}`);
    }
    checkToken(primary.answer.apiToken);
    return { ...primary.answer, ...content, asked: primary.url, shorter: answers.slice(0, -1) };
}

// What a renderer makes of an answer: the same for all prefixes.
function whole({ answer, tail }) {
    const { organization, site, siteSection, siteSpace, space, basePath, siteBasePath, shareKey, pathname, canonicalUrl } = answer;
    for (const [name, value] of Object.entries({ organization, site, siteSpace, space, canonicalUrl })) {
        assert.ok(value, `${name} is required`);
    }
    for (const path of [basePath, siteBasePath]) {
        assert.match(path, /^\/(.*\/)?$/, 'a base path begins and ends with a slash');
    }
    return {
        organization, site, siteSection, siteSpace, space, basePath, siteBasePath, shareKey,
        pathname: join(pathname, tail), canonicalUrl: join(canonicalUrl, tail),
    };
}

function join(path, tail) {
    return [path.replace(/\/$/, ''), tail].filter(Boolean).join('/').replace(/^\//, '');
}

// A renderer decodes the token and looks when it ends.
function checkToken(token) {
    const [, payload, ...rest] = token.split('.');
    assert.equal(rest.length, 1, 'the token has three parts');
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url'));
    assert.ok(exp - Date.now() / 1000 > TOKEN_LASTS, 'the token lasts');
}

/**
 * Reads what the home page of a site and all its other pages need, of the newest revision or of the
 * one that the content names. Returns { published, space, revision, documents }, the documents by the
 * id of their page.
 */
export async function readAll(renderer, content) {
    const reader = renderer.withToken(content.apiToken);
    const { orgs, spaces } = reader.api;
    const { shareKey } = content;
    const published = await answered(orgs.getPublishedContentSite(content.organization, content.site, { shareKey }), 200);
    const space = await answered(spaces.getSpaceById(content.space, { shareKey }), 200);
    const revision = await answered(spaces.getRevisionById(space.id, content.revision ?? space.revision, { metadata: true }), 200);
    const documents = {};
    for (const page of documentPages(revision.pages)) {
        const query = { evaluated: 'deterministic-only', dereferenced: 'reusable-contents' };
        documents[page.id] = await answered(spaces.getPageDocumentInRevisionById(space.id, revision.id, page.id, query), 200);
        const links = await answered(spaces.listRevisionPageMetaLinks(space.id, revision.id, page.id), 200);
        assert.deepEqual(nulls(links), [], 'meta-links have null');
        const byPath = await answered(spaces.getPageInRevisionByPath(space.id, revision.id, encodeURIComponent(page.path)), 200);
        assert.equal(byPath.id, page.id);
        const format = { format: 'markdown', 'format.markdown.refs': 'stable' };
        const { markdown } = await answered(spaces.getPageInRevisionById(space.id, revision.id, page.id, format), 200);
        assert.equal(typeof markdown, 'string');
    }
    return { reader, published, space, revision, documents };
}

/** The pages with a document, groups entered and links left out. */
export function documentPages(pages) {
    return pages.flatMap((page) => [...(page.type === 'document' ? [page] : []), ...documentPages(page.pages ?? [])]);
}

/** Every place of an answer that is null, as paths; but for levels, of which null is one. */
export function nulls(value, path = '') {
    if (value === null) {
        return path.endsWith('/defaultLevel') ? [] : [path];
    }
    if (typeof value !== 'object') {
        return [];
    }
    return Object.entries(value).flatMap(([key, inner]) => nulls(inner, `${path}/${key}`));
}

// What a renderer fails without, by the thing that has it.
const NEEDED = {
    site: { id: 'string', title: 'string', visibility: 'string', urls: 'object' },
    siteSpace: { object: 'string', id: 'string', space: 'object', title: 'string', default: 'boolean', path: 'string', urls: 'object' },
    section: { object: 'string', id: 'string', title: 'string', path: 'string', default: 'boolean', siteSpaces: 'array', urls: 'object' },
    group: { object: 'string', id: 'string', title: 'string', children: 'array' },
    space: { id: 'string', revision: 'string', organization: 'string', title: 'string', urls: 'object' },
    revision: { id: 'string', createdAt: 'string', urls: 'object', files: 'array', reusableContents: 'array', tags: 'array', pages: 'array' },
    externalLink: { id: 'string', title: 'string', url: 'string', draft: 'boolean' },
    file: { id: 'string', name: 'string', contentType: 'string', downloadURL: 'string', size: 'number' },
    document: { id: 'string', type: 'string', title: 'string', path: 'string', pages: 'array', layout: 'object', tags: 'array' },
    groupPage: { id: 'string', type: 'string', title: 'string', path: 'string', pages: 'array' },
    link: { id: 'string', type: 'string', title: 'string', target: 'object' },
    layout: {
        title: 'boolean', description: 'boolean', tableOfContents: 'boolean', outline: 'boolean', pagination: 'boolean',
        metadata: 'boolean', cover: 'boolean', coverSize: 'string', tags: 'boolean', actions: 'boolean', width: 'string',
    },
    customization: {
        styling: 'object', internationalization: 'object', favicon: 'object', header: 'object', footer: 'object', themes: 'object',
        feedback: 'object', ai: 'object', externalLinks: 'object', pagination: 'object', pageActions: 'object', trademark: 'object',
        privacyPolicy: 'object', socialPreview: 'object', socialAccounts: 'array',
    },
    palette: { light: 'string', dark: 'string' },
};

/** Checks that what was read has everything that a renderer fails without. */
export function checkFields({ published, space, revision }) {
    has('site', published.site);
    has('space', space);
    has('revision', revision);
    revision.files.forEach((file) => has('file', file));
    const page = (one) => {
        if (one.type === 'computed') return; // a renderer skips them
        has({ document: 'document', group: 'groupPage', link: 'link' }[one.type], one);
        if (one.type === 'document') has('layout', one.layout);
        one.pages?.forEach(page);
    };
    revision.pages.forEach(page);
    const item = (one) => {
        has({ 'site-space': 'siteSpace', 'site-section': 'section', 'site-section-group': 'group', 'site-external-link': 'externalLink' }[one.object], one);
        if (one.space) has('space', one.space);
        [...(one.siteSpaces ?? []), ...(one.children ?? [])].forEach(item);
    };
    published.structure.structure.forEach(item);
    for (const customization of [published.customizations.site, ...Object.values(published.customizations.siteSpaces)]) {
        has('customization', customization);
        assert.ok(Array.isArray(customization.header.links));
        assert.ok(customization.internationalization.locale);
        const { styling } = customization;
        assert.ok(styling.font);
        const palettes = ['primaryColor', 'infoColor', 'warningColor', 'dangerColor', 'successColor'].map((name) => styling[name]);
        [...palettes, styling.codeTheme.default, styling.codeTheme.openapi].forEach((palette) => has('palette', palette));
    }
    assert.ok(Array.isArray(published.scripts));
}

function has(kind, thing) {
    for (const [name, type] of Object.entries(NEEDED[kind])) {
        const value = thing?.[name];
        const found = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
        assert.equal(found, type, `${kind}.${name} of ${JSON.stringify(thing)?.slice(0, 300)}`);
    }
}
