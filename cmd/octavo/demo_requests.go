package main

import (
	"context"
	"fmt"
	"strings"
)

// A proposal is a change request of the demonstration: what somebody changes on pages of the
// product's space.
type proposal struct {
	subject, description string
	edits                map[string][][2]string // by path of the page: texts and what they become
	page                 map[string]any         // that is added; nil for none
}

const retriesPage = "concepts/retries"

// giveUpEarly is reviewed, and has comments.
var giveUpEarly = proposal{
	subject:     "Retries: when there is no point in trying again",
	description: "Support is asked every week why a run with a 404 tries eight times. This says which answers end a run at once, makes the default visible, and shows it in the drawing.",
	edits: map[string][][2]string{
		retriesPage: {
			{"An attempt fails if your service cannot be reached, does not answer within", "An attempt fails if your service cannot be reached, does not answer in full within"},
			{"## Change the rules\n", `## When there is no point

Some answers do not change, however often one asks. After these, a run fails at once:

| answer | meaning |
| --- | --- |
| ` + "`401`, `403`" + ` | The service does not trust the call. |
| ` + "`404`, `410`" + ` | There is nothing at the URL any more. |
| ` + "`422`" + ` | The body is wrong, and stays wrong. |

## Change the rules
`},
			{`"giveUpOn": [400, 401, 403, 404, 410]`, `"giveUpOn": [401, 403, 404, 410, 422]`},
			{"  C->>S: POST, attempt 3\n  S-->>C: 204", "  C->>S: POST, attempt 3\n  S-->>C: 410\n  Note over C: gives up"},
		},
		"help/faq": {{"## Account\n", "<details>\n\n<summary>Why did a run end after one attempt?</summary>\n\nYour service gave an answer that [no repetition changes](concepts/retries.md), such as `404`. List the statuses yourself in `giveUpOn`; an empty list tries again after all of them.\n\n</details>\n\n## Account\n"}},
	},
	page: map[string]any{
		"operation": "insert_page", "title": "Deployments", "icon": "truck-fast", "description": "What runs do while a new version of your service starts.",
		"document": map[string]any{"markdown": "A service that restarts refuses calls for a few seconds. The first pause is longer than that, so a deployment costs one attempt and no run.\n\nIf a start takes minutes, answer `503` with `Retry-After` while it lasts.\n"},
	},
}

// regions is a draft.
var regions = proposal{
	subject: "Addresses: São Paulo",
	edits: map[string][][2]string{
		"reference/addresses": {{"| `me` | Dubai | `192.0.2.64/28` | `2001:db8:d0::/48` |\n", "| `me` | Dubai | `192.0.2.64/28` | `2001:db8:d0::/48` |\n| `sa` | São Paulo | `192.0.2.128/28` | `2001:db8:b0::/48` |\n"}},
	},
}

// addRequests adds the change requests. Those of a start that was interrupted are archived, because
// it is not known how far it came.
func (f *filling) addRequests(ctx context.Context) error {
	space := string(f.libraries[len(f.libraries)-1].books[0].made.ID)
	writer, err := f.as(ctx, "linus@octavo.example")
	if err != nil {
		return err
	}
	for _, status := range []string{"draft", "open"} {
		var there struct {
			Items []struct{ ID, Subject string }
		}
		if err := writer.do(ctx, "GET", apiPath("spaces", space, "change-requests")+"?status="+status, nil, &there); err != nil {
			return err
		}
		for _, cr := range there.Items {
			if cr.Subject != regions.subject && cr.Subject != giveUpEarly.subject {
				continue
			}
			if err := writer.do(ctx, "PATCH", apiPath("spaces", space, "change-requests", cr.ID), map[string]any{"status": "archived"}, nil); err != nil {
				return err
			}
		}
	}
	if _, err := writer.propose(ctx, space, regions); err != nil {
		return err
	}
	request, err := writer.propose(ctx, space, giveUpEarly)
	if err != nil {
		return err
	}
	return f.review(ctx, request, writer)
}

// propose opens a change request with the changes of a proposal, and returns its path.
func (c *client) propose(ctx context.Context, space string, p proposal) (string, error) {
	var made named
	if err := c.do(ctx, "POST", apiPath("spaces", space, "change-requests"), map[string]any{"subject": p.subject}, &made); err != nil {
		return "", err
	}
	var changes []map[string]any
	for path, edits := range p.edits {
		var page struct{ ID, Markdown string }
		if err := c.do(ctx, "GET", apiPath("spaces", space, "content", "path", path)+"?format=markdown", nil, &page); err != nil {
			return "", err
		}
		for _, e := range edits {
			if !strings.Contains(page.Markdown, e[0]) {
				return "", fmt.Errorf("%s has no %q", path, e[0])
			}
			page.Markdown = strings.Replace(page.Markdown, e[0], e[1], 1)
		}
		changes = append(changes, map[string]any{"operation": "update_page", "page": page.ID, "document": map[string]any{"markdown": page.Markdown}})
	}
	if p.page != nil {
		changes = append(changes, p.page)
	}
	request := apiPath("spaces", space, "change-requests", made.ID)
	return request, c.do(ctx, "POST", request+"/content", map[string]any{"changes": changes}, nil)
}

// review lets people discuss the change request at a path.
func (f *filling) review(ctx context.Context, request string, writer *client) error {
	reviewer, err := f.as(ctx, "grace@octavo.example")
	if err != nil {
		return err
	}
	var grace named
	var page struct {
		ID       string
		Document struct{ Nodes []blockJSON }
	}
	var first, second named
	table := func() string { return keyOf(page.Document.Nodes, "The service does not trust the call.") }
	for _, step := range []func() error{
		func() error { return reviewer.do(ctx, "GET", "/user", nil, &grace) },
		func() error {
			return writer.do(ctx, "POST", request+"/requested-reviewers", map[string]any{
				"users": []string{grace.ID}, "description": paragraph(giveUpEarly.description),
			}, nil)
		},
		func() error {
			return reviewer.do(ctx, "GET", request+apiPath("content", "path", retriesPage)+"?format=document", nil, &page)
		},
		func() error {
			return reviewer.do(ctx, "POST", request+"/comments", map[string]any{
				"page": page.ID, "node": table(), "body": markdown("Should `429` be here? It says \"later\", and not \"never\", so I would leave it out. But people will ask."),
			}, &first)
		},
		func() error {
			return writer.do(ctx, "POST", request+"/comments/"+first.ID+"/replies", map[string]any{
				"body": markdown("Left out on purpose: `429` with `Retry-After` sets the pause. I will say so below the table."),
			}, nil)
		},
		func() error {
			return f.api.do(ctx, "POST", request+"/comments", map[string]any{
				"body": markdown("Good. The API reference lists `giveUpOn` too; please look at whether its default is the same."),
			}, &second)
		},
		func() error {
			return reviewer.do(ctx, "PUT", request+"/comments/"+second.ID, map[string]any{"addedReactions": []string{"1f44d"}}, nil)
		},
		func() error {
			return reviewer.do(ctx, "POST", request+"/reviews", map[string]any{
				"status": "changes-requested", "comment": markdown("One sentence about `429`, and this can go out. The table is what support has been waiting for."),
			}, nil)
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// markdown returns a body of the API.
func markdown(text string) map[string]any { return map[string]any{"markdown": text} }

// paragraph returns a document of the API with one paragraph.
func paragraph(text string) map[string]any {
	return map[string]any{"object": "document", "data": map[string]any{}, "nodes": []any{map[string]any{
		"object": "block", "type": "paragraph", "data": map[string]any{}, "nodes": []any{map[string]any{
			"object": "text", "leaves": []any{map[string]any{"object": "leaf", "text": text, "marks": []any{}}},
		}},
	}}}
}

// blockJSON is a node of a document of the API.
type blockJSON struct {
	Object, Key string
	Nodes       []blockJSON
	Fragments   []blockJSON
	Leaves      []struct{ Text string }
}

// keyOf returns the key of the top block with a text, or an empty string.
func keyOf(blocks []blockJSON, text string) string {
	for _, b := range blocks {
		if b.has(text) {
			return b.Key
		}
	}
	return ""
}

func (b blockJSON) has(text string) bool {
	for _, l := range b.Leaves {
		if strings.Contains(l.Text, text) {
			return true
		}
	}
	for _, inner := range append(b.Nodes, b.Fragments...) {
		if inner.has(text) {
			return true
		}
	}
	return false
}
