// What scenarios about change requests share.

import { answered, created } from './expect.mjs';

/** Opens a change request and returns it. */
export function openRequest(person, space, subject) {
    return created(person.api.spaces.createChangeRequest(space.id, { subject }), `/spaces/${space.id}/change-requests`);
}

/** Applies a batch to a change request and returns what became of each page. */
export async function edit(person, space, request, changes) {
    const path = `/spaces/${space.id}/change-requests/${request.number}/content?compat=false`;
    const { status, body } = await person.request('POST', path, { changes });
    if (status !== 200) {
        throw new Error(`the batch was answered with ${status}: ${JSON.stringify(body)}`);
    }
    return body;
}

/** Writes the text of a page in a change request. */
export function write(person, space, request, page, markdown) {
    return edit(person, space, request, [{ operation: 'update_page', page: page.id, document: { markdown } }]);
}

/** The text of a page of a space; with a request, of that one. */
export async function textOf({ api: { spaces } }, space, page, request) {
    const options = { format: 'markdown' };
    const read = request
        ? spaces.getPageInChangeRequestById(space.id, request.number, page.id, options)
        : spaces.getPageById(space.id, page.id, options);
    return (await answered(read, 200)).markdown;
}

/** A document of one paragraph. */
export function note(text) {
    const words = { object: 'text', leaves: [{ object: 'leaf', marks: [], text }] };
    const paragraph = { object: 'block', type: 'paragraph', isVoid: false, data: {}, nodes: [words] };
    return { object: 'document', data: {}, nodes: [paragraph] };
}
