package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Names of the subjects of change requests, which are measured at every size.
const (
	wholeRequest = "open, edit a page, merge, 1 client"
	mergeOnly    = "merge a change request, 1 client"
	gitMerge     = "git merge-tree and commit-tree"
	requestDiff  = "changes of a change request, 1 client"
	findConflict = "a merge that conflicts, 1 client"
	ownMerge     = "prepare a merge, in process"
)

// mergesPrepared is the number of change requests that are created before they are
// merged. It is large enough to measure the processor time of a merge.
const mergesPrepared = 32

// planRequests returns the subjects for merges of one page into a space that has
// changed meanwhile, and for git merging as many files.
func (b *contentServer) planRequests(ctx context.Context, o options) ([]*subject, error) {
	still, conflicted, err := b.openRequests(ctx)
	if err != nil {
		return nil, err
	}
	merges := &merges{b: b}
	conflict := load{addr: b.addr, conns: 1, requests: [][]byte{request("POST", b.addr, b.path("change-requests", conflicted, "merge"), b.token, "{}")}}
	ours := []*subject{
		{Name: wholeRequest, process: b.server, once: merges.whole},
		{Name: mergeOnly, process: b.server, once: merges.only},
		b.ours(requestDiff, b.gets(b.addr, []string{b.path("change-requests", still, "changes")}, 1)),
		b.ours(findConflict, conflict),
	}
	if o.profile != "" || b.bin.suffix != "" { // the references are measured once
		return ours, nil
	}
	g, err := b.newGitMerge(ctx)
	if err != nil {
		return nil, fmt.Errorf("the reference of merges: %w", err)
	}
	own, err := b.role("merge", b.data, b.space, still)
	if err != nil {
		return nil, fmt.Errorf("preparing merges: %w", err)
	}
	return append(ours,
		&subject{Name: ownMerge, process: own, once: own.transactions},
		&subject{Name: gitMerge, process: b.server, once: g.run}), nil
}

// workMerges is a role that prepares the merge of a change request repeatedly. This is
// the part of a merge without HTTP and the transaction.
func workMerges(args []string) error {
	ctx := context.Background()
	s, err := store.Attach(ctx, store.Options{Path: filepath.Join(args[0], "octavo.db")})
	if err != nil {
		return err
	}
	defer s.Close()
	c := content.New(content.Config{Store: s})
	sp, err := s.Space(ctx, docs.SpaceID(args[1]))
	if err != nil {
		return err
	}
	cr, err := s.ChangeRequest(ctx, sp.It.ID, args[2])
	if err != nil {
		return err
	}
	return answerRuns(func() error {
		_, err := c.Prepare(ctx, &authz.Grant{}, content.Heads{Space: sp.It, Request: &cr}, content.Merge{Direction: merge.IntoSpace})
		return err
	})
}

// open opens a change request and edits a page in it.
func (b *contentServer) open(ctx context.Context, page, text string) (string, error) {
	a, err := b.fetch(ctx, http.MethodPost, b.path("change-requests"), `{"subject":"Bench"}`)
	var cr struct{ ID string }
	if err = errors.Join(err, json.Unmarshal(a.Body, &cr)); err != nil {
		return "", err
	}
	return cr.ID, b.write(ctx, b.path("change-requests", cr.ID, "content"), page, text)
}

func (b *contentServer) write(ctx context.Context, path, page, text string) error {
	body, err := json.Marshal(map[string]any{"changes": []any{map[string]any{
		"operation": "update_page", "page": page, "document": map[string]any{"markdown": text},
	}}})
	if err != nil {
		return err
	}
	_, err = b.fetch(ctx, http.MethodPost, path, string(body))
	return err
}

// openRequests opens a change request with one changed page, and one that
// conflicts with the space.
func (b *contentServer) openRequests(ctx context.Context) (still, conflicted string, err error) {
	if still, err = b.open(ctx, b.ids[1], "Another paragraph.\n"); err != nil {
		return "", "", err
	}
	if conflicted, err = b.open(ctx, b.ids[2], "As one has it.\n"); err != nil {
		return "", "", err
	}
	return still, conflicted, b.write(ctx, b.path("content"), b.ids[2], "As another has it.\n")
}

// merges creates change requests and merges them.
type merges struct {
	b     *contentServer
	count int
}

// page returns the next page to edit. It skips the pages of openRequests.
func (m *merges) page() string {
	m.count++
	return m.b.ids[3+m.count%(len(m.b.ids)-3)]
}

func (m *merges) open(ctx context.Context) (string, error) {
	page := m.page()
	return m.b.open(ctx, page, fmt.Sprintf("Version %d of the page.\n\n* one\n* two\n", m.count))
}

func (m *merges) merge(ctx context.Context, id string) error {
	a, err := m.b.fetch(ctx, http.MethodPost, m.b.path("change-requests", id, "merge"), "")
	if err == nil && !bytes.Contains(a.Body, []byte(`"result":"merge"`)) {
		err = fmt.Errorf("not merged: %s", a.Body)
	}
	return err
}

// whole measures change requests from opening to merging.
func (m *merges) whole(ctx context.Context, length time.Duration) (out sample, err error) {
	start := time.Now()
	for end := start.Add(length); time.Now().Before(end) || out.count == 0; out.count++ {
		one := time.Now()
		id, err := m.open(ctx)
		if err == nil {
			err = m.merge(ctx, id)
		}
		if err != nil {
			return out, err
		}
		out.sorted = append(out.sorted, time.Since(one))
	}
	out.took = time.Since(start)
	slices.Sort(out.sorted)
	return out, nil
}

// only measures only the merge. It opens and edits the change requests first. Each is
// then merged into a space that the previous ones have changed.
func (m *merges) only(ctx context.Context, length time.Duration) (out sample, err error) {
	var used time.Duration
	for out.took < length/2 || out.count == 0 {
		var ids []string
		for range mergesPrepared {
			id, err := m.open(ctx)
			if err != nil {
				return out, err
			}
			ids = append(ids, id)
		}
		before, start := m.b.server.cpu(), time.Now()
		for _, id := range ids {
			one := time.Now()
			if err := m.merge(ctx, id); err != nil {
				return out, err
			}
			out.sorted = append(out.sorted, time.Since(one))
		}
		out.took += time.Since(start)
		used += m.b.server.cpu() - before
		out.count += len(ids)
	}
	out.cpu = &used
	slices.Sort(out.sorted)
	return out, nil
}

// gitMerger merges two branches that changed different files, in a repository with as
// many files as the space has pages.
type gitMerger struct {
	b    *contentServer
	repo string
}

func (b *contentServer) newGitMerge(ctx context.Context) (*gitMerger, error) {
	g := &gitMerger{b: b, repo: filepath.Join(b.dir, "merge.git")}
	if err := exec.CommandContext(ctx, "git", "init", "-q", "--bare", g.repo).Run(); err != nil {
		return nil, fmt.Errorf("git init: %w", err)
	}
	var in bytes.Buffer
	commit := func(ref, from string, write func()) {
		fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter Bench <bench@octavo.example> 1700000000 +0000\ndata 1\nx\n", ref)
		if from != "" {
			fmt.Fprintf(&in, "from refs/heads/%s\n", from)
		}
		write()
		in.WriteString("\n")
	}
	file := func(i int, version string) {
		text := b.corpus.source(i, version)
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", b.corpus.file(i), len(text), text)
	}
	commit("base", "", func() {
		for i := range b.corpus.documents() {
			file(i, "First version.")
		}
	})
	commit("main", "base", func() { file(3, "As the space has it.") })
	commit("request", "base", func() { file(b.corpus.documents()-1, "As the request has it.") })
	cmd := exec.CommandContext(ctx, "git", "-C", g.repo, "fast-import", "--quiet")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("git fast-import: %w", err)
	}
	return g, nil
}

func (g *gitMerger) run(ctx context.Context, length time.Duration) (out sample, err error) {
	var used time.Duration
	git := func(args ...string) (string, error) {
		cmd := g.b.pin.command("git", append([]string{"-C", g.repo}, args...)...)
		cmd.Env = append(cmd.Env, "GIT_AUTHOR_NAME=Bench", "GIT_AUTHOR_EMAIL=bench@octavo.example", "GIT_COMMITTER_NAME=Bench", "GIT_COMMITTER_EMAIL=bench@octavo.example")
		text, err := cmd.Output()
		if cmd.ProcessState != nil {
			used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		return strings.TrimSpace(string(text)), err
	}
	start := time.Now()
	for end := start.Add(length); (time.Now().Before(end) || out.count == 0) && ctx.Err() == nil; out.count++ {
		one := time.Now()
		tree, err := git("merge-tree", "--write-tree", "main", "request")
		if err == nil {
			_, err = git("commit-tree", "-p", "main", "-p", "request", "-m", fmt.Sprint(out.count), tree)
		}
		if err != nil {
			return out, err
		}
		out.sorted = append(out.sorted, time.Since(one))
	}
	out.took, out.cpu = time.Since(start), &used
	slices.Sort(out.sorted)
	return out, ctx.Err()
}
