package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"pgregory.net/rapid"
)

// What is filled from a body that has been read is what encoding/json makes of its bytes, for the
// bodies of all operations.
func TestFilledAsEncodingJSONDoes(t *testing.T) {
	bodies, tried, filled := 0, 0, 0
	for _, o := range newTestAPI(t, Limit{}, io.Discard).ops {
		f, has := o.in.FieldByName("Body")
		if !has || fillerOf(f.Type) == nil {
			continue
		}
		bodies++
		fill := fillerOf(f.Type)
		rapid.Check(t, func(t *rapid.T) {
			b, err := json.Marshal(anyBody(t, f.Type))
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := readStrict(b)
			if err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			tried++
			got, want := reflect.New(f.Type), reflect.New(f.Type)
			if !fill(got.Elem(), parsed) {
				return
			}
			filled++
			if err := json.Unmarshal(b, want.Interface()); err != nil || !reflect.DeepEqual(got.Interface(), want.Interface()) {
				t.Fatalf("%s: %s\nfilled:        %+v\nencoding/json: %+v, %v", o.ID, b, got, want, err)
			}
		})
	}
	if bodies < 80 || filled < tried/10 {
		t.Errorf("%d types of bodies can be filled, and %d of %d bodies were", bodies, filled, tried)
	}
}

// anyBody returns a value whose JSON is for a type, mostly.
func anyBody(t *rapid.T, of reflect.Type) any {
	if rapid.IntRange(0, 99).Draw(t, "other") == 0 {
		return rapid.SampledFrom([]any{nil, true, 1, 1.5, "", "text", []any{}, []any{"a"}, map[string]any{}, map[string]any{"a": "b"}}).Draw(t, "value")
	}
	if o, is := reflect.New(of).Interface().(optional); is {
		return anyBody(t, o.Elem())
	}
	switch of.Kind() {
	case reflect.Pointer:
		return anyBody(t, of.Elem())
	case reflect.Slice:
		list := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range list {
			list[i] = anyBody(t, of.Elem())
		}
		return list
	case reflect.Struct:
		object := map[string]any{}
		for i := range of.NumField() {
			f := of.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch rapid.IntRange(0, 99).Draw(t, f.Name) {
			case 0:
				name = strings.ToUpper(name)
			case 1:
				name = f.Name
			default:
				if rapid.Bool().Draw(t, "absent") {
					continue
				}
			}
			object[name] = anyBody(t, f.Type)
		}
		return object
	case reflect.Bool:
		return rapid.Bool().Draw(t, "bool")
	case reflect.Int, reflect.Int64:
		return json.RawMessage(rapid.SampledFrom([]string{"1", "-1", "0", "-0", "1.0", "1e3", "1.5", "9007199254740993", "1e30"}).Draw(t, "number"))
	case reflect.String:
		return rapid.StringOf(rapid.RuneFrom([]rune("aé\"\\\n<\u2028😀�"))).Draw(t, "text")
	}
	return "text"
}

// pageEdit is the most frequent change: that of a page of 2 KB.
var pageEdit = []byte(`{"changes":[{"operation":"update_page","page":"page","document":{"markdown":"` +
	strings.Repeat(`A line of a page, with **emphasis** and a [link](page.md).\n`, 35) + `"}}]}`)

func TestEditsOfPagesAreFilled(t *testing.T) {
	parsed, err := readStrict(pageEdit)
	if err != nil {
		t.Fatal(err)
	}
	var got ContentBatch
	if !fillerOf(reflect.TypeFor[ContentBatch]())(reflect.ValueOf(&got).Elem(), parsed) {
		t.Errorf("an edit is decoded a second time")
	}
}

func BenchmarkReadInput(b *testing.B) {
	a := newTestAPI(b, Limit{}, io.Discard)
	edit := a.ops[slices.IndexFunc(a.ops, func(o op) bool { return o.ID == "updateContent" })].in
	in := newInput(edit, &huma.Operation{MaxBodyBytes: maxBody}, a.huma.OpenAPI().Components.Schemas)
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(pageEdit))
		r.SetPathValue("spaceId", "space")
		if p := in.read(humago.NewContext(nil, r, httptest.NewRecorder()), reflect.New(edit).Elem()); p != nil {
			b.Fatal(p)
		}
	}
}
