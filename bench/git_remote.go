package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// remote is a repository of generated documentation, served by git http-backend on
// this machine.
type remote struct {
	*manual
	url    string
	repo   string
	server *http.Server
	pushed int // number of commits so far
	added  int // number of pages added by pushPage
}

// newRemote creates a repository with one commit of all pages.
func newRemote(ctx context.Context, dir string, pages int) (*remote, error) {
	r := &remote{manual: newManual(pages), repo: filepath.Join(dir, "docs.git")}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "git", "init", "-q", "--bare", "-b", "main", r.repo).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %w\n%s", err, out)
	}
	for _, set := range [][]string{{"uploadpack.allowFilter", "true"}, {"uploadpack.allowAnySHA1InWant", "true"}, {"http.receivepack", "true"}} {
		if err := r.git(ctx, nil, append([]string{"config"}, set...)...); err != nil {
			return nil, err
		}
	}
	files := map[string][]byte{"SUMMARY.md": r.summary(pages)}
	for i := range pages {
		files[r.file(i)] = []byte(r.page(i, firstWords))
	}
	for i := range r.figures() {
		files[figureFile(i)] = r.figure(i)
	}
	if err := r.commit(ctx, files); err != nil {
		return nil, err
	}
	return r, r.serve(dir)
}

// commit adds a commit to the branch, like a push.
func (r *remote) commit(ctx context.Context, files map[string][]byte) error {
	var in bytes.Buffer
	r.pushed++
	fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Bench <bench@octavo.example> %d +0000\ndata 4\nPush\n", 1_700_000_000+r.pushed)
	if r.pushed > 1 {
		in.WriteString("from refs/heads/main^0\n")
	}
	for name, data := range files {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(data), data)
	}
	return r.git(ctx, &in, "fast-import", "--quiet")
}

func (r *remote) git(ctx context.Context, in io.Reader, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.repo}, args...)...)
	cmd.Stdin = in
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// pushOne commits a change of a paragraph of one page, another page each time.
func (r *remote) pushOne(ctx context.Context) error {
	i := r.pushed * 7919 % r.pages
	return r.commit(ctx, map[string][]byte{r.file(i): []byte(r.page(i, fmt.Sprintf("Push %d.", r.pushed)))})
}

// pushPage commits a new page: a file, and a line at the end of SUMMARY.md.
func (r *remote) pushPage(ctx context.Context) error {
	i := r.pages + r.added
	r.added++
	return r.commit(ctx, map[string][]byte{r.file(i): []byte(r.page(i, firstWords)), "SUMMARY.md": r.summary(i + 1)})
}

// serve serves the repository over HTTP.
func (r *remote) serve(dir string) error {
	path, err := exec.LookPath("git")
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	r.url = "http://" + l.Addr().String() + "/" + filepath.Base(r.repo)
	r.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		(&cgi.Handler{
			Path: path, Args: []string{"http-backend"}, InheritEnv: []string{"PATH"}, Stderr: io.Discard,
			Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_PROTOCOL=" + req.Header.Get("Git-Protocol")},
		}).ServeHTTP(w, req)
	})}
	go func() { _ = r.server.Serve(l) }() // returns when the server is closed
	return nil
}

func (r *remote) close() error { return r.server.Close() }
