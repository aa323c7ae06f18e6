package yamldoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func TestParseSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"broken", "a: 1\nb: [\n", "line 2: did not find expected node content"},
		{"two documents", "a: 1\n---\nb: 2\n", "line 2: it has more than one YAML document"},
		{"anchor", "a: 1\nb: &x [1]\n", "line 2: anchors and aliases are not allowed; repeat the value"},
		{"alias", "a: &x 1\nb: *x\n", "line 1: anchors"},
		{"merge key", "a: {b: &x {c: 1}}\nd: {<<: *x}\n", "line 1: anchors"},
		{"too large", strings.Repeat("#", 2<<10), "it is larger than 1 KB"},
	} {
		_, err := Parse([]byte(c.src), 1<<10)
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestParseReadsNothingAsNull(t *testing.T) {
	for _, src := range []string{"", "\n", "# a comment\n", "\ufeff", "~"} {
		n, err := Parse([]byte(src), 1<<10)
		if err != nil || !IsNull(n) {
			t.Errorf("%q: %+v, %v", src, n, err)
		}
	}
}

func TestReader(t *testing.T) {
	root, err := Parse([]byte(`
text: " a "
number: 404
date: 2024-01-02
list: [1]
foreign: !!python/object x
null: ~
yes: true
word: "true"
half: 0.5
huge: 9007199254740993
text: again
`), 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	var problems, got []string
	r := Reader{func(line int, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%d: ", line)+fmt.Sprintf(format, args...))
	}}
	r.Each(root, "the file", func(key, v *yaml.Node) {
		switch key.Value {
		case "yes", "word":
			b := r.Bool(key.Value, v)
			got = append(got, fmt.Sprint(b != nil && *b))
		case "half", "huge":
			got = append(got, fmt.Sprint(r.NumberIn(key.Value, v, 0, 1)))
		default:
			got = append(got, r.Text(key.Value, v))
		}
	})
	r.Each(Value(root, "list"), "list", nil)
	r.OneOf("text", Value(root, "text"), []string{"b", "c"})
	r.Number("text", Value(root, "text"))
	if want := []string{"a", "404", "2024-01-02", "", "", "", "true", "false", "0.5", "0"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	want := []string{
		"5: list must be a text", "6: foreign must be a text", "9: word must be true or false", "11: huge must be a number from 0 to 1",
		"12: text is set twice; the first value counts", "5: list must be a list of keys with values", "2: text must be one of b, c", "2: text must be a number",
	}
	if !slices.Equal(problems, want) {
		t.Errorf("got  %q\nwant %q", problems, want)
	}
}

func TestSetKeepsOrderAndRemovesRepeatedKeys(t *testing.T) {
	root, err := Parse([]byte("b: 1 # why\na: 2\nb: 3\n"), 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	Set(root, "b", WithComment(FromBool(true), Value(root, "b")))
	Set(root, "a", nil)
	Set(root, "c", String("x\ny", 0))
	out, err := Encode(root)
	if want := "b: true # why\nc: \"x\\ny\"\n"; err != nil || string(out) != want {
		t.Errorf("%v, got %q, want %q", err, out, want)
	}
}

func TestNumbersAndTextsAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Map(rapid.Int64(), func(i int64) float64 { return float64(i) })
		v, s := rapid.OneOf(rapid.Float64(), whole, rapid.SampledFrom([]float64{MaxExact + 2, -MaxExact - 2, 1e20, 1e21, 1e300})).Draw(t, "number"), rapid.String().Draw(t, "text")
		n := &yaml.Node{Kind: yaml.MappingNode}
		Set(n, "number", FromNumber(v))
		Set(n, "text", String(s, 0))
		out, err := Encode(n)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(out, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Number(Value(back, "number")); !ok || got != v {
			t.Fatalf("%v was written as %q and read as %v", v, out, got)
		}
		if got := Value(back, "text"); got.Value != s || got.Tag != stringTag {
			t.Fatalf("%q was written as %q and read as %q", s, out, got.Value)
		}
	})
}

func TestLineOfAPathThatDoesNotExist(t *testing.T) {
	root, err := Parse([]byte("a: 1\nlinks:\n  - title: x\n"), 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"links[0].title": 3, "links[-1].title": 2, "links[1]": 2, "other": 1} {
		if got := LineOf(root, path); got != want {
			t.Errorf("%s is on line %d, want %d", path, got, want)
		}
	}
}
