// Assertions that several scenarios share, on top of node:assert.

import assert from 'node:assert/strict';

const MAX_PAGES = 1000;
const BAD_LIMITS = [1001, -1, 'x'];

/** The call is refused with the status, or one of the statuses. Returns the error's message. */
export async function refused(call, ...statuses) {
    const outcome = await call.then(
        (response) => `answered ${response.status}`,
        (error) => error,
    );
    if (!(outcome instanceof Error)) {
        assert.fail(`expected ${statuses.join(' or ')}, the call ${outcome}`);
    }
    if (outcome.name !== 'GitBookAPIError') {
        throw outcome;
    }
    assert.ok(
        statuses.includes(outcome.code),
        `expected ${statuses.join(' or ')}, got ${outcome.code}: ${outcome.errorMessage}`,
    );
    return outcome.errorMessage;
}

/** The call succeeds with the status. Returns the response's data. */
export async function answered(call, status) {
    const response = await call;
    assert.equal(response.status, status);
    return response.data;
}

/** The call creates something: 201, its id, and a Location that ends in the path with that id. */
export async function created(call, collectionPath) {
    const response = await call;
    assert.equal(response.status, 201);
    const { pathname } = new URL(response.headers.get('location') ?? '', 'http://relative');
    assert.equal(pathname, `/v1${collectionPath}/${response.data.id}`, 'Location');
    return response.data;
}

/** The deletion answers 205 when it deletes and 204 when nothing is left to delete. */
export async function deletedOnce(remove) {
    await answered(remove(), 205);
    await answered(remove(), 204);
}

/** Walks a list page by page; list takes the query. Returns the items of all pages. */
export async function everyPage(list, limit = 1) {
    const items = [];
    let page;
    for (let count = 0; count < MAX_PAGES; count++) {
        const { data } = await list({ limit, page });
        assert.ok(data.items.length <= limit, `a page of ${limit} has ${data.items.length} items`);
        items.push(...data.items);
        if (!data.next) {
            return items;
        }
        page = data.next.page;
    }
    assert.fail(`the list has no end after ${MAX_PAGES} pages`);
}

/**
 * The list obeys the paging contract: pages of one give every expected item exactly once, a limit
 * of 0 gives none, a limit out of range or a forged cursor is refused.
 *
 * @param list calls the operation with a query
 * @param identify names an item
 * @param expected the names of all items, in any order
 */
export async function paged(list, identify, expected) {
    const seen = (await everyPage(list)).map(identify);
    assert.deepEqual(seen.toSorted(), expected.toSorted(), 'the items over all pages');

    const none = await list({ limit: 0 });
    assert.deepEqual(none.data.items, [], 'the items for limit=0');

    for (const limit of BAD_LIMITS) {
        await refused(list({ limit }), 400);
    }
    await refused(list({ page: 'forged' }), 400);
}

/** Picks the ids of resources. */
export function ids(resources) {
    return resources.map(({ id }) => id);
}

/** The first id comes before the second in the list. */
export function precedes(list, first, second) {
    const order = ids(list);
    assert.ok(order.includes(first) && order.includes(second), 'both are in the list');
    assert.ok(order.indexOf(first) < order.indexOf(second), `${first} before ${second} in ${order}`);
}
