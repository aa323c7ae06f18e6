package console

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// maxHomeSites is the maximum number of sites on the page of the server.
const maxHomeSites = 50

// homeData is the data of the page of the server.
type homeData struct {
	Sites     []link
	More      bool // there are more sites than are listed
	Reference string
}

// home shows what this server is, with the sites that anybody may read. Only public sites are
// listed: the others are found by those who were given their address. Programs get text.
func (h *Handler) home(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	if !theme.AcceptsHTML(r) {
		theme.WriteText(w, http.StatusOK, "Octavo "+h.Version+"\nAPI reference: "+h.BaseURL+reference+"\nSign in: "+h.BaseURL+"/login")
		return
	}
	d, err := homeData{Reference: reference}, h.Take(w, r)
	if err == nil && !h.NoSiteList {
		d.Sites, d.More, err = h.publicSites(r)
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	p := page{Title: "Documentation", Data: d}
	if s, secret := h.session(r); s != nil {
		p.CSRF = signin.CSRF(secret)
	}
	h.show(w, http.StatusOK, "home", p)
}

// reference is the path of the reference of the API.
const reference = "/v1/reference"

// publicSites returns links to the public sites by title, and whether there are more.
func (h *Handler) publicSites(r *http.Request) (out []link, more bool, err error) {
	all, err := h.Sites.Store.PublicSites(r.Context(), maxHomeSites+1)
	if len(all) > maxHomeSites {
		all, more = all[:maxHomeSites], true
	}
	for _, site := range slices.SortedFunc(slices.Values(all), byTitle) {
		to := h.Sites.URL(site)
		_, address, _ := strings.Cut(to, "://")
		out = append(out, link{Title: site.Title, To: to, Note: strings.TrimSuffix(address, "/")})
	}
	return out, more, err
}

func byTitle(a, b docs.Site) int {
	return cmp.Or(strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), strings.Compare(string(a.ID), string(b.ID)))
}
