package embeds

import (
	"cmp"
	"io"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/outbound"
)

const (
	maxRead   = 1 << 20 // bytes of a page that are read, after decoding
	maxTokens = 20_000  // tags and texts of a page that are read
	maxAttrs  = 32      // attributes of a tag that are read

	maxTitle       = 300 // characters
	maxSite        = 100
	maxDescription = 500
	maxIcon        = 2048 // bytes
)

// readCard returns the card of a page, from the metadata in its head.
func readCard(got *outbound.Response) (Card, error) {
	base, err := url.Parse(got.FinalURL)
	if err != nil {
		return Card{}, err
	}
	text, err := charset.NewReader(got.Body, "text/html; charset="+got.Charset)
	if err != nil {
		return Card{}, err
	}
	h := head{meta: map[string]string{}}
	if err := h.read(io.LimitReader(text, maxRead)); err != nil {
		return Card{}, err
	}
	if u, err := base.Parse(h.base); err == nil && h.base != "" {
		base = u
	}
	return Card{
		Title:       line(cmp.Or(h.meta["og:title"], h.title), maxTitle),
		Site:        line(h.meta["og:site_name"], maxSite),
		Description: line(cmp.Or(h.meta["og:description"], h.meta["description"]), maxDescription),
		Icon:        iconAddress(base, cmp.Or(h.icon, h.touchIcon)),
	}, nil
}

// head holds the metadata in the head of a page. The first of several elements counts.
type head struct {
	title, base     string
	icon, touchIcon string
	meta            map[string]string // by name, for the names in metaNames
}

var metaNames = map[string]bool{"og:title": true, "og:site_name": true, "og:description": true, "description": true}

// read reads a page until its body begins.
func (h *head) read(r io.Reader) error {
	z := html.NewTokenizer(r)
	for range maxTokens {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); err != io.EOF {
				return err
			}
			return nil
		case html.EndTagToken:
			if name, _ := z.TagName(); atom.Lookup(name) == atom.Head {
				return nil
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch atom.Lookup(name) {
			case atom.Body:
				return nil
			case atom.Title:
				if h.title == "" && z.Next() == html.TextToken {
					h.title = string(z.Text())
				}
			case atom.Meta, atom.Link, atom.Base:
				h.tag(atom.Lookup(name), attributes(z, more))
			}
		}
	}
	return nil
}

func attributes(z *html.Tokenizer, more bool) map[string]string {
	out := map[string]string{}
	for n := 0; more && n < maxAttrs; n++ {
		var name, value []byte
		name, value, more = z.TagAttr()
		if _, twice := out[string(name)]; !twice {
			out[string(name)] = string(value)
		}
	}
	return out
}

func (h *head) tag(tag atom.Atom, attrs map[string]string) {
	switch tag {
	case atom.Base:
		h.base = cmp.Or(h.base, strings.TrimSpace(attrs["href"]))
	case atom.Meta:
		name := strings.ToLower(strings.TrimSpace(cmp.Or(attrs["property"], attrs["name"])))
		if metaNames[name] && h.meta[name] == "" {
			h.meta[name] = strings.TrimSpace(attrs["content"])
		}
	case atom.Link:
		for rel := range strings.FieldsSeq(strings.ToLower(attrs["rel"])) {
			switch rel {
			case "icon":
				h.icon = cmp.Or(h.icon, strings.TrimSpace(attrs["href"]))
			case "apple-touch-icon":
				h.touchIcon = cmp.Or(h.touchIcon, strings.TrimSpace(attrs["href"]))
			}
		}
	}
}

// iconAddress returns the absolute address of an icon that a browser may load,
// or "".
func iconAddress(base *url.URL, ref string) string {
	if ref == "" || len(ref) > maxIcon {
		return ""
	}
	u, err := base.Parse(ref)
	if err != nil {
		return ""
	}
	if u, err = outbound.CheckURL(u.String()); err != nil {
		return ""
	}
	return u.String()
}

// line returns an untrusted text as one line of at most so many characters.
func line(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), names.IsMark(r), r == utf8.RuneError: // a mark would change the direction of the following text
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	return docs.Clip(s, most)
}
