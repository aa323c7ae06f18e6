package publish

import (
	"image/color"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/edition"
	"github.com/octavo-docs/octavo/internal/social"
	"github.com/octavo-docs/octavo/internal/theme"
)

const (
	cardName  = "ogimage/" // of the pictures of pages, by the id of a page and what is drawn
	maxCards  = 16 << 20   // bytes of pictures that are kept in memory
	cardSlots = 2          // pictures that are drawn at the same time; others wait
)

// defaultColor is that of a site that has none.
var defaultColor = color.RGBA{26, 95, 180, 255}

// card returns what the picture of a page shows.
func (v *visit) card(e *edition.Edition, n *edition.Node) social.Card {
	s := &v.settings
	c := social.Card{
		Title: n.Title, Site: v.site.Title, Dark: v.scheme() == theme.Dark,
		RightToLeft: (&theme.Frame{Lang: v.lang(e)}).Direction() == "rtl",
	}
	if s.Title != "" {
		c.Site = s.Title
	}
	if shows(layoutOf(n.Page).Description) {
		c.Description = n.Description
	}
	hex := s.Styling.PrimaryColor.Light
	if c.Dark {
		hex = s.Styling.PrimaryColor.Dark
	}
	c.Color = social.ParseColor(hex, defaultColor)
	return c
}

// cardAddress returns where the picture of a page is. The hash of what is drawn is
// part of it, so that it may be kept.
func (v *visit) cardAddress(e *edition.Edition, n *edition.Node) string {
	return e.Base + ownPrefix + cardName + string(n.ID) + "/" + v.card(e, n).Hash() + ".png"
}

// serveCard sends the picture of a page that the visitor sees.
func (v *visit) serveCard(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) error {
	id, _, _ := strings.Cut(rest, "/")
	n, err := e.Page(v.ctx, docs.PageID(id))
	if err != nil {
		return err
	}
	if n == nil || n.Type != docs.PageDocument {
		return v.missing(w, r, e)
	}
	if at := v.cardAddress(e, n); at != v.root+v.path {
		redirect(w, r, at, http.StatusTemporaryRedirect)
		return nil
	}
	b, err := v.drawn(v.card(e, n))
	if err != nil {
		return err
	}
	if !v.private {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // it is for other sites
	}
	return sendPicture(w, r, "image/png", b)
}

// drawn returns a picture, drawn once.
func (v *visit) drawn(c social.Card) ([]byte, error) {
	key := c.Hash()
	if b, ok := v.h.cards.Get(key); ok {
		return b, nil
	}
	select {
	case v.h.drawing <- struct{}{}:
		defer func() { <-v.h.drawing }()
	case <-v.ctx.Done():
		return nil, v.ctx.Err()
	}
	b, err := c.PNG()
	if err == nil {
		v.h.cards.Set(key, b)
	}
	return b, err
}
