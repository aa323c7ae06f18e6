// What the client of today gets from the server: which of its operations are answered, which names of theirs
// are refused, and which of the reads of a run its schemas accept.

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const MAX_DEPTH = 4; // of nested fields that are compared

/** Collects the successful reads of a run, judged by the description of the client of today. */
export class Reads {
    #description;

    /** Operation name -> { calls, accepted, problems }. */
    byOperation = new Map();

    /** @param description the Description of the client */
    constructor(description) {
        this.#description = description;
    }

    record(method, path, answer) {
        if (method !== 'GET' || answer.status >= 300) {
            return;
        }
        const operation = this.#description.match(method, path);
        if (!operation) {
            return; // an operation of our own
        }
        const entry = this.byOperation.get(operation.id) ?? { calls: 0, accepted: 0, problems: new Set() };
        const { problems } = this.#description.judge(operation, answer);
        entry.calls++;
        entry.accepted += problems.length === 0 ? 1 : 0;
        problems.forEach((problem) => entry.problems.add(anyIndex(problem)));
        this.byOperation.set(operation.id, entry);
    }

    /** The operations of which an answer was not accepted: { name, problems }. */
    refused() {
        return [...this.byOperation]
            .filter(([, { calls, accepted }]) => accepted < calls)
            .map(([name, { problems }]) => ({ name, problems: [...problems] }));
    }
}

/**
 * Compares the operations of the client with those of the server, both as OpenAPI documents. Returns
 * { answered, missing, refused }: names of operations, and for the refused ones "operation: names" of
 * parameters and fields that the client knows and the server does not take.
 */
export function compare(client, server) {
    const theirs = operations(client);
    const ours = operations(server);
    const outcome = { answered: [], missing: [], refused: [] };
    for (const [route, operation] of theirs) {
        const own = ours.get(route);
        if (!own) {
            outcome.missing.push(`${route.replace(/^\w+/, (method) => method.toUpperCase())} ${operation.operationId}`);
            continue;
        }
        const names = [...unknownParameters(client, operation, server, own), ...unknownFields(client, operation, server, own)];
        if (names.length > 0) {
            outcome.refused.push(`${operation.operationId}: ${names.join(', ')}`);
        } else {
            outcome.answered.push(operation.operationId);
        }
    }
    return outcome;
}

// "method /path/{}" -> operation, with the parameters of its path.
function operations({ paths }) {
    const found = new Map();
    for (const [template, item] of Object.entries(paths)) {
        for (const method of METHODS.filter((name) => item[name])) {
            const parameters = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
            found.set(`${method} ${template.replace(/\{\w+\}/g, '{}')}`, { ...item[method], parameters });
        }
    }
    return found;
}

function unknownParameters(client, operation, server, own) {
    const known = queryOf(server, own);
    return [...queryOf(client, operation)].flatMap(([name, schema]) => {
        if (!known.has(name)) {
            return [`?${name}`];
        }
        return missingValues(allowed(client, schema), allowed(server, known.get(name))).map((value) => `?${name}=${value}`);
    });
}

// Name -> schema of the parameters of the query; of a list, of its items.
function queryOf(document, { parameters }) {
    const found = parameters.map((parameter) => resolve(document, parameter)).filter(({ in: place }) => place === 'query');
    return new Map(found.map(({ name, schema }) => [name, resolve(document, schema)?.items ?? schema]));
}

function unknownFields(client, operation, server, own) {
    const sent = bodyOf(client, operation);
    if (!sent) {
        return [];
    }
    const taken = bodyOf(server, own);
    return taken ? missingFields(client, sent, server, taken, '', MAX_DEPTH) : Object.keys(fields(client, sent).properties);
}

function bodyOf(document, { requestBody }) {
    const { content } = requestBody ? resolve(document, requestBody) : {};
    return content?.['application/json']?.schema;
}

function missingFields(client, sent, server, taken, path, depth) {
    const theirs = fields(client, sent);
    const ours = fields(server, taken);
    if (ours.open || depth === 0) {
        return [];
    }
    return Object.entries(theirs.properties).flatMap(([name, schema]) => {
        const own = ours.properties[name];
        if (!own) {
            return [path + name];
        }
        const values = missingValues(allowed(client, schema), allowed(server, own)).map((value) => `${path}${name}=${value}`);
        const [theirItem, ourItem] = [resolve(client, schema).items, resolve(server, own).items];
        if (theirItem && ourItem) {
            return [...values, ...missingFields(client, theirItem, server, ourItem, `${path}${name}[].`, depth - 1)];
        }
        return [...values, ...missingFields(client, schema, server, own, `${path}${name}.`, depth - 1)];
    });
}

// The values of an enumeration that the client sends and the server does not take, null among them.
function missingValues(sent, taken) {
    const values = taken.listed ? [...sent.values].filter((value) => !taken.values.has(value)) : [];
    return sent.null && !taken.null ? [...values, 'null'] : values;
}

// What a schema allows: { listed: whether only some values, values, null: whether null }.
function allowed(document, schema) {
    const target = resolve(document, schema) ?? {};
    const types = [target.type ?? []].flat();
    const variants = ['oneOf', 'anyOf'].flatMap((keyword) => target[keyword] ?? []).map((part) => allowed(document, part));
    const rest = variants.filter(({ only }) => !only);
    const listed = Boolean(target.enum) || (rest.length > 0 && rest.every((part) => part.listed));
    const any = Object.keys(target).every((key) => ['description', 'title', 'default', 'deprecated'].includes(key));
    return {
        listed,
        values: new Set([...(target.enum ?? []), ...rest.flatMap((part) => [...part.values])].filter((value) => value !== null)),
        null: any || target.nullable === true || types.includes('null') || (target.enum ?? []).includes(null) || variants.some((part) => part.null),
        only: types.length === 1 && types[0] === 'null',
    };
}

// The properties of an object or of any variant of a union, and whether it takes others too.
function fields(document, schema) {
    const target = resolve(document, schema) ?? {};
    const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => target[keyword] ?? []).map((part) => fields(document, part));
    const properties = Object.assign({}, target.properties, ...parts.map((part) => part.properties));
    const closed = target.additionalProperties === false || parts.some((part) => !part.open && Object.keys(part.properties).length > 0);
    return { properties, open: !closed };
}

function resolve(document, value) {
    let at = value;
    while (at?.$ref) {
        at = at.$ref.split('/').slice(1).reduce((node, key) => node[key], document);
    }
    return at;
}

// One fault of the server shows at many places of a list.
function anyIndex(problem) {
    return problem.replace(/\/\d+/g, '/*');
}
