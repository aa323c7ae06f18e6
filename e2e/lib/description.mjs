// The API description that ships inside @gitbook/api, made executable: which
// operation a request belongs to, and whether a response is one that the
// description allows.

import { createRequire } from 'node:module';

import Ajv from 'ajv';
import addFormats from 'ajv-formats';

import { amend, BEYOND, CORRECTIONS, RENDERER } from './amendments.mjs';
import { Translator } from './schemas.mjs';

const require = createRequire(import.meta.url);

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const COMPONENTS = 'components';
const TODAY = 'gitbook-api-renderer/spec/openapi.json';

/** Reads the description and returns it as a Description. */
export function loadDescription() {
    return read('@gitbook/api/spec/openapi.json', CORRECTIONS, BEYOND);
}

/** Reads the description of the client of today, which the site renderer uses. */
export function loadRendererDescription() {
    return read(TODAY, [...CORRECTIONS, ...RENDERER.corrections], RENDERER.beyond);
}

/** The description of the client of today as it is shipped. */
export function clientDocument() {
    return require(TODAY);
}

function read(file, corrections, beyond) {
    const shipped = amend(require(file), corrections);
    return new Description(shipped, new Description(amend(shipped, beyond)));
}

export class Description {
    #document;
    #beyond;
    #translator;
    #routes = [];
    #validators = new Map();
    #ajv;

    /** @param beyond the same description with what goes beyond it; undefined when it is that one */
    constructor(document, beyond) {
        this.#document = document;
        this.#beyond = beyond;
        for (const [template, item] of Object.entries(document.paths)) {
            for (const method of METHODS) {
                if (item[method]) {
                    this.#addRoute(method.toUpperCase(), template, item[method]);
                }
            }
        }

        this.#ajv = new Ajv({ strict: true, strictTypes: false, allowUnionTypes: true });
        addFormats(this.#ajv);
        // Formats that only GitBook knows: their lengths are checked, their letters are not.
        this.#ajv.addFormat('emoji', true);
        this.#ajv.addFormat('icon', true);
        this.#translator = new Translator(document.components.schemas, COMPONENTS);
        this.#ajv.addSchema({ $id: COMPONENTS, definitions: this.#translator.all() });
    }

    /**
     * Declares an operation that the package does not know, named "METHOD /path/{template}".
     * Its successful answers have no schema to meet.
     */
    addUndeclared(name) {
        const [method, template] = name.split(' ');
        this.#addRoute(method, template, { operationId: name });
        this.#beyond?.addUndeclared(name);
    }

    /** The operation with this id, or undefined. */
    operation(id) {
        return this.#routes.find((route) => route.id === id);
    }

    /** The operation that a request belongs to, or undefined. The path comes without /v1. */
    match(method, path) {
        return this.#routes
            .filter((route) => route.method === method && route.pattern.test(path))
            .sort((a, b) => a.parameters.length - b.parameters.length)[0];
    }

    /**
     * Judges an answer to an operation (undefined: unknown). Returns { problems, beyond }: what is
     * wrong with it, [] when nothing is, and whether that is so only thanks to what goes beyond the
     * description.
     */
    judge(operation, answer) {
        const problems = this.#problems(operation, answer);
        if (problems.length === 0) {
            return { problems, beyond: false };
        }
        const left = this.#beyond?.judge(operation, answer).problems ?? problems;
        return { problems: left, beyond: left.length === 0 };
    }

    /** Lists what is wrong with a value by one schema, without what goes beyond the description. */
    schemaProblems(name, value) {
        const validate = this.#validator(name, this.#translator.reference(name));
        return validate(value) ? [] : explain(validate.errors, value);
    }

    /** Every type that the schemas know of a kind of node: 'block', 'inline' or 'mark'. */
    nodeTypes(object) {
        const types = Object.values(this.#document.components.schemas)
            .filter(({ properties }) => properties?.object?.enum?.[0] === object)
            .flatMap(({ properties }) => properties.type?.enum ?? []);
        return [...new Set(types)].sort();
    }

    /** Every key that the data of nodes can have, as "type.key". */
    nodeKeys() {
        const { schemas } = this.#document.components;
        const keysOf = (schema) => {
            const target = schema?.$ref ? schemas[schema.$ref.split('/').at(-1)] : schema;
            const parts = [...(target?.allOf ?? []), ...(target?.oneOf ?? [])];
            return [...Object.keys(target?.properties ?? {}), ...parts.flatMap(keysOf)];
        };
        return Object.values(schemas)
            .filter(({ properties }) => ['block', 'inline', 'mark'].includes(properties?.object?.enum?.[0]))
            .flatMap(({ properties: { type, data } }) => type.enum.flatMap((name) => keysOf(data).map((key) => `${name}.${key}`)))
            .sort();
    }

    /** Every value that the variants of a union of schemas have for a property. */
    variants(name, property) {
        const { schemas } = this.#document.components;
        return schemas[name].oneOf
            .map(({ $ref }) => schemas[$ref.split('/').at(-1)])
            .flatMap((schema) => schema.allOf ?? schema)
            .flatMap(({ properties }) => properties?.[property]?.enum ?? [])
            .sort();
    }

    #problems(operation, answer) {
        if (answer.status >= 400) {
            return this.#errorProblems(answer);
        }
        if (!operation?.responses) {
            return answer.body !== null && answer.json === undefined ? ['the body is not JSON'] : [];
        }
        const declared = this.#response(operation, answer.status);
        if (!declared) {
            const codes = Object.keys(operation.responses).join(', ');
            return [`status ${answer.status} is not declared (${codes})`];
        }
        const problems = this.#bodyProblems(operation, answer, declared);
        for (const header of Object.keys(declared.headers ?? {})) {
            if (!answer.headers.has(header)) {
                problems.push(`the declared header ${header} is missing`);
            }
        }
        return problems;
    }

    #addRoute(method, template, { operationId, responses }) {
        this.#routes.push({
            id: operationId,
            method,
            template,
            responses,
            pattern: templatePattern(template),
            parameters: [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        });
    }

    // Every error has the same envelope, on undeclared codes too: 401, 403 and 429 are
    // declared nowhere and can be answered everywhere.
    #errorProblems(answer) {
        if (answer.status >= 500) {
            return [`the server failed: ${answer.body}`];
        }
        const envelope = this.#translator.reference('Error');
        const problems = this.#schemaProblems('Error', envelope, answer);
        if (problems.length === 0 && answer.json.error.code !== answer.status) {
            problems.push(`error.code is ${answer.json.error.code}, the status is ${answer.status}`);
        }
        if (problems.length === 0 && answer.json.error.message.trim() === '') {
            problems.push('error.message is empty');
        }
        return problems;
    }

    #bodyProblems(operation, answer, declared) {
        const schema = declared.content?.['application/json']?.schema;
        const key = `${operation.id} ${answer.status}`;
        if (schema) {
            return this.#schemaProblems(key, this.#translator.translate(schema), answer);
        }
        const event = declared.content?.['text/event-stream']?.schema;
        if (event) {
            return this.#eventProblems(key, this.#translator.translate(event), answer);
        }
        return answer.body === null ? [] : ['the answer has a body, none is declared'];
    }

    #schemaProblems(key, schema, answer) {
        if (!/^application\/json(;|$)/.test(answer.headers.get('content-type') ?? '')) {
            return [`Content-Type is ${answer.headers.get('content-type')}`];
        }
        if (answer.json === undefined) {
            return ['the body is not JSON'];
        }
        const validate = this.#validator(key, schema);
        return validate(answer.json) ? [] : explain(validate.errors, answer.json);
    }

    // Each event meets the schema, and the last one says that it is.
    #eventProblems(key, schema, answer) {
        if (!/^text\/event-stream(;|$)/.test(answer.headers.get('content-type') ?? '')) {
            return [`Content-Type is ${answer.headers.get('content-type')}`];
        }
        const events = (answer.body ?? '').split('\n\n').filter(Boolean);
        const problems = events.pop()?.startsWith('event: done\n') ? [] : ['the last event is not done'];
        const validate = this.#validator(key, schema);
        for (const event of events) {
            const value = JSON.parse(event.replace(/^data: /, ''));
            problems.push(...(validate(value) ? [] : explain(validate.errors, value)));
        }
        return problems;
    }

    // Compiled once for each response: the document schemas are large.
    #validator(key, schema) {
        if (!this.#validators.has(key)) {
            this.#validators.set(key, this.#ajv.compile(schema));
        }
        return this.#validators.get(key);
    }

    #response(operation, status) {
        const response = operation.responses[status] ?? operation.responses.default;
        const name = response?.$ref?.split('/').at(-1);
        return name ? this.#document.components.responses[name] : response;
    }
}

function templatePattern(template) {
    const segments = template.split('/').map((segment) => {
        return /^\{\w+\}$/.test(segment) ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    });
    return new RegExp(`^${segments.join('/')}$`);
}

// Tells what is wrong, without what only follows from it.
function explain(errors, value) {
    const told = errors.filter(({ keyword }) => keyword !== 'if');
    const causes = told.filter(({ keyword }) => !['oneOf', 'anyOf'].includes(keyword));
    const shown = causes.length > 0 ? causes : told;
    return [...new Set(shown.map((error) => sentence(error, value)))];
}

function sentence({ instancePath, message, params }, value) {
    const detail = params.allowedValues ? `: ${JSON.stringify(params.allowedValues)}` : '';
    const name = params.additionalProperty ? `: ${params.additionalProperty}` : '';
    return `${instancePath || '(body)'}${nodesAlong(instancePath, value)} ${message}${detail}${name}`;
}

// The types of the nodes on the way to a place, because an index says little.
function nodesAlong(instancePath, value) {
    const types = [];
    let at = value;
    for (const part of instancePath.split('/').slice(1)) {
        at = at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
        if (typeof at?.type === 'string' && at.object) {
            types.push(at.type);
        }
    }
    return types.length > 0 ? ` (${types.join(' > ')})` : '';
}
