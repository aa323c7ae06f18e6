// The read path of a site renderer, with its own client: for every kind of audience, with sections
// and without. Its description is newer than that of the other scenarios, and judges these answers.

import assert from 'node:assert/strict';

import { blockPages, change, flatten, handbookSpace, liveSpace, nodes } from '../lib/content.mjs';
import { answered, created, deletedOnce, refused } from '../lib/expect.mjs';
import { SITES_DOMAIN } from '../lib/octavo.mjs';
import { arrive, checkFields, documentPages, nulls, readAll, visitorToken } from '../lib/renderer.mjs';
import { edit, openRequest } from '../lib/requests.mjs';
import { processed } from './openapi.mjs';

const AUDIENCES = ['public', 'unlisted', 'share-link', 'visitor-auth'];
const LOGIN = 'https://login.acme.test/in';

// Addresses below that of a site: the home page, pages, and what no page has.
const PATHS = ['', 'moorings', 'guides/signals', 'no', 'no/such', 'no/such/page', 'no/such/page/at/all'];

export default async function renderer(scene) {
    const { step, renderer } = scene;
    const handbook = await handbookSpace(scene);
    const reference = await liveSpace(scene, 'Reference');
    await change(scene.alice, reference, [{ operation: 'insert_page', document: { markdown: '# Winches\n\nA winch pulls moorings.\n' } }]);
    const spaces = { handbook, reference };

    for (const sections of [false, true]) {
        for (const audience of AUDIENCES) {
            const name = `${audience}, ${sections ? 'with' : 'without'} sections`;
            let site, content, read;

            await step(`${name}: every prefix of an address leads to the same content`, async () => {
                site = await publish(scene, spaces, audience, sections);
                for (const path of PATHS) {
                    content = await arrive(renderer, site.home + path, site.visitor);
                    checkContent(content, { site, sections, space: handbook, path });
                }
                for (const path of ['', 'no/such/page']) {
                    content = await arrive(renderer, `${site.home}reference/${path}`, site.visitor);
                    checkContent(content, { site, sections, space: reference, path, below: 'reference/' });
                }
                content = await arrive(renderer, site.home, site.visitor);
            });

            await step(`${name}: a token reads all that a page needs`, async () => {
                read = await readAll(renderer, content);
                checkFields(read);
                for (const [part, value] of Object.entries({ ...read, reader: undefined })) {
                    assert.deepEqual(nulls(value ?? {}), [], `${part} has null`);
                }
                assert.equal(read.space.id, handbook.id);
                assert.equal(read.revision.id, read.space.revision);
                assert.equal(read.published.site.visibility, audience);
                assert.equal(read.published.structure.type, sections ? 'sections' : 'siteSpaces');
                const links = read.published.structure.structure.filter(({ object }) => object === 'site-external-link');
                assert.deepEqual(links.map(({ title, url }) => [title, url]), sections ? [['Shop', 'https://shop.acme.test/']] : []);
                const titles = documentPages(read.revision.pages).map(({ title }) => title);
                assert.ok(['Moorings', 'Night arrivals'].every((title) => titles.includes(title)), titles.join());
            });

            await step(`${name}: search, in all the ways of a renderer`, () => search(read, content, site, spaces));
            await step(`${name}: old addresses`, () => redirects(scene, read, content));
            await step(`${name}: nothing else is readable`, () => nothingElse(scene, read, content));
            await step(`${name}: access ends with the next request`, () => endAccess(scene, site, read, content));
        }
    }
    await everyBlock(scene);
    await apiPages(scene);
    await paths(scene);
    await drafts(scene);
}

// A site of spaces, and what a renderer learns of its address with the token that it has.
async function siteOf({ alice, renderer, organization }, ...spaces) {
    const { orgs } = alice.api;
    const made = await answered(orgs.createSite(organization.id, { title: 'Pages', visibility: 'unlisted', spaces: spaces.map(({ id }) => id) }), 201);
    await orgs.updateSiteById(organization.id, made.id, { basename: `pages-${made.id.toLowerCase().replaceAll('_', '-')}` }); // a host of its own
    const home = (await answered(orgs.publishSite(organization.id, made.id), 200)).urls.published;
    return { id: made.id, home, content: await arrive(renderer, home, {}) };
}

// Pages with every block, also those that are newer than the other scenarios know: a renderer fails
// with the whole page when one of them has another form.
async function everyBlock(scene) {
    const { step, alice, renderer, organization } = scene;
    const space = await handbookSpace(scene, 'Blocks');
    const collection = (await alice.api.orgs.createCollection(organization.id, { title: 'Shelf' })).data;
    const pages = await blockPages({ SPACE: space.id, COLLECTION: collection.id, USER: alice.id });
    let read;

    await step('pages with every block are read', async () => {
        for (const markdown of Object.values(pages)) {
            await change(alice, space, [{ operation: 'insert_page', document: { markdown } }]);
        }
        read = await readAll(renderer, (await siteOf(scene, space)).content);
        checkFields(read);
    });

    await step('the action of a button is one object with its parameter', async () => {
        const actions = Object.values(read.documents)
            .flatMap((document) => [...nodes(document)])
            .flatMap(({ type, data }) => (type === 'button' && data.action ? [data.action] : []));
        assert.deepEqual(actions, [
            { action: 'ask', query: 'Where is A7?' },
            { action: 'search', query: '' },
            { action: 'select', slug: 'linux' },
        ]);
    });

    await step('a user whom a page mentions is absent for its readers', async () => {
        await refused(read.reader.api.users.getUserById(alice.id), 404);
    });
}

const TIDES = `openapi: 3.1.0
info: {title: Tides, version: '1'}
tags: [{name: tides}]
paths:
  /tides:
    get: {operationId: listTides, summary: List tides, tags: [tides], responses: {'200': {description: OK}}}
webhooks:
  turned:
    post: {operationId: turned, summary: The tide turned, responses: {'200': {description: OK}}}
components: {schemas: {Tide: {type: object}}}
`;

// Pages about an API: blocks that somebody put into a page, and pages that are computed.
async function apiPages(scene) {
    const { step, alice, renderer, organization } = scene;
    const { orgs } = alice.api;
    const org = organization.id;
    let read;

    await step('pages of an API are read, with blocks and computed', async () => {
        for (const slug of ['tides', 'winds', 'secret']) {
            await orgs.createOrUpdateOpenApiSpecBySlug(org, slug, { source: { text: TIDES } });
            await processed(alice, org, slug);
        }
        const written = await liveSpace(scene, 'Written');
        const markdown = '{% openapi-operation spec="winds" path="/tides" method="get" %}\n[Winds](https://api.acme.test/)\n{% endopenapi-operation %}\n';
        await change(alice, written, [{ operation: 'insert_page', title: 'Winds', document: { markdown } }]);
        const template = { id: 'api-reference', params: { contentRefs: { spec: { kind: 'openapi', spec: 'tides' } } } };
        const computed = await created(orgs.createSpace(org, { title: 'Computed', template }), '/spaces');
        read = await readAll(renderer, (await siteOf(scene, computed, written)).content);
        checkFields(read);
        const computedPages = flatten(read.revision.pages).filter(({ title }) => ['tides', 'Webhooks', 'Models'].includes(title));
        const blocks = computedPages.flatMap(({ id }) => [...nodes(read.documents[id])]).map(({ type }) => type);
        for (const type of ['openapi-operation', 'openapi-webhook', 'openapi-schemas']) {
            assert.ok(blocks.includes(type), `${type} among ${blocks}`);
        }
    });

    await step('the specifications that pages show are read, all others are absent', async () => {
        const { api } = read.reader;
        for (const slug of ['tides', 'winds']) {
            const { filesystem, urls } = await answered(api.orgs.getLatestOpenApiSpecVersionContent(org, slug), 200);
            assert.equal(filesystem['openapi.yaml'].specification.info.title, 'Tides');
            assert.equal(await (await fetch(urls.source)).text(), TIDES);
        }
        for (const slug of ['secret', 'none']) {
            await refused(api.orgs.getLatestOpenApiSpecVersionContent(org, slug), 404);
        }
    });
}

// Paths that are escaped in an address: what a renderer makes of it must be the path of the page,
// or it redirects to the page for ever.
async function paths(scene) {
    const { step, alice, renderer } = scene;

    await step('an address in Arabic leads to the page', async () => {
        const space = await liveSpace(scene, 'Arabic');
        const insert = (title, more) => ({ operation: 'insert_page', title, document: { markdown: 'Text.\n' }, ...more });
        await change(alice, space, [insert('Guides', { ref: 'guides' }), insert('دليل'), insert('مرساة', { into: 'guides' })]);
        const other = await liveSpace(scene, 'Plain');
        const { home, content } = await siteOf(scene, other, space);
        const { revision } = await readAll(renderer, { ...content, space: space.id });
        const escaped = flatten(revision.pages).map(({ path }) => path).filter((path) => /[^a-z/]/.test(path));
        assert.equal(escaped.length, 2, escaped.join());
        for (const path of escaped) {
            const { href } = new URL(`arabic/${path}`, home); // as a browser asks for it
            const found = await arrive(renderer, href, {});
            assert.deepEqual([found.space, found.pathname, found.canonicalUrl], [space.id, path, href]);
        }
    });
}

// What a renderer asks for at ~/changes/1: as a visitor, and with the token of a preview.
async function drafts(scene) {
    const { step, alice, renderer, organization } = scene;
    const space = await handbookSpace(scene, 'Drafts');
    let site, request;

    await step('for a visitor, there is nothing at the address of a change request', async () => {
        request = await openRequest(alice, space, 'More');
        await edit(alice, space, request, [{ operation: 'insert_page', title: 'Draft', document: { markdown: 'Text.\n' } }]);
        assert.equal(request.number, 1);
        site = await siteOf(scene, space);
        const { spaces } = renderer.withToken(site.content.apiToken).api;
        for (const number of ['1', '99']) {
            await refused(spaces.getChangeRequestById(space.id, number), 404);
            await refused(spaces.getChangeRequestChanges(space.id, number, { limit: 100 }), 404);
        }
    });

    await step('a preview reads what a change request, and a revision, has changed', async () => {
        const { url } = await answered(alice.api.orgs.getSitePublishingPreviewById(organization.id, site.id), 200);
        const asker = renderer.withToken(new URL(url).searchParams.get('token'));
        const { apiToken } = await arrive(asker, site.home, {});
        const { spaces } = renderer.withToken(apiToken).api;
        const { revision } = await answered(spaces.getChangeRequestById(space.id, '1'), 200);
        for (const call of [
            spaces.getChangeRequestChanges(space.id, '1', { limit: 100 }),
            spaces.getRevisionSemanticChanges(space.id, revision, { computed: false, limit: 100, metadata: false }),
        ]) {
            const { changes, more } = await answered(call, 200);
            assert.deepEqual([changes.map(({ type, page }) => [type, page.title]), more ?? 0], [[['page_created', 'Draft']], 0]);
        }
    });
}

// Publishes a site with two spaces for an audience. Returns { id, home, visitor, ... }: home is the
// address as a visitor has it.
async function publish({ alice, renderer, organization, run }, { handbook, reference }, audience, sections) {
    const { orgs } = alice.api;
    const org = organization.id;
    const made = await created(orgs.createSite(org, { title: 'Harbour', visibility: audience, spaces: [handbook.id] }), `/orgs/${org}/sites`);
    if (sections) {
        await orgs.addSectionToSite(org, made.id, { spaceId: reference.id });
        await orgs.updateSiteById(org, made.id, { basename: `harbour-${made.id.toLowerCase().replaceAll('_', '-')}` }); // a host of its own
        await addLinks(alice, renderer, org, made.id);
    } else {
        await orgs.addSpaceToSite(org, made.id, { spaceId: reference.id });
    }
    const { data } = await orgs.publishSite(org, made.id);
    assert.equal(new URL(data.urls.published).hostname.endsWith(`.${SITES_DOMAIN}`), sections);
    const site = { id: made.id, org, run, audience, home: data.urls.published, root: data.urls.published, visitor: {} };
    if (audience === 'share-link') {
        site.link = (await orgs.createSiteShareLink(org, made.id, { name: 'Guests' })).data;
        site.home = site.link.urls.published;
    }
    if (audience === 'visitor-auth') {
        await orgs.updateSitePublishingAuthById(org, made.id, { backend: 'custom', fallbackURL: LOGIN });
        site.key = (await orgs.getSitePublishingAuthById(org, made.id)).data.privateKey;
        site.visitor = { jwtToken: visitorToken(site.key) };
    }
    return site;
}

// Adds links to other sites, which only the client of a renderer knows: one that readers see, and a
// draft. What is sent instead of one is refused.
async function addLinks(alice, renderer, org, site) {
    const { token } = (await alice.call('POST', '/user/tokens', { body: { label: 'Links' } })).data;
    const { orgs } = renderer.withToken(token).api;
    const shop = { title: 'Shop', url: 'https://shop.acme.test/' };
    const link = await answered(orgs.addExternalLinkToSite(org, site, { ...shop, title: 'Store', icon: 'cart', draft: true }), 201);
    await answered(orgs.updateSiteExternalLinkById(org, site, link.id, { title: 'Shop', icon: null, draft: false }), 200);
    await answered(orgs.addExternalLinkToSite(org, site, { ...shop, draft: true }), 201);
    const gone = await answered(orgs.addExternalLinkToSite(org, site, shop), 201);
    await answered(orgs.sortSiteStructure(org, site, { item: { type: gone.object, id: gone.id }, position: { before: { type: link.object, id: link.id } } }), 200);
    await deletedOnce(() => orgs.deleteSiteExternalLinkById(org, site, gone.id));
    for (const bad of [{ url: 'javascript:alert(1)' }, { url: '/here' }, { title: 'x' }, { parent: link.id }]) {
        await refused(orgs.addExternalLinkToSite(org, site, { ...shop, ...bad }), 400);
    }
}

function checkContent(content, { site, sections, space, path, below = '' }) {
    assert.equal(content.site, site.id);
    assert.equal(content.organization, site.org);
    assert.equal(content.space, space.id, `${below}${path}`);
    assert.equal('siteSection' in content && content.siteSection !== undefined, sections, 'a section exactly where there are sections');
    assert.equal(content.siteBasePath, new URL(site.home).pathname);
    assert.equal(content.basePath, new URL(site.home + below).pathname);
    assert.equal(content.pathname, path);
    assert.equal(content.canonicalUrl, (site.home + below + path).replace(/\/$/, ''));
    assert.equal(content.preview, undefined);
    // A path that goes on can name a site space, until one is named or a page begins.
    const named = content.asked.length >= (site.home + below).length;
    const asked = named ? content.asked.slice((site.home + below).length) : '';
    assert.equal(content.complete, asked !== '' || below !== '' && !sections, `complete for ${content.asked}`);
    assert.equal(content.contextId !== undefined, site.audience === 'visitor-auth', 'contextId');
    if (site.link) {
        assert.equal(content.shareKey, new URL(site.home).pathname.split('/').at(-2));
    } else {
        assert.equal(content.shareKey, undefined);
    }
    // Above the site there is nothing; without the key of a share link neither.
    const base = new URL(site.home).pathname.split('/').filter(Boolean).length;
    for (const { status, url } of content.shorter.slice(0, base)) {
        assert.equal(status, 404, url);
    }
}

async function search({ reader }, content, site, { handbook, reference }) {
    const { orgs } = reader.api;
    const find = async (shape) => {
        const { items } = await answered(orgs.searchSiteContent(content.organization, content.site, { query: 'moorings', ...shape }), 200);
        for (const { type, pages } of items) {
            assert.equal(type, 'space');
            for (const page of pages) {
                assert.ok(Array.isArray(page.ancestors) && Array.isArray(page.sections), page.title);
                assert.ok(page.sections.every(({ id, path }) => id && path !== undefined));
            }
        }
        return items.map(({ id }) => id).toSorted();
    };
    const both = [handbook.id, reference.id].toSorted();
    const siteSpaceId = content.siteSpace;
    assert.deepEqual(await find({ mode: 'all' }), both);
    assert.ok((await find({ mode: 'current', siteSpaceId })).includes(handbook.id));
    assert.deepEqual(await find({ mode: 'specific', siteSpaceIds: [siteSpaceId] }), [handbook.id]);
    const scope = { mode: 'default', currentSiteSpace: siteSpaceId };
    assert.deepEqual(await find({ scope: { ...scope, restrictTo: 'currentSiteSpace' } }), [handbook.id]);
    const others = content.siteSection ? [reference.id] : [];
    assert.deepEqual(await find({ scope: { ...scope, restrictTo: 'otherSiteSpaces' } }), others);
    assert.deepEqual(await find({ mode: 'all', query: 'zeppelin' }), []);
}

async function redirects({ alice }, { reader, revision }, content) {
    const { organization, site, siteSpace, shareKey } = content;
    const page = documentPages(revision.pages).find(({ title }) => title === 'Moorings');
    const destination = { kind: 'site-page', siteSpaceId: siteSpace, pageId: page.id };
    await answered(alice.api.orgs.createSiteRedirect(organization, site, { source: '/old', destination }), 201);
    const find = (source) => reader.api.orgs.getSiteRedirectBySource(organization, site, { source, shareKey });
    const { target } = await answered(find('/old'), 200);
    assert.equal(target, `${content.canonicalUrl}/${page.path}`);
    await refused(find('/older'), 404);
    await refused(reader.api.spaces.getPageInRevisionByPath(content.space, revision.id, 'no%2Fsuch'), 404);
}

async function nothingElse({ alice, organization, mallory }, { reader }, content) {
    const { orgs, spaces } = reader.api;
    const secret = await liveSpace({ alice, organization }, 'Secret');
    await refused(spaces.getSpaceById(secret.id), 404);
    await refused(orgs.listMembersInOrganizationById(content.organization), 403);
    await refused(spaces.listChangeRequestsForSpace(content.space), 403);
    await refused(orgs.updateSiteById(content.organization, content.site, { title: 'Mine' }), 403);
    await refused(orgs.getOrganizationById(mallory.organization), 403, 404);
}

// Whatever lets visitors in is taken back: a share link, a key, a site.
async function endAccess({ alice, renderer }, site, { reader, space, revision }, content) {
    const { orgs } = alice.api;
    const resolve = (more) => renderer.api.urls.resolvePublishedContentByUrl({ url: site.home, visitor: site.visitor, ...more });
    if (site.link) {
        await answered(orgs.updateSiteShareLinkById(site.org, site.id, site.link.id, { active: false }), 200);
        await refused(resolve(), 404);
    } else if (site.key) {
        await loginPage(renderer, site);
        await answered(orgs.regenerateSitePublishingAuthById(site.org, site.id), 200);
        const sent = await answered(resolve({ redirectOnError: true }), 200);
        assert.equal(sent.target, 'external');
        await refused(resolve(), 400, 401, 403);
    } else {
        await answered(orgs.unpublishSite(site.org, site.id), 200);
        await refused(resolve(), 404);
    }
    await refused(reader.api.orgs.getPublishedContentSite(site.org, site.id), 401, 404);
    await refused(reader.api.spaces.getSpaceById(space.id), 401, 404);
    await refused(reader.api.spaces.getRevisionById(space.id, revision.id), 401, 404);
    await refused(reader.api.orgs.searchSiteContent(site.org, site.id, { query: 'moorings', mode: 'all' }), 401, 404);
    assert.ok(content.apiToken);
}

// A visitor with no token, or a bad one, is sent to the login page, which knows where to come back to.
async function loginPage({ api: { urls } }, site) {
    const url = `${site.home}moorings`;
    const expired = visitorToken(site.key, { exp: Math.floor(Date.now() / 1000) - 600 });
    const none = visitorToken(site.key, { alg: 'none' }).split('.').toSpliced(2, 1, '').join('.');
    for (const jwtToken of [undefined, 'nonsense', expired, visitorToken('not the key'), none]) {
        const sent = await answered(urls.resolvePublishedContentByUrl({ url, redirectOnError: true, visitor: { jwtToken } }), 200);
        assert.deepEqual([sent.target, sent.site], ['external', site.id]);
        const to = new URL(sent.redirect);
        assert.equal(to.origin + to.pathname, LOGIN);
        assert.equal(to.searchParams.get('location'), new URL(url).pathname);
        if (jwtToken) {
            await refused(urls.resolvePublishedContentByUrl({ url, visitor: { jwtToken } }), 400, 401, 403);
        }
    }
}
