// The wire between the client and the servers: sends each request to the next
// node and keeps a ledger of how every operation answered.

const TIMEOUT = 180_000; // only a failure waits so long

/**
 * A stand-in for fetch that spreads requests over the nodes in turn and checks
 * each response against the description before the caller sees it.
 */
export class Wire {
    #nodes;
    #description;
    #prefix;
    #reads;
    #next = 0;

    /** Operation name -> { operation, calls, valid, beyond, succeeded, statuses }. */
    ledger = new Map();

    /** Every response that broke the description: { exchange, problems }. */
    invalid = [];

    /**
     * @param nodes the base addresses of the servers
     * @param description judges the answers
     * @param prefix of the names in the ledger
     * @param reads collects what the client of today thinks of them; may be undefined
     */
    constructor(nodes, description, { prefix = '', reads } = {}) {
        this.#nodes = nodes;
        this.#description = description;
        this.#prefix = prefix;
        this.#reads = reads;
    }

    /** The same wire for another client, whose description judges its answers. The ledger is one; names get a prefix. */
    judgedBy(description, prefix) {
        const wire = new Wire(this.#nodes, description, { prefix });
        wire.ledger = this.ledger;
        wire.invalid = this.invalid;
        return wire;
    }

    /** The address that clients are configured with; requests may go to any node. */
    get endpoint() {
        return this.#nodes[0];
    }

    fetch = async (input, init = {}) => {
        const url = new URL(input);
        const method = init.method ?? 'GET';
        const node = new URL(this.#nodes[this.#next++ % this.#nodes.length]);
        const target = new URL(url.pathname + url.search, node);

        const response = await fetch(target, { ...init, signal: AbortSignal.timeout(TIMEOUT) });
        const answer = await readAnswer(response.clone());
        this.#record(method, target, init.body, answer);
        return response;
    };

    #record(method, url, sent, answer) {
        const path = url.pathname.replace(/^\/v1/, '');
        this.#reads?.record(method, path, answer);
        const operation = this.#description.match(method, path);
        const name = this.#prefix + (operation?.id ?? `${method} (no such operation)`);
        if (!this.ledger.has(name)) {
            this.ledger.set(name, { operation, calls: 0, valid: 0, beyond: 0, succeeded: 0, statuses: {} });
        }

        const entry = this.ledger.get(name);
        const { problems, beyond } = this.#description.judge(operation, answer);
        entry.calls++;
        entry.statuses[answer.status] = (entry.statuses[answer.status] ?? 0) + 1;
        if (problems.length > 0) {
            const exchange = { name, method, url: url.href, sent, status: answer.status, received: answer.body };
            this.invalid.push({ exchange, problems: [...new Set(problems)] });
            return;
        }
        entry.valid++;
        entry.beyond += beyond ? 1 : 0;
        if (answer.status < 300) {
            entry.succeeded++;
        }
    }
}

async function readAnswer(response) {
    const body = (await response.text()) || null;
    return { status: response.status, headers: response.headers, body, json: parseJSON(body) };
}

function parseJSON(text) {
    try {
        return text === null ? undefined : JSON.parse(text);
    } catch {
        return undefined;
    }
}
