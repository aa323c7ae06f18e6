package merge

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup"
)

// wordModel is a paragraph as one side changed it. words holds the new form of
// each word, empty if it was removed. gaps holds the text inserted before each
// word and after the last one.
type wordModel struct {
	words, gaps []string
	changed     map[int]bool // gaps have even numbers, words odd ones
}

func drawWords(t *rapid.T, base []string, side string, parity int) wordModel {
	m := wordModel{append([]string(nil), base...), make([]string, len(base)+1), map[int]bool{}}
	for i := range rapid.IntRange(1, 3).Draw(t, side) {
		at := rapid.IntRange(0, len(base)-1).Draw(t, "at")
		fresh := fmt.Sprintf("%s%d", side, i)
		switch rapid.SampledFrom([]string{"insert", "replace", "remove", "bold", "code", "link"}).Draw(t, "what") {
		case "insert":
			m.gaps[at] = fresh
			m.changed[2*at] = true
			continue
		case "replace":
			m.words[at] = fresh
		case "remove":
			if at%2 != parity { // both sides would agree
				continue
			}
			m.words[at] = ""
		case "bold":
			m.words[at] = "**" + fresh + "**"
		case "code":
			m.words[at] = "`" + base[at] + side + "`"
		case "link":
			m.words[at] = fmt.Sprintf("[%s](https://%s.example/)", base[at], side)
		}
		m.changed[2*at+1] = true
	}
	return m
}

func (m wordModel) text() string {
	var out []string
	for i, w := range m.words {
		out = append(out, m.gaps[i], w)
	}
	return strings.Join(strings.Fields(strings.Join(append(out, m.gaps[len(m.words)]), " ")), " ") + "\n"
}

// touches reports whether two sides changed the same word or adjacent words, or
// inserted text next to a word that the other side changed.
func (m wordModel) touches(o wordModel) bool {
	for p := range m.changed {
		for q := range o.changed {
			far := max(p-q, q-p)
			if far <= 1 || far == 2 && p%2 == 1 {
				return true
			}
		}
	}
	return false
}

// Either the word changes of both sides are applied, or no change of from is.
func TestMergeOfWordsFollowsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := make([]string, rapid.IntRange(2, 12).Draw(t, "words"))
		for i := range base {
			word := "w" + string(rune('a'+i))
			switch rapid.IntRange(0, 4).Draw(t, "form") {
			case 0:
				word = "**" + word + "**"
			case 1:
				word = "[" + word + "](https://base.example/)"
			}
			base[i] = word
		}
		frame := rapid.SampledFrom([]string{"%s", "## %s", "* %s", "> %s", "{%% hint style=\"info\" %%}\n%s\n{%% endhint %%}", "| a |\n| - |\n| %s |"}).Draw(t, "frame")
		text := func(m wordModel) string { return fmt.Sprintf(frame, strings.TrimSpace(m.text())) + "\n" }
		x, y := drawWords(t, base, "into", 0), drawWords(t, base, "from", 1)
		if strings.TrimSpace(x.text()) == "" || strings.TrimSpace(y.text()) == "" {
			t.Skip("nothing is left")
		}
		b := version(nil, text(wordModel{base, make([]string, len(base)+1), nil}))
		into, from := version(b, text(x)), version(b, text(y))
		got, conflicts := Merge(b, into, from)
		both := wordModel{append([]string(nil), x.words...), append([]string(nil), x.gaps...), nil}
		for i := range base {
			if y.changed[2*i+1] {
				both.words[i] = y.words[i]
			}
			if y.changed[2*i] {
				both.gaps[i] = y.gaps[i]
			}
		}
		want, wantConflicts := text(both), 0
		if x.touches(y) {
			want, wantConflicts = text(x), 1
		}
		if out := string(markup.Print(got, markup.Refs{})); out != string(markup.Print(markup.Parse([]byte(want), markup.Refs{}), markup.Refs{})) || len(conflicts) != wantConflicts {
			t.Fatalf("base %q\ninto %q\nfrom %q\ngot %q with %d conflicts\nwant %q with %d", markup.Print(b, markup.Refs{}), text(x), text(y), out, len(conflicts), want, wantConflicts)
		}
	})
}

// Table rows and list items that the sides added, removed and changed are
// merged like lines.
func TestMergeOfRowsFollowsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"rows", "items", "html"}).Draw(t, "kind")
		n := rapid.IntRange(1, 6).Draw(t, "lines")
		lines := func(added map[int]string, changed, gone map[int]bool, side string) (out []string) {
			for i := range n + 1 {
				if s := added[i]; s != "" {
					out = append(out, s)
				}
				switch {
				case i == n || gone[i]:
				case changed[i]:
					out = append(out, fmt.Sprintf("line %d %s", i, side))
				default:
					out = append(out, fmt.Sprintf("line %d", i))
				}
			}
			return out
		}
		text := func(list []string) string {
			var b strings.Builder
			switch kind {
			case "rows":
				b.WriteString("|a|b|\n|-|-|\n")
			case "html":
				b.WriteString(`<table data-full-width="true"><thead><tr><th>a</th><th>b</th></tr></thead><tbody>`)
			}
			for _, s := range list {
				switch kind {
				case "rows":
					b.WriteString("| " + s + "|x |\n")
				case "html":
					b.WriteString("<tr><td>" + s + "</td><td>x</td></tr>")
				default:
					b.WriteString("- " + s + "\n")
				}
			}
			if kind == "html" {
				b.WriteString("</tbody></table>\n")
			}
			return b.String()
		}
		// Each line belongs to one side. Each position between two lines may
		// get one line of each side.
		var added [2]map[int]string
		var changed, gone [2]map[int]bool
		for i := range 2 {
			added[i], changed[i], gone[i] = map[int]string{}, map[int]bool{}, map[int]bool{}
		}
		sides, all := [2]string{"into", "from"}, map[int]string{}
		for i := range n + 1 {
			switch side := rapid.IntRange(0, 1).Draw(t, "side"); rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				added[side][i] = fmt.Sprintf("new %d of %s", i, sides[side])
				all[i] = added[side][i]
			case 1:
				if i < n && i > 0 { // one is left
					gone[side][i] = true
				}
			case 2:
				changed[side][i] = true
			}
		}
		end := func(s int) { added[s][n] = "last of " + sides[s] }
		atEnd := rapid.Bool().Draw(t, "both at the end") && !gone[0][n-1] && !gone[1][n-1] && !changed[0][n-1] && !changed[1][n-1]
		if atEnd {
			end(0)
			end(1)
		}
		base := text(lines(nil, nil, nil, ""))
		x, y := text(lines(added[0], changed[0], gone[0], sides[0])), text(lines(added[1], changed[1], gone[1], sides[1]))
		b := version(nil, base)
		into, from := version(b, x), version(b, y)
		for src, doc := range map[string]*markup.Document{base: b, x: into, y: from} {
			markup.WithSource([]byte(src), doc)
		}
		got, conflicts := Merge(b, into, from)
		var want []string
		for i := range n + 1 {
			for side := range 2 {
				if s := added[side][i]; s != "" {
					want = append(want, s)
				}
			}
			switch {
			case i == n || gone[0][i] || gone[1][i]:
			case changed[0][i]:
				want = append(want, fmt.Sprintf("line %d into", i))
			case changed[1][i]:
				want = append(want, fmt.Sprintf("line %d from", i))
			default:
				want = append(want, fmt.Sprintf("line %d", i))
			}
		}
		if out := string(markup.Reprint([]byte(x), into, got, markup.Refs{})); out != text(want) || len(conflicts) > 0 {
			t.Fatalf("base %q\ninto %q\nfrom %q\ngot  %q with %d conflicts\nwant %q", base, x, y, out, len(conflicts), text(want))
		}
	})
}
