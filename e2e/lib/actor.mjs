// Someone who calls the API: the unmodified client with one person's token, and
// ways to send what the client has no method for.

import { GitBookAPI } from '@gitbook/api';

export class Actor {
    #wire;
    #token;
    #Client;

    /**
     * @param account { user, email, organization, token } of a person; undefined for an anonymous caller
     * @param Client the class of the client
     */
    constructor(wire, account, Client = GitBookAPI) {
        this.#wire = wire;
        this.#token = account?.token;
        this.#Client = Client;
        this.id = account?.user;
        this.email = account?.email;
        this.organization = account?.organization;
        this.api = new Client({
            endpoint: wire.endpoint,
            authToken: account?.token,
            serviceBinding: wire,
        });
    }

    /** The same person with another token. */
    withToken(token) {
        const { id, email, organization } = this;
        return new Actor(this.#wire, { user: id, email, organization, token }, this.#Client);
    }

    /**
     * Calls an operation that the client has no method for. Answers and errors are like those of
     * the client's methods; empty says that the answer has no body.
     */
    call(method, path, { query, body, empty = method === 'DELETE' } = {}) {
        const format = empty ? undefined : 'json';
        return this.api.request({ method, path, query, body, format, type: 'application/json', secure: true });
    }

    /**
     * Sends one request outside the client and returns { status, headers, body }, whatever the
     * status. A string, bytes or a form go out as they are, anything else as JSON; JSON in the
     * answer is parsed.
     */
    async request(method, path, body, extraHeaders = {}) {
        const headers = { ...extraHeaders };
        if (this.#token) {
            headers.Authorization = `Bearer ${this.#token}`;
        }
        if (body !== undefined && !(body instanceof FormData)) {
            headers['Content-Type'] = 'application/json';
        }
        const response = await this.#wire.fetch(`${this.#wire.endpoint}/v1${path}`, {
            method,
            headers,
            body: isRaw(body) ? body : JSON.stringify(body),
        });
        const text = await response.text();
        const isJSON = response.headers.get('content-type')?.startsWith('application/json');
        return { status: response.status, headers: response.headers, body: text && isJSON ? JSON.parse(text) : text || null };
    }
}

function isRaw(body) {
    return body === undefined || typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
}
