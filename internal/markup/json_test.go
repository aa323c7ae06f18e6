package markup

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// Clients validate documents: some fields are required even if they are empty.
func TestFieldsThatAreNeverAbsent(t *testing.T) {
	cases := []struct {
		name string
		v    any
		want string
	}{
		{"image without a caption", blockNode("image", nil), `{"object":"block","type":"image","isVoid":true,"data":{},"fragments":[]}`},
		{"table without words", blockNode("table", nil), `{"object":"block","type":"table","isVoid":true,"data":{},"fragments":[]}`},
		{"divider", blockNode("divider", nil), `{"object":"block","type":"divider","isVoid":true,"data":{}}`},
		{"anchor that is an id", headingNode(2, "a-b.c", nil), `{"object":"block","type":"heading-2","isVoid":false,"data":{"id":"a-b.c"},"nodes":[{"object":"text","leaves":[{"object":"leaf","text":"","marks":[]}]}]}`},
		{"anchor that is none", headingNode(2, "Ä", nil), `{"object":"block","type":"heading-2","isVoid":false,"data":{"anchor":"Ä"},"nodes":[{"object":"text","leaves":[{"object":"leaf","text":"","marks":[]}]}]}`},
		{"paragraph", blockNode("paragraph", nil), `{"object":"block","type":"paragraph","isVoid":false,"data":{},"nodes":[]}`},
		{"reference to no address", docs.Ref{Kind: docs.RefURL}, `{"kind":"url","url":""}`},
		{"reference to an address", docs.Ref{Kind: docs.RefURL, URL: "https://x.test/?a=1&b=<"}, `{"kind":"url","url":"https://x.test/?a=1&b=<"}`},
	}
	for _, c := range cases {
		got, err := jsontext.Marshal(c.v)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// Every field of a reference is written and read back unchanged.
func TestReferenceKeepsItsFields(t *testing.T) {
	var all docs.Ref
	v := reflect.ValueOf(&all).Elem()
	for i := range v.NumField() {
		v.Field(i).SetString(v.Type().Field(i).Name)
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var back docs.Ref
	if err := json.Unmarshal(data, &back); err != nil || back != all {
		t.Errorf("%s became %+v, %v", data, back, err)
	}
}
