package preview

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/folder"
)

// own is where addresses of the preview itself begin. No page has one of
// these: files behind a dot are not read.
const own = "/.octavo/"

// handler answers everything. It looks addresses up and never makes a path of
// one.
func (s *Server) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		switch {
		case !s.knows(r):
			plainText(w, http.StatusMisdirectedRequest, "This server is known by another name; use "+s.URL())
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			plainText(w, http.StatusMethodNotAllowed, "Only GET and HEAD are answered.")
		case len(r.URL.Path) > maxPath:
			plainText(w, http.StatusRequestURITooLong, "The address is too long.")
		case strings.HasPrefix(r.URL.Path, own):
			s.serveOwn(w, r, strings.TrimPrefix(r.URL.Path, own))
		default:
			s.refresh(r.Context())
			s.serve(w, r)
		}
	})
}

// knows reports whether a request came under a name of this server: that of
// this machine, or the one that it listens on. Any other could be
// a site whose name was pointed at us, so that its pages can read ours.
func (s *Server) knows(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	if mine, _, err := net.SplitHostPort(s.Listen); err == nil && mine != "" && strings.EqualFold(mine, host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	// The address that was connected to is nobody else's, whoever may listen.
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ip.IsLoopback() || at != nil && at.AddrPort().Addr().Unmap() == ip.Unmap()
}

func plainText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // to somebody who has gone
}

// serve answers for what is in the folder.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	now := s.now.Load()
	page, file, elsewhere := now.find(r.URL.Path)
	switch {
	case elsewhere != "":
		// Not for good: the next state may have something else there.
		w.Header().Set("Location", elsewhere)
		w.WriteHeader(http.StatusFound)
	case file != nil:
		s.serveFile(w, r, now, file)
	case page != nil:
		v, err := s.pageView(now, page)
		if err != nil {
			s.Log.Error("a page could not be shown", "page", page.File, "error", err)
			plainText(w, http.StatusInternalServerError, "The page could not be shown; the log says why.")
			return
		}
		s.write(w, http.StatusOK, "page", v)
	default:
		v := s.view(now, nil)
		v.Title, v.Missing, v.Near = "Not found", r.URL.Path, now.entries(now.near(r.URL.Path))
		s.write(w, http.StatusNotFound, "missing", v)
	}
}

// serveFile sends an image or a download.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, now *site, f *folder.File) {
	gone := func(err error) {
		s.Log.Debug("a file could not be sent", "file", f.Path, "error", err)
		plainText(w, http.StatusNotFound, "The file is not there any more.")
	}
	a, err := s.src.asset(r.Context(), path.Join(now.tree.Root, f.Path))
	if err != nil {
		gone(err)
		return
	}
	defer a.close()
	kind, err := blob.Inspect(f.Path, a, a.size)
	if err != nil {
		gone(err)
		return
	}
	blob.Guard(w.Header(), path.Base(f.Path), kind.ContentType)
	http.ServeContent(w, r, "", a.changed, a)
}

// serveOwn answers for what is the preview's: scripts, changes, searches.
func (s *Server) serveOwn(w http.ResponseWriter, r *http.Request, name string) {
	now, q := s.now.Load(), r.URL.Query()
	switch name {
	case "style.css":
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(style))
	case "script.js":
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(script))
	case "events":
		s.events(w, r, q.Get("file"))
	case "search":
		query := q.Get("q")
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(now.search(query[:min(len(query), maxQuery)])) // to somebody who has gone
	case "panel":
		v := s.view(now, nil)
		if p := now.index.Doc(q.Get("file")); p != nil {
			v.File = p.File
			if done, err := now.render(p, nil); err == nil {
				v.report(now, done.files)
			}
		}
		s.write(w, http.StatusOK, "panel", v)
	case "problems":
		v := s.view(now, nil)
		v.Title = "Problems"
		if rep := now.report.Load(); rep != nil {
			v.Problems = now.located(rep.all[:min(len(rep.all), maxListed)])
			v.More = len(rep.all) - len(v.Problems)
		}
		s.write(w, http.StatusOK, "problems", v)
	default:
		plainText(w, http.StatusNotFound, "There is nothing here.")
	}
}

// write sends a page of ours, with a policy under which only our own script
// and style sheet work.
func (s *Server) write(w http.ResponseWriter, status int, name string, v *view) {
	v.Nonce = rand.Text()
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, v); err != nil {
		s.Log.Error("a page could not be shown", "error", err)
		plainText(w, http.StatusInternalServerError, "The page could not be shown; the log says why.")
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src 'nonce-%[1]s'; style-src 'nonce-%[1]s'; "+
		"img-src 'self' data: https: http:; media-src 'self' https: http:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", v.Nonce))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // to somebody who has gone
}

// events sends events to a browser until it disconnects.
func (s *Server) events(w http.ResponseWriter, r *http.Request, file string) {
	now := s.now.Load()
	if p := now.index.Doc(file); p == nil {
		file = ""
	} else {
		file = path.Join(now.tree.Root, p.File)
	}
	c := s.watchers.join(file)
	if c == nil {
		w.Header().Set("Retry-After", "10")
		plainText(w, http.StatusServiceUnavailable, "Too many browsers wait for changes.")
		return
	}
	defer s.watchers.leave(c)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	send := func(text string) bool {
		err := control.SetWriteDeadline(time.Now().Add(headerTime))
		_, werr := io.WriteString(w, text)
		return errors.Join(err, werr, control.Flush()) == nil
	}
	// The state may have changed between the page and this.
	if !send("retry: 1000\n\nevent: state\ndata: " + s.stateID() + "\n\n") {
		return
	}
	pulse := time.NewTicker(pulseEvery)
	defer pulse.Stop()
	for {
		text := ": still here\n\n"
		select {
		case <-r.Context().Done():
			return
		case <-pulse.C:
		case e := <-c:
			text = "event: " + e.kind + "\ndata: " + e.id + "\n\n"
		}
		if !send(text) {
			return
		}
	}
}
