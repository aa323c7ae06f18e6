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
	"github.com/octavo-docs/octavo/internal/names"
)

// Sink takes the files of a folder. Names have slashes and stay below it.
type Sink interface {
	WriteFile(name string, data io.Reader) error
}

// output is a file to be written: bytes, or something to open.
type output struct {
	name string
	data []byte
	open func() (io.ReadCloser, error)
}

// Write writes a tree, file by file in the order of their names. What was
// read and not changed is written as it was. Names that cannot be written
// are made good as CleanPath does, with a number where two become one.
func Write(sink Sink, t *Tree) error {
	for _, name := range []string{path.Clean(t.Root), t.summary(), t.readme()} {
		if why := names.Bad(name); why != "" && name != "." {
			return errs.E(errs.Invalid, "%s cannot be written: %s", name, why)
		}
	}
	t = withGoodNames(t)
	files, err := outputs(t)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := writeOne(sink, f); err != nil {
			return fmt.Errorf("write %s: %w", f.name, err)
		}
	}
	return nil
}

func writeOne(sink Sink, f output) error {
	if f.open == nil {
		return sink.WriteFile(f.name, bytes.NewReader(f.data))
	}
	r, err := f.open()
	if err != nil {
		return err
	}
	return errors.Join(sink.WriteFile(f.name, r), r.Close())
}

// outputs gives the files of a tree by name.
func outputs(t *Tree) ([]output, error) {
	var out []output
	root := path.Clean(t.Root)
	add := func(name string, data []byte) {
		if data != nil {
			out = append(out, output{name: path.Join(root, name), data: data})
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
				source = p.Head.Rewrite(nil, markup.Meta{}, p.Title, p.Emoji) // an entry needs a file
			}
			add(p.File, source)
		}
	}
	for _, in := range t.Includes {
		add(in.File, in.Source)
	}
	for _, list := range [][]*File{t.Files, t.Others} {
		for _, f := range list {
			out = append(out, output{name: path.Join(root, f.Path), open: f.Open})
		}
	}
	config, err := t.configBytes()
	if err != nil {
		return nil, err
	}
	if config != nil {
		out = append(out, output{name: configName, data: config})
	}
	variables, err := t.variablesBytes()
	if err != nil {
		return nil, err
	}
	add(variablesName, variables)
	tags, err := t.tagsBytes()
	if err != nil {
		return nil, err
	}
	add(tagsName, tags)
	if summary {
		add(t.summary(), t.SummaryBytes())
	}
	slices.SortFunc(out, func(a, b output) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// followsFolders tells whether the pages are those that the folders give
// without a SUMMARY.md.
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

// withGoodNames gives a tree whose files have names that can be written, each
// its own. A tree that was read is given back as it is.
func withGoodNames(t *Tree) *Tree {
	taken := namer{}
	for _, name := range []string{t.summary(), variablesName, tagsName, configName} {
		taken[names.Fold(name)] = true
	}
	changed := false
	take := func(name string) string {
		good := taken.take(name)
		changed = changed || good != name
		return good
	}
	c := *t
	var pages func(list []*Page) []*Page
	pages = func(list []*Page) []*Page {
		out := make([]*Page, len(list))
		for i, p := range list {
			q := *p
			if q.Type == Document {
				q.File = p.File
				if !isMarkdown(q.File) {
					q.File = CleanPath(q.File) + ".md"
				}
				if q.File = take(q.File); q.File != p.File {
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
		q.File = take(in.File)
		c.Includes = append(c.Includes, &q)
	}
	files := func(list []*File) []*File {
		var out []*File
		for _, f := range list {
			q := *f
			q.Path = take(f.Path)
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
