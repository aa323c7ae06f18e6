package markup

// The form in HTML of each type of block and inline: the column of markup's table of
// types that is about HTML. A type without a form shows what it holds. The tables are
// filled by init, because the forms look up the forms of what they hold.
var blockForms, inlineForms map[string]func(h *htmlWriter, n *Node)

func init() {
	blockForms = map[string]func(h *htmlWriter, n *Node){
		"paragraph": (*htmlWriter).paragraph, "heading-1": (*htmlWriter).heading, "heading-2": (*htmlWriter).heading,
		"heading-3": (*htmlWriter).heading, "list-ordered": (*htmlWriter).orderedList, "list-unordered": (*htmlWriter).list,
		"list-tasks": (*htmlWriter).taskList, "list-item": (*htmlWriter).listItem, "divider": (*htmlWriter).divider,
		"blockquote": (*htmlWriter).quote, "hint": (*htmlWriter).hint, "code": (*htmlWriter).codeBlock,
		"math": (*htmlWriter).mathBlock, "images": (*htmlWriter).images, "image": (*htmlWriter).figure, "file": (*htmlWriter).file,
		"drawing": (*htmlWriter).figure, "embed": (*htmlWriter).embed, "expandable": (*htmlWriter).expandable,
		"tabs": (*htmlWriter).tabs, "tabs-item": (*htmlWriter).tab, "stepper": (*htmlWriter).stepper,
		"stepper-step": (*htmlWriter).step, "columns": (*htmlWriter).columns, "column": (*htmlWriter).column,
		"table": (*htmlWriter).table, "content-ref": (*htmlWriter).contentRef, "reusable-content": (*htmlWriter).reusable,
		"integration": (*htmlWriter).integration, "swagger": (*htmlWriter).openAPI, "openapi-operation": (*htmlWriter).openAPI,
		"openapi-schemas": (*htmlWriter).openAPI, "openapi-webhook": (*htmlWriter).openAPI, "if": (*htmlWriter).omit,
		"updates": (*htmlWriter).updates, "update": (*htmlWriter).update, "prompt": (*htmlWriter).prompt,
	}
	inlineForms = map[string]func(h *htmlWriter, n *Node){
		"link": (*htmlWriter).linked, "emoji": (*htmlWriter).emoji, "icon": (*htmlWriter).iconNode, "expression": (*htmlWriter).omit,
		"inline-math": (*htmlWriter).mathText, "inline-image": (*htmlWriter).inlineImage, "annotation": (*htmlWriter).annotation,
		"mention": (*htmlWriter).mention, "button": (*htmlWriter).button,
	}
}
