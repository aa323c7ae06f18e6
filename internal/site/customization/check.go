package customization

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// Check returns an error for values that are invalid although their types and tags are correct:
// URLs, references, conditions, names of languages and fonts, and the total size.
func (s Settings) Check() error {
	c := checker{}
	c.localized("localizedTitle", s.LocalizedTitle, 128)
	c.styling("styling", s.Styling)
	c.favicon("favicon", s.Favicon)
	c.header("header", s.Header)
	c.footer("footer", s.Footer)
	if a := s.Announcement; a != nil {
		c.localized("announcement.localizedMessage", a.LocalizedMessage, 128)
		if a.Link != nil {
			c.link("announcement.link", *a.Link)
		}
	}
	c.ai("ai", s.AI)
	c.url("privacyPolicy.url", s.PrivacyPolicy.URL)
	c.url("socialPreview.url", s.SocialPreview.URL)
	if err := c.Err(); err != nil {
		return err
	}
	b, err := jsontext.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode customization: %w", err)
	}
	if len(b) > MaxBytes {
		return errs.Field("", "is larger than %s", errs.Size(MaxBytes))
	}
	return nil
}

// url checks an optional URL.
func (c *checker) url(path, s string) {
	if s != "" {
		c.address(path, s)
	}
}

func (c *checker) address(path, s string) {
	c.Add(docs.CheckWebURL(path, s))
}

func (c *checker) image(path string, i *Image) {
	if i == nil {
		return
	}
	c.address(path+".light", i.Light)
	c.address(path+".dark", i.Dark)
}

// localized checks the lengths of texts and that their languages exist.
func (c *checker) localized(path string, l Localized, limit int) {
	for _, language := range slices.Sorted(maps.Keys(l)) {
		if !slices.Contains(docs.Languages, language) {
			c.Field(path, "has %.20q, which is not a language code", language)
		}
		if utf8.RuneCountInString(l[language]) > limit {
			c.Field(path+"."+language, "must not be longer than %d characters", limit)
		}
	}
}

func (c *checker) ai(path string, a AI) {
	c.localized(path+".localizedGreeting", a.LocalizedGreeting, 256)
	for i, s := range a.Suggestions {
		if n := utf8.RuneCountInString(s); n < 3 || n > 64 {
			c.Field(fmt.Sprintf("%s.suggestions[%d]", path, i), "must have 3 to 64 characters")
		}
	}
}

func (c *checker) styling(path string, s Styling) {
	c.font(path+".font", s.Font.Font, TextFonts)
	if s.HeadingFont != nil {
		c.font(path+".headingFont", s.HeadingFont.Font, TextFonts)
	}
	c.font(path+".monospaceFont", s.MonospaceFont.Font, CodeFonts)
}

func (c *checker) font(path string, f Font, names []string) {
	if f.Custom == nil {
		if !slices.Contains(names, f.Name) {
			c.Field(path, "must be a custom font or one of %s", strings.Join(names, ", "))
		}
		return
	}
	for i, face := range f.Custom.Faces {
		for j, source := range face.Sources {
			c.address(fmt.Sprintf("%s.fontFaces[%d].sources[%d].url", path, i, j), source.URL)
		}
	}
}

func (c *checker) favicon(path string, f Favicon) {
	if f.Icon != nil && f.Emoji != "" {
		c.Field(path, "must have an icon or an emoji, not both")
	}
	c.Add(docs.CheckEmoji(path+".emoji", f.Emoji))
	c.image(path+".icon", f.Icon)
}

func (c *checker) header(path string, h Header) {
	c.image(path+".logo", h.Logo)
	if h.PrimaryLink != nil {
		c.ref(path+".primaryLink", *h.PrimaryLink)
	}
	for i, l := range h.Links {
		at := fmt.Sprintf("%s.links[%d]", path, i)
		c.localized(at+".localizedTitle", l.LocalizedTitle, 256)
		if l.To.Ref != nil {
			c.ref(at+".to", *l.To.Ref)
		}
		if l.Condition != "" {
			c.Add(docs.CheckCondition(at+".condition", l.Condition))
		}
		c.links(at, l.Links)
	}
}

func (c *checker) footer(path string, f Footer) {
	c.image(path+".logo", f.Logo)
	for i, g := range f.Groups {
		at := fmt.Sprintf("%s.groups[%d]", path, i)
		c.localized(at+".localizedTitle", g.LocalizedTitle, 256)
		c.links(at, g.Links)
	}
}

func (c *checker) links(path string, links []ContentLink) {
	for i, l := range links {
		c.link(fmt.Sprintf("%s.links[%d]", path, i), l)
	}
}

func (c *checker) link(path string, l ContentLink) {
	c.localized(path+".localizedTitle", l.LocalizedTitle, 64)
	c.ref(path+".to", l.To)
}

// ref checks that a reference has the fields of its kind and no others.
func (c *checker) ref(path string, r docs.Ref) {
	fields := docs.RefFields(r.Kind)
	if fields == nil {
		c.Field(path+".kind", "is not a kind of references")
		return
	}
	if r.Target() == "" {
		c.Field(path+"."+fields[0], "is required")
	}
	clean := docs.Ref{Kind: r.Kind}
	for _, name := range fields {
		v := *r.Field(name)
		*clean.Field(name) = v
		if len(v) > 2048 {
			c.Field(path+"."+name, "must not be longer than 2048 characters")
		}
	}
	if clean != r {
		c.Field(path, "has fields that do not belong to the kind %q", r.Kind)
	}
	c.url(path+".url", r.URL)
}

// NewConditions returns the conditions of links that are not in before, by path. Existing
// conditions are not checked again, even if the schema of claims no longer allows them.
func (s Settings) NewConditions(before Settings) iter.Seq2[string, string] {
	return func(yield func(path, condition string) bool) {
		for i, l := range s.Header.Links {
			was := slices.ContainsFunc(before.Header.Links, func(old HeaderLink) bool { return old.Condition == l.Condition })
			if l.Condition != "" && !was && !yield(fmt.Sprintf("header.links[%d].condition", i), l.Condition) {
				return
			}
		}
	}
}
