package pdf

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// words has input that makes layout hard: long words, scripts of both directions, marks,
// control characters, and characters that no font has.
var words = []string{
	"word", "a", "", " ", "  ", strings.Repeat("unbroken", 40), "שלום", "(עברית)", "مرحبا", "لا", "12,345.6", "中文字符。", "한국어", "e\u0301\u0302\u0303",
	"\u202eabc\u202c", "\x00\x01", "\u2028", "\U0001F680", "\U0010FFFD", "\t", "**bold**", "`code`", "[l](p#x)", "![i](a.png)", "x[^1]", "H<sub>2</sub>", "<br>", "$$a$$", "<kbd>K</kbd>", "ǅ", "\u00ad", "\u200b",
}

func randomText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 30).Draw(t, "words"), rapid.SampledFrom([]string{" ", "", "-"}).Draw(t, "between"))
}

func indented(s, by string) string {
	return by + strings.ReplaceAll(s, "\n", "\n"+strings.Repeat(" ", len(by)))
}

func randomBlocks(t *rapid.T, depth int) string {
	var out []string
	for range rapid.IntRange(0, 4).Draw(t, "blocks") {
		most := 17
		if depth <= 0 {
			most = 5
		}
		text := randomText(t)
		below := func() string { return randomBlocks(t, depth-1) }
		var b string
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0, 1:
			b = text
		case 2:
			b = strings.Repeat("#", rapid.IntRange(1, 6).Draw(t, "level")) + " " + strings.ReplaceAll(text, "\n", " ")
		case 3:
			b = "```go\n" + text + "\n```"
		case 4:
			b = "| " + text + " | b |\n|:-:|--:|\n| " + strings.ReplaceAll(text, "|", "") + " | " + text + " |"
		case 5:
			b = "![alt](" + rapid.SampledFrom([]string{"a.png", "b.jpg", "gone.png", "broken.png"}).Draw(t, "file") + ")"
		case 6:
			b = indented(below(), "* ")
		case 7:
			b = indented(below(), "7. ")
		case 8:
			b = "> " + strings.ReplaceAll(below(), "\n", "\n> ")
		case 9:
			b = "{% hint style=\"info\" %}\n" + below() + "\n{% endhint %}"
		case 10:
			b = "{% tabs %}\n{% tab title=\"T\" %}\n" + below() + "\n{% endtab %}\n{% endtabs %}"
		case 11:
			b = "{% stepper %}\n{% step %}\n" + below() + "\n{% endstep %}\n\n{% step %}\n" + below() + "\n{% endstep %}\n{% endstepper %}"
		case 12:
			b = "<details>\n\n<summary>S</summary>\n\n" + below() + "\n\n</details>"
		case 13:
			b = "{% columns %}\n{% column %}\n" + below() + "\n{% endcolumn %}\n\n{% column width=\"20%\" %}\n" + below() + "\n{% endcolumn %}\n{% endcolumns %}"
		case 14:
			b = "* [ ] " + text
		case 15:
			columns := rapid.IntRange(1, 30).Draw(t, "columns")
			b = "|" + strings.Repeat(" h |", columns) + "\n|" + strings.Repeat("---|", columns) + "\n|" + strings.Repeat(" cell |", columns)
		case 16:
			b = "<table data-view=\"cards\"><thead><tr><th></th></tr></thead><tbody><tr><td>" + strings.Repeat("card ", 30) + "</td></tr></tbody></table>"
		default:
			b = "***"
		}
		out = append(out, b)
	}
	return strings.Join(out, "\n\n")
}

// For any document the file is valid, its pages are complete and its links have targets.
func TestRandomDocuments(t *testing.T) {
	files := map[string][]byte{"a.png": pngOf(t, 9, 900, true), "b.jpg": jpegOf(t), "broken.png": []byte("\x89PNG\r\n\x1a\nno")}
	rapid.Check(t, func(rt *rapid.T) {
		b := page(randomBlocks(rt, 4))
		b.files = files
		var out bytes.Buffer
		if err := Write(context.Background(), &out, b.book()); err != nil {
			rt.Fatal(err)
		}
		readPDF(t, out.Bytes()).check()
		if t.Failed() {
			rt.Fatalf("for %q", b.pages[0].markdown)
		}
	})
}

func FuzzWrite(f *testing.F) {
	everything, err := os.ReadFile("../../markup/testdata/everything.md")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(everything))
	for _, w := range words {
		f.Add(w)
	}
	f.Add("| a |\n|---|\n| " + strings.Repeat("x ", 2000) + " |\n")
	f.Add(strings.Repeat("> ", 60) + "deep")
	f.Fuzz(func(t *testing.T, s string) {
		page(s).write(t)
	})
}

// The cost of documents that are made to be expensive is linear in their size.
func TestHostileDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("it lays out documents of 2 MB")
	}
	const largest = 2 << 20 // as large as a page can be
	repeat := func(s string) func(int) string {
		return func(size int) string { return strings.Repeat(s, size/len(s)) }
	}
	for name, markdown := range map[string]func(size int) string{
		"one word":      repeat("x"),
		"one paragraph": repeat("some words "),
		"right to left": repeat("שלום ()[]{} "),
		"brackets":      func(size int) string { return strings.Repeat("ש", 10) + strings.Repeat("()", size/2) },
		"deep quotes":   repeat(strings.Repeat("> ", 60) + "x\n"),
		"deep lists":    func(size int) string { return deepList(60, size) },
		"many cells": func(size int) string {
			return strings.Repeat("|a", 400) + "|\n" + strings.Repeat("|-", 400) + "|\n" + repeat(strings.Repeat("|a", 400)+"|\n")(size)
		},
		"small tables": repeat("|a|b|\n|-|-|\n|c|d|\n\n"),
		"headings":     repeat("# h\n"),
		"links":        repeat("[a](#b) "),
		"notes":        func(size int) string { return strings.Repeat("a[^1] ", size/6) + "\n\n[^1]: note\n" },
		"code":         func(size int) string { return "```go\n" + repeat("func f() {}\n")(size) + "```\n" },
		"a code line":  func(size int) string { return "```js\n" + strings.Repeat("a=1;", size/4) + "\n```\n" },
		"no glyphs":    allRunes,
		"marks":        func(size int) string { return "a" + strings.Repeat("\u0301", size/2) },
		"columns": func(int) string {
			return strings.Repeat("{% columns %}\n{% column %}\nx\n{% endcolumn %}\n\n{% column %}\n", 20) + "y"
		},
	} {
		t.Run(name, func(t *testing.T) {
			lay := func(size int) func() {
				md := markdown(size)
				md = md[:min(len(md), size)]
				b := page(md)
				doc := markup.Parse([]byte(md), b.refs())
				return func() {
					book := b.book()
					book.Chapters = func(yield func(Chapter, error) bool) { yield(Chapter{ID: "p", Title: "P", Document: doc}, nil) }
					if err := Write(context.Background(), &counter{}, book); err != nil && !errors.Is(err, ErrTooLong) {
						t.Fatal(err)
					}
				}
			}
			lay(largest)()
			testcpu.Linear(t, largest/8, lay)
		})
	}
}

func deepList(depth, size int) string {
	var b strings.Builder
	for b.Len() < size-depth*depth*2 {
		for i := range depth {
			b.WriteString(strings.Repeat("  ", i) + "* x\n")
		}
		b.WriteString("\n***\n\n")
	}
	return b.String()
}

func allRunes(size int) string {
	var b strings.Builder
	for r := rune(0x4e00); b.Len() < size; r++ {
		if r > 0x10ffff {
			r = 0x4e00
		}
		b.WriteRune(r)
	}
	return b.String()
}
