package markup

import (
	"encoding/json"
	"strings"
	"testing"
)

// The action of a button is one object with its parameter, which is always there. A document
// that is read from the API and sent back is the same, and so is one with the form that the
// API had before.
func TestActionsOfButtons(t *testing.T) {
	cases := []struct {
		tag  string // attributes of the button
		wire string // its data, without label and kind
		flat string // the form that the API had before
	}{
		{`data-action="ask" data-query="What is it?"`, `"action":{"action":"ask","query":"What is it?"}`, `"action":"ask","query":"What is it?"`},
		{`data-action="search" data-query="octavo"`, `"action":{"action":"search","query":"octavo"}`, `"action":"search","query":"octavo"`},
		{`data-action="search"`, `"action":{"action":"search","query":""}`, `"action":"search"`},
		{`data-action="ask" data-query=""`, `"action":{"action":"ask","query":""}`, `"action":"ask","query":""`},
		{`data-action="select" data-slug="linux"`, `"action":{"action":"select","slug":"linux"}`, `"action":"select","slug":"linux"`},
		{`data-action="select"`, `"action":{"action":"select","slug":""}`, `"action":"select"`},
		{`data-action="search" data-slug="odd"`, `"action":{"action":"search","query":""},"slug":"odd"`, `"action":"search","slug":"odd"`},
		{`data-action="ask" data-size="large" data-icon="compass"`, `"action":{"action":"ask","query":""},"icon":"compass","size":"large"`, `"action":"ask","icon":"compass","size":"large"`},
	}
	for _, c := range cases {
		source := `<button type="button" class="button primary" ` + c.tag + ">Go</button>\n"
		doc := Parse([]byte(source), Refs{})
		sent, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		data := func(own string) string {
			var all map[string]any
			if err := json.Unmarshal([]byte(`{"kind":"primary","label":"Go",`+own+`}`), &all); err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(all)
			return `"data":` + string(text)
		}
		if !strings.Contains(string(sent), data(c.wire)) {
			t.Errorf("%s: the API answers\n%s, want\n%s", c.tag, sent, data(c.wire))
		}
		for _, form := range []string{string(sent), strings.Replace(string(sent), data(c.wire), data(c.flat), 1)} {
			back, err := Decode("document", []byte(form))
			if err != nil {
				t.Errorf("%s: %v", form, err)
				continue
			}
			if hashAll(back.Nodes)[0] != hashAll(doc.Nodes)[0] {
				t.Errorf("%s: sent back, the document is another one: %s", c.tag, form)
			}
			if again, _ := json.Marshal(back); string(again) != string(sent) {
				t.Errorf("%s: sent back, it is %s", c.tag, again)
			}
		}
	}
	for _, bad := range []string{`"action":{"action":"buy"}`, `"action":{"query":"x"}`, `"action":{"action":"ask","query":1}`, `"action":{"action":"ask","topic":"x"}`, `"action":7`, `"action":"buy"`} {
		body := `{"object":"document","nodes":[{"object":"block","type":"paragraph","nodes":[{"object":"inline","type":"button","data":{"label":"x","kind":"primary",` + bad + `}}]}]}`
		if _, err := Decode("document", []byte(body)); err == nil || !strings.Contains(err.Error(), "document.nodes[0].nodes[0].data.action") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
