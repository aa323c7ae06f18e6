// Package server runs Octavo: it opens the store, wires the services to the
// API, listens, runs background jobs, answers health checks and metrics, and
// stops without dropping a request.
//
// Where a change goes:
//   - where files are, and how a node knows that they are there: files.go, the mark in
//     blob/mark.go
//   - background work: a handler, registered in server.go
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-docs/octavo/internal/assets"
	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/gitsync"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/inbox"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/scim"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/markup/embeds"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/site/pictures"
	"github.com/octavo-docs/octavo/internal/site/publish"
	"github.com/octavo-docs/octavo/internal/site/publish/export"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/translation/translations"
	"github.com/octavo-docs/octavo/internal/web/api"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/console"
	"github.com/octavo-docs/octavo/internal/web/services"
	"github.com/octavo-docs/octavo/internal/webhooks"
)

// Config holds the settings of an operator.
type Config struct {
	// Settings are those of the services. If BaseURL is empty, it is derived from Listen, and
	// if GitCache is empty, it is next to the folder of files.
	services.Settings
	Listen        string // host:port of the API
	MetricsListen string // host:port of /metrics, which may be Listen; if empty, it is not served
	NoSiteList    bool   // the page at BaseURL does not list the public sites
	ACME          ACME   // certificates
	Database      store.Options
	Files         Files
	Embeds        bool             // fetch pages of other web sites to describe them
	TryIt         *outbound.Policy // where requests of readers to servers of documented APIs may go, besides our own; if nil, nowhere
	Sandbox       http.Handler     // answers below SandboxPath; nil: there is nothing
	Reference     Reference        // the site with the reference of our API
	Limit         kernel.Limit
	Budget        budget.Limits // what one request or job may use
	PictureCache  int64         // bytes of pictures of sites that were made smaller; 0 makes none
	Memory        int64         // bytes that the process may use; 0 if unknown
	Proxies       Proxies       // trusted to report the address of a client
	Origins       []string      // web sites whose pages may call the API, such as https://app.example.com
	AccessLog     bool          // log every request, not only failures
	Version       string
	Build         string
	Quiet         bool // run no jobs and send no events: for tests that inspect the queue
}

// DataPath returns the options of a store in a data folder, which is created if it does
// not exist. A database address replaces the SQLite file, not the folder.
func DataPath(dir, databaseURL string) (store.Options, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return store.Options{}, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	return store.Options{Path: DatabasePath(dir), DatabaseURL: databaseURL}, nil
}

// DatabasePath returns the path of the SQLite file of a data folder.
func DatabasePath(dir string) string { return filepath.Join(dir, "octavo.db") }

// GitPath returns the path of the git cache of a data folder, with what was fetched from
// repositories. It can be deleted while the server is stopped.
func GitPath(dir string) string { return filepath.Join(dir, "git") }

// Server is a running Octavo server.
type Server struct {
	Config
	*services.Services
	API      *api.API
	publish  *publish.Handler
	console  *console.Handler
	scim     *scim.Handler
	pictures *pictures.Maker // nil if none are made
	metrics  *metrics
	draining atomic.Bool
	http     []*http.Server
	bg       sync.WaitGroup
	stopBG   context.CancelFunc
	addr     string
	named    bool // BaseURL was configured, so the host of the server is known
	failed   chan error
	name     string // name of this process: the prefix of its request ids
	requests atomic.Uint64
}

// Start opens the store and starts to serve.
func Start(ctx context.Context, c Config) (*Server, error) {
	c.Database.Log = c.Log
	st, err := store.Open(ctx, c.Database)
	if err != nil {
		return nil, err
	}
	s := &Server{Config: c, failed: make(chan error, 4), name: strconv.FormatUint(rand.Uint64(), 36) + "-"}
	if err := s.start(ctx, st); err != nil {
		for _, srv := range s.http { // those that were started before the error
			err = errors.Join(err, srv.Close())
		}
		s.bg.Wait()
		return nil, errors.Join(err, st.Close())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, st *store.Store) error {
	files, err := s.Files.OpenFor(ctx, st)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; --listen chooses another address", s.Listen, err)
	}
	s.addr = listener.Addr().String()
	if s.named = s.BaseURL != ""; !s.named {
		s.BaseURL = "http://" + ownHost(s.Listen, s.addr)
	}
	s.BaseURL = strings.TrimSuffix(s.BaseURL, "/")
	if err := s.makeParts(ctx, st, files); err != nil {
		return errors.Join(err, listener.Close())
	}
	work := s.jobs()
	if err := work.Schedule(ctx); err != nil {
		return errors.Join(fmt.Errorf("schedule jobs: %w", err), listener.Close())
	}
	if listener, err = s.secure(listener); err != nil {
		return errors.Join(err, listener.Close())
	}
	s.serve(listener, s.handler())
	if s.MetricsListen != "" && s.MetricsListen != s.Listen {
		l, err := net.Listen("tcp", s.MetricsListen)
		if err != nil {
			return fmt.Errorf("cannot listen on %s: %w; --metrics-listen chooses another address", s.MetricsListen, err)
		}
		s.serve(l, s.metrics.handler())
	}
	s.background(work)
	if at, err := s.Store.PausedAt(ctx); err == nil && !at.IsZero() {
		s.Log.Warn("git connections, webhooks, mails and translations are paused; octavo resume goes on with them", "since", at.String())
	}
	return nil
}

// makeParts makes the services, and the parts of the server that answer requests with them.
// The public address is known by now.
func (s *Server) makeParts(ctx context.Context, st *store.Store, files blob.Store) error {
	secret, err := st.Secret(ctx)
	if err != nil {
		return err
	}
	signer, err := blob.NewSigner([]byte(secret))
	if err != nil {
		return err
	}
	s.metrics = newMetrics(st)
	settings := s.Settings
	settings.GitEnded = s.metrics.gitEnded
	settings.GitCache = cmp.Or(s.GitCache, GitPath(filepath.Dir(s.Files.Folder)))
	if s.Services, err = services.New(st, files, settings); err != nil {
		return err
	}
	turns := budget.ProcessTurns()
	s.API = api.New(api.Config{
		Services: s.Services,
		Kernel: kernel.Config{
			Clock: st.Clock, Guard: s.Guard, Signer: signer, Log: s.Log, BaseURL: s.BaseURL, Version: s.Version, Build: s.Build,
			Limit: s.Limit, Memory: s.Memory, Turns: turns, Observe: s.metrics.observe, Reference: s.referenceAddress,
		},
		Embeds: s.cards(), ExportSite: s.exportSite,
	}, secret)
	s.metrics.declare(s.API.Operations())
	if err := s.openPictures(); err != nil {
		return err
	}
	// The others share the limit of requests with the API.
	if s.publish, err = publish.New(publish.Config{
		Audience: s.Audience, Sites: s.Sites, Content: s.Content, Guard: s.Guard, Insights: s.Insights, Log: s.Log,
		Take: s.API.CountRequest, TryIt: s.TryIt, Own: http.HandlerFunc(s.serveTried), Pictures: s.pictures, Turns: turns,
	}); err != nil {
		return err
	}
	s.console = console.New(console.Config{
		Services: s.Services, BaseURL: s.BaseURL, Version: s.Version, Log: s.Log, NoSiteList: s.NoSiteList,
		FileURL: s.API.FileURL, Take: s.API.CountRequest,
	})
	s.scim = scim.New(scim.Config{Guard: s.Guard, Directory: s.Orgs.Directory, BaseURL: s.BaseURL, Clock: st.Clock, Log: s.Log, Take: s.API.CountRequest})
	return nil
}

// cards returns the service that describes pages of other web sites, or nil.
func (s *Server) cards() *embeds.Service {
	if !s.Embeds {
		return nil
	}
	return embeds.New(s.Outbound, s.Store.Clock)
}

// exportSite writes a site as an archive of static files.
func (s *Server) exportSite(ctx context.Context, site docs.Site, by docs.UserID, address string, w io.Writer) error {
	return export.Archive(ctx, s.publish.Pages, export.Site{Site: site, By: by, Address: address}, w)
}

// jobs returns the runner of background jobs with all their handlers.
func (s *Server) jobs() *jobs.Runner {
	r := jobs.New(s.Store, s.Log)
	r.Workers = gitsync.MaxRunning + 2 // other jobs run even if all git operations wait
	r.Handle(signin.LinkJob, s.SignIn.SendLink)
	r.Handle(signin.MovedJob, s.SignIn.SendWarning)
	r.Handle(signin.AddedJob, s.SignIn.SendAdded)
	r.Handle(orgs.InvitedJob, s.SignIn.SendInvitation)
	r.Handle(orgs.EraseJob, s.Orgs.Accounts.Erase)
	r.Handle(orgs.PurgeJob, s.Orgs.Organizations.Purge)
	r.Handle(audit.NoticeJob, s.Inbox.Notify)
	r.Handle(inbox.MailJob, s.Inbox.Send)
	r.Handle(spaces.PurgeJob, s.Spaces.Purge)
	r.Handle(index.RebuildJob, s.Content.Index.Rebuild)
	r.Handle(content.UsageJob, s.Content.CountUsage)
	r.Handle(gitsync.OperationJob, s.Git.Run)
	r.Handle(gitsync.ExportJob, s.Git.QueueExport)
	r.Handle(translations.RunJob, s.Translations.Run)
	r.Every(gitsync.PollEvery, gitsync.PollJob, s.Git.Poll)
	r.Handle(apispec.ProcessJob, s.APISpecs.Process)
	r.Handle(apispec.RequestJob, s.APIReviews.Open)
	r.Handle(conversations.AnalyseJob, s.Conversations.Analyse)
	r.Every(apispec.RecheckEvery, apispec.RecheckJob, s.APISpecs.Recheck)
	r.Every(sites.HostnameEvery, sites.HostnameJob, s.Sites.Hostnames.CheckDue)
	r.Every(time.Hour, "webhook.tidy", s.Webhooks.Tidy)
	r.Every(24*time.Hour, "inbox.tidy", s.Inbox.Tidy)
	r.Every(time.Hour, "upload.tidy", s.Assets.Tidy)
	r.Every(assets.SweepEvery, assets.SweepJob, s.sweep)
	r.Every(24*time.Hour, "search.tidy", s.Content.Index.TidySearch)
	r.Every(24*time.Hour, "insights.tidy", s.Insights.Tidy)
	// Links to sign in answer somebody who asks for one here, so they are sent. Pending ones
	// of the original have expired or are for this person anyway.
	outgoing := []string{
		signin.MovedJob, signin.AddedJob, orgs.InvitedJob, inbox.MailJob,
		gitsync.OperationJob, gitsync.ExportJob, gitsync.PollJob, translations.RunJob, apispec.RecheckJob,
		assets.SweepJob, // a copy with the bucket of the original would delete what the original has stored since
	}
	if s.Conversations.Model != nil {
		outgoing = append(outgoing, conversations.AnalyseJob) // calls a paid model
	}
	r.Outgoing(outgoing...)
	return r
}

// sweep deletes files that nothing refers to, and logs their number.
func (s *Server) sweep(ctx context.Context, _ []byte) error {
	done, err := s.Assets.Sweep(ctx)
	if done.Files > 0 {
		s.Log.Info("deleted files that nothing refers to", "files", done.Files, "bytes", done.Bytes)
	}
	return err
}

func (s *Server) serve(l net.Listener, h http.Handler) {
	base := budget.ForRequests(context.Background(), s.Budget)
	srv := &http.Server{
		Handler:     h,
		BaseContext: func(net.Listener) context.Context { return base },
		// One limit for headers and body: otherwise each would have its own deadline, and
		// setting deadlines takes a considerable part of the time of a small read.
		ReadTimeout:    time.Minute,
		WriteTimeout:   2 * time.Minute,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	s.http = append(s.http, srv)
	s.bg.Go(func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
}

// background starts the jobs and the dispatcher of events. It also starts the periodic
// flush of counters: the last activity of users, and the events of sites.
func (s *Server) background(work *jobs.Runner) {
	ctx, cancel := context.WithCancel(budget.ForJobs(context.Background(), s.Budget))
	s.stopBG = cancel
	if !s.Quiet {
		events := webhooks.NewDispatcher(s.Store, s.Outbound, s.Log)
		s.bg.Go(func() { work.Run(ctx) })
		s.bg.Go(func() { events.Run(ctx) })
		if s.pictures != nil {
			s.bg.Go(func() { s.tidyPictures(ctx) })
		}
	}
	s.bg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(10 * time.Second):
			}
			if err := s.Guard.Flush(ctx); err != nil && ctx.Err() == nil {
				s.Log.Warn("the last activity of users could not be stored", "error", err)
			}
			if err := s.Insights.Flush(ctx); err != nil && ctx.Err() == nil {
				s.Log.Warn("events of sites are lost: they could not be stored", "error", err)
			}
		}
	})
}

// URL returns the public address of the server.
func (s *Server) URL() string { return s.BaseURL }

// ownHost returns the host and port at which browsers on this machine reach the server.
// The name localhost is kept, because some features of browsers work only with names.
func ownHost(listen, addr string) string {
	host, _, err := net.SplitHostPort(listen)
	_, port, aerr := net.SplitHostPort(addr)
	if err == nil && aerr == nil && host == "localhost" {
		return net.JoinHostPort(host, port)
	}
	return addr
}

// Addr returns the address on which the server listens.
func (s *Server) Addr() string { return s.addr }

// Run serves until ctx is done or a listener fails, and then stops the server.
func (s *Server) Run(ctx context.Context) error {
	var err error
	select {
	case <-ctx.Done():
	case err = <-s.failed:
	}
	s.Log.Info("stopping")
	defer s.Log.Info("stopped")
	stop, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return errors.Join(err, s.Stop(stop))
}

// Stop ends the background work, waits for it and for running requests until ctx is done,
// and closes the store, unless background work still uses it.
func (s *Server) Stop(ctx context.Context) error {
	s.draining.Store(true)
	s.stopBG() // first, so that requests that take long leave it time to end
	var err error
	for _, srv := range s.http {
		err = errors.Join(err, srv.Shutdown(ctx))
	}
	late := s.waitBackground(ctx)
	err = errors.Join(err, late, s.Guard.Flush(ctx), s.Insights.Flush(ctx))
	if late != nil {
		return err // a closed store would make the work that still runs panic
	}
	return errors.Join(err, s.Store.Close())
}

// waitBackground returns when the background work has ended, or with an error when ctx is
// done.
func (s *Server) waitBackground(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		s.bg.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for background work: %w", ctx.Err())
	}
}

// handler returns the handler of the server. It dispatches requests to sites, the API,
// SCIM, the console and the remaining paths, and sets common headers.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { text(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		text(w, http.StatusNotFound, "not found; the API is below "+api.Prefix)
	})
	if s.MetricsListen == s.Listen {
		mux.Handle("GET /metrics", s.metrics.handler())
	}
	rest := s.route(mux)
	routed := compressed(func(w http.ResponseWriter, r *http.Request) { s.record(w, r, rest) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.setHeaders(w.Header(), r)
		r.RemoteAddr = s.Proxies.client(r)
		if page, ok := s.publish.CachedPage(r); ok { // it is compressed already
			s.record(w, r, page)
			return
		}
		routed.ServeHTTP(w, r)
	})
}

// route returns a handler that passes each request to the part of the server that its
// address belongs to, and the remaining ones to other.
func (s *Server) route(other http.Handler) http.Handler {
	answers := s.crossOrigin(s.API)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The standard mux would redirect paths such as /v1//x; the API handles them
		// itself, with its own error format.
		switch {
		case s.publish.Owns(r):
			s.publish.ServeHTTP(w, r)
		case s.misdirected(r):
			text(w, http.StatusMisdirectedRequest, "this server has no such host; its address is "+s.BaseURL)
		case isAPI(r):
			answers.ServeHTTP(w, r)
		case s.isSandbox(r):
			s.Sandbox.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, scim.Prefix):
			s.scim.ServeHTTP(w, r)
		case s.console.Owns(r):
			s.console.ServeHTTP(w, r)
		default:
			other.ServeHTTP(w, r)
		}
	})
}

// record calls a handler with a recorder of its response, and logs the request if the
// operator asked for that.
func (s *Server) record(w http.ResponseWriter, r *http.Request, h http.Handler) {
	rec := &recorder{ResponseWriter: w, known: r.Header.Get("If-None-Match"), reads: r.Method == http.MethodGet || r.Method == http.MethodHead}
	if !s.AccessLog {
		h.ServeHTTP(rec, r)
		return
	}
	start, path := time.Now(), logPath(r.URL.Path) // handlers may change the path
	if s.publish.Owns(r) {
		path = "/…" // may contain a share key
	}
	h.ServeHTTP(rec, r)
	s.Log.Info("request", "id", w.Header()["X-Request-Id"][0], "method", r.Method, "path", path, "status", rec.Status(), "took_ms", float64(time.Since(start).Microseconds())/1000)
}

// setHeaders sets the headers that every response has, unless its handler changes them.
func (s *Server) setHeaders(h http.Header, r *http.Request) {
	h["X-Request-Id"] = []string{s.requestID()}
	h["X-Content-Type-Options"] = nosniff
	h["Cache-Control"] = noStore
	if r.TLS != nil { // where a proxy speaks TLS, the header is its business
		h["Strict-Transport-Security"] = httpsOnly
	}
}

// logPath removes secrets from a path, for the log: an invite id admits everybody who has
// it.
func logPath(p string) string {
	if head, _, ok := strings.Cut(p, "/invites/"); ok {
		return head + "/invites/…"
	}
	if head, _, ok := strings.Cut(p, "/link-invites/"); ok {
		return head + "/link-invites/…"
	}
	return p
}

var nosniff, noStore = []string{"nosniff"}, []string{"no-store"}

// httpsOnly is the value of the header Strict-Transport-Security. Hosts below that of the request may belong to others.
var httpsOnly = []string{"max-age=31536000"}

// requestID returns an id that is unique among the requests of all nodes.
func (s *Server) requestID() string { return s.name + strconv.FormatUint(s.requests.Add(1), 36) }

func text(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body + "\n"))
}

// ready reports to a load balancer whether the server accepts requests.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	err := s.Store.Ping(ctx)
	if err != nil && r.Context().Err() == nil { // otherwise who asked has left
		s.Log.Error("not ready", "error", err)
	}
	status, answer := readiness(err == nil, s.draining.Load(), s.Store.DiskFull())
	text(w, status, answer)
}

// readiness returns the response of /readyz. With a full disk the server is ready, because
// it can be read: if all nodes share the disk, a load balancer that stopped asking them
// would take the pages from readers too.
func readiness(database, stops, full bool) (status int, text string) {
	switch {
	case stops:
		return http.StatusServiceUnavailable, "stopping"
	case !database:
		return http.StatusServiceUnavailable, "the database does not answer"
	case full:
		return http.StatusOK, "ready, but the disk is full: writes fail"
	}
	return http.StatusOK, "ready"
}
