package translate

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
)

// everything is a page with every block of the syntax.
func everything(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("../../markup/testdata/everything.md")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var letters = regexp.MustCompile(`[A-Za-z]+`)

// invented is a translation into a language that only the tests know. It changes
// every word and keeps the order of everything.
func invented(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		rest := text[at:]
		switch m := regexp.MustCompile(`^(<[^>]*>|&[a-z#0-9]+;)`).FindString(rest); {
		case m != "":
			b.WriteString(m)
			at += len(m)
		default:
			n := strings.IndexAny(rest[1:], "<&") + 1
			if n == 0 {
				n = len(rest)
			}
			b.WriteString(letters.ReplaceAllStringFunc(rest[:n], func(w string) string { return w + "ño" }))
			at += n
		}
	}
	return b.String()
}

func TestEveryBlockKeepsItsShape(t *testing.T) {
	body := everything(t)
	doc := markup.Parse(body, markup.Refs{})
	out, segments := Split(doc)
	if len(segments) < 50 {
		t.Fatalf("%d segments", len(segments))
	}
	for _, s := range segments {
		if err := s.Replace(invented(s.Text)); err != nil {
			t.Fatalf("%q: %v", s.Text, err)
		}
	}
	printed := markup.Reprint(body, doc, out, markup.Refs{})
	read := markup.Parse(printed, markup.Refs{})
	if len(read.Nodes) != len(doc.Nodes) {
		t.Fatalf("%d blocks instead of %d", len(read.Nodes), len(doc.Nodes))
	}
	for i, n := range doc.Nodes {
		if !SameShape(n, read.Nodes[i]) {
			t.Errorf("block %d, a %s, has another shape:\n%s", i, n.Type, printed[read.Spans[i].Start:read.Spans[i].End])
		}
	}
	if _, again := Split(doc); len(again) != len(segments) || again[0].Text != segments[0].Text {
		t.Error("the document itself was changed")
	}
}

func TestTextWithoutChangesIsRestored(t *testing.T) {
	doc := markup.Parse(everything(t), markup.Refs{})
	out, segments := Split(doc)
	for _, s := range segments {
		if err := s.Replace(s.Text); err != nil {
			t.Fatalf("%q: %v", s.Text, err)
		}
	}
	for i, n := range doc.Nodes {
		if markup.Text([]*markup.Node{n}) != markup.Text([]*markup.Node{out.Nodes[i]}) || !SameShape(n, out.Nodes[i]) {
			t.Errorf("block %d, a %s, differs", i, n.Type)
		}
	}
}

func TestWhatIsProtected(t *testing.T) {
	for _, c := range []struct{ source, text string }{
		{"Run `make test` in **this** folder.", `Run <x id="1"/> in <g id="2">this</g> folder.`},
		{"See [the *guide*](https://example.com/a?b=c), or https://example.com/x.", `See <g id="1">the <g id="2">guide</g></g>, or <x id="3"/>.`},
		{"Set {{ x }} to $HOME or ${HOME}, 3 < 4 & more", `Set <x id="1"/> to <x id="2"/> or <x id="3"/>, 3 &lt; 4 &amp; more`},
		{"one\\\ntwo", `one<x id="1"/>two`},
	} {
		_, segments := Split(markup.Parse([]byte(c.source), markup.Refs{}))
		if len(segments) != 1 || segments[0].Text != c.text {
			t.Errorf("%q: %q", c.source, segments[0].Text)
		}
	}
}

func TestAnswersThatLostSomethingAreRefused(t *testing.T) {
	source := "Press **this** [link](https://example.com) with `code` and `more`."
	for name, answer := range map[string]string{
		"lost":     `Pulsa <g id="1">esto</g> <g id="2">enlace</g> con <x id="3"/> y.`,
		"doubled":  `Pulsa <g id="1">esto</g> <g id="2">enlace</g> con <x id="3"/><x id="3"/> y <x id="4"/>.`,
		"nested":   `Pulsa <g id="1">esto <g id="2">enlace</g></g> con <x id="3"/> y <x id="4"/>.`,
		"open":     `Pulsa <g id="1">esto <g id="2">enlace</g> con <x id="3"/> y <x id="4"/>.`,
		"kind":     `Pulsa <x id="1"/> <g id="2">enlace</g> con <x id="3"/> y <x id="4"/>.`,
		"html":     `<b>Pulsa</b> <g id="1">esto</g> <g id="2">enlace</g> con <x id="3"/> y <x id="4"/>.`,
		"script":   `<script>alert(1)</script><g id="1">esto</g> <g id="2">enlace</g> con <x id="3"/> y <x id="4"/>.`,
		"nothing":  " ",
		"no words": `Pulsa <g id="1"></g> <g id="2">enlace</g> con <x id="3"/> y <x id="4"/>.`,
	} {
		out, segments := Split(markup.Parse([]byte(source), markup.Refs{}))
		before := markup.Text(out.Nodes)
		if err := segments[0].Replace(answer); err == nil || markup.Text(out.Nodes) != before {
			t.Errorf("%s: %v, %q", name, err, markup.Text(out.Nodes))
		}
	}
	out, segments := Split(markup.Parse([]byte(source), markup.Refs{}))
	if err := segments[0].Replace(`Con <x id="4"/> y <x id="3"/>, pulsa <g id="2">enlace</g><g id="1"> esto </g>.`); err != nil {
		t.Fatal(err)
	}
	if got := string(markup.Print(out, markup.Refs{})); got != "Con `more` y `code`, pulsa [enlace](https://example.com) **esto** .\n" {
		t.Errorf("%q", got)
	}
}

func TestAnchorsStay(t *testing.T) {
	doc := markup.Parse([]byte("## Getting started\n"), markup.Refs{})
	out, segments := Split(doc)
	if err := segments[0].Replace("Primeros pasos"); err != nil {
		t.Fatal(err)
	}
	read := markup.Parse(markup.Print(out, markup.Refs{}), markup.Refs{})
	if a := read.Nodes[0].Anchor(); a != "getting-started" {
		t.Errorf("the anchor is %q", a)
	}
}

func TestGlossary(t *testing.T) {
	g := NewGlossary([]Term{{"change request", "solicitud de cambio"}, {"request", "petición"}, {"R&D", "I+D"}, {"  ", "x"}, {"空间", "espacio"}})
	for text, want := range map[string]string{
		"Open a Change Request.":                  "change request",
		"a request, then a change request":        "change request,request",
		`a change <x id="1"/> request`:            "request",
		"requests":                                "",
		"R&amp;D":                                 "R&D",
		"新空间":                                     "空间",
		`<g id="1">change</g> <x id="2"/>request`: "request",
	} {
		var got []string
		for _, term := range g.Terms(text) {
			got = append(got, term.From)
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%q: %q instead of %q", text, got, want)
		}
	}
	masked, unmask := mask("Open a change request & wait", g)
	if masked != `Open a <x id="100000"/> & wait` {
		t.Errorf("%q", masked)
	}
	if got := unmask(`Abre una <x id="100000"/> y espera`); got != "Abre una solicitud de cambio y espera" {
		t.Errorf("%q", got)
	}
	for _, answer := range []string{"lost", `<x id="100000"/> and <x id="100000"/>`} {
		if got := unmask(answer); got != "" {
			t.Errorf("%q", got)
		}
	}
}

// Searching texts takes linear time, for any repeated input.
func TestTextsOfManyBeginnings(t *testing.T) {
	for _, piece := range []string{"${$A ", "{{$A ", "{%$A ", "{% $A %", "`$A ", "{a$A", "http:$A ", "www.$A,", "a@b$A ", ":a$A", "{{ {% ${ a "} {
		testcpu.Linear(t, 1<<17, func(n int) func() {
			text := strings.Repeat(piece, n/len(piece))
			return func() { fixed.ReplaceAllString(text, "") }
		})
	}
}

// Looking up a term does not depend on how many others begin with the same word.
func TestGlossaryOfManyTerms(t *testing.T) {
	text := strings.Repeat("the word ", 1000)
	testcpu.Linear(t, 1<<18, func(n int) func() {
		terms := make([]Term, n/8)
		for i := range terms {
			terms[i] = Term{fmt.Sprintf("the term %d", i), "x"}
		}
		g := NewGlossary(terms)
		return func() {
			for range n / 2048 {
				g.Terms(text)
			}
		}
	})
}

func TestWords(t *testing.T) {
	for text, want := range map[string]int{`One <g id="1">two</g> <x id="2"/> three`: 3, "": 0, "日本語": 3, "don't": 1, "and/or": 2} {
		if n := Words(text); n != want {
			t.Errorf("%q: %d words instead of %d", text, n, want)
		}
	}
}

func TestTMX(t *testing.T) {
	pairs := []Pair{
		{`See <g id="1">the <x id="2"/> guide</g> &amp; more`, `Ve <g id="1">la guía <x id="2"/></g> y &lt;más&gt;`, true},
		{"Two", "Dos", false},
	}
	var b strings.Builder
	w := NewTMX(&b, "en", "es")
	for _, p := range pairs {
		if err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []Pair
	read := func(text, to string) error {
		got = nil
		return ReadTMX(strings.NewReader(text), "en", to, func(p Pair) error { got = append(got, p); return nil })
	}
	if err := read(b.String(), "es"); err != nil || !slices.Equal(got, pairs) {
		t.Errorf("%v: %+v", err, got)
	}
	if err := read(strings.ReplaceAll(b.String(), `"es"`, `"ES-mx"`), "es"); err != nil || len(got) != 2 {
		t.Errorf("another region: %v, %d texts", err, len(got))
	}
	if err := read(b.String(), "fr"); err != nil || len(got) != 0 {
		t.Errorf("another language: %v, %d texts", err, len(got))
	}
	for _, text := range []string{"", "<xliff/>", "<tmx><body><tu>", "plain", `<!DOCTYPE a [<!ENTITY x "y">]><tmx><body><tu><tuv xml:lang="en"><seg>&x;</seg></tuv></tu></body></tmx>`} {
		if err := read(text, "es"); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
