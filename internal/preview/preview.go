// Package preview serves a folder of Markdown as a simple site while somebody
// writes it: no store, no account, nothing kept.
//
// A folder is read as an import would read it, and a page is rendered when it
// is asked for. What changes in the folder makes a new state of the site, and
// browsers that show a page of it load that page again. A state never changes
// once it is made, so that no page is displayed half old and half new.
//
// The content is not trusted: it may be a repository that somebody sent. Only
// what the navigation or a page names is served, links out of the folder are
// not followed, HTML is reduced as on the server, and other sites cannot read
// any of it through the reader's browser.
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

	"github.com/octavo-docs/octavo/internal/apidoc"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/formula"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// Limits and times.
const (
	lookEvery    = 100 * time.Millisecond // at the files that browsers show now
	scanEvery    = 500 * time.Millisecond // of all files, at the earliest
	scanShare    = 20                     // a scan takes at most one part of the time in so many …
	scanLatest   = 5 * time.Second        // … unless that would be later than this
	quietTime    = 120 * time.Millisecond // without a change until files count as written
	emptyTime    = time.Second            // that a file may be empty while it is written
	maxQuietWait = 3 * time.Second        // until a folder that keeps changing is read anyway

	maxPath     = 2 << 10 // bytes of an address
	maxQuery    = 200     // bytes of a search
	maxFound    = 20      // results of a search
	maxWatchers = 200     // browsers that wait for changes
	maxListed   = 500     // problems on one page
	maxNav      = 1000    // entries of a navigation that is displayed whole
	maxLoaded   = 4       // files of a commit that are in memory to be sent

	highlightBytes = 16 << 20
	formulaBytes   = 4 << 20
	headerTime     = 10 * time.Second
	writeTime      = 2 * time.Minute
	pulseEvery     = 15 * time.Second // so that both ends notice a broken connection
	stopTime       = 5 * time.Second
)

// Config says what is served where.
type Config struct {
	Dir    string
	Ref    string // a branch, a tag or a commit of the repository of Dir; empty is the files as they are
	Listen string
	Log    *slog.Logger
}

// Server serves a folder.
type Server struct {
	Config
	name      string // of the folder, for people
	src       source
	now       atomic.Pointer[site]
	trouble   atomic.Pointer[string] // why the newest state cannot be displayed
	watchers  hub
	highlight *markup.Highlighter
	formulas  *formula.Typesetter
	unchecked chan *site
	described *openapi.Cache
	start     string // distinguishes the states of this run from those of another

	http     *http.Server
	listener net.Listener
	bg       sync.WaitGroup
	failed   chan error

	mu      sync.Mutex // held while the folder is looked at
	state   state      // that was seen last
	shown   state      // of which the site was made
	broken  error      // why the one that was seen last cannot be displayed
	root    string
	scanned time.Time
	took    time.Duration
	count   int // of states
}

// Start reads the folder and begins to serve it. A folder that cannot be read
// as documentation is served too, as the reason why not, until it can.
func Start(ctx context.Context, c Config) (*Server, error) {
	src, name, err := openSource(ctx, c.Dir, c.Ref)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Config: c, name: name, src: src, root: ".", start: rand.Text()[:8], highlight: markup.NewHighlighter(highlightBytes), formulas: formula.New(formulaBytes),
		unchecked: make(chan *site, 1), described: openapi.NewCache(), failed: make(chan error, 1),
	}
	s.now.Store(newSite(&folder.Tree{Root: "."}, s.start, nil, func(made *site) apidoc.Find { return s.specs(ctx, made) }))
	if s.listener, err = net.Listen("tcp", c.Listen); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot listen on %s: %w", c.Listen, err), src.close())
	}
	s.update(ctx)
	return s, nil
}

// Addr is where the server listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// URL is the address for a browser on this machine.
func (s *Server) URL() string {
	host, port, err := net.SplitHostPort(s.Addr())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}

// Pages is how many there are now.
func (s *Server) Pages() int { return len(s.now.Load().menu.Order()) }

// Trouble says why the newest state of the folder cannot be displayed, if so.
func (s *Server) Trouble() string {
	if t := s.trouble.Load(); t != nil {
		return *t
	}
	return ""
}

// Run serves until ctx ends or the listener breaks.
func (s *Server) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	s.http = &http.Server{
		Handler: s.handler(), BaseContext: func(net.Listener) context.Context { return ctx },
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
	cancel() // browsers that wait for changes do not hold us up
	stop, done := context.WithTimeout(context.Background(), stopTime)
	defer done()
	err = errors.Join(err, s.http.Shutdown(stop))
	s.bg.Wait()
	return errors.Join(err, s.src.close())
}
