package html

import (
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// A Player shows the content of an embedded page in a frame.
type Player struct {
	Address string // of the frame
	Host    string // that the reader's browser asks for it
	Video   bool
}

// embed writes a link to content that other services show in a frame. If there is a player, a script
// offers it. Nothing of a third party is loaded before the reader asks for it.
func (h *writer) embed(n *markup.Node) {
	address := n.Str(markup.FieldURL)
	a := attrs("class", classes("embed", fullWidth(n)))
	if h.o.Player != nil {
		if p, ok := h.o.Player(address); ok {
			a = append(a, "data-player", p.Address, "data-host", p.Host)
			if p.Video {
				a = append(a, "data-video", noValue)
			}
		}
	}
	h.open("figure", a...)
	h.icon("globe", "")
	h.link(docs.Ref{Kind: docs.RefURL, URL: address}, "", func() {
		host := ""
		if u, err := url.Parse(address); err == nil {
			host = strings.TrimPrefix(u.Hostname(), "www.")
		}
		if host != "" {
			h.element("strong", host)
		}
		h.element("span", address)
	})
	h.caption(n)
	h.close("figure")
}
