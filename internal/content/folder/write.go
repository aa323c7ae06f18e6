package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/names"
)

// Sink receives the files of a folder. Names are slash-separated relative paths.
type Sink interface {
	WriteFile(name string, data io.Reader) error
}

// Output is a file that Write writes.
type Output struct {
	Name string
	Data []byte
	File *File // used instead of Data if it is set
}

// Write writes the files of a tree, sorted by name.
func Write(sink Sink, t *Tree) error {
	files, err := Outputs(t)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := writeOne(sink, f); err != nil {
			return fmt.Errorf("write %s: %w", f.Name, err)
		}
	}
	return nil
}

func writeOne(sink Sink, f Output) error {
	if f.File == nil {
		return sink.WriteFile(f.Name, bytes.NewReader(f.Data))
	}
	r, err := f.File.Open()
	if err != nil {
		return err
	}
	return errors.Join(sink.WriteFile(f.Name, r), r.Close())
}

// Outputs returns the files of a tree, sorted by name. Files that were read and not
// changed have the same bytes as before. Invalid names are changed as CleanPath does. A
// number is appended if another file already has the changed name.
func Outputs(t *Tree) ([]Output, error) {
	readme := t.readme()
	if OutsideRoot(readme) {
		readme = t.place().Full(readme)
	}
	for _, name := range []string{path.Clean(t.Root), t.summary(), readme} {
		if why := names.Problem(name); why != "" && name != "." {
			return nil, errs.E(errs.Invalid, "%s cannot be written: %s", name, why)
		}
	}
	return outputs(withValidNames(t))
}

func outputs(t *Tree) ([]Output, error) {
	var out []Output
	root := path.Clean(t.Root)
	add := func(name string, data []byte) {
		if data != nil {
			out = append(out, Output{Name: path.Join(root, name), Data: data})
		}
	}
	summary := !t.Inferred || t.SummarySource != nil || !t.followsFolders()
	for _, list := range [][]*Page{t.All(), t.Unlisted} {
		for _, p := range list {
			if p.Type != Document {
				continue
			}
			source := p.Source
			if source == nil && summary {
				source = markup.RewriteHead(nil, frontmatter.Meta{}, p.Title, p.Emoji) // an entry must link to a file
			}
			add(p.File, source)
		}
	}
	for _, in := range t.Includes {
		add(in.File, in.Source)
	}
	for _, list := range [][]*File{t.Files, t.Others} {
		for _, f := range list {
			out = append(out, Output{Name: path.Join(root, f.Path), File: f})
		}
	}
	config, err := t.configBytes()
	if err != nil {
		return nil, err
	}
	if config != nil {
		out = append(out, Output{Name: configName, Data: config})
	}
	variables, err := t.variablesBytes()
	if err != nil {
		return nil, err
	}
	add(t.variablesFile(), variables)
	tags, err := t.tagsBytes()
	if err != nil {
		return nil, err
	}
	add(t.tagsFile(), tags)
	if summary {
		add(t.summary(), t.SummaryBytes())
	}
	slices.SortFunc(out, func(a, b Output) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// followsFolders reports whether Read finds the same pages without a SUMMARY.md.
func (t *Tree) followsFolders() bool {
	docs := map[string]*Page{}
	for _, list := range [][]*Page{t.All(), t.Unlisted} {
		for _, p := range list {
			if p.Type == Document && p.Source != nil {
				docs[p.File] = &Page{Type: Document, Title: p.Head.Title, Emoji: p.Head.Emoji, LinkTitle: p.Head.Meta.LinkTitle, File: p.File, Source: p.Source}
			}
		}
	}
	return slices.EqualFunc(flatten(infer(docs, t.readme())), flatten(t.Pages), func(a, b item) bool {
		p, q := a.page, b.page
		return a.depth == b.depth && p.Type == q.Type && p.File == q.File && p.Title == q.Title && p.LinkTitle == q.LinkTitle && (p.Source == nil) == (q.Source == nil)
	})
}

// named returns the hidden files and folders that the SUMMARY.md of the tree links to.
func (t *Tree) named() Named {
	if t.Inferred {
		return nil
	}
	out := Named{}
	for _, p := range t.All() {
		if p.Type == Document && !t.isLanding(p.File) {
			out.add(CleanPath(p.File))
		}
	}
	return out
}

// isSummary reports whether Read would take a file for the navigation. If no file has
// exactly the name of the summary, Read accepts the name in any case.
func (t *Tree) isSummary(file string) bool {
	return t.SummarySource == nil && strings.EqualFold(file, t.summary())
}

// isLanding reports whether a file is the landing page above the root.
func (t *Tree) isLanding(file string) bool { return OutsideRoot(file) && file == t.Readme }

// withValidNames returns a tree whose files have valid and unique names. It returns t
// itself if no name changes, as for a tree that was read.
func withValidNames(t *Tree) *Tree {
	taken := namer{map[string]bool{}, map[string]bool{}, t.named()}
	for _, name := range []string{t.summary(), t.variablesFile(), t.tagsFile(), configName} {
		taken.taken[name], taken.folded[names.Fold(name)] = true, true
	}
	changed := false
	take := func(name string, derived bool) string {
		good := taken.take(name, derived)
		changed = changed || good != name
		return good
	}
	c := *t
	var pages func(list []*Page) []*Page
	pages = func(list []*Page) []*Page {
		out := make([]*Page, len(list))
		for i, p := range list {
			q := *p
			if q.Type == Document && !t.isLanding(q.File) {
				q.File = p.File
				if !isMarkdown(q.File) {
					q.File = CleanPath(q.File) + ".md"
				}
				if q.File = take(q.File, q.Derived || t.isSummary(q.File)); q.File != p.File {
					changed = true
				}
			}
			q.Children = pages(p.Children)
			out[i] = &q
		}
		return out
	}
	c.Pages, c.Unlisted = pages(t.Pages), pages(t.Unlisted)
	c.Includes = nil
	for _, in := range t.Includes {
		q := *in
		q.File = take(in.File, false)
		c.Includes = append(c.Includes, &q)
	}
	files := func(list []*File) []*File {
		var out []*File
		for _, f := range list {
			q := *f
			q.Path = take(f.Path, false)
			out = append(out, &q)
		}
		return out
	}
	c.Files, c.Others = files(t.Files), files(t.Others)
	if !changed {
		return t
	}
	return &c
}
