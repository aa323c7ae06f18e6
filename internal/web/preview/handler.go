package preview

import (
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
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// own is the prefix of the addresses of the preview itself. It cannot conflict with a
// page, because files whose names begin with a dot are not read.
const own = "/.octavo/"

// handler returns the handler for all requests. It looks addresses up in the site, and
// never uses an address as a path of the file system.
func (s *Server) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		theme.SetSecurityHeaders(h)
		h.Set("Cache-Control", "no-cache")
		switch {
		case !s.knows(r):
			theme.WriteText(w, http.StatusMisdirectedRequest, "This server is known by another name; use "+s.URL())
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			theme.WriteText(w, http.StatusMethodNotAllowed, "Only GET and HEAD are answered.")
		case len(r.URL.Path) > maxPath:
			theme.WriteText(w, http.StatusRequestURITooLong, "The address is too long.")
		case strings.HasPrefix(r.URL.Path, own):
			s.serveOwn(w, r, strings.TrimPrefix(r.URL.Path, own))
		default:
			s.refresh(r.Context())
			s.serve(w, r)
		}
	})
}

// knows reports whether the Host header of a request is a name of this server: localhost,
// the name in Config.Listen, or the address of the connection. Any other name could
// belong to a site that resolves to this server, whose pages could then read the preview
// (DNS rebinding).
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
	// The address that the client connected to belongs to this machine, no matter which
	// addresses the server listens on.
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ip.IsLoopback() || at != nil && at.AddrPort().Addr().Unmap() == ip.Unmap()
}

// serve serves the pages and files of the folder.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	now := s.now.Load()
	page, file, elsewhere := now.find(r.URL.Path)
	switch {
	case elsewhere != "":
		// The redirect is temporary, because the next state may have something else at
		// the address.
		w.Header().Set("Location", elsewhere)
		w.WriteHeader(http.StatusFound)
	case file != nil:
		s.serveFile(w, r, now, file)
	case page != nil:
		f, v, files, err := s.pageView(r.Context(), now, page)
		if err != nil {
			s.sorry(w, fmt.Errorf("%s: %w", page.File, err))
			return
		}
		s.write(w, http.StatusOK, f, v, s.problems(now, page.File, files))
	default:
		v := &theme.Message{Title: "Not found", Text: "There is no page or file at this address:", At: r.URL.Path, Near: now.entries(now.near(r.URL.Path))}
		if v.Near == nil {
			v.Next = &theme.Link{Title: "Go to the first page", Href: "/"}
		}
		s.write(w, http.StatusNotFound, s.frame(now, nil), v, s.problems(now, "", nil))
	}
}

// serveFile sends an image or another file of the folder.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, now *site, f *folder.File) {
	gone := func(err error) {
		s.Log.Debug("a file could not be sent", "file", f.Path, "error", err)
		theme.WriteText(w, http.StatusNotFound, "The file is not there any more.")
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
	blob.SetHeaders(w.Header(), path.Base(f.Path), kind.ContentType)
	http.ServeContent(w, r, "", a.changed, a)
}

// serveOwn serves the resources of the preview itself: assets, events, the search and the
// problems.
func (s *Server) serveOwn(w http.ResponseWriter, r *http.Request, name string) {
	now, q := s.now.Load(), r.URL.Query()
	query := q.Get("q")
	query = query[:min(len(query), maxQuery)]
	switch name {
	case "style.css":
		theme.Style.Send(w, r)
	case "script.js":
		script.Send(w, r)
	case "events":
		s.events(w, r, q.Get("file"))
	case "search":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(now.search(query)) // the client may have disconnected
	case "results":
		s.write(w, http.StatusOK, s.frame(now, nil), &theme.Results{Query: query, Found: now.search(query)}, s.problems(now, "", nil))
	case "panel":
		s.servePanel(w, now, q.Get("file"))
	case "problems":
		s.serveProblems(w, now)
	default:
		if !theme.Serve(w, r, name) {
			theme.WriteText(w, http.StatusNotFound, "There is nothing here.")
		}
	}
}

// servePanel sends only the problems of a page, for the script.
func (s *Server) servePanel(w http.ResponseWriter, now *site, file string) {
	found := s.problems(now, "", nil)
	if p := now.index.Doc(file); p != nil {
		if done, err := now.render(p, html.Options{}); err == nil {
			found = s.problems(now, p.File, done.files)
		}
	}
	html, err := found.html("panel")
	if err != nil {
		s.sorry(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", theme.Policy(&theme.Frame{Nonce: rand.Text()}))
	_, _ = io.WriteString(w, string(html)) // the client may have disconnected
}

// serveProblems sends the page with the problems of the whole folder.
func (s *Server) serveProblems(w http.ResponseWriter, now *site) {
	all := s.problems(now, "", nil)
	if rep := now.report.Load(); rep != nil {
		all.List = now.located(rep.all[:min(len(rep.all), maxListed)])
		all.More = len(rep.all) - len(all.List)
	}
	body, err := all.html("problems")
	if err != nil {
		s.sorry(w, err)
		return
	}
	s.write(w, http.StatusOK, s.frame(now, nil), &theme.Page{Title: "Problems", Anchor: "problems", Body: body}, s.problems(now, "", nil))
}

// write sends a page of the preview. Only scripts and styles with its nonce are allowed,
// because files of the folder are served from the same origin.
func (s *Server) write(w http.ResponseWriter, status int, f *theme.Frame, v theme.View, found *problems) {
	f.Nonce = rand.Text()
	var err error
	if f.Below, err = found.html("below"); err == nil {
		err = theme.Write(w, status, f, v)
	}
	if err != nil {
		s.sorry(w, err)
	}
}

func (s *Server) sorry(w http.ResponseWriter, err error) {
	if errs.Cancelled(err) {
		theme.WriteText(w, http.StatusServiceUnavailable, "The request was cancelled. Try again.")
		return
	}
	s.Log.Error("a page could not be shown", "error", err)
	theme.WriteText(w, http.StatusInternalServerError, "The page could not be shown; the log says why.")
}

// events sends server-sent events to a browser until it disconnects.
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
		theme.WriteText(w, http.StatusServiceUnavailable, "Too many browsers wait for changes.")
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
	// The state may have changed since the page was sent.
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
