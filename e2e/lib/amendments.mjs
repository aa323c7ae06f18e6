// Where the description that ships with the client cannot be taken at its word. Everything that a
// response may do against it is here and nowhere else.

/**
 * Places where the description contradicts itself: no answer at all could meet them. Each is
 * corrected to what it can only mean, as narrowly as possible.
 */
export const CORRECTIONS = [
    {
        reason: 'a SAML provider can be made with a label alone, and yet must have an address where people sign in; it is empty until it is set',
        apply(schemas) {
            const { properties } = schemas.OrganizationSAMLProvider;
            properties.ssoURL = { anyOf: [properties.ssoURL, { const: '' }] };
        },
    },
    {
        reason:
            'a page in a tree has no body; the variant "Empty" of its body allows no other property, ' +
            'although the page itself must have some',
        apply(schemas) {
            schemas.DocumentOfPage = {
                type: 'object',
                properties: { markdown: string, document: ref('JSONDocument') },
                not: { required: ['markdown', 'document'], properties: { markdown: {}, document: {} } },
            };
            replaceReference(schemas.RevisionPageDocument.allOf, 'Document', 'DocumentOfPage');
        },
    },
    {
        reason: 'what changed of a page is exactly one of three variants, of which each allows everything',
        apply(schemas) {
            loosen(schemas.RevisionSemanticChangePageEdited.properties.attributes);
        },
    },
    {
        reason: 'a file or an address in a cell is a reference and a picture, and may be only one of both',
        apply(schemas) {
            loosen(schemas.DocumentTableRecord.properties.values.additionalProperties);
        },
    },
    {
        reason: 'a plain object may hold text, but is not said to be an object, so that text is one as well',
        apply(schemas) {
            schemas.PlainObject.type = 'object';
        },
    },
];

const ANY_BLOCK_INSIDE = {
    reason: 'Markdown can put any block into another one, and writers do; the description knows fewer there',
    apply(schemas) {
        for (const name of ['Hint', 'Quote', 'ListItem', 'TabsItem', 'StepperStep', 'Column']) {
            schemas[`DocumentBlock${name}`].properties.nodes.items = ref('DocumentBlocksTopLevels');
        }
        const [, body] = schemas.DocumentBlockExpandable.properties.fragments.items.oneOf;
        const caption = schemas.DocumentBlockImage.properties.fragments.items;
        const note = schemas.DocumentInlineAnnotation.properties.fragments.items;
        for (const { allOf } of [body, caption, note]) {
            allOf[1].properties.nodes.items = ref('DocumentBlocksTopLevels');
        }
    },
};

const ANYTHING_IN_A_LINK = {
    reason: 'a link can hold more than text and pictures',
    apply(schemas) {
        schemas.DocumentInlineLink.properties.nodes.items.oneOf = [ref('DocumentInline'), ref('DocumentText')];
    },
};

const FILE_ELSEWHERE = {
    reason: 'a file or a drawing may be elsewhere, or gone; then its address is all that is left',
    apply(schemas) {
        allow(schemas.DocumentBlockFile.properties.data.properties.ref, 'ContentRefURL');
        allow(schemas.DocumentBlockDrawing.properties.data.properties.ref, 'ContentRefURL');
    },
};

const BUTTON_OFF = {
    reason: 'a button that is switched off leads nowhere',
    apply(schemas) {
        const [, destination] = schemas.DocumentInlineButton.properties.data.allOf;
        destination.oneOf.push({ not: { anyOf: ['ref', 'action'].map(has) } });
    },
};

const REVIEW_COMMENT = {
    reason: 'a review that neither approves nor asks for changes is in no description',
    apply: (schemas) => schemas.ChangeRequestReviewStatus.enum.push('comment'),
};

/**
 * What documents can hold beyond this version of the description. Blocks that it knows keep its
 * shape and get a place; those that it does not know get theirs here. An answer that needs one of
 * these is counted apart.
 */
export const BEYOND = [
    {
        reason: 'the colour scheme of the system is newer, and is that of a site whose owner has not chosen one',
        apply: (schemas) => schemas.CustomizationThemeMode.enum.push('system'),
    },
    {
        reason: 'conditions and columns have a shape in the description, but no place in a document',
        apply: (schemas) => allow(schemas.DocumentBlocksTopLevels, 'DocumentBlockIf', 'DocumentBlockColumns'),
    },
    {
        reason: 'lists of dated updates are newer',
        apply(schemas) {
            schemas.ContentRefTag = object({ kind: { enum: ['tag'] }, tag: string, space: string }, ['kind', 'tag']);
            schemas.DocumentBlockUpdate = block('update', {
                data: object({ date: ref('Timestamp'), tags: list(ref('ContentRefTag')) }, ['date']),
                nodes: list(ref('DocumentBlocksTopLevels')),
            });
            schemas.DocumentBlockUpdates = block('updates', {
                data: object({ format: { type: 'string', enum: ['numeric', 'full', 'short'] } }, ['format']),
                nodes: list(ref('DocumentBlockUpdate')),
            });
            allow(schemas.DocumentBlocksTopLevels, 'DocumentBlockUpdates');
            allow(schemas.DocumentBlock, 'DocumentBlockUpdates', 'DocumentBlockUpdate');
        },
    },
    {
        reason: 'prompts are newer',
        apply(schemas) {
            schemas.DocumentBlockPrompt = block('prompt', {
                data: object(
                    {
                        description: string,
                        icon: ref('Icon'),
                        openInAIProviders: { type: 'boolean' },
                        defaultExpanded: { type: 'string', enum: ['hidden', 'partial', 'full'] },
                    },
                    ['description'],
                ),
                nodes: { ...list(ref('DocumentBlockCode')), minItems: 1, maxItems: 1 },
            });
            allow(schemas.DocumentBlocksTopLevels, 'DocumentBlockPrompt');
            allow(schemas.DocumentBlock, 'DocumentBlockPrompt');
        },
    },
    {
        reason: 'an expandable that is open from the start is newer',
        apply(schemas) {
            schemas.DocumentBlockExpandable.properties.data.properties.defaultExpanded = { type: 'boolean' };
        },
    },
    {
        reason: 'buttons that do something instead of leading somewhere are newer',
        apply(schemas) {
            const [, destination] = schemas.DocumentInlineButton.properties.data.allOf;
            const named = (names, more) => object({ action: { type: 'string', enum: names }, ...more }, ['action', ...Object.keys(more)]);
            const action = { oneOf: [named(['search', 'ask'], { query: string }), named(['select'], { slug: string })] };
            destination.oneOf.push({ type: 'object', properties: { action }, required: ['action'] });
        },
    },
    BUTTON_OFF,
    ANY_BLOCK_INSIDE,
    ANYTHING_IN_A_LINK,
    FILE_ELSEWHERE,
    {
        reason: 'some merge rules are newer, and a rule can have words of its own',
        apply(schemas) {
            const plain = schemas.MergeRule.oneOf.find(({ properties }) => properties.rule.enum.includes('require_agent_review'));
            plain.properties.rule.enum.push('require_at_least_one_approved_review', 'require_author_to_merge');
            schemas.MergeRule.oneOf.forEach(({ properties }) => (properties.message = string));
        },
    },
    REVIEW_COMMENT,
    {
        reason: 'redirects with a wildcard, and to other websites, are newer',
        apply(schemas) {
            const { pattern } = schemas.SiteRedirectSourcePath;
            schemas.SiteRedirectSourcePath.pattern = pattern.replace(/\$$/, '(?:\\/?\\*)?$');
            const properties = { kind: { type: 'string', enum: ['external'] }, url: string };
            schemas.SiteRedirectDestinationExternal = object(properties, ['kind', 'url']);
            allow(schemas.SiteRedirectDestination, 'SiteRedirectDestinationExternal');
        },
    },
    {
        reason: 'some colours are newer',
        apply(schemas) {
            for (const name of ['DocumentTextColor', 'DocumentTextBackgroundColor']) {
                schemas[name].enum.push('pink', 'violet', 'cyan', '$tint');
            }
        },
    },
];

/** The same for the description of the site renderer's client, which is newer. */
export const RENDERER = {
    corrections: [
        {
            reason: 'where a button leads is described apart from its label, by variants that allow no label',
            apply(schemas) {
                const [, destination] = schemas.DocumentInlineButton.properties.data.allOf;
                destination.oneOf.forEach((variant) => delete variant.additionalProperties);
            },
        },
    ],
    beyond: [ANY_BLOCK_INSIDE, ANYTHING_IN_A_LINK, FILE_ELSEWHERE, BUTTON_OFF, REVIEW_COMMENT],
};

/** A copy of the description with the amendments applied. */
export function amend(document, amendments) {
    const amended = structuredClone(document);
    for (const { apply } of amendments) {
        apply(amended.components.schemas);
    }
    return amended;
}

const string = { type: 'string' };

function ref(name) {
    return { $ref: `#/components/schemas/${name}` };
}

function has(property) {
    return { required: [property], properties: { [property]: {} } };
}

function list(items) {
    return { type: 'array', items };
}

function object(properties, required) {
    return { type: 'object', properties, required, additionalProperties: false };
}

function block(type, { data, nodes }) {
    const properties = {
        object: { type: 'string', enum: ['block'] },
        type: { type: 'string', enum: [type] },
        isVoid: { type: 'boolean', enum: [false] },
        key: string,
        data,
        nodes,
    };
    return object(properties, ['object', 'type', 'data', 'nodes']);
}

// Adds variants to a union.
function allow(union, ...names) {
    union.oneOf.push(...names.map(ref));
}

// One of several becomes at least one of them.
function loosen(schema) {
    schema.anyOf = schema.oneOf;
    delete schema.oneOf;
}

function replaceReference(schemas, from, to) {
    schemas[schemas.findIndex(({ $ref }) => $ref === ref(from).$ref)] = ref(to);
}
