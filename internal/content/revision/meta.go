package revision

import (
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
)

// ApplyHead sets the fields of a page that the head of its source has; the others
// are kept. The cover is set when the source is composed, because it refers to a
// file.
func ApplyHead(h frontmatter.Head, p *docs.Page) {
	if h.Title != "" {
		p.Title = h.Title
	}
	if h.Emoji != "" && h.Emoji != emoji.FromCode(p.Emoji) {
		p.Emoji = h.Emoji
	}
	m := h.Meta
	for _, key := range m.Keys {
		switch key {
		case "description":
			p.Description = m.Description
		case "icon":
			p.Icon = m.Icon
		case "linkTitle":
			p.LinkTitle = m.LinkTitle
		case "hidden":
			p.Hidden = m.Hidden
		case "noIndex":
			p.NoIndex = m.NoIndex
		case "noRobotsIndex":
			p.NoRobotsIndex = m.NoRobotsIndex
		case "if":
			p.Condition = m.If
		case "tags":
			p.Tags = m.Tags
		case "vars":
			p.Variables = m.Vars
		case "layout":
			p.Layout = &m.Layout
		case "metaLinks":
			p.MetaLinks = &m.MetaLinks
		}
	}
}

// CoverOf returns the cover that a head names.
func CoverOf(h frontmatter.Head, l *Linker) *docs.PageCover {
	m := h.Meta
	if m.Cover == "" && m.CoverDark == "" {
		return nil
	}
	ref := func(dest string) *markup.Ref {
		if dest == "" {
			return nil
		}
		r, ok := l.resolve(dest, markup.UseImage)
		if !ok {
			r = markup.Ref{Kind: markup.RefURL, URL: dest}
		}
		return &r
	}
	return &docs.PageCover{Ref: ref(m.Cover), RefDark: ref(m.CoverDark), YPos: m.CoverY, Height: m.CoverHeight}
}

// MetaOf is the inverse of ApplyHead and CoverOf: it returns the front matter of a
// page. Fields that docs.Page does not have are those of was, the current one.
func MetaOf(p docs.Page, was frontmatter.Meta, l *Linker) frontmatter.Meta {
	m := was
	m.Description, m.Icon = p.Description, p.Icon
	if m.LinkTitle != "" { // otherwise SUMMARY.md has it
		m.LinkTitle = p.LinkTitle
	}
	m.Hidden, m.NoIndex, m.NoRobotsIndex = p.Hidden, p.NoIndex, p.NoRobotsIndex
	m.If, m.Tags, m.Vars = p.Condition, p.Tags, p.Variables
	m.Layout, m.MetaLinks = docs.Layout{}, docs.MetaLinks{}
	if p.Layout != nil {
		m.Layout = *p.Layout
	}
	if p.MetaLinks != nil {
		m.MetaLinks = *p.MetaLinks
	}
	m.Cover, m.CoverDark, m.CoverY, m.CoverHeight = "", "", 0, 0
	if c := p.Cover; c != nil {
		m.Cover, m.CoverDark = l.cover(c.Ref, was.Cover), l.cover(c.RefDark, was.CoverDark)
		m.CoverY, m.CoverHeight = c.YPos, c.Height
	}
	return m
}

// cover returns the destination of a picture: was if it still names the picture.
func (l *Linker) cover(ref *markup.Ref, was string) string {
	if ref == nil {
		return ""
	}
	if now, ok := l.resolve(was, markup.UseImage); (ok && now == *ref) || (!ok && ref.URL == was) {
		return was
	}
	if g, gone := l.Tombstone(*ref); gone && l.led(was, *ref, g) {
		return was
	}
	dest, _ := l.Locate(*ref, markup.UseImage)
	return dest
}

// SameRef reports whether two references are equal, or both nil.
func SameRef(a, b *markup.Ref) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}
