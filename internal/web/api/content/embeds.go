package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/embeds"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) embeds() {
	const about = "The server fetches the page if the operator switched that on (`--embeds`), and keeps what it found for a day. " +
		"Otherwise, and if the page cannot be fetched, the title is the address and the site is its host."
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getEmbedByUrlInSpace", Route: "GET /spaces/{spaceId}/embed", Tag: "Content", Allow: authz.Space(authz.ReadContent),
		Summary: "Describe the page of another web site at an address, for a card in a page of the space.", About: about,
	}, func(ctx context.Context, in *spaceEmbedIn) (*kernel.Out[Embed], error) {
		return h.embed(ctx, in.EmbedURL)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getEmbedByUrl", Route: "GET /urls/embed", Tag: "Content", Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "Describe the page of another web site at an address.", About: about,
	}, func(ctx context.Context, in *embedIn) (*kernel.Out[Embed], error) { return h.embed(ctx, in.EmbedURL) })
}

// Embed is the JSON form of the metadata of a page on another web site. Its type is
// always link: pages never display content of other sites inside of them.
type Embed struct {
	Type        string `json:"type" enum:"link"`
	Title       string `json:"title"`
	Site        string `json:"site" doc:"Name of the web site, or its host."`
	Description string `json:"description,omitempty"`
	Icon        string `json:"icon,omitempty" format:"uri"`
}

// EmbedURL is the address of a page on another web site.
type EmbedURL struct {
	URL string `query:"url" required:"true" minLength:"1" maxLength:"2048"`
}

type embedIn struct{ EmbedURL }

type spaceEmbedIn struct {
	wire.SpaceIn
	EmbedURL
}

func (h *handlers) embed(ctx context.Context, in EmbedURL) (*kernel.Out[Embed], error) {
	u, err := wire.WebAddress("query.url", in.URL)
	if err != nil {
		return nil, err
	}
	actor := authz.FromContext(ctx).Actor
	by := embeds.Caller{Name: string(actor.User), Member: true}
	if v := actor.Visitor; v != nil { // visitors have no ids: all visitors of a site count as one caller
		by = embeds.Caller{Name: string(v.Site)}
	}
	c := h.Embeds.Card(ctx, by, u)
	return kernel.OK(Embed{Type: "link", Title: c.Title, Site: c.Site, Description: c.Description, Icon: c.Icon}), nil
}
