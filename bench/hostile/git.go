package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// packedPages creates a repository of 40 pages of 2 MB, which git packs into less than a
// megabyte.
func packedPages(ctx context.Context, a *attacker) error {
	var summary bytes.Buffer
	files := map[string]string{"README.md": "# Home\n"}
	for i := range 40 {
		name := fmt.Sprintf("p%d.md", i)
		paragraph := fmt.Sprintf("word other **strong** [a](p%d.md) x\n\n", i)
		files[name] = fmt.Sprintf("# Page %d\n\n", i) + strings.Repeat(paragraph, 1_990_000/len(paragraph))
		fmt.Fprintf(&summary, "* [Page %d](%s)\n", i, name)
	}
	files["SUMMARY.md"] = summary.String()
	return a.repository(ctx, files)
}

// largeSummary creates a repository whose table of contents exceeds the size limit of a
// page.
func largeSummary(ctx context.Context, a *attacker) error {
	return a.repository(ctx, map[string]string{"README.md": "# Home\n", "SUMMARY.md": "# Contents\n\n" + strings.Repeat("* [Home](README.md)\n", 110_000)})
}

// repository creates a space and a repository with files.
func (a *attacker) repository(ctx context.Context, files map[string]string) error {
	if err := withSpace(ctx, a); err != nil {
		return err
	}
	repo := filepath.Join(a.s.dir, a.at["space"]+".git")
	a.at["repository"] = repo
	var in bytes.Buffer
	in.WriteString("commit refs/heads/main\ncommitter Hostile <hostile@octavo.example> 1700000000 +0000\ndata 4\nPush\n")
	for name, text := range files {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	if err := git(ctx, nil, "init", "-q", "--bare", "-b", "main", repo); err != nil {
		return err
	}
	return git(ctx, &in, "-C", repo, "fast-import", "--quiet")
}

func git(ctx context.Context, in io.Reader, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	return nil
}

// importRepository imports the prepared repository and waits for the end of the import.
func importRepository(ctx context.Context, a *attacker) string {
	program, err := exec.LookPath("git")
	if err != nil {
		return err.Error()
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(&cgi.Handler{
			Path: program, Args: []string{"http-backend"}, InheritEnv: []string{"PATH"}, Stderr: io.Discard,
			Env: []string{"GIT_PROJECT_ROOT=" + a.s.dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_PROTOCOL=" + r.Header.Get("Git-Protocol")},
		}).ServeHTTP(w, r)
	}))
	defer srv.Close()
	space := "/v1/spaces/" + a.at["space"]
	body := map[string]any{"url": srv.URL + "/" + filepath.Base(a.at["repository"]), "ref": "main", "force": true}
	if err := a.must(ctx, http.MethodPost, space+"/git/import", body, nil); err != nil {
		return err.Error()
	}
	var is struct {
		Items []struct{ State, Reason, Error string }
	}
	for began := time.Now(); time.Since(began) < 2*time.Minute && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		_, b, err := a.send(ctx, http.MethodGet, space+"/git/operations?limit=1", "")
		if err == nil {
			err = json.Unmarshal(b, &is)
		}
		if err == nil && len(is.Items) > 0 && (is.Items[0].State == "success" || is.Items[0].State == "failure") {
			return strings.TrimSpace(is.Items[0].State + " " + is.Items[0].Reason)
		}
	}
	if len(is.Items) > 0 {
		return fmt.Sprintf("still %s: %s", is.Items[0].State, is.Items[0].Error)
	}
	return "no answer"
}
