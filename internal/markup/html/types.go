package html

import "github.com/octavo-docs/octavo/internal/markup"

// The form in HTML of each type of block and inline: the column of markup's table of
// types that is about HTML. A type without a form shows what it holds. The tables are
// filled by init, because the forms look up the forms of what they hold.
var blockForms, inlineForms map[string]func(h *writer, n *markup.Node)

func init() {
	blockForms = map[string]func(h *writer, n *markup.Node){
		"paragraph": (*writer).paragraph, "heading-1": (*writer).heading, "heading-2": (*writer).heading,
		"heading-3": (*writer).heading, "list-ordered": (*writer).orderedList, "list-unordered": (*writer).list,
		"list-tasks": (*writer).taskList, "list-item": (*writer).listItem, "divider": (*writer).divider,
		"blockquote": (*writer).quote, "hint": (*writer).hint, "code": (*writer).codeBlock,
		"math": (*writer).mathBlock, "images": (*writer).images, "image": (*writer).figure, "file": (*writer).file,
		"drawing": (*writer).figure, "embed": (*writer).embed, "expandable": (*writer).expandable,
		"tabs": (*writer).tabs, "tabs-item": (*writer).tab, "stepper": (*writer).stepper,
		"stepper-step": (*writer).step, "columns": (*writer).columns, "column": (*writer).column,
		"table": (*writer).table, "content-ref": (*writer).contentRef, "reusable-content": (*writer).reusable,
		"integration": (*writer).integration, "swagger": (*writer).openAPI, "openapi-operation": (*writer).openAPI,
		"openapi-schemas": (*writer).openAPI, "openapi-webhook": (*writer).openAPI, "if": (*writer).omit,
		"updates": (*writer).updates, "update": (*writer).update, "prompt": (*writer).prompt,
	}
	inlineForms = map[string]func(h *writer, n *markup.Node){
		"link": (*writer).linked, "emoji": (*writer).emoji, "icon": (*writer).iconNode, "expression": (*writer).omit,
		"inline-math": (*writer).mathText, "inline-image": (*writer).inlineImage, "annotation": (*writer).annotation,
		"mention": (*writer).mention, "button": (*writer).button,
	}
}
