package sites

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

const (
	archiveType = "application/x-tar"
	// maxExports is the maximum number of sites that are exported at the same time.
	maxExports = 2
)

func (h *readers) export() {
	kernel.RegisterStream(h.Kernel, kernel.Op{
		ID: "exportSite", Route: "GET " + wire.SiteRoute + "/export", Tag: sitesTag, Allow: authz.Site(authz.ExportSite), Time: kernel.TransferTime, Sends: []string{archiveType},
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Download a site as static files.",
		About: "The answer is a tar archive of everything that a visitor without claims sees: pages, their Markdown, files, redirects, and an index for search in the browser. " +
			"Spaces that you cannot see are left out. Links are relative, so the files work on any web server and from a folder. The last file is .octavo-export; an archive without it was interrupted. " +
			"The site need not be published. 412 if it has no content. 429 also if other sites are being exported.",
	}, h.exportFiles)
}

type exportIn struct {
	wire.SiteIn
	URL string `query:"url" maxLength:"2048" doc:"Where the files will be read, such as https://docs.example.com/guide/: for sitemaps, feeds and canonical links. Default: the address of the site."`
}

func (h *readers) exportFiles(ctx context.Context, in *exportIn) (kernel.Stream, error) {
	if in.URL != "" {
		if _, err := wire.WebAddress("query.url", in.URL); err != nil {
			return nil, err
		}
	}
	g := authz.FromContext(ctx)
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Type", archiveType)
		if r.Method == http.MethodHead {
			return nil
		}
		done, err := h.exports.Enter(r.Context(), string(g.Site.Org), 1)
		if err != nil {
			return err
		}
		defer done()
		w.Header().Set("Content-Disposition", `attachment; filename="site.tar"`)
		if err := h.ExportSite(r.Context(), g.Site, g.Actor.User, in.URL, steadyWriter{w}); err != nil {
			return fmt.Errorf("export site %s: %w", in.Site, err)
		}
		return nil
	}, nil
}

// steadyWriter aborts a response whose client stops reading, because other exports wait
// for its place.
type steadyWriter struct{ http.ResponseWriter }

// maxPause is how long a client may take to receive one part of a response.
const maxPause = 15 * time.Second

func (w steadyWriter) Write(b []byte) (int, error) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(maxPause)) // if it cannot be set, the default of the server applies
	return w.ResponseWriter.Write(b)
}
