package apidoc

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

const titledAPI = `openapi: 3.1.0
info: {title: Pets, version: "1"}
tags: [{name: pets}]
paths:
  /pets:
    get: {operationId: listPets, summary: List pets, tags: [pets], responses: {"200": {description: OK}}}
    post: {operationId: buyPet, summary: Buy a pet, x-page-title: Shopping, tags: [pets], responses: {"200": {description: OK}}}
`

// The title of an operation is shown once: by its page, by the heading above its block,
// or by the block. Its anchor always exists, and no heading level is skipped.
func TestTheTitleOfAnOperationIsShownOnce(t *testing.T) {
	find := load(t, titledAPI)
	d := find(docs.Ref{Spec: "pets"})
	shop := Pages(d, Layout{Spec: "pets", ByOperation: true})[0]
	tag := Pages(d, Layout{Spec: "pets"})[0]
	for _, c := range []struct {
		name, source, title, anchor string
		shown                       int // occurrences in the body
		part, outline               string
	}{
		{"page of an operation", shop.Below[0].Source, "List pets", `id="get-pets"`, 0, `<h2 class="api-heading">Responses`, ""},
		{"page with a title of its own", shop.Below[1].Source, "Buy a pet", `id="post-pets"`, 1, `<h3 class="api-heading">Responses`, "Buy a pet"},
		{"page of a tag", tag.Source, "List pets", `id="get-pets"`, 1, `<h3 class="api-heading">Responses`, "List pets,Buy a pet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := show(t, find, c.source)
			wellFormed(t, page)
			if n := strings.Count(page, ">"+c.title+"<"); n != c.shown {
				t.Errorf("the title is shown %d times: %s", n, page)
			}
			if !strings.Contains(page, c.anchor) || !strings.Contains(page, c.part) {
				t.Errorf("%s or %s is missing in %s", c.anchor, c.part, page)
			}
			doc := markup.Parse([]byte(c.source), markup.Refs{})
			text := string(markup.Print(Blocks(find, doc), markup.Refs{}))
			if n := strings.Count(text, "# "+c.title+"\n"); n != c.shown || !strings.Contains(text, "\n"+strings.Repeat("#", int(c.part[2]-'0'))+" Responses") {
				t.Errorf("%d titles in the Markdown: %s", n, text)
			}
			var outline []string
			for _, h := range markup.Outline(doc, func(b markup.APIBlock) string { return Title(find, b) }) {
				outline = append(outline, h.Text)
			}
			if got := strings.Join(outline, ","); got != c.outline {
				t.Errorf("the outline is %s", got)
			}
		})
	}
}
