package revision

import (
	"context"
	"net/url"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
)

// Linker resolves the destinations in a source by the current tree: relative
// paths, as in a folder of files, and forms that carry ids. It keeps the first
// error in Err, because the callbacks of package markup return none.
type Linker struct {
	ctx  context.Context
	t    *Tree
	base string // address of this server
	file string // of the source
	// Resolved holds the targets of destinations when they were written.
	Resolved map[string]markup.Ref
	// ResolvedFirst reports whether Resolved takes precedence over the current tree, as it
	// does when a stored source is read, but not when a new one is written.
	ResolvedFirst bool
	// names are the names of new pages within a batch of changes.
	names map[string]markup.Ref
	// Stable makes located destinations carry ids instead of paths.
	Stable bool
	// found collects the resolved destinations, for the sidecar.
	found map[string]markup.Ref
	// loose collects the references that were resolved by the current tree, not by Resolved.
	loose map[markup.Ref]bool
	asked []answer // the calls of answer, with their results
	trace *Trace   // records what was resolved by the current tree
	Err   error
}

// refs returns the callbacks of package markup.
func (l *Linker) refs() markup.Refs {
	return markup.Refs{Resolve: l.resolve, Locate: l.Locate}
}

// answer is resolve that records its arguments and results in l.asked.
func (l *Linker) answer(dest string, use markup.Use) (markup.Ref, bool) {
	ref, ok := l.resolve(dest, use)
	l.asked = append(l.asked, answer{dest, use, ref, ok})
	return ref, ok
}

func (l *Linker) resolve(dest string, use markup.Use) (markup.Ref, bool) {
	if l.ResolvedFirst {
		if ref, ok := l.Resolved[dest]; ok {
			return l.keep(dest, ref)
		}
	}
	ref, ok := l.Current(dest, use)
	if l.trace != nil {
		l.trace.name(l, dest, use, ref, ok)
	}
	if ok {
		if l.loose != nil {
			l.loose[ref] = true
		}
		return l.keep(dest, ref)
	}
	if ref, ok := l.Resolved[dest]; ok && !l.ResolvedFirst {
		return l.keep(dest, ref)
	}
	return markup.Ref{}, false
}

func (l *Linker) keep(dest string, ref markup.Ref) (markup.Ref, bool) {
	if l.found != nil && (ref.Kind != markup.RefAnchor || ref.Page != "") {
		l.found[dest] = ref
	}
	return ref, true
}

func (l *Linker) fail(err error) {
	if l.Err == nil && err != nil && !errs.Is(err, errs.NotFound) {
		l.Err = err
	}
}

// maxDestination is the length of the longest destination that is resolved. No
// path of a page is as long.
const maxDestination = 4096

// Current returns what a destination names now.
func (l *Linker) Current(dest string, use markup.Use) (markup.Ref, bool) {
	none := markup.Ref{}
	if dest == "" || len(dest) > maxDestination {
		return none, false
	}
	where, anchor, _ := strings.Cut(dest, "#")
	if where == "" {
		return markup.Ref{Kind: markup.RefAnchor, Anchor: anchor}, use == markup.UseLink && anchor != ""
	}
	if rest, ok := strings.CutPrefix(where, reading.SpaceURL(l.base, "")); ok && l.base != "" {
		return foreign(rest, anchor)
	}
	if strings.Contains(where, ":") || strings.HasPrefix(where, "//") {
		return none, false // an address with a scheme or a host
	}
	if where, _, _ = strings.Cut(where, "?"); where == "" { // this page
		return l.ByName(l.file, anchor, use)
	}
	if s, err := url.PathUnescape(where); err == nil {
		where = s
	}
	if ref, ok := l.ByID(where, anchor); ok {
		return ref, true
	}
	target, ok := l.target(where)
	if !ok {
		return none, false
	}
	if len(l.names) > 0 { // a name of the batch is the same from everywhere
		for _, name := range []string{target, path.Clean(where)} {
			if ref, ok := l.names[strings.TrimSuffix(name, ".md")]; ok {
				return anchored(ref, anchor), true
			}
			if ref, ok := l.names[name]; ok {
				return anchored(ref, anchor), true
			}
		}
	}
	return l.ByName(target, anchor, use)
}

// target returns the path in the folder that a relative path leads to; ok is
// false where that leaves the folder.
func (l *Linker) target(where string) (name string, ok bool) {
	from := path.Dir(l.file)
	if strings.HasPrefix(where, "/") {
		from = "."
	}
	name = strings.TrimPrefix(path.Join(from, where), "/")
	if !folder.OutsideRoot(name) {
		return name, true
	}
	return l.place().Within(name)
}

// place returns the place of the content in the folder, for paths that leave its root.
func (l *Linker) place() folder.Place {
	layout, err := l.t.Layout(l.ctx)
	l.fail(err)
	return layout.Place()
}

// ByName looks a path up: as a file of the folder, then as the address of a
// page.
func (l *Linker) ByName(target, anchor string, use markup.Use) (markup.Ref, bool) {
	for _, name := range folder.Candidates(target) {
		kind, id, ok, err := l.t.NamedLike(l.ctx, name)
		l.fail(err)
		if !ok {
			continue
		}
		switch {
		case kind == "p" && use == markup.UseLink:
			return anchored(markup.Ref{Kind: markup.RefPage, Page: id}, anchor), true
		case kind == "f" && use != markup.UseInclude:
			return markup.Ref{Kind: markup.RefFile, File: id}, true
		case kind == "r" && use == markup.UseInclude:
			return markup.Ref{Kind: markup.RefReusable, ReusableContent: id}, true
		}
	}
	if use != markup.UseLink {
		return markup.Ref{}, false
	}
	for _, at := range folder.Addresses(target) {
		if ref, ok := l.byAddress(at); ok {
			return anchored(ref, anchor), true
		}
	}
	return markup.Ref{}, false
}

// byAddress returns the page at an address. The address of the first page is ".".
func (l *Linker) byAddress(at string) (markup.Ref, bool) {
	if at == "." {
		home, ok, err := l.t.Home(l.ctx)
		l.fail(err)
		return markup.Ref{Kind: markup.RefPage, Page: string(home.ID)}, ok
	}
	p, rest, err := l.t.PageAt(l.ctx, at)
	l.fail(err)
	return markup.Ref{Kind: markup.RefPage, Page: string(p.ID)}, err == nil && rest == "" && p.ID != ""
}

// ByID reads the forms that carry an id.
func (l *Linker) ByID(where, anchor string) (markup.Ref, bool) {
	kind, id, ok := strings.Cut(strings.TrimPrefix(where, "/"), "/")
	if !ok || !strings.HasPrefix(where, "/") || id == "" {
		return markup.Ref{}, false
	}
	switch kind {
	case "pages":
		if p, ok, err := l.t.Lookup(l.ctx, docs.PageID(id)); ok || err != nil {
			l.fail(err)
			return anchored(markup.Ref{Kind: markup.RefPage, Page: string(p.ID)}, anchor), err == nil
		}
		if ref, ok := l.names[strings.TrimSuffix(id, ".md")]; ok {
			return anchored(ref, anchor), true
		}
		if ref, ok := l.ByName(path.Clean("pages/"+id), anchor, markup.UseLink); ok {
			return ref, true
		}
		return l.ByName(path.Clean(id), anchor, markup.UseLink)
	case "files":
		if _, err := l.t.File(l.ctx, docs.FileID(id)); err != nil {
			l.fail(err)
			return markup.Ref{}, false
		}
		return markup.Ref{Kind: markup.RefFile, File: id}, true
	case "reusable-content":
		if _, err := l.t.Reusable(l.ctx, docs.ReusableID(id)); err != nil {
			l.fail(err)
			return markup.Ref{}, false
		}
		return markup.Ref{Kind: markup.RefReusable, ReusableContent: id}, true
	case "spaces":
		return foreign(strings.Replace(id, "/pages/", "/", 1), anchor)
	case "collections":
		return markup.Ref{Kind: markup.RefCollection, Collection: id}, IsID(id)
	case "users":
		return markup.Ref{Kind: markup.RefUser, User: id}, IsID(id)
	case "openapi":
		return markup.Ref{Kind: markup.RefOpenAPI, Spec: id}, IsID(id)
	}
	return markup.Ref{}, false
}

// foreign parses a reference to another space, or to a page of it, by ids. It does
// not check that they exist: that depends on the rights of each reader.
func foreign(rest, anchor string) (markup.Ref, bool) {
	space, page, _ := strings.Cut(strings.Trim(rest, "/"), "/")
	switch {
	case !IsID(space) || strings.Contains(page, "/") || (page != "" && !IsID(page)):
		return markup.Ref{}, false
	case page == "":
		return markup.Ref{Kind: markup.RefSpace, Space: space}, true
	}
	return anchored(markup.Ref{Kind: markup.RefPage, Space: space, Page: page}, anchor), true
}

func IsID(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= 100
}

func anchored(ref markup.Ref, anchor string) markup.Ref {
	if anchor != "" && ref.Kind == markup.RefPage {
		ref.Kind, ref.Anchor = markup.RefAnchor, anchor
	}
	return ref
}

// Locate returns the destination under which a reference is written in the source.
func (l *Linker) Locate(ref markup.Ref, _ markup.Use) (string, bool) {
	if l.t.visitor == nil && !l.Stable {
		if g, gone := l.Tombstone(ref); gone {
			return l.at(g, ref), true
		}
	}
	switch ref.Kind {
	case markup.RefURL:
		return ref.URL, true
	case markup.RefPage, markup.RefAnchor:
		return l.locatePage(ref)
	case markup.RefFile:
		f, err := l.t.File(l.ctx, docs.FileID(ref.File))
		l.fail(err)
		if err == nil && f.Path != "" && !l.Stable {
			return l.relative(f.Path), true
		}
		return "/files/" + ref.File, err == nil
	case markup.RefReusable:
		r, err := l.t.Reusable(l.ctx, docs.ReusableID(ref.ReusableContent))
		l.fail(err)
		if err == nil && r.File != "" && !l.Stable && ref.Space == "" {
			return l.relative(r.File), true
		}
		return "/reusable-content/" + ref.ReusableContent, err == nil
	case markup.RefSpace:
		return reading.SpaceURL(l.base, ref.Space), true
	case markup.RefCollection:
		return "/collections/" + ref.Collection, true
	case markup.RefUser:
		return "/users/" + ref.User, true
	case markup.RefOpenAPI:
		return "/openapi/" + ref.Spec, true
	}
	return "", false
}

func (l *Linker) locatePage(ref markup.Ref) (string, bool) {
	anchor := ""
	if ref.Anchor != "" {
		anchor = "#" + ref.Anchor
	}
	switch {
	case ref.Space != "":
		return reading.PageURL(l.base, ref.Space, ref.Page) + anchor, true
	case ref.Page == "":
		return anchor, anchor != ""
	}
	p, ok, err := l.t.Lookup(l.ctx, docs.PageID(ref.Page))
	l.fail(err)
	if !ok && l.t.visitor != nil {
		return BrokenReference, true
	}
	if ok && p.Type == docs.PageGroup && !l.Stable {
		at, err := l.t.groupAt(l.ctx, p)
		if l.fail(err); at != "" {
			return l.relative(at) + anchor, true
		}
	}
	if l.Stable || !ok || !p.HasBody() {
		return "/pages/" + ref.Page + anchor, ok
	}
	file, err := l.t.FileOf(l.ctx, p)
	l.fail(err)
	return l.relative(file) + anchor, err == nil
}

// relative returns the relative path from the source to another file of the folder.
func (l *Linker) relative(to string) string {
	file := l.file
	if folder.OutsideRoot(file) || folder.OutsideRoot(to) {
		at := l.place()
		file, to = at.Full(file), at.Full(to)
	}
	from := strings.Split(path.Dir(file), "/")
	if from[0] == "." {
		from = nil
	}
	parts := strings.Split(to, "/")
	same := 0
	for same < len(from) && same < len(parts)-1 && from[same] == parts[same] {
		same++
	}
	out := strings.Repeat("../", len(from)-same)
	for i, p := range parts[same:] {
		if i > 0 {
			out += "/"
		}
		out += escapeSegment(p)
	}
	return out
}

// escapeSegment escapes only what would end a destination in Markdown or be
// read as something else.
func escapeSegment(s string) string {
	if !strings.ContainsAny(s, " ()<>\"%?#\t\\") {
		return s
	}
	return strings.ReplaceAll(url.PathEscape(s), "%2B", "+")
}
