package revision

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// Whatever a page can point to keeps it out of the cache of drafts.
func TestPlainPagesPointToNothing(t *testing.T) {
	typ := reflect.TypeFor[docs.Page]()
	for i := range typ.NumField() {
		var p docs.Page
		f := reflect.ValueOf(&p).Elem().Field(i)
		switch f.Kind() {
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Struct, reflect.Interface, reflect.Array:
			t.Errorf("%s: decide whether it points to something", typ.Field(i).Name)
		default:
			continue
		}
		if isPlain(p) {
			t.Errorf("a page with %s is kept as one that points to nothing", typ.Field(i).Name)
		}
	}
}

// A page that was kept when it was encoded is the one that decoding would return.
func TestKeptPagesAreThoseThatAreDecoded(t *testing.T) {
	typ := reflect.TypeFor[docs.Page]()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\xff", "a\xed\xa0\x80", "\ufffd", `\ufffd`, "<&>", "\u2028", "\x00", `"\`}))
	rapid.Check(t, func(t *rapid.T) {
		p := docs.Page{ID: "p1", CreatedAt: 1700000000123}
		for i := range typ.NumField() {
			if f := reflect.ValueOf(&p).Elem().Field(i); typ.Field(i).Name != "ID" && rapid.Bool().Draw(t, "set") {
				switch f.Kind() {
				case reflect.String:
					f.SetString(text.Draw(t, typ.Field(i).Name))
				case reflect.Bool:
					f.SetBool(true)
				case reflect.Slice:
					f.Set(reflect.MakeSlice(f.Type(), 0, 0))
				}
			}
		}
		b, err := docs.EncodePage(p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := docs.DecodePage("p1", b)
		if err != nil {
			t.Fatal(err)
		}
		c := newDraftPages()
		c.keep(p, b)
		got, err := c.page("p1", b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\ngot  %+v\nwant %+v", err, got, want)
		}
	})
}

// What an edit has put into a draft is known without decoding it.
func TestEncodedPagesAreKept(t *testing.T) {
	p := docs.Page{ID: "p1", Type: docs.PageDocument, Title: "One", UpdatedAt: 1700000000123}
	b, err := docs.EncodePage(p)
	if err != nil {
		t.Fatal(err)
	}
	c := newDraftPages()
	c.keep(p, b)
	if n := testing.AllocsPerRun(10, func() { _, _ = c.page("p1", b) }); n > 0 {
		t.Errorf("reading a kept page allocates %v times", n)
	}
}
