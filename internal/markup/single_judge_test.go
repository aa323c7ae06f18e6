package markup

import (
	"fmt"
	"slices"
	"strings"
)

// judge returns what is wrong with the written page.
func (e *editTrial) judge(out string, w wanted) string {
	got := Parse([]byte(out), Refs{})
	if want := withEditedTitles(e.old, e.doc); sameDocs(want.Nodes, got.Nodes) != nil {
		if err := sameDocs(Parse(Print(want, Refs{}), Refs{}).Nodes, got.Nodes); err != nil {
			return "another document: " + err.Error()
		}
	}
	if strings.Contains(e.src, "\r\n") && strings.Count(out, "\n") != strings.Count(out, "\r\n") {
		return "other line ends"
	}
	if w.pure != nil {
		gone, come := diffRange(e.src, out)
		if why := w.pure(gone, come); why != "" {
			return fmt.Sprintf("%s: %q became %q", why, gone, come)
		}
		return ""
	}
	return e.judgeLines(out, w)
}

// line is a line with text, and the number of lines without before it.
type line struct {
	text    string
	blank   int
	touched bool
	number  int // among all lines
}

func linesOf(s string, touched func(from, to int) bool) (list []line) {
	at, blank, number := 0, 0, 0
	for l := range strings.Lines(s) {
		text := strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
		if prefixOnly.ReplaceAllString(strings.TrimRight(text, "\r"), "") == "" {
			blank++
		} else {
			list = append(list, line{text, blank, touched(at, at+len(text)), number})
			blank = 0
		}
		number++
		at += len(l)
	}
	return list
}

func (e *editTrial) judgeLines(out string, w wanted) string {
	within := func(list []Span, from, to int) bool {
		return slices.ContainsFunc(list, func(s Span) bool { return s.Start <= to && from < s.End })
	}
	for _, s := range w.touched {
		if s.End > s.Start && strings.Contains(e.src[s.Start:s.End], "\t") && w.strip == prefixOnly {
			w.strip = withMarker // a tab is as wide as its place makes it
		}
	}
	src := linesOf(e.src, func(from, to int) bool { return within(w.touched, from, to) || within(w.beside, from, to) })
	besides := linesOf(e.src, func(from, to int) bool { return !within(w.touched, from, to) && within(w.beside, from, to) })
	now := linesOf(out, func(int, int) bool { return true })
	rest := map[string]int{}
	for _, l := range now {
		rest[l.text]++
	}
	for _, l := range src {
		if !l.touched {
			if rest[l.text]--; rest[l.text] < 0 {
				return fmt.Sprintf("another line: %q", l.text)
			}
		}
	}
	if why := gaps(src, now); why != "" && !w.flow {
		return why
	}
	var have, want []string
	for _, l := range now {
		if rest[l.text] > 0 {
			rest[l.text]--
			have = append(have, w.strip.ReplaceAllString(strings.TrimSuffix(l.text, "\r"), ""))
		}
	}
	for i, l := range src {
		if besides[i].touched {
			want = append(want, w.strip.ReplaceAllString(strings.TrimSuffix(l.text, "\r"), ""))
			continue
		}
		if l.touched && !(w.gone != nil && w.gone.MatchString(l.text)) {
			for range max(w.copies, 1) {
				want = append(want, w.strip.ReplaceAllString(strings.TrimSuffix(l.text, "\r"), ""))
			}
		}
	}
	if w.gone == all {
		want = nil
	}
	want = append(want, w.added...)
	if fence, most := e.closable(out); most > 0 {
		count := func(list []string) int {
			return len(slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s != fence }))
		}
		for range min(count(have)-count(want), most) {
			want = append(want, fence)
		}
	}
	if w.flow {
		for _, list := range [][]string{have, want} { // what began a heading would begin a list
			for i := range list {
				list[i] = literalTags.ReplaceAllString(escapedNumber.ReplaceAllString(list[i], "$1$2"), " $0 ")
			}
		}
		have, want = strings.Fields(strings.Join(have, " ")), strings.Fields(strings.Join(want, " "))
	}
	empty := func(s string) bool { return s == "" }
	have, want = slices.DeleteFunc(have, empty), slices.DeleteFunc(want, empty)
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		return fmt.Sprintf("the lines of the edit are %q instead of %q", have, want)
	}
	return ""
}

// closable returns a fence, and how many lines of it an edit may add to close
// code that has no end in the source: the code was at the end of its block and
// had no need of it. Without such a line, the written page would be another
// document.
func (e *editTrial) closable(out string) (fence string, most int) {
	open := 0 // code that is not closed
	for n, s := range e.spans {
		if n.Type != "code" || s.Start < 0 || s.End <= s.Start {
			continue
		}
		source := strings.TrimSpace(e.src[s.Start:s.End])
		if f := openFence.FindStringSubmatch(source); f != nil && len(fences(source[len(f[0]):], f[1])) == 0 {
			open++
			fence = f[1]
		}
	}
	if open == 0 {
		return "", 0
	}
	needed, want := 0, Parse([]byte(out), Refs{}).Nodes
	for _, f := range fences(out, fence) {
		if sameDocs(want, Parse([]byte(out[:f.Start]+out[f.End:]), Refs{}).Nodes) != nil {
			needed++
		}
	}
	return fence, min(open, needed)
}

// fences returns the lines that consist of a fence.
func fences(s, fence string) (list []Span) {
	at := 0
	for l := range strings.Lines(s) {
		if prefixOnly.ReplaceAllString(strings.TrimRight(l, " \t\r\n"), "") == fence {
			list = append(list, Span{at, at + len(l)})
		}
		at += len(l)
	}
	return list
}

// gaps compares the blank lines between lines that stay side by side.
func gaps(src, now []line) string {
	type pair struct{ a, b string }
	found := map[pair][]int{}
	for i := 1; i < len(now); i++ {
		p := pair{now[i-1].text, now[i].text}
		found[p] = append(found[p], now[i].blank)
	}
	times := map[string]int{}
	for _, l := range src {
		times[l.text]++
	}
	for i := 1; i < len(src); i++ {
		if times[src[i-1].text] > 1 || times[src[i].text] > 1 {
			continue // it is not known which of them it is
		}
		if src[i-1].touched != src[i].touched {
			continue
		}
		list := found[pair{src[i-1].text, src[i].text}]
		if len(list) > 0 && !slices.Contains(list, src[i].blank) {
			return fmt.Sprintf("%d instead of %d blank lines between %q and %q", list[0], src[i].blank, src[i-1].text, src[i].text)
		}
	}
	return ""
}
