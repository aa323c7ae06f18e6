package gitsync

import (
	"context"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

var (
	blockLine = regexp.MustCompile(`(?m)^(?:- |\* )?(b\d+) .*$`)
	entryLine = regexp.MustCompile(`^( *)[*-] \[([^\]]*)\]\(([^)]*)\)`)
)

func pick[T any](s *story, list []T) T { return list[s.r.IntN(len(list))] }

// touch marks all blocks of a text as changed.
func touch(set map[string]bool, text string) {
	for _, m := range blockLine.FindAllStringSubmatch(text, -1) {
		set["block "+m[1]] = true
	}
}

// word returns the name of a page in the story, which stays the same when the title
// changes.
func word(title string) string {
	w, _, _ := strings.Cut(title, " ")
	return w
}

// editText changes a text in one of several ways. It returns the new text and a
// description of the change.
func (s *story) editText(text string, set map[string]bool) (string, string) {
	lines := blockLine.FindAllStringSubmatchIndex(text, -1)
	if len(lines) == 0 || s.r.IntN(4) == 0 {
		block := s.block()
		switch {
		case s.r.IntN(2) == 0 || len(lines) == 0:
			return strings.TrimRight(text, "\n") + "\n\n" + block, "add a block at the end"
		default:
			// Before a paragraph.
			for _, at := range lines {
				if at[0] >= 2 && text[at[0]-2:at[0]] == "\n\n" && text[at[0]] == 'b' {
					return text[:at[0]] + block + "\n" + text[at[0]:], "add a block"
				}
			}
			return strings.TrimRight(text, "\n") + "\n\n" + block, "add a block at the end"
		}
	}
	at := pick(s, lines)
	line, name := text[at[0]:at[1]], text[at[2]:at[3]]
	set["block "+name] = true
	if s.r.IntN(6) == 0 && strings.Contains(text[at[1]:], "\n\nb") && text[at[0]] == 'b' && strings.HasSuffix(text[:at[0]], "\n\n") {
		s.drop(line)
		return text[:at[0]] + strings.TrimLeft(text[at[1]:], "\n"), "delete " + name
	}
	return text[:at[1]] + " " + s.marker() + text[at[1]:], "edit " + name
}

// editHere makes a change in the space.
func (s *story) editHere() {
	s.t.Helper()
	var all []*revision.PageNode
	for _, p := range s.pages() {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *revision.PageNode) int { return strings.Compare(a.Title, b.Title) })
	var texts []*revision.PageNode
	for _, p := range all {
		if p.HasBody() {
			texts = append(texts, p)
		}
	}
	parent := func() opt.Val[string] {
		if len(texts) == 0 || s.r.IntN(2) == 0 {
			return opt.Null[string]()
		}
		return opt.Of(string(pick(s, texts).ID))
	}
	kind := s.r.IntN(12)
	if len(texts) == 0 {
		kind = 6
	}
	switch {
	case kind < 6:
		p := pick(s, texts)
		text, what := s.editText(s.markdown(p.Title), s.ours)
		s.say("here: %s on %s", what, p.Title)
		s.ours["text "+word(p.Title)] = true
		if s.lines >= 0 {
			s.lines += 2 // a deleted block has its line and a blank one
		}
		on := content.LineName("")
		if s.r.IntN(4) == 0 && s.pending == nil {
			cr, err := s.s.Reviews.Create(context.Background(), s.grant(), reviews.New{Subject: "A request"})
			if err != nil {
				s.t.Fatal(err)
			}
			on = content.LineName(cr.ID)
		}
		s.apply(on, content.Change{Operation: content.UpdatePage, Page: string(p.ID), Body: &revision.Body{Markdown: &text}})
		if on != "" {
			if out, err := s.s.Reviews.Merge(context.Background(), s.grant(), string(on)); err != nil || len(out.Conflicts) > 0 {
				s.t.Fatal(out, err)
			}
		}
	case kind == 6:
		s.lines = -1
		title, body := s.name("P")+" "+s.marker(), s.block()
		s.say("here: a new page %s", title)
		s.apply("", content.Change{Operation: content.InsertPage, Into: parent(), Body: &revision.Body{Markdown: &body}, Meta: content.PageMeta{Title: opt.Of(title)}})
	case kind == 7 && len(all) > 3:
		s.lines = -1
		p := pick(s, all)
		s.deletedHere(p)
		s.say("here: delete %s", p.Title)
		s.apply("", content.Change{Operation: content.DeletePage, Page: string(p.ID)})
	case kind == 8:
		s.lines = -1
		p, into, at := pick(s, all), parent(), s.r.IntN(3)
		c := content.Change{Operation: content.UpdatePage, Page: string(p.ID), Into: into, At: &at}
		if _, err := s.s.Content.Apply(context.Background(), s.grant(), "", "", []content.Change{c}); err != nil {
			return // the page would be below itself
		}
		s.say("here: move %s", p.Title)
		s.ours["place "+word(p.Title)] = true
	case kind == 9:
		s.lines = -1
		p := pick(s, texts)
		s.drop(p.Title)
		title := word(p.Title) + " " + s.marker()
		s.say("here: %s is %s now", p.Title, title)
		s.ours["title "+word(p.Title)] = true
		s.ours["file "+word(p.Title)] = true
		s.apply("", content.Change{Operation: content.UpdatePage, Page: string(p.ID), Meta: content.PageMeta{Title: opt.Of(title)}})
	case kind == 10:
		s.lines = -1
		p, slug := pick(s, texts), s.name("slug")
		s.say("here: %s is at %s now", p.Title, slug)
		s.ours["file "+word(p.Title)] = true
		s.apply("", content.Change{Operation: content.UpdatePage, Page: string(p.ID), Meta: content.PageMeta{Slug: opt.Of(slug)}})
	default:
		name := s.name("here") + ".txt"
		s.say("here: a file %s", name)
		s.apply("", content.Change{Operation: content.InsertFiles, Files: []content.NewFile{{Name: name, ContentType: "text/plain", Base64: base64.StdEncoding.EncodeToString([]byte("file " + s.marker() + "\n"))}}})
	}
}

// replace removes the last commit of the branch and pushes another one instead.
func (s *story) replace() {
	s.t.Helper()
	s.origin.Pull()
	before := s.origin.Files("main")
	if _, err := testgit.Try(s.origin.Work, "", "reset", "-q", "--hard", "HEAD~1"); err != nil {
		return // it is the first commit
	}
	s.say("there: another history")
	s.origin.Commit(map[string]string{"NOTES.txt": "replaced " + s.marker() + "\n"})
	s.forget(found(before), s.origin.Files("main"))
	s.replaced, s.theirs["anything"] = true, true
}

// deletedHere records that a page and its descendants were deleted in the space.
func (s *story) deletedHere(p *revision.PageNode) {
	s.drop(p.Title)
	for _, what := range []string{"page ", "title ", "place ", "file "} {
		s.ours[what+word(p.Title)] = true
	}
	if p.HasBody() {
		text := s.markdown(p.Title)
		touch(s.ours, text)
		s.drop(text)
	}
	delete(s.ids, word(p.Title))
	for _, c := range p.Children {
		s.deletedHere(c)
	}
}

// editThere makes a change in the repository and pushes it.
func (s *story) editThere() {
	s.t.Helper()
	s.origin.Pull()
	files := s.origin.Files("main")
	summary := strings.SplitAfter(strings.TrimSuffix(files["SUMMARY.md"], "\n"), "\n")
	if n := len(summary); !strings.HasSuffix(summary[n-1], "\n") {
		summary[n-1] += "\n"
	}
	var entries []int // lines of entries for pages
	for i, line := range summary {
		if m := entryLine.FindStringSubmatch(line); m != nil && strings.HasSuffix(m[3], ".md") && files[m[3]] != "" {
			entries = append(entries, i)
		}
	}
	file := func(i int) string { return entryLine.FindStringSubmatch(summary[i])[3] }
	named := func(i int) string {
		first, _, _ := strings.Cut(files[file(i)], "\n")
		if title, ok := strings.CutPrefix(first, "# "); ok {
			return title
		}
		return entryLine.FindStringSubmatch(summary[i])[2]
	}
	indent := func(i int) int { return len(summary[i]) - len(strings.TrimLeft(summary[i], " ")) }
	leaf := func(i int) bool { return i+1 >= len(summary) || indent(i+1) <= indent(i) }
	change := map[string]string{}
	kind := s.r.IntN(12)
	if len(entries) == 0 {
		kind = 6
	}
	switch {
	case kind < 6:
		i := pick(s, entries)
		text, what := s.editText(files[file(i)], s.theirs)
		s.say("there: %s in %s", what, file(i))
		s.theirs["text "+word(named(i))] = true
		change[file(i)] = text
	case kind == 6:
		page, name := s.name("P"), s.name("pages/new")+".md"
		change[name] = s.text(page)
		at := len(summary)
		line := "* [" + strings.TrimPrefix(strings.SplitN(change[name], "\n", 2)[0], "# ") + "](" + name + ")\n"
		if len(entries) > 0 {
			at = pick(s, entries)
			line = strings.Repeat(" ", indent(at)) + line
		}
		s.say("there: a new page %s at %d", name, at)
		summary = slices.Insert(summary, at, line)
		s.theirs["page "+page] = true
	case kind == 7 && len(entries) > 3:
		i := pick(s, entries)
		if !leaf(i) || file(i) == "README.md" {
			return
		}
		w := word(named(i))
		s.say("there: delete %s", file(i))
		for _, what := range []string{"page ", "title ", "place ", "file "} {
			s.theirs[what+w] = true
		}
		touch(s.theirs, files[file(i)])
		s.drop(files[file(i)], summary[i])
		delete(s.ids, w)
		change[file(i)] = testgit.Deleted
		summary = slices.Delete(summary, i, i+1)
	case kind == 8:
		i := pick(s, entries)
		if !leaf(i) || len(entries) < 2 {
			return
		}
		line := strings.TrimLeft(summary[i], " ")
		w := word(named(i))
		s.say("there: move %s", file(i))
		rest := slices.Delete(slices.Clone(summary), i, i+1)
		at := 2 + s.r.IntN(len(rest)-1)
		if before := entryLine.FindStringSubmatch(rest[min(at, len(rest))-1]); before != nil && strings.HasSuffix(before[3], ".md") {
			line = before[1] + strings.Repeat("  ", s.r.IntN(2)) + line
			if at < len(rest) && len(rest[at])-len(strings.TrimLeft(rest[at], " ")) > len(before[1]) {
				line = before[1] + "  " + strings.TrimLeft(line, " ") // among the children of the entry before
			}
		}
		summary = slices.Insert(rest, min(at, len(rest)), line)
		s.theirs["place "+w] = true
	case kind == 9:
		i := pick(s, entries)
		text := files[file(i)]
		first, rest, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(first, "# ") {
			return
		}
		s.drop(first)
		w := word(named(i))
		title := w + " " + s.marker()
		s.say("there: %s is %s now", file(i), title)
		change[file(i)] = "# " + title + "\n" + rest
		if s.r.IntN(2) == 0 {
			summary[i] = strings.Replace(summary[i], entryLine.FindStringSubmatch(summary[i])[2], title, 1)
		}
		s.theirs["title "+w] = true
	case kind == 10:
		i := pick(s, entries)
		if file(i) == "README.md" {
			return
		}
		w, to := word(named(i)), s.name("pages/renamed")+".md"
		s.say("there: %s is %s now", file(i), to)
		change[to], change[file(i)] = files[file(i)], testgit.Deleted
		summary[i] = strings.Replace(summary[i], file(i), to, 1)
		s.theirs["file "+w] = true
	default:
		var assets []string
		for name := range files {
			if strings.HasPrefix(name, ".gitbook/assets/") {
				assets = append(assets, name)
			}
		}
		slices.Sort(assets)
		switch n := s.r.IntN(3); {
		case n == 0 && len(assets) > 0:
			name := pick(s, assets)
			s.say("there: delete %s", name)
			s.drop(files[name])
			change[name] = testgit.Deleted
		case n == 1 && len(assets) > 0:
			name := pick(s, assets)
			s.say("there: change %s", name)
			change[name] = files[name] + s.marker() + "\n"
		default:
			name := s.name(".gitbook/assets/there") + ".txt"
			s.say("there: a file %s", name)
			change[name] = "file " + s.marker() + "\n"
		}
	}
	if text := strings.Join(summary, ""); text != files["SUMMARY.md"] && files["SUMMARY.md"] != "" {
		change["SUMMARY.md"] = text
	}
	if len(change) == 0 {
		s.say("… which is where it was")
		return
	}
	s.theirs["anything"] = true
	s.origin.Commit(change)
}
