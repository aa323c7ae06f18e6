package publish

import (
	"image/color"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/social"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

const (
	cardName = "ogimage/" // prefix of the paths of preview pictures, followed by the id of a page and a hash
	maxCards = 16 << 20   // bytes of all cached pictures
)

// defaultColor is the color of pictures of sites without a primary color.
var defaultColor = color.RGBA{26, 95, 180, 255}

// card returns the content of the preview picture of a page.
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

// cardAddress returns the address of the preview picture of a page. It contains a hash of
// the content, so that it may be cached.
func (v *visit) cardAddress(e *edition.Edition, n *edition.Node) string {
	return e.Base + ownPrefix + cardName + string(n.ID) + "/" + v.card(e, n).Hash() + ".png"
}

// serveCard sends the preview picture of a page that the visitor sees.
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
	b, err := v.cardImage(v.card(e, n))
	if err != nil {
		return err
	}
	if !v.private {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // other sites embed it
	}
	return sendPicture(w, r, "image/png", b)
}

// cardImage returns the image of a card, drawing it if it is not cached.
func (v *visit) cardImage(c social.Card) ([]byte, error) {
	key := c.Hash()
	if b, ok := v.h.cards.Get(key); ok {
		return b, nil
	}
	if err := v.heavy(); err != nil {
		return nil, err
	}
	if err := budget.Turn(v.ctx); err != nil {
		return nil, err
	}
	b, err := c.PNG()
	if err == nil {
		v.h.cards.Set(key, b)
	}
	return b, err
}
