package staticindex

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// files returns the data of the files of an index by their names.
func files(t *testing.T, pages ...Page) map[string]json.RawMessage {
	t.Helper()
	out := map[string]json.RawMessage{}
	w := New(func(name string, script []byte) error {
		key := strings.TrimSuffix(name, ".js")
		data, ok := strings.CutPrefix(string(script), fmt.Sprintf("octavoIndex(%q,", key))
		if data, end := strings.CutSuffix(data, ");\n"); ok && end && json.Valid([]byte(data)) && out[key] == nil {
			out[key] = json.RawMessage(data)
			return nil
		}
		return fmt.Errorf("%s is %s", name, script)
	})
	for _, p := range pages {
		if err := w.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFiles(t *testing.T) {
	got := files(t,
		Page{Space: 0, Title: "Install", File: "install/index.html", Icon: &theme.Shape{Box: "0 0 1 1", Path: "M0"}, Sections: []markup.Section{{Body: "Unpack  it.\nUnpack all."}, {Anchor: "linux", Title: "On Linux", Body: "Install it."}}},
		Page{Space: 1, Title: "Café", Emoji: "☕", Icon: &theme.Shape{}, Ancestors: "Guides", File: "caf%C3%A9/index.html", Sections: []markup.Section{{Body: "unpack"}}},
	)
	for name, want := range map[string]string{
		"pages":   `{"icons":[{"box":"0 0 1 1","path":"M0"}],"pages":[[0,"Install","","install/index.html",0,0],[1,"Café","Guides","caf%C3%A9/index.html",0,"☕"]],"shards":1}`,
		"terms-0": `{"all":[0,1],"cafe":[1,24],"install":[0,25],"it":[0,2],"linux":[0,6],"on":[0,6],"unpack":[0,2,1,1]}`,
		"text-0":  `{"0":[["","","Unpack it. Unpack all."],["linux","On Linux","Install it."]],"1":[["","","unpack"]]}`,
	} {
		if string(got[name]) != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
	if len(got) != 3 {
		t.Errorf("there are %d files", len(got))
	}
}

// A large index has parts, and a page names the one that has its text.
func TestParts(t *testing.T) {
	var pages []Page
	for i := range 40 {
		var b strings.Builder
		for j := range 1000 {
			fmt.Fprintf(&b, "word%dx%d ", i, j)
		}
		pages = append(pages, Page{Title: fmt.Sprint("Page ", i), Sections: []markup.Section{{Body: b.String()}}})
	}
	got := files(t, pages...)
	var list struct {
		Shards int
		Pages  [][5]any
	}
	if err := json.Unmarshal(got["pages"], &list); err != nil {
		t.Fatal(err)
	}
	if list.Shards < 2 || len(list.Pages) != len(pages) {
		t.Fatalf("%d pages, %d parts of words", len(list.Pages), list.Shards)
	}
	texts, terms := map[string][][3]string{}, map[string][]int{} // by page and by word, both with their part
	for name, data := range got {
		switch {
		case strings.HasPrefix(name, "text-"):
			read(t, data, name, texts)
		case strings.HasPrefix(name, "terms-"):
			read(t, data, name, terms)
		}
	}
	for i, p := range list.Pages {
		if text := texts[fmt.Sprintf("text-%v %d", p[4], i)]; len(text) != 1 || !strings.HasPrefix(text[0][2], fmt.Sprintf("word%dx0 ", i)) {
			t.Errorf("the text of page %d is not in its part %v", i, p[4])
		}
		word := fmt.Sprintf("word%dx7", i)
		if on := terms[fmt.Sprintf("terms-%d %s", shard(word, list.Shards), word)]; !slices.Equal(on, []int{i, 1}) {
			t.Errorf("%s is on %v", word, on)
		}
	}
}

// read adds the entries of a file to a map. The key is the name of the file and the key in
// the file.
func read[V any](t *testing.T, data json.RawMessage, name string, to map[string]V) {
	t.Helper()
	var all map[string]V
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for key, v := range all {
		to[name+" "+key] = v
	}
}

func TestTerms(t *testing.T) {
	for text, want := range map[string][]string{
		"Ünder-cover, 2 times!": {"under", "cover", "2", "times"},
		"日本 go":                 {"日", "本", "go"},
		strings.Repeat("a", 50): {strings.Repeat("a", maxTerm)},
		"":                      nil,
	} {
		var got []string
		eachTerm(text, func(term string) { got = append(got, term) })
		if !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}
