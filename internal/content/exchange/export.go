package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Folder returns a revision as a folder of files. Imported files that were not changed keep their
// bytes.
func (s *Exchange) Folder(ctx context.Context, v *revision.View) (*folder.Tree, error) {
	ex := &exporter{s: s, v: v, out: &folder.Tree{}}
	if err := ex.settings(ctx); err != nil {
		return nil, err
	}
	all, err := v.All(ctx)
	if err != nil {
		return nil, err
	}
	ex.home, _, err = v.Home(ctx)
	if err != nil {
		return nil, err
	}
	if ex.out.Pages, err = ex.pages(ctx, all); err != nil {
		return nil, err
	}
	if err := ex.includes(ctx); err != nil {
		return nil, err
	}
	l := v.Linker(context.WithoutCancel(ctx), "")
	ex.out.Known = func(dest string) bool {
		where, anchor, _ := strings.Cut(dest, "#")
		ref, ok := l.ByID(where, anchor)
		return ok && (anchor == "" || ref.Space != "") // what other spaces have is not checked
	}
	return ex.out, ex.files(ctx)
}

type exporter struct {
	s    *Exchange
	v    *revision.View
	out  *folder.Tree
	home docs.Page
}

func (ex *exporter) pages(ctx context.Context, in []*revision.PageNode) ([]*folder.Page, error) {
	var out []*folder.Page
	for _, w := range in {
		p, err := ex.page(ctx, w)
		if err != nil {
			return nil, err
		}
		if p.Children, err = ex.pages(ctx, w.Children); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (ex *exporter) page(ctx context.Context, w *revision.PageNode) (*folder.Page, error) {
	p := &folder.Page{Type: string(w.Type), Title: w.Title, Emoji: emoji.FromCode(w.Emoji), LinkTitle: w.LinkTitle, Slug: w.Slug}
	l := ex.v.Linker(ctx, "SUMMARY.md")
	switch w.Type {
	case docs.PageLink:
		if w.Target != nil {
			_, l.Stable = l.Tombstone(*w.Target) // a path without a file would become a page
			p.Target, _ = l.Locate(*w.Target, markup.UseLink)
			if w.Target.Kind != markup.RefURL {
				p.Target = plainPath(p.Target)
			}
		}
		return p, l.Err
	case docs.PageComputed:
		return p, json.Unmarshal(w.Computed, &p.Computed)
	case docs.PageGroup:
		return p, nil
	}
	var err error
	p.Derived = w.Page.File == ""
	if p.File, err = ex.v.FileOf(ctx, w.Page); err != nil {
		return p, err
	}
	if p.Source, err = ex.source(ctx, w.Page, p.File); err != nil {
		return p, err
	}
	p.Head = markup.ParseHead(p.Source)
	return p, nil
}

// plainPath returns a destination as the unescaped path, with its anchor.
func plainPath(dest string) string {
	where, anchor, _ := strings.Cut(dest, "#")
	if plain, err := url.PathUnescape(where); err == nil && !strings.Contains(where, ":") {
		where = plain
	}
	if anchor == "" {
		return where
	}
	return where + "#" + anchor
}

// source returns the whole file of a page.
func (ex *exporter) source(ctx context.Context, p docs.Page, file string) ([]byte, error) {
	src, err := ex.v.Bytes(ctx, p.Body)
	if err != nil {
		return nil, err
	}
	if p.Body == "" && p.File != "" {
		return nil, nil // the page of a folder without a file of its own
	}
	s, err := ex.v.Sidecar(ctx, p.Sidecar)
	if err != nil {
		return nil, err
	}
	start := min(s.Start, len(src))
	body, err := ex.v.Relocated(ctx, src[start:], file, s, false)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(body, src[start:]) {
		src = slices.Concat(src[:start], body)
	}
	h := markup.ParseHead(src)
	l := ex.v.Linker(ctx, file)
	meta := revision.MetaOf(p, h.Meta, l)
	title, emoji := p.Title, emoji.FromCode(p.Emoji)
	if h.Title == "" && p.File != "" {
		title, emoji = "", "" // they are in SUMMARY.md
	}
	if out := markup.RewriteHead(src, meta, title, emoji); out != nil {
		return out, l.Err
	}
	return []byte{}, l.Err // an empty file
}

func (ex *exporter) includes(ctx context.Context) error {
	all, err := ex.v.Reusables(ctx)
	if err != nil {
		return err
	}
	for _, r := range all {
		src, err := ex.v.Bytes(ctx, r.Body)
		if err != nil {
			return err
		}
		ex.out.Includes = append(ex.out.Includes, &folder.Include{File: r.File, Title: r.Title, Source: src, Head: markup.ParseHead(src)})
	}
	slices.SortFunc(ex.out.Includes, func(a, b *folder.Include) int { return strings.Compare(a.File, b.File) })
	return nil
}

func (ex *exporter) files(ctx context.Context) error {
	files, err := ex.v.Files(ctx, "", 0)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Path != "" {
			ex.out.Files = append(ex.out.Files, ex.file(ctx, f))
		}
	}
	err = ex.v.Scan(ctx, revision.KeySetting+revision.SettingOther, "", func(at string, b []byte) (bool, error) {
		f, err := revision.DecodeFile("", b)
		ex.out.Others = append(ex.out.Others, ex.file(ctx, f))
		return true, err
	})
	for _, list := range [][]*folder.File{ex.out.Files, ex.out.Others} {
		slices.SortFunc(list, func(a, b *folder.File) int { return strings.Compare(a.Path, b.Path) })
	}
	return err
}

func (ex *exporter) file(ctx context.Context, f docs.File) *folder.File {
	return &folder.File{Path: f.Path, Size: f.Size, Sum: f.Blob, Open: func() (io.ReadCloser, error) {
		h, err := blob.ParseHash(f.Blob)
		if err != nil {
			return nil, err
		}
		return ex.s.Blobs.Open(ctx, h)
	}}
}

func (ex *exporter) settings(ctx context.Context) error {
	for name, to := range map[string]*[]byte{
		revision.SettingSummary: &ex.out.SummarySource, revision.SettingConfig: &ex.out.ConfigSource,
		revision.SettingVars: &ex.out.VariablesSource, revision.SettingTags: &ex.out.TagsSource,
	} {
		h, err := ex.v.Setting(ctx, name)
		if err != nil {
			return err
		}
		if *to, err = ex.v.Bytes(ctx, chunk.Hash(h)); err != nil {
			return err
		}
	}
	ex.out.Tags = folder.ParseTags(ex.out.TagsSource)
	l, err := ex.v.Layout(ctx)
	if err != nil {
		return err
	}
	ex.out.Root, ex.out.Readme, ex.out.Summary, ex.out.Inferred, ex.out.Skipped = l.Root, l.Readme, l.Summary, l.Inferred, l.Skipped
	ex.out.VariablesFile, ex.out.TagsFile = l.Variables, l.Tags
	vars, err := ex.v.Variables(ctx)
	if err != nil {
		return err
	}
	ex.out.Variables = vars
	err = ex.v.Scan(ctx, revision.KeySetting+revision.SettingUnlisted, "", func(file string, h []byte) (bool, error) {
		src, err := ex.v.Bytes(ctx, chunk.Hash(h))
		ex.out.Unlisted = append(ex.out.Unlisted, &folder.Page{Type: folder.Document, File: file, Source: src, Head: markup.ParseHead(src)})
		return true, err
	})
	if err != nil {
		return err
	}
	return ex.v.Scan(ctx, revision.KeySetting+revision.SettingRedirect, "", func(from string, to []byte) (bool, error) {
		now, err := exportedRedirect(ctx, ex.v.Tree, from, string(to))
		ex.out.Redirects = append(ex.out.Redirects, folder.Redirect{From: from, To: now})
		return true, err
	})
}

// exportedRedirect returns the destination of a redirect as it is exported: a redirect
// follows its page to another file.
func exportedRedirect(ctx context.Context, t *revision.Tree, from, to string) (string, error) {
	id, err := t.Setting(ctx, revision.SettingLeads+from)
	if err != nil || len(id) == 0 {
		return to, err
	}
	file, anchor := redirectFile(to)
	p, ok, err := t.Lookup(ctx, docs.PageID(id))
	if err != nil {
		return to, err
	}
	if !ok {
		l := t.Linker(ctx, "")
		if g, gone := l.Tombstone(markup.Ref{Kind: markup.RefPage, Page: string(id)}); gone && g.File != "" && g.File != file {
			return g.File + anchor, l.Err
		}
		return to, l.Err
	}
	if now, err := t.FileOf(ctx, p); err != nil || now != file {
		return now + anchor, err
	}
	return to, nil
}

// redirectFile returns the file that a redirect leads to, and the anchor in it.
func redirectFile(to string) (file, anchor string) {
	file, anchor, found := strings.Cut(to, "#")
	if found {
		anchor = "#" + anchor
	}
	return path.Clean(strings.TrimPrefix(file, "/")), anchor
}
