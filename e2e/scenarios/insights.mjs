// What happens on a site, reported by a visitor and counted for its owners.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

import { flatten, handbookSpace } from '../lib/content.mjs';
import { answered, refused } from '../lib/expect.mjs';

const SESSION = { visitorId: 'v', sessionId: 's', cookies: {}, userAgent: 'Mozilla/5.0', language: 'en', referrer: '' };
const DEADLINE = 180_000; // other nodes see counts when they are stored

export default async function insights(scene) {
    const { step, organization, alice, anonymous, mallory } = scene;
    const { orgs } = alice.api;
    const org = organization.id;
    const space = await handbookSpace(scene);
    const site = (await orgs.createSite(org, { title: 'Docs', visibility: 'public', spaces: [space.id] })).data.id;
    await orgs.publishSite(org, site);
    const url = (await orgs.getSiteById(org, site)).data.urls.published;
    const content = (await anonymous.api.urls.resolvePublishedContentByUrl({ url })).data;
    const visitor = anonymous.withToken(content.apiToken);
    const { pages } = (await alice.api.spaces.listPages(space.id)).data;
    const page = flatten(pages).find(({ type }) => type === 'document').id;
    const location = { url, siteSection: null, siteSpace: content.siteSpace, siteShareKey: null, space: space.id, revision: null, page };
    const event = (type, more = {}) => ({ type, session: SESSION, location, ...more });

    await step('a visitor reports events', async () => {
        const track = (...events) => visitor.api.orgs.trackEventsInSiteById(org, site, { events });
        await answered(track(
            event('page_view'),
            event('page_view', { timestamp: new Date().toISOString() }),
            event('page_view', { location: { ...location, page: 'absent' } }),
            event('search_type_query', { query: 'moor' }),
            event('page_post_feedback', { feedback: { rating: 'good' } }),
        ), 204);
        await refused(track(event('page_view', { timestamp: '2020-01-01T00:00:00.000Z' })), 400);
        await refused(track(event('page_hack')), 400);
        await refused(anonymous.api.orgs.trackEventsInSiteById(org, site, { events: [event('page_view')] }), 401);
        await refused(mallory.api.orgs.trackEventsInSiteById(org, site, { events: [event('page_view')] }), 404);
    });

    await step('its owners see the counts', async () => {
        const query = {
            range: 'last7Days',
            select: [{ column: 'eventType' }, { column: 'page' }, { column: 'eventsCount' }],
            order: { by: { column: 'eventsCount' }, direction: 'desc' },
            limit: 1,
        };
        const count = async () => (await answered(orgs.aggregateSiteEvents(org, site, query), 200)).columns.map(({ values }) => values[0]);
        const want = ['page_view', { space: space.id, page }, 2];
        const end = Date.now() + DEADLINE;
        let got = await count();
        while (got[2] !== 2 && Date.now() < end) {
            await pause(500);
            got = await count();
        }
        assert.deepEqual(got, want);
        const { columns } = await answered(orgs.aggregateSiteEvents(org, site, { range: 'lastYear', groupBy: [{ column: 'datetime', interval: 'month' }] }), 200);
        assert.deepEqual(columns[1].values, [4]);
        await refused(orgs.aggregateSiteEvents(org, site, { ...query, select: [{ column: 'visitorsCount' }] }), 400);
        await refused(visitor.api.orgs.aggregateSiteEvents(org, site, query), 403);
        await refused(mallory.api.orgs.aggregateSiteEvents(org, site, query), 404);
    });

    await step('nothing groups visitors', async () => {
        assert.deepEqual((await answered(orgs.listSiteVisitorSegments(org, site), 200)).items, []);
        await refused(visitor.api.orgs.listSiteVisitorSegments(org, site), 403);
    });
}
