// The API description that ships inside @gitbook/api, made executable: which
// operation a request belongs to, and whether a response is one that the
// description allows.

import { createRequire } from 'node:module';

import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const require = createRequire(import.meta.url);

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const COMPONENTS = 'components';

/** Reads the description and returns it as a Description. */
export function loadDescription() {
    return new Description(require('@gitbook/api/spec/openapi.json'));
}

export class Description {
    #document;
    #routes = [];
    #validators = new Map();
    #ajv;

    constructor(document) {
        this.#document = document;
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
        this.#ajv.addSchema({
            $id: COMPONENTS,
            definitions: mapValues(document.components.schemas, toJSONSchema),
        });
    }

    /**
     * Declares an operation that the package does not know, named "METHOD /path/{template}".
     * Its successful answers have no schema to meet.
     */
    addUndeclared(name) {
        const [method, template] = name.split(' ');
        this.#addRoute(method, template, { operationId: name });
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

    /** Lists what is wrong with an answer to an operation (undefined: unknown); [] when nothing is. */
    problems(operation, answer) {
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
        const envelope = { $ref: `${COMPONENTS}#/definitions/Error` };
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
        if (schema) {
            return this.#schemaProblems(`${operation.id} ${answer.status}`, toJSONSchema(schema), answer);
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
        return validate(answer.json) ? [] : validate.errors.map(explain);
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

function explain({ instancePath, message, params }) {
    const detail = params.allowedValues ? `: ${JSON.stringify(params.allowedValues)}` : '';
    return `${instancePath || '(body)'} ${message}${detail}`;
}

// Keywords that say something about JSON values in OpenAPI 3.0 and mean the same in JSON Schema.
const ASSERTIONS = [
    'additionalProperties', 'allOf', 'anyOf', 'enum', 'format', 'items', 'maxItems', 'maxLength',
    'maxProperties', 'maximum', 'minItems', 'minLength', 'minProperties', 'minimum', 'multipleOf',
    'not', 'oneOf', 'pattern', 'properties', 'required', 'type', 'uniqueItems',
];

/** Translates a schema object of OpenAPI 3.0 into JSON Schema draft 7. */
export function toJSONSchema(schema) {
    if (typeof schema === 'boolean') {
        return schema;
    }
    if (schema.$ref) {
        // Siblings of $ref are void in 3.0, but the client's own types honour nullable there.
        const reference = { $ref: schema.$ref.replace('#/components/schemas/', `${COMPONENTS}#/definitions/`) };
        return schema.nullable ? { anyOf: [reference, { type: 'null' }] } : reference;
    }
    const translated = {};
    for (const keyword of ASSERTIONS) {
        if (keyword in schema) {
            translated[keyword] = translateKeyword(keyword, schema[keyword]);
        }
    }
    if (schema.nullable && translated.type) {
        translated.type = [translated.type, 'null'];
    }
    return translated;
}

function translateKeyword(keyword, value) {
    switch (keyword) {
        case 'properties':
            return mapValues(value, toJSONSchema);
        case 'allOf':
        case 'anyOf':
        case 'oneOf':
            return value.map(toJSONSchema);
        case 'additionalProperties':
        case 'items':
        case 'not':
            return toJSONSchema(value);
        default:
            return value;
    }
}

function mapValues(object, translate) {
    return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, translate(value)]));
}
