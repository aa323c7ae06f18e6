package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Group P measures the web pages of a published site. It compares cached pages with a
// bare handler that sends the same bytes, and the rendering of pages with Hugo.

const (
	// renderedPages is the size of the site of which all pages are rendered.
	renderedPages = 10_000
	// renderClients is the number of clients that request these pages concurrently.
	renderClients = 8
	// profiledPages is the size of the site that is rendered under a profile.
	profiledPages = 3000
	// firstRenders is how many pages one client requests from a server that has rendered
	// none.
	firstRenders = 200
)

// measureWeb measures web pages.
func measureWeb(ctx context.Context, o options, p pinning, dir string) (*results, error) {
	if o.profile != "" {
		return nil, profileWeb(ctx, o, p, dir)
	}
	rounds := o.roundsOr(contentRounds)
	cached, ratios, err := measureCached(ctx, o, p, dir, rounds)
	if err != nil {
		return nil, err
	}
	list, err := sizes(o.pages)
	if err != nil {
		return nil, err
	}
	rendered, facts, err := measureRendered(ctx, o, p, filepath.Join(dir, "made"), min(list[len(list)-1], renderedPages), min(rounds, 3))
	if err != nil {
		return nil, err
	}
	subjects := append(cached, rendered...)
	ratios = append(ratios,
		&ratio{Name: "all pages / Hugo with navigation and outline", of: rendered[0], to: rendered[1], by: rates, Target: 3},
		&ratio{Name: "all pages / Hugo without", of: rendered[0], to: rendered[2], by: rates})
	out := newResults("Web pages of a published site: kept ones, and all pages of a site that has made none.", o, p, rounds, subjects, append(ratios, afterBefore(subjects)...))
	out.Facts = facts
	return out, nil
}

// measureCached measures a cached page.
func measureCached(ctx context.Context, o options, p pinning, dir string, rounds int) (subjects []*subject, ratios []*ratio, err error) {
	for _, bin := range o.binaries() {
		b, v, failed := newWebServer(ctx, p, filepath.Join(dir, "kept"+bin.suffix), bin, 100, false)
		if b != nil {
			defer func() { err = errors.Join(err, b.close()) }()
		}
		if failed != nil {
			return nil, nil, failed
		}
		page, failed := b.browse(ctx, v.web)
		if failed != nil {
			return nil, nil, failed
		}
		cached := &subject{Name: "kept page" + bin.suffix, process: b.server, once: pageLoad(b.addr, o.conns, v.web).run}
		if subjects = append(subjects, cached); bin.suffix != "" {
			continue
		}
		process, addr, failed := b.bareWith(map[string]answer{v.web: page})
		if failed != nil {
			return nil, nil, failed
		}
		bare := &subject{Name: "bare handler with the same bytes", process: process, once: pageLoad(addr, o.conns, v.web).run}
		subjects = append(subjects, bare)
		ratios = []*ratio{
			{Name: "kept page / bare handler", of: cached, to: bare, by: rates, Target: 0.92},
			{Name: "kept page / bare handler, p99", of: cached, to: bare, by: p99},
		}
	}
	return subjects, ratios, interleave(ctx, rounds, o.length(), subjects)
}

// newWebServer creates a site from a generated manual and starts its server.
func newWebServer(ctx context.Context, p pinning, dir string, bin binary, pages int, profiled bool) (*contentServer, *siteRequests, error) {
	b := newContentServer(p, dir, bin, pages)
	spaces, err := b.begin(ctx, 1)
	if err != nil {
		return b, nil, err
	}
	b.space = spaces[0]
	if err := b.importManual(ctx, newManual(pages)); err != nil {
		return b, nil, err
	}
	if err := b.serve(ctx, profiled); err != nil {
		return b, nil, err
	}
	v, err := b.visit(ctx, spaces)
	return b, v, err
}

// importManual imports a generated manual.
func (b *contentServer) importManual(ctx context.Context, m *manual) error {
	folder := filepath.Join(b.dir, "manual")
	defer os.RemoveAll(folder)
	files := map[string][]byte{"SUMMARY.md": m.summary(m.pages)}
	for i := range m.pages {
		files[m.file(i)] = []byte(m.page(i, firstWords))
	}
	for i := range m.figures() {
		files[figureFile(i)] = m.figure(i)
	}
	for name, data := range files {
		if err := writeFile(folder, name, data); err != nil {
			return err
		}
	}
	if out, err := onAllCores(ctx, b.bin.path, "import", "--quiet", "--data", b.data, "--space", b.space, folder).CombinedOutput(); err != nil {
		return fmt.Errorf("octavo import: %w\n%s", err, out)
	}
	return nil
}

// Headers of a browser.
const (
	browserName    = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	browserCodings = "gzip, deflate, br, zstd"
)

// browse requests a page like a browser.
func (s *site) browse(ctx context.Context, path string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.addr+path, nil)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("User-Agent", browserName)
	req.Header.Set("Accept-Encoding", browserCodings)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || res.Header.Get("Content-Encoding") != "br") {
		err = fmt.Errorf("%s: %s %v", path, res.Status, res.Header)
	}
	res.Header.Del("Date") // servers set it
	return answer{res.Header, b}, err
}

// pageLoad returns a load that requests web pages like browsers.
func pageLoad(addr string, conns int, paths ...string) load {
	return loadIn(addr, conns, browserCodings, paths)
}

func loadIn(addr string, conns int, codings string, paths []string) load {
	l := load{addr: addr, conns: conns}
	for _, path := range paths {
		var b bytes.Buffer
		fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nAccept: text/html\r\nAccept-Encoding: %s\r\n\r\n", path, addr, browserName, codings)
		l.requests = append(l.requests, b.Bytes())
	}
	return l
}

// measureRendered measures how long it takes to render all pages of a site on
// all cores, with servers that have just started and with Hugo. The first three
// subjects are the server, Hugo with navigation and outline, and Hugo without
// them.
func measureRendered(ctx context.Context, o options, p pinning, dir string, pages, rounds int) (subjects []*subject, facts []fact, err error) {
	var servers []*restartedServer
	for _, bin := range o.binaries() {
		f := &restartedServer{}
		var failed error
		if f.contentServer, f.siteRequests, failed = newWebServer(ctx, p.allCores(), dir+bin.suffix, bin, pages, false); f.contentServer != nil {
			defer func() { err = errors.Join(err, f.close()) }()
		}
		if failed == nil {
			f.paths, failed = f.webPaths(ctx, f.siteRequests, nil)
		}
		if failed != nil {
			return nil, nil, failed
		}
		servers = append(servers, f)
	}
	h, err := newHugo(ctx, dir, newManual(pages))
	if err != nil {
		return nil, nil, err
	}
	subjects = []*subject{
		servers[0].subject(), {Name: "Hugo builds them with navigation and outline", once: h.build("framed.toml")},
		{Name: "Hugo builds them without", once: h.build("whole.toml")},
	}
	for _, old := range servers[1:] {
		subjects = append(subjects, old.subject())
	}
	for range rounds { // without a warm-up: each run starts without cached pages
		for _, v := range subjects {
			if err := v.measure(ctx, time.Hour); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", v.Name, err)
			}
		}
	}
	facts, err = servers[0].facts(ctx)
	return subjects, append([]fact{{Name: "pages of the site", Values: []float64{float64(pages)}}}, facts...), err
}

// restartedServer is a server that is restarted before its pages are rendered.
type restartedServer struct {
	*contentServer
	*siteRequests
	paths       []string
	empty, full []float64 // megabytes of memory before and after all pages were rendered
}

func (f *restartedServer) subject() *subject {
	return &subject{Name: fmt.Sprintf("all %d pages, all cores%s", f.corpus.pages, f.bin.suffix), once: func(ctx context.Context, _ time.Duration) (sample, error) {
		if err := f.restart(ctx); err != nil {
			return sample{}, err
		}
		f.empty = append(f.empty, f.server.memory())
		s, err := f.renderAll(ctx, f.paths, renderClients, len(f.paths)/renderClients)
		f.full = append(f.full, f.server.memory())
		return s, err
	}}
}

// facts measures the first render of some pages with one client, and returns this and the
// memory of the server as facts.
func (f *restartedServer) facts(ctx context.Context) ([]fact, error) {
	if err := f.restart(ctx); err != nil {
		return nil, err
	}
	s, err := f.renderAll(ctx, f.paths, 1, firstRenders)
	var first []float64
	for _, d := range s.sorted {
		first = append(first, micros(d)/1000)
	}
	return []fact{
		{Name: "first render of a page, 1 client, ms", Digits: 2, Values: []float64{median(first)}},
		{Name: "memory after a restart, MB", Values: []float64{median(f.empty)}},
		{Name: "memory after all pages were made, MB", Values: []float64{median(f.full)}},
	}, err
}

// restart restarts the server, which empties its caches.
func (b *contentServer) restart(ctx context.Context) error {
	b.started = slices.DeleteFunc(b.started, func(p *process) bool { return p == b.server })
	if err := b.server.stop(); err != nil {
		return err
	}
	return b.serve(ctx, false)
}

// renderAll requests pages once, uncompressed like the output of Hugo.
func (b *contentServer) renderAll(ctx context.Context, paths []string, clients, each int) (sample, error) {
	l := loadIn(b.addr, clients, "identity", paths)
	l.most = each
	before := b.server.cpu()
	s, err := l.run(ctx, time.Hour)
	used := b.server.cpu() - before
	s.cpu = &used
	if err == nil && s.errors > 0 {
		err = s.failure
	}
	return s, err
}

// webPaths returns the paths of all pages of the site. If each is not nil, webPaths calls
// it with the ID and the path of each page.
func (b *contentServer) webPaths(ctx context.Context, v *siteRequests, each func(id, path string)) (paths []string, err error) {
	a, err := b.fetch(ctx, http.MethodGet, b.path("content", "pages"), "")
	if err != nil {
		return nil, err
	}
	type entry struct {
		ID, Type, Path string
		Pages          []entry
	}
	var list struct{ Pages []entry }
	if err := json.Unmarshal(a.Body, &list); err != nil {
		return nil, err
	}
	var walk func([]entry)
	walk = func(pages []entry) {
		for _, p := range pages {
			if p.Type == "document" {
				path := v.web + p.Path
				if len(paths) == 0 {
					path = v.web // the first page is at the address of the space
				}
				paths = append(paths, path)
				if each != nil {
					each(p.ID, path)
				}
			}
			walk(p.Pages)
		}
	}
	walk(list.Pages)
	if len(paths) == 0 {
		return nil, errors.New("the site has no pages")
	}
	return paths, nil
}

// profileWeb writes profiles of a cached page and of the rendering of pages.
func profileWeb(ctx context.Context, o options, p pinning, dir string) (err error) {
	b, v, err := newWebServer(ctx, p, filepath.Join(dir, "kept"), binary{path: o.bin}, profiledPages, true)
	if b != nil {
		defer func() { err = errors.Join(err, b.close()) }()
	}
	if err != nil {
		return err
	}
	paths, err := b.webPaths(ctx, v, nil)
	if err != nil {
		return err
	}
	at := 0
	return errors.Join(
		b.profileOne(ctx, o, profiled{"made", func(ctx context.Context, _ time.Duration) (sample, error) {
			at++
			return b.renderAll(ctx, paths, 1, len(paths))
		}}),
		b.profileOne(ctx, o, profiled{"kept", pageLoad(b.addr, o.conns, v.web).run}))
}
