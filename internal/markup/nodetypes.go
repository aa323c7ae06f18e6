package markup

import (
	"math"

	"github.com/octavo-docs/octavo/internal/docs"
)

// This file is the table of types. A type is a row here and a file for its functions,
// if they are not those of other types.

var blockTable = []nodeType{{
	name: "paragraph", holds: holdsInlines, closed: true,
	fields: fieldsOf(optional(FieldAlign, asOneOf(textAlignments...))),
}, {
	name: "heading-1", holds: holdsInlines, fields: headingFields,
}, {
	name: "heading-2", holds: holdsInlines, fields: headingFields,
}, {
	name: "heading-3", holds: holdsInlines, fields: headingFields,
}, {
	name: "list-ordered", holds: holdsBlocks, parts: []string{"list-item"},
	fields: fieldsOf(otherwise(FieldStart, asWhole(0, math.MaxInt32), 1)),
}, {
	name: "list-unordered", holds: holdsBlocks, parts: []string{"list-item"}, closed: true,
}, {
	name: "list-tasks", holds: holdsBlocks, parts: []string{"list-item"}, closed: true,
}, {
	name: "list-item", partOf: "a list", holds: holdsBlocks,
	fields: fieldsOf(optional(FieldChecked, asFlag)),
}, {
	name: "divider", void: true, closed: true,
}, {
	name: "blockquote", holds: holdsBlocks, closed: true,
}, {
	name: "hint", holds: holdsBlocks,
	fields: fieldsOf(needed(FieldStyle, asOneOf(hintStyles...)), optional(FieldIcon, asLine)),
}, {
	name: "code", holds: holdsBlocks, parts: []string{"code-line"},
	fields: fieldsOf(
		optional(FieldSyntax, asLine), optional(FieldTitle, asLine), otherwise(FieldOverflow, asOneOf("scroll", "wrap"), "scroll"),
		flag(FieldLineNumbers), flag(FieldFullWidth), flag(FieldExpandable), optional(FieldCollapsedLineCount, asWhole(1, math.MaxInt32)),
	),
}, {
	name: "code-line", partOf: "code", holds: holdsInlines,
	fields: fieldsOf(flag(FieldHighlighted)),
}, {
	name: "math", void: true,
	fields: fieldsOf(needed(FieldFormula, asText)),
}, {
	name: "images", holds: holdsBlocks, parts: []string{"image"},
	fields: fieldsOf(optional(FieldAlign, asOneOf(columnAlignments...)), flag(FieldFullWidth), flag(FieldWithFrame)),
}, {
	name: "image", partOf: "images", void: true, fragments: captionSlot,
	fields: fieldsOf(
		needed(FieldRef, asRef(docs.RefURL, docs.RefFile)), optional(FieldRefDark, asRef(docs.RefURL, docs.RefFile)),
		optional(FieldWidth, asLength), optional(FieldHeight, asLength), optional(FieldAlt, asText),
	),
}, {
	name: "file", void: true, fragments: captionSlot,
	fields: fieldsOf(needed(FieldRef, asRef(docs.RefFile, docs.RefURL))),
}, {
	name: "drawing", void: true, fragments: captionSlot,
	fields: fieldsOf(optional(FieldRef, asRef(docs.RefFile, docs.RefURL))),
}, {
	name: "embed", void: true, fragments: captionSlot,
	fields: fieldsOf(needed(FieldURL, asAddress), flag(FieldFullWidth)),
}, {
	name: "expandable", void: true, closed: true,
	fields:    fieldsOf(flag(FieldDefaultExpanded)),
	fragments: []fragmentSlot{{"expandable-title", true}, {"expandable-body", true}},
}, {
	name: "tabs", holds: holdsBlocks, parts: []string{"tabs-item"}, closed: true,
	fields: fieldsOf(flag(FieldFullWidth)),
}, {
	name: "tabs-item", partOf: "tabs", holds: holdsBlocks,
	fields: fieldsOf(optional(FieldTitle, asLine), optional(FieldIcon, asLine), optional(FieldSlug, asLine)),
}, {
	name: "stepper", holds: holdsBlocks, parts: []string{"stepper-step"}, closed: true,
}, {
	name: "stepper-step", partOf: "stepper", holds: holdsBlocks,
	fields: fieldsOf(optional(FieldIcon, asLine)),
}, {
	name: "columns", holds: holdsBlocks, parts: []string{"column"},
	fields: fieldsOf(flag(FieldFullWidth)),
}, {
	name: "column", partOf: "columns", holds: holdsBlocks, closed: true,
	fields: fieldsOf(optional(FieldWidth, asLength), optional(FieldVerticalAlignment, asOneOf(verticalAlignments...))),
}, {
	name: "table", void: true, cells: true,
	fields: fieldsOf(
		needed(FieldDefinition, asColumns), needed(FieldView, asView), needed(FieldRecords, asRecords),
		flag(FieldFullWidth), optional(FieldSearch, asFlag), optional(FieldCellMerges, asList(asCellMerge)),
	),
}, {
	name: "content-ref", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(refKinds...))),
}, {
	name: "reusable-content", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(docs.RefReusable))),
}, {
	name: "integration", void: true,
	fields: fieldsOf(
		needed(FieldIntegration, asLine), needed(FieldBlock, asLine), needed(FieldProps, asObject), optional(FieldIntegrationAction, asObject),
		optional(FieldURL, asKeptAddress), flag(FieldFullWidth),
	),
}, {
	name: "swagger", void: true,
	fields: fieldsOf(
		needed(FieldRef, asRef(docs.RefFile, docs.RefURL)), needed(FieldPath, asLine), needed(FieldMethod, asLine), flag(FieldExpanded), flag(FieldFullWidth),
	),
}, {
	name: "openapi-operation", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(docs.RefOpenAPI)), needed(FieldPath, asLine), needed(FieldMethod, asLine)),
}, {
	name: "openapi-schemas", void: true,
	fields: fieldsOf(
		needed(FieldRef, asRef(docs.RefOpenAPI)), needed(FieldSchemas, asList(asLine)), otherwise(FieldGrouped, asFlag, true), optional(FieldTitle, asLine),
	),
}, {
	name: "openapi-webhook", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(docs.RefOpenAPI)), needed(FieldName, asLine), needed(FieldMethod, asLine)),
}, {
	name: "if", holds: holdsBlocks,
	fields: fieldsOf(needed(FieldExpression, asLine)),
}, {
	name: "updates", holds: holdsBlocks, parts: []string{"update"}, closed: true,
	fields: fieldsOf(otherwise(FieldFormat, asOneOf("numeric", "full", "short"), "full")),
}, {
	name: "update", partOf: "updates", holds: holdsBlocks,
	fields: fieldsOf(needed(FieldDate, asDate), optional(FieldTags, asList(asRef(docs.RefTag)))),
}, {
	name: "prompt", holds: holdsBlocks, parts: []string{"code"}, single: true, closed: true,
	fields: fieldsOf(
		needed(FieldDescription, asLine), optional(FieldIcon, asLine), flag(FieldOpenInAIProviders),
		optional(FieldPromptExpanded, asOneOf("hidden", "partial", "full")),
	),
}}

var inlineTable = []nodeType{{
	name: "link", holds: holdsInlines,
	fields: fieldsOf(needed(FieldRef, asRef(refKinds...))),
}, {
	name: "emoji", void: true,
	fields: fieldsOf(needed(FieldCode, asLine)),
}, {
	name: "icon", void: true,
	fields: fieldsOf(needed(FieldIcon, asLine), otherwise(FieldColor, asOneOf(colours...), "default")),
}, {
	name: "expression", void: true,
	fields: fieldsOf(needed(FieldExpression, asLine)),
}, {
	name: "inline-math", void: true,
	fields: fieldsOf(needed(FieldFormula, asText)),
}, {
	name: "inline-image", void: true,
	fields: fieldsOf(
		needed(FieldRef, asRef(docs.RefURL, docs.RefFile)), optional(FieldRefDark, asRef(docs.RefURL, docs.RefFile)),
		optional(FieldCaption, asText), optional(FieldAlt, asText), otherwise(FieldSize, asOneOf("original", "line"), "original"),
	),
}, {
	name: "annotation", holds: holdsInlines, closed: true, fragments: []fragmentSlot{{"annotation-body", true}},
}, {
	name: "mention", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(refKinds...))),
}, {
	name: "button", void: true,
	fields: fieldsOf(
		needed(FieldLabel, asLine), needed(FieldKind, asOneOf("primary", "secondary")), optional(FieldIcon, asLine),
		otherwise(FieldSize, asOneOf(buttonSizes...), "medium"), optional(FieldRef, asRef(refKinds...)),
		optional(FieldAction, asAction), optional(FieldQuery, asLine), optional(FieldSlug, asLine),
	),
}}

var captionSlot = []fragmentSlot{{"caption", false}}

// headingFields have the level of the source, because Markdown has more levels than
// there are types of headings.
var headingFields = fieldsOf(
	optional(FieldID, asAnchor), optional(fieldWideAnchor, asAnchor), optional(FieldAlign, asOneOf(textAlignments...)),
	optional(FieldClass, asLine), optional(FieldLevel, asWhole(1, 6)),
)

// markTypes are the types of marks.
var markTypes = []string{"bold", "italic", "code", "keyboard", "strikethrough", "superscript", "subscript", "color"}

// markFields are the fields of the marks that have data.
var markFields = map[string]fields{
	"color": fieldsOf(needed(TextField{"text"}, asOneOf(colours...)), needed(TextField{"background"}, asOneOf(colours...))),
}
