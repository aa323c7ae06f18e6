// Package preview serves a folder of Markdown files as a simple site while somebody edits
// it. It uses no store and no accounts, and keeps no data.
//
// The folder is read in the same way as by an import, and a page is rendered on request.
// A change in the folder creates a new state of the site, and browsers reload the page
// that they display. A state is immutable, so that no page mixes old and new content.
//
// The content is not trusted: it may be a repository from somebody else. Only content
// that the navigation or a page refers to is served. Links out of the folder are not
// followed. HTML is sanitized as on the server, and other sites cannot read the content
// through the browser of the reader.
//
// Where a change goes:
//   - what a preview shows: pages in view.go, addresses in site.go
package preview

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
	"github.com/octavo-docs/octavo/internal/print/formula"
)

// Limits and intervals.
const (
	lookEvery    = 100 * time.Millisecond // interval of checking the files that browsers display now
	scanEvery    = 500 * time.Millisecond // minimum interval of scanning all files
	scanShare    = 20                     // a scan may use at most 1/scanShare of the time …
	scanLatest   = 5 * time.Second        // … unless the interval would be longer than this
	quietTime    = 120 * time.Millisecond // time without a change after which files are considered complete
	emptyTime    = time.Second            // time that a file may be empty while it is being written
	maxQuietWait = 3 * time.Second        // maximum wait for a folder that keeps changing

	maxPath     = 2 << 10 // maximum length of an address in bytes
	maxQuery    = 200     // maximum length of a search query in bytes
	maxFound    = 20      // maximum number of search results
	maxFirst    = 6       // maximum number of pages that a search suggests
	maxWatchers = 200     // maximum number of browsers that wait for changes
	maxListed   = 500     // maximum number of problems on one page
	maxNav      = 1000    // maximum number of entries of a navigation that is displayed completely
	maxLoaded   = 4       // maximum number of files of a commit that are in memory while they are sent

	highlightBytes = 16 << 20
	formulaBytes   = 4 << 20
	headerTime     = 10 * time.Second
	writeTime      = 2 * time.Minute
	pulseEvery     = 15 * time.Second // interval of comments in event streams, so that both sides detect a broken connection
	stopTime       = 5 * time.Second
)

// Config specifies the folder and the address to listen on.
type Config struct {
	Dir    string
	Ref    string // a branch, a tag or a commit of the repository of Dir; if empty, the current files are served
	Listen string
	Log    *slog.Logger
}

// Server serves a folder.
type Server struct {
	Config
	name      string // display name of the folder
	src       source
	now       atomic.Pointer[site]
	trouble   atomic.Pointer[string] // why the newest state cannot be displayed
	watchers  hub
	highlight *highlight.Highlighter
	formulas  *formula.Typesetter
	unchecked chan *site
	described *openapi.Cache
	start     string // unique per run, distinguishes its states from those of another run

	http     *http.Server
	listener net.Listener
	bg       sync.WaitGroup
	failed   chan error

	mu      sync.Mutex // held while the folder is scanned
	state   state      // the last scan
	shown   state      // the scan that the current site was created from
	broken  error      // why the last scan cannot be displayed
	root    string
	scanned time.Time
	took    time.Duration
	count   int // number of states so far
}

// Start reads the folder and listens on the address. If the folder cannot be read as
// documentation, the server shows the reason until it can.
func Start(ctx context.Context, c Config) (*Server, error) {
	src, name, err := openSource(ctx, c.Dir, c.Ref)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Config: c, name: name, src: src, root: ".", start: rand.Text()[:8], highlight: highlight.New(highlightBytes), formulas: formula.New(formulaBytes),
		unchecked: make(chan *site, 1), described: openapi.NewCache(), failed: make(chan error, 1),
	}
	s.now.Store(newSite(&folder.Tree{Root: "."}, s.start, nil, func(made *site) apidoc.Find { return s.specs(ctx, made) }))
	if s.listener, err = net.Listen("tcp", c.Listen); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot listen on %s: %w", c.Listen, err), src.close())
	}
	s.update(ctx)
	return s, nil
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// URL returns the URL for a browser on this machine.
func (s *Server) URL() string {
	host, port, err := net.SplitHostPort(s.Addr())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}

// Pages returns the number of pages in the current state.
func (s *Server) Pages() int { return len(s.now.Load().menu.Order()) }

// Trouble returns why the newest state of the folder cannot be displayed, or "".
func (s *Server) Trouble() string {
	if t := s.trouble.Load(); t != nil {
		return *t
	}
	return ""
}

// withBudget gives each request a budget.
func withBudget(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uses := budget.New(r.Context())
		defer uses.End()
		next.ServeHTTP(w, r.WithContext(budget.NewContext(r.Context(), uses)))
	})
}

// Run serves until ctx ends or the listener fails.
func (s *Server) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	base := budget.ForRequests(ctx, budget.Limits{})
	s.http = &http.Server{
		Handler: withBudget(s.handler()), BaseContext: func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: writeTime, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	s.bg.Go(func() { s.watch(ctx) })
	s.bg.Go(func() { s.checkStates(ctx) })
	s.bg.Go(func() {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
	var err error
	select {
	case <-ctx.Done():
	case err = <-s.failed:
	}
	cancel() // ends the event streams, so that they do not delay the shutdown
	stop, done := context.WithTimeout(context.Background(), stopTime)
	defer done()
	err = errors.Join(err, s.http.Shutdown(stop))
	s.bg.Wait()
	return errors.Join(err, s.src.close())
}
