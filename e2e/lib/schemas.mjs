// OpenAPI 3.0 schemas as JSON Schema draft 7.

// Keywords that say something about JSON values in OpenAPI 3.0 and mean the same in JSON Schema.
const ASSERTIONS = [
    'additionalProperties', 'allOf', 'anyOf', 'enum', 'format', 'items', 'maxItems', 'maxLength',
    'maxProperties', 'maximum', 'minItems', 'minLength', 'minProperties', 'minimum', 'multipleOf',
    'not', 'oneOf', 'pattern', 'properties', 'required', 'type', 'uniqueItems',
];

// Properties that tell variants apart, the most telling first.
const NAMES = ['type', 'kind', 'fragment', 'object'];

export class Translator {
    #schemas;
    #components;

    /**
     * @param schemas the components that references lead to
     * @param components the id under which the translated ones are known
     */
    constructor(schemas, components) {
        this.#schemas = schemas;
        this.#components = components;
    }

    /** Translates every component. */
    all() {
        return mapValues(this.#schemas, (schema) => this.translate(schema));
    }

    /** A reference to a component by its name. */
    reference(name) {
        return { $ref: `${this.#components}#/definitions/${name}` };
    }

    /** Translates one schema. */
    translate(schema) {
        if (typeof schema === 'boolean') {
            return schema;
        }
        if (schema.$ref) {
            // Siblings of $ref are void in 3.0, but the client's own types honour nullable there.
            const reference = this.reference(nameOf(schema));
            return schema.nullable ? { anyOf: [reference, { type: 'null' }] } : reference;
        }
        const translated = {};
        for (const keyword of ASSERTIONS) {
            if (keyword in schema) {
                Object.assign(translated, this.#keyword(keyword, schema[keyword]));
            }
        }
        if (schema.nullable && translated.type) {
            translated.type = [translated.type, 'null'].flat();
        }
        return translated;
    }

    #keyword(keyword, value) {
        switch (keyword) {
            case 'properties':
                return { properties: mapValues(value, (schema) => this.translate(schema)) };
            case 'oneOf':
                return this.#union(value);
            case 'allOf':
            case 'anyOf':
                return { [keyword]: value.map((schema) => this.translate(schema)) };
            case 'additionalProperties':
            case 'items':
            case 'not':
                return { [keyword]: this.translate(value) };
            default:
                return { [keyword]: value };
        }
    }

    // Where the variants have different names, only the one that is named is tried. That means the
    // same, is faster, and what is wrong with the value is told without what the others think of it.
    #union(variants) {
        for (const property of NAMES) {
            const names = variants.map((variant) => this.#names(variant, property));
            const all = names.flat();
            if (names.every((list) => list.length > 0) && new Set(all).size === all.length) {
                const branches = variants.map((variant, index) => ({
                    if: { properties: { [property]: { enum: names[index] } } },
                    then: this.translate(variant),
                }));
                return { if: named(property, all), then: { allOf: branches }, else: named(property, all) };
            }
        }
        return { oneOf: variants.map((variant) => this.translate(variant)) };
    }

    // The names that a variant requires to have one of; [] when it goes by any.
    #names(schema, property) {
        const target = schema.$ref ? this.#schemas[nameOf(schema)] : schema;
        if (target.oneOf) {
            const lists = target.oneOf.map((variant) => this.#names(variant, property));
            return lists.every((list) => list.length > 0) ? [...new Set(lists.flat())] : [];
        }
        if (target.allOf) {
            return target.allOf.map((part) => this.#names(part, property)).find((list) => list.length > 0) ?? [];
        }
        return target.required?.includes(property) ? (target.properties?.[property]?.enum ?? []) : [];
    }
}

function named(property, names) {
    return { type: 'object', required: [property], properties: { [property]: { enum: names } } };
}

function nameOf({ $ref }) {
    return $ref.split('/').at(-1);
}

function mapValues(object, translate) {
    return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, translate(value)]));
}
