package server

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/web/api"
)

// SandboxPath is the prefix of the paths that Config.Sandbox answers.
const SandboxPath = "/sandbox/"

// Reference names the public site that has the reference of the API of this server, and where on
// the site it is. The zero value names none.
type Reference struct{ Basename, Path string }

func isAPI(r *http.Request) bool {
	return r.URL.Path == api.Prefix || strings.HasPrefix(r.URL.Path, api.Prefix+"/")
}

func (s *Server) isSandbox(r *http.Request) bool {
	return s.Sandbox != nil && strings.HasPrefix(r.URL.Path, SandboxPath)
}

// serveTried answers requests that readers try at the address of this server. They reach what
// programs reach, and not the sites, the console and the metrics, some of which a proxy may keep
// from readers.
func (s *Server) serveTried(w http.ResponseWriter, r *http.Request) {
	s.setHeaders(w.Header(), r)
	switch {
	case isAPI(r):
		s.API.ServeHTTP(w, r)
	case s.isSandbox(r):
		s.Sandbox.ServeHTTP(w, r)
	default:
		text(w, http.StatusNotFound, "only the API of this server can be tried")
	}
}

// referenceAddress returns the address of the reference on a site, if everybody can read it there.
func (s *Server) referenceAddress(ctx context.Context) string {
	if s.Reference.Basename == "" {
		return ""
	}
	at := s.Sites.Hosts.URL(docs.Publication{Basename: s.Reference.Basename}, "")
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	site, _, err := s.Audience.Find(ctx, u)
	if err != nil || !site.Published || site.Visibility != docs.VisibilityPublic {
		return ""
	}
	return at + s.Reference.Path
}
