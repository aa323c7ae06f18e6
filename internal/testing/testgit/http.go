package testgit

import (
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// Handler offers the repositories of a host with git's own backend, and
// counts.
type Handler struct {
	Requests atomic.Int64 // all that came
	Fetches  atomic.Int64 // posts to upload-pack; a fetch has two or more, one with version 0
	Pushes   atomic.Int64 // posts to receive-pack; a small push has one

	user, password string
	backend        cgi.Handler
}

// backend returns the path of git's own backend, which is a program of its own:
// git would only start it.
var backend = sync.OnceValues(func() (string, error) {
	dir, err := exec.Command("git", "--exec-path").Output()
	return filepath.Join(strings.TrimSpace(string(dir)), "git-http-backend"), err
})

// Handler returns the handler alone, for tests that put something before it.
// With a user it asks for that user and the password.
func (o *Origin) Handler(user, password string) *Handler {
	o.t.Helper()
	path, err := backend()
	if err != nil {
		o.t.Fatal(err)
	}
	return &Handler{user: user, password: password, backend: cgi.Handler{
		Path: path,
		Env: []string{"GIT_PROJECT_ROOT=" + o.root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
		InheritEnv: []string{"PATH"},
		Stderr:     io.Discard,
		Logger:     log.New(io.Discard, "", 0),
	}}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	h.Requests.Add(1)
	if h.user != "" {
		if u, p, _ := req.BasicAuth(); u != h.user || p != h.password {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			// A rude server repeats what it was sent.
			http.Error(w, "no: "+req.Header.Get("Authorization")+" "+p, http.StatusUnauthorized)
			return
		}
	}
	if req.Method == http.MethodPost {
		switch {
		case strings.HasSuffix(req.URL.Path, "/git-upload-pack"):
			h.Fetches.Add(1)
		case strings.HasSuffix(req.URL.Path, "/git-receive-pack"):
			h.Pushes.Add(1)
		}
	}
	backend := h.backend
	if p := req.Header.Get("Git-Protocol"); p != "" {
		backend.Env = append(append([]string{}, backend.Env...), "GIT_PROTOCOL="+p)
	}
	backend.ServeHTTP(w, req)
}

// HTTP is a server on the loopback.
type HTTP struct {
	*Handler
	URL  string // of the repository that it was started for, without credentials
	base string
}

// HTTP starts a server for the repository and those beside it. With a user it
// asks for that user and the password.
func (o *Origin) HTTP(user, password string) *HTTP {
	o.t.Helper()
	h := o.Handler(user, password)
	s := httptest.NewServer(h)
	o.t.Cleanup(s.Close)
	return &HTTP{Handler: h, URL: s.URL + "/" + o.name, base: s.URL}
}

// Of returns the address of another repository on the same host.
func (h *HTTP) Of(o *Origin) string { return h.base + "/" + o.name }
