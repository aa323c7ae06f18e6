// The read path of a site renderer, with its own client: for every kind of audience, with sections
// and without. Its description is newer than that of the other scenarios, and judges these answers.

import assert from 'node:assert/strict';

import { change, handbookSpace, liveSpace } from '../lib/content.mjs';
import { answered, created, deletedOnce, refused } from '../lib/expect.mjs';
import { SITES_DOMAIN } from '../lib/octavo.mjs';
import { arrive, checkFields, documentPages, nulls, readAll, visitorToken } from '../lib/renderer.mjs';

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
