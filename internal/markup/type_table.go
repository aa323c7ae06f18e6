package markup

import (
	"math"

	"github.com/octavo-docs/octavo/internal/docs"
)

// This file is the table of types. A type is a row here and a file for its functions,
// if they are not those of other types.

var blockTable = []nodeType{{
	name: "paragraph", holds: holdsInlines, closed: true,
	fields: fieldsOf(optional(FieldAlign, asOneOf(TextAlignments...))),
	print:  (*printer).paragraph, printHTML: (*printer).htmlParagraph,
}, {
	name: "heading-1", holds: holdsInlines, fields: headingFields,
	print: (*printer).heading, printHTML: (*printer).htmlHeading,
	anchor: headingAnchor, wire: (*Node).headingData, read: readWideAnchor,
}, {
	name: "heading-2", holds: holdsInlines, fields: headingFields,
	print: (*printer).heading, printHTML: (*printer).htmlHeading,
	anchor: headingAnchor, wire: (*Node).headingData, read: readWideAnchor,
}, {
	name: "heading-3", holds: holdsInlines, fields: headingFields,
	print: (*printer).heading, printHTML: (*printer).htmlHeading,
	anchor: headingAnchor, wire: (*Node).headingData, read: readWideAnchor,
}, {
	name: "list-ordered", holds: holdsBlocks, parts: []string{"list-item"},
	fields:    fieldsOf(otherwise(FieldStart, asWhole(0, math.MaxInt32), 1)),
	printHTML: (*printer).htmlList,
}, {
	name: "list-unordered", holds: holdsBlocks, parts: []string{"list-item"}, closed: true,
	printHTML: (*printer).htmlList,
}, {
	name: "list-tasks", holds: holdsBlocks, parts: []string{"list-item"}, closed: true,
	printHTML: (*printer).htmlList,
}, {
	name: "list-item", partOf: "a list", holds: holdsBlocks,
	fields: fieldsOf(optional(FieldChecked, asFlag)),
}, {
	name: "divider", void: true, closed: true,
	print: (*printer).divider, printHTML: (*printer).htmlDivider,
}, {
	name: "blockquote", holds: holdsBlocks, closed: true,
	print: (*printer).quote, printHTML: (*printer).htmlQuote,
}, {
	name: "hint", holds: holdsBlocks,
	fields: fieldsOf(needed(FieldStyle, asOneOf(HintStyles...)), optional(FieldIcon, asLine)),
	tags:   []tagType{{name: "hint", container: true, attributes: []string{"style", "icon"}, block: hintNode}},
	open:   openHint, print: (*printer).hint,
}, {
	name: "code", holds: holdsBlocks, parts: []string{"code-line"},
	fields: fieldsOf(
		optional(FieldSyntax, asLine), optional(FieldTitle, asLine), otherwise(FieldOverflow, asOneOf("scroll", "wrap"), "scroll"),
		flag(FieldLineNumbers), flag(FieldFullWidth), flag(FieldExpandable), optional(FieldCollapsedLineCount, asWhole(1, math.MaxInt32)),
	),
	tags:  []tagType{{name: "code", container: true, attributes: []string{"title", "overflow", "lineNumbers", "expandable", "fullWidth", "collapsedLineCount"}, block: codeTag, lacks: lacksCode}},
	print: (*printer).code, printHTML: (*printer).pre,
	text: (*plain).title,
}, {
	name: "code-line", partOf: "code", holds: holdsInlines,
	fields: fieldsOf(flag(FieldHighlighted)),
}, {
	name: "math", void: true,
	fields: fieldsOf(needed(FieldFormula, asText)),
	print:  (*printer).math, printHTML: (*printer).htmlMath,
	text: (*plain).formula,
}, {
	name: "images", holds: holdsBlocks, parts: []string{"image"},
	fields: fieldsOf(optional(FieldAlign, asOneOf(ColumnAlignments...)), flag(FieldFullWidth), flag(FieldWithFrame)),
	print:  (*printer).images, printHTML: (*printer).images,
}, {
	name: "image", partOf: "images", void: true, fragments: captionSlot, framed: true,
	fields: fieldsOf(
		needed(FieldRef, asRef(docs.RefURL, docs.RefFile)), optional(FieldRefDark, asRef(docs.RefURL, docs.RefFile)),
		optional(FieldWidth, asLength), optional(FieldHeight, asLength), optional(FieldAlt, asText),
	),
	text: (*plain).image, refs: (*referenceCollector).image,
}, {
	name: "file", void: true, fragments: captionSlot,
	fields: fieldsOf(needed(FieldRef, asRef(docs.RefFile, docs.RefURL))),
	tags:   []tagType{{name: "file", container: true, alone: true, attributes: []string{"src"}, block: fileNode}},
	open:   openFile, print: (*printer).captionedTag,
	refs: (*referenceCollector).file,
}, {
	name: "drawing", void: true, fragments: captionSlot,
	fields: fieldsOf(optional(FieldRef, asRef(docs.RefFile, docs.RefURL))),
	print:  (*printer).drawing, printHTML: (*printer).drawing,
	refs: (*referenceCollector).file,
}, {
	name: "embed", void: true, fragments: captionSlot,
	fields: fieldsOf(needed(FieldURL, asAddress), flag(FieldFullWidth)),
	tags:   []tagType{{name: "embed", container: true, alone: true, attributes: []string{"url", "fullWidth"}, block: embedNode}},
	open:   openEmbed, print: (*printer).captionedTag,
}, {
	name: "expandable", void: true, closed: true,
	fields:    fieldsOf(flag(FieldDefaultExpanded)),
	fragments: []fragmentSlot{{"expandable-title", true}, {"expandable-body", true}},
	print:     (*printer).expandable, printHTML: (*printer).htmlExpandable,
	anchor: expandableAnchor,
}, {
	name: "tabs", holds: holdsBlocks, parts: []string{"tabs-item"}, closed: true,
	fields: fieldsOf(flag(FieldFullWidth)),
	tags:   []tagType{{name: "tabs", container: true, part: "tab", attributes: []string{"fullWidth"}, block: tabsNode}},
	open:   openTabs, print: (*printer).parts,
}, {
	name: "tabs-item", partOf: "tabs", holds: holdsBlocks,
	fields: fieldsOf(optional(FieldTitle, asLine), optional(FieldIcon, asLine), optional(FieldSlug, asLine)),
	tags:   []tagType{{name: "tab", container: true, in: "tabs", attributes: []string{"title", "icon", "slug"}, block: tabNode}},
	open:   openTab, print: (*printer).container,
	text: (*plain).title, anchor: tabAnchor,
}, {
	name: "stepper", holds: holdsBlocks, parts: []string{"stepper-step"}, closed: true,
	tags: []tagType{{name: "stepper", container: true, part: "step", block: stepperNode}},
	open: openStepper, print: (*printer).parts,
}, {
	name: "stepper-step", partOf: "stepper", holds: holdsBlocks,
	fields: fieldsOf(optional(FieldIcon, asLine)),
	tags:   []tagType{{name: "step", container: true, in: "stepper", attributes: []string{"icon"}, block: stepNode}},
	open:   openStep, print: (*printer).container,
}, {
	name: "columns", holds: holdsBlocks, parts: []string{"column"},
	fields: fieldsOf(flag(FieldFullWidth)),
	tags:   []tagType{{name: "columns", container: true, part: "column", attributes: []string{"fullWidth"}, block: columnsNode}},
	open:   openColumns, print: (*printer).parts,
}, {
	name: "column", partOf: "columns", holds: holdsBlocks, closed: true,
	fields: fieldsOf(optional(FieldWidth, asLength), optional(FieldVerticalAlignment, asOneOf(VerticalAlignments...))),
	tags:   []tagType{{name: "column", container: true, in: "columns", attributes: []string{"width", "valign"}, block: columnNode}},
	open:   openColumn, print: (*printer).container,
}, {
	name: "table", void: true, cells: true, framed: true,
	fields: fieldsOf(
		needed(FieldDefinition, asColumns), needed(FieldView, asView), needed(FieldRecords, asRecords),
		flag(FieldFullWidth), optional(FieldSearch, asFlag), optional(FieldCellMerges, asList(asCellMerge)),
	),
	print: (*printer).table, printHTML: (*printer).htmlNestedTable,
	text: (*plain).table, refs: (*referenceCollector).table,
}, {
	name: "content-ref", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(refKinds...))),
	tags:   []tagType{{name: "content-ref", container: true, alone: true, attributes: []string{"url"}, block: contentRefNode}, {name: "page-ref", attributes: []string{"page"}, block: contentRefNode}},
	open:   openContentRef, print: (*printer).contentRef,
	refs: (*referenceCollector).target,
}, {
	name: "reusable-content", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(docs.RefReusable))),
	tags:   []tagType{{name: "include", block: reusableNode, lacks: lacksContent}},
	open:   openReusable, print: (*printer).reusable,
	refs: (*referenceCollector).source,
}, {
	name: "integration", void: true,
	fields: fieldsOf(
		needed(FieldIntegration, asLine), needed(FieldBlock, asLine), needed(FieldProps, asObject), optional(FieldIntegrationAction, asObject),
		optional(FieldURL, asKeptAddress), flag(FieldFullWidth),
	),
	open: openIntegration, print: (*printer).integration,
	text: (*plain).integration, refs: (*referenceCollector).integration, wire: (*Node).integrationData,
}, {
	name: "swagger", void: true,
	fields: fieldsOf(
		needed(FieldRef, asRef(docs.RefFile, docs.RefURL)), needed(FieldPath, asLine), needed(FieldMethod, asLine), flag(FieldExpanded), flag(FieldFullWidth),
	),
	tags: []tagType{{name: "openapi", attributes: swaggerAttributes, block: swaggerNode}, {name: "swagger", attributes: swaggerAttributes, block: swaggerNode}},
	open: openSwagger, print: (*printer).swagger,
	text: (*plain).operation, refs: (*referenceCollector).source, anchor: operationAnchor,
}, {
	name: "openapi-operation", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(docs.RefOpenAPI)), needed(FieldPath, asLine), needed(FieldMethod, asLine)),
	tags:   []tagType{{name: "openapi-operation", attributes: openAPIAttributes, block: openAPINode}},
	open:   openOpenAPI, print: (*printer).openAPI,
	text: (*plain).operation, refs: (*referenceCollector).source, anchor: operationAnchor,
}, {
	name: "openapi-schemas", void: true,
	fields: fieldsOf(
		needed(FieldRef, asRef(docs.RefOpenAPI)), needed(FieldSchemas, asList(asLine)), otherwise(FieldGrouped, asFlag, true), optional(FieldTitle, asLine),
	),
	tags: []tagType{{name: "openapi-schemas", attributes: openAPIAttributes, block: openAPINode}},
	open: openOpenAPI, print: (*printer).openAPI,
	text: (*plain).schemas, refs: (*referenceCollector).source, anchor: schemasAnchor,
}, {
	name: "openapi-webhook", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(docs.RefOpenAPI)), needed(FieldName, asLine), needed(FieldMethod, asLine)),
	tags:   []tagType{{name: "openapi-webhook", attributes: openAPIAttributes, block: openAPINode}},
	open:   openOpenAPI, print: (*printer).openAPI,
	text: (*plain).webhook, refs: (*referenceCollector).source, anchor: operationAnchor,
}, {
	name: "if", holds: holdsBlocks,
	fields: fieldsOf(needed(FieldExpression, asLine)),
	tags:   []tagType{{name: "if", container: true, block: ifNode}},
	open:   openIf, print: (*printer).container,
}, {
	name: "updates", holds: holdsBlocks, parts: []string{"update"}, closed: true,
	fields: fieldsOf(otherwise(FieldFormat, asOneOf("numeric", "full", "short"), "full")),
	tags:   []tagType{{name: "updates", container: true, part: "update", attributes: []string{"format"}, block: updatesNode}},
	open:   openUpdates, print: (*printer).parts,
}, {
	name: "update", partOf: "updates", holds: holdsBlocks,
	fields: fieldsOf(needed(FieldDate, asDate), optional(FieldTags, asList(asRef(docs.RefTag)))),
	tags:   []tagType{{name: "update", container: true, in: "updates", attributes: []string{"date", "tags"}, block: updateNode, lacks: lacksDate}},
	open:   openUpdate, print: (*printer).container,
	text: (*plain).update, refs: (*referenceCollector).update,
}, {
	name: "prompt", holds: holdsBlocks, parts: []string{"code"}, single: true, closed: true,
	fields: fieldsOf(
		needed(FieldDescription, asLine), optional(FieldIcon, asLine), flag(FieldOpenInAIProviders),
		optional(FieldPromptExpanded, asOneOf("hidden", "partial", "full")),
	),
	tags: []tagType{{name: "prompt", container: true, attributes: []string{"description", "icon", "openInAIProviders", "defaultExpanded"}, block: promptNode, lacks: lacksCode}},
	open: openPrompt, print: (*printer).container,
	text: (*plain).prompt,
}}

var inlineTable = []nodeType{{
	name: "link", holds: holdsInlines,
	fields: fieldsOf(needed(FieldRef, asRef(refKinds...))),
	write:  (*inlineWriter).link,
	refs:   (*referenceCollector).link,
}, {
	name: "emoji", void: true,
	fields: fieldsOf(needed(FieldCode, asLine)),
	write:  (*inlineWriter).emoji, printHTML: (*printer).emojiElement,
	text: (*plain).emoji,
}, {
	name: "icon", void: true,
	fields:    fieldsOf(needed(FieldIcon, asLine), otherwise(FieldColor, asOneOf(Colours...), "default")),
	printHTML: (*printer).iconElement,
}, {
	name: "expression", void: true,
	fields:    fieldsOf(needed(FieldExpression, asLine)),
	printHTML: (*printer).expression,
}, {
	name: "inline-math", void: true,
	fields: fieldsOf(needed(FieldFormula, asText)),
	write:  (*inlineWriter).math, printHTML: (*printer).mathElement,
	text: (*plain).inlineMath,
}, {
	name: "inline-image", void: true,
	fields: fieldsOf(
		needed(FieldRef, asRef(docs.RefURL, docs.RefFile)), optional(FieldRefDark, asRef(docs.RefURL, docs.RefFile)),
		optional(FieldCaption, asText), optional(FieldAlt, asText), otherwise(FieldSize, asOneOf("original", "line"), "original"),
	),
	printHTML: (*printer).inlineImage,
	text:      (*plain).inlineImage, refs: (*referenceCollector).image,
}, {
	name: "annotation", holds: holdsInlines, closed: true, fragments: []fragmentSlot{{"annotation-body", true}},
	write: (*inlineWriter).annotation,
}, {
	name: "mention", void: true,
	fields: fieldsOf(needed(FieldRef, asRef(refKinds...))),
	write:  (*inlineWriter).mention, printHTML: (*printer).mentionElement,
	text: (*plain).mention, refs: (*referenceCollector).target,
}, {
	name: "button", void: true,
	fields: fieldsOf(
		needed(FieldLabel, asLine), needed(FieldKind, asOneOf("primary", "secondary")), optional(FieldIcon, asLine),
		otherwise(FieldSize, asOneOf(buttonSizes...), "medium"), optional(FieldRef, asRef(refKinds...)),
		optional(FieldAction, asAction), optional(FieldQuery, asLine), optional(FieldSlug, asLine),
	),
	printHTML: (*printer).button,
	text:      (*plain).button, refs: (*referenceCollector).button, wire: (*Node).buttonData, read: flattenAction,
}}

var captionSlot = []fragmentSlot{{"caption", false}}

// openAPIAttributes are the attributes of all tags of specifications that have a name,
// swaggerAttributes are those of specifications in files.
var (
	openAPIAttributes = []string{"spec", "method", "path", "name", "schemas", "grouped", "title"}
	swaggerAttributes = []string{"src", "path", "method", "expanded", "fullWidth"}
)

// headingFields have the level of the source, because Markdown has more levels than
// there are types of headings.
var headingFields = fieldsOf(
	optional(FieldID, asAnchor), optional(fieldWideAnchor, asAnchor), optional(FieldAlign, asOneOf(TextAlignments...)),
	optional(FieldClass, asLine), optional(FieldLevel, asWhole(1, 6)),
)

// markTypes are the types of marks.
var markTypes = []string{"bold", "italic", "code", "keyboard", "strikethrough", "superscript", "subscript", "color"}

// markFields are the fields of the marks that have data.
var markFields = map[string]fields{
	"color": fieldsOf(needed(TextField{"text"}, asOneOf(Colours...)), needed(TextField{"background"}, asOneOf(Colours...))),
}
