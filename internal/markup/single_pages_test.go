package markup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// styledPage draws a page that has every style of list, mark and line break,
// as people and other programs write them.
func styledPage(seed uint64) []byte {
	w := &styledWriter{r: rand.New(rand.NewPCG(seed, 36))}
	var parts []string
	for range 4 + w.r.IntN(5) {
		parts = append(parts, w.block(0))
		w.before = strings.TrimLeft(parts[len(parts)-1], " ")[:1]
	}
	s := parts[0]
	for i, p := range parts[1:] {
		s += w.gapAfter(parts[i]) + p
	}
	if w.defs {
		s += "\n\n[ref]: https://ref.example/a 'Title'\n[sunflower]: <https://sun.example/b>\n"
	}
	if !w.one(5) {
		s += "\n"
	}
	if w.one(6) {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return []byte(s)
}

type styledWriter struct {
	r      *rand.Rand
	defs   bool   // a reference link needs its definition
	before string // how the block before begins
	last   int    // number of the last word, so that all lines differ
}

func (w *styledWriter) one(of int) bool { return w.r.IntN(of) == 0 }

func (w *styledWriter) from(list ...string) string { return list[w.r.IntN(len(list))] }

func (w *styledWriter) word() string {
	w.last++
	return w.from("alpha", "kilo", "Lima", "été", "漢字", "mike", "Tango") + fmt.Sprint(w.last)
}

// gapAfter returns the space between two blocks.
func (w *styledWriter) gapAfter(block string) string {
	if strings.HasPrefix(block, "#") && !strings.Contains(block, "\n") && w.one(3) {
		return "\n"
	}
	return w.from("\n\n", "\n\n", "\n\n", "\n\n\n", "\n \n")
}

func (w *styledWriter) inline() string {
	switch w.r.IntN(26) {
	case 0:
		return "*" + w.word() + "*"
	case 1:
		return "_" + w.word() + " " + w.word() + "_"
	case 2:
		return "**" + w.word() + " " + w.word() + "**"
	case 3:
		return "__" + w.word() + " " + w.word() + "__"
	case 4:
		return "***" + w.word() + "***"
	case 5:
		return "~~" + w.word() + "~~"
	case 6:
		return "<b>" + w.word() + "</b>"
	case 7:
		return "`" + w.word() + "`"
	case 8:
		return "`` " + w.word() + " ` ``"
	case 9:
		return w.word() + w.from(`\*`, `\_`, `\!`, "&amp;", "&copy;", "&nbsp;x", `\(x\)`, "\\[a\\]")
	case 10:
		return "[" + w.word() + "](" + w.from("page.md", "<page.md>", "https://a.example/b 'T'", `page.md "t"`) + ")"
	case 11:
		w.defs = true
		return w.from("[ref]", "[Ref][]", "[sunflower]", "["+w.word()+"][ref]")
	case 12:
		return w.from("<https://a.example/x>", "https://bare.example/y", "www.bare.example", "<me@mail.example>", "me@mail.example")
	case 13:
		return "![" + w.word() + "](i.png)"
	case 14:
		return "__" + w.word() + "__ *" + w.word() + "*"
	default:
		return w.word()
	}
}

// text returns a text of some lines; lines after the first begin with indent.
func (w *styledWriter) text(indent string) string {
	var b strings.Builder
	for i := range 2 + w.r.IntN(9) {
		if i > 0 {
			switch w.r.IntN(14) {
			case 0, 1:
				b.WriteString("\n" + indent)
			case 2:
				b.WriteString("  \n" + indent)
			case 3:
				b.WriteString("\\\n" + indent)
			case 4:
				b.WriteString("<br>")
			default:
				b.WriteString(" ")
			}
		}
		b.WriteString(w.inline())
	}
	return b.String() + w.from("", ".", "!", "?")
}

// line returns a text on one line.
func (w *styledWriter) line() string {
	var words []string
	for range 1 + w.r.IntN(5) {
		words = append(words, w.inline())
	}
	return strings.Join(words, " ")
}

func (w *styledWriter) block(depth int) string {
	kind := w.r.IntN(22)
	if depth > 1 && kind > 11 {
		kind = w.r.IntN(6)
	}
	switch kind {
	case 0, 1, 2, 3, 4, 5:
		return w.text(w.from("", "", "", " "))
	case 6:
		return w.from("# ", "## ", "###  ") + w.line()
	case 7:
		return "## " + w.line() + " ##"
	case 8:
		return w.line() + w.from("\n===", "\n---")
	case 9:
		return w.from("***", "---", "* * *", "___")
	case 10:
		fence := w.from("```", "~~~", "````")
		return fence + w.from("", "js", " go title") + "\n" + w.word() + "\n  " + w.word() + "\n\n* " + w.word() + "\n" + fence
	case 11:
		if depth > 0 || strings.Contains("*-+0123456789", w.before) {
			return w.line()
		}
		return "    " + w.word() + "\n      " + w.word()
	case 12:
		return w.quote(depth)
	case 13:
		tag := w.from("hint style=\"info\"", "hint style='warning'")
		return "{% " + tag + " %}\n" + w.blocks(depth) + "\n{% endhint %}"
	case 14:
		return w.from("<details>", "<details open>") + "\n\n<summary>" + w.word() + "</summary>\n\n" + w.blocks(depth) + "\n\n</details>"
	case 15:
		return w.table()
	default:
		return w.list(depth)
	}
}

// blocks returns some blocks inside of another one.
func (w *styledWriter) blocks(depth int) string {
	s := w.block(depth + 1)
	for range w.r.IntN(3) {
		s += "\n\n" + w.block(depth+1)
	}
	return s
}

func (w *styledWriter) quote(depth int) string {
	lines := strings.Split(w.blocks(depth), "\n")
	mark := w.from("> ", "> ", ">", ">  ")
	if mark == ">" && slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, " ") || strings.HasPrefix(l, "\t") }) {
		mark = "> " // the first space would be a part of the mark
	}
	for i, l := range lines {
		if l == "" {
			lines[i] = strings.TrimRight(mark, " ")
		} else {
			lines[i] = mark + l
		}
	}
	return strings.Join(lines, "\n")
}

func (w *styledWriter) table() string {
	s := "| " + w.word() + " | " + w.word() + " |\n" + w.from("|---|:-:|", "| --- | --- |", "|:----------|--|")
	if w.one(3) { // aligned, as programs write them
		a, b := w.word(), w.word()
		return fmt.Sprintf("| %-14s | %-9s |\n| %s | %s |\n| %-14s | %-9s |\n| %-14s | %-9s |", a, b, strings.Repeat("-", 14), strings.Repeat("-", 9), w.word(), w.inline(), w.word()+" "+w.word(), w.word())
	}
	for range 1 + w.r.IntN(3) {
		s += "\n|" + w.from("", " ", "  ") + w.line() + w.from("|", " | ", "   |") + w.word() + " |"
	}
	return s
}

func (w *styledWriter) list(depth int) string {
	marker := w.from("*", "-", "+", "1.", "1)", "3.")
	space := w.from(" ", " ", " ", "  ", "   ", "\t")
	if depth > 0 && space == "\t" {
		space = " "
	}
	gap := w.from("\n", "\n", "\n\n")
	tasks := w.one(6)
	var items []string
	for i := range 1 + w.r.IntN(4) {
		m := marker
		if n := strings.TrimRight(marker, ".)"); len(n) < len(marker) && n != "" {
			m = fmt.Sprint(int(n[0]-'0')+i) + marker[len(n):]
		}
		items = append(items, w.listItem(m+space, gap, tasks, depth))
	}
	return strings.Join(items, gap)
}

func (w *styledWriter) listItem(head, gap string, tasks bool, depth int) string {
	indent := strings.Repeat(" ", len(head))
	if strings.HasSuffix(head, "\t") {
		indent = w.from("\t", "    ")
	}
	body := w.text("")
	if tasks {
		body = w.from("[ ] ", "[x] ") + body
	}
	if depth < 2 {
		for range w.r.IntN(3) {
			switch {
			case w.one(3):
				list := w.list(depth + 1)
				if strings.HasPrefix(list, "3") {
					body += "\n" // only a list that begins with 1 can follow a text
				}
				body += w.from("\n", "\n\n") + list
			case gap == "\n\n" || w.one(3):
				body += "\n\n" + w.block(depth+1)
			}
		}
	}
	lines := strings.Split(body, "\n")
	for i, l := range lines {
		if i > 0 && l != "" {
			lines[i] = indent + l
		}
	}
	return head + strings.Join(lines, "\n")
}
