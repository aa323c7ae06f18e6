package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// shelf is an Octavo whose one space has a number of pages. Each size has an
// instance of its own: what a large space costs those beside it counts too.
type shelf struct {
	*site
	corpus *corpus
	bin    string
	data   string
	space  string
	texts  []int    // pages that are read and edited
	ids    []string // of the same
	edits  int      // so far: no two are alike
	raw    *process // FTS5 over the same text
	facts  shelfFacts
}

// shelfFacts are what is measured once.
type shelfFacts struct {
	Pages         int     `json:"pages"`
	ImportRate    float64 `json:"import_pages_per_second"`
	ImportMemory  int64   `json:"import_peak_bytes"`
	Database      int64   `json:"database_bytes"`
	FirstList     float64 `json:"first_list_ms"`  // after a restart
	SecondList    float64 `json:"second_list_ms"` // right behind it
	ListBytes     int     `json:"list_bytes"`
	MemoryStarted int64   `json:"memory_started_bytes"`
	MemoryListed  int64   `json:"memory_listed_bytes"`
	MemoryEnd     int64   `json:"memory_end_bytes"`
	EditBytes     float64 `json:"edit_bytes"`         // that the database grows by
	EditObjects   float64 `json:"edit_objects"`       // objects for each edit
	EditContent   float64 `json:"edit_content_bytes"` // in those objects
	PageBytes     int     `json:"page_bytes"`         // of the page that is edited
}

// restarts is how often a server is started to see its first list.
const restarts = 3

// countedEdits is over how many edits the growth of the database is taken.
const countedEdits = 256

// buildShelf imports a folder of the size, and starts the server on it.
func buildShelf(ctx context.Context, o options, p pinning, dir string, pages int) (b *shelf, err error) {
	b = &shelf{
		site: &site{pin: p, dir: filepath.Join(dir, strconv.Itoa(pages))}, corpus: newCorpus(pages), bin: o.bin,
		facts: shelfFacts{Pages: pages},
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%d pages: %w", pages, err), b.close())
		}
	}()
	b.data = filepath.Join(b.dir, "data")
	var made struct{ Organization, Token string }
	out, err := exec.CommandContext(ctx, b.bin, "bootstrap", "--data", b.data, "--email", "bench@octavo.example", "--organization", "Bench").Output()
	if err = errors.Join(err, json.Unmarshal(out, &made)); err != nil {
		return b, fmt.Errorf("octavo bootstrap: %w", err)
	}
	b.token, b.readOrg = made.Token, made.Organization
	if b.addr, err = freeAddr(); err != nil {
		return b, err
	}
	if err := b.serve(ctx, false); err != nil {
		return b, err
	}
	a, err := b.fetch(ctx, http.MethodPost, "/v1/orgs/"+b.readOrg+"/spaces", `{"title":"Bench","editMode":"live"}`)
	var sp struct{ ID string }
	if err = errors.Join(err, json.Unmarshal(a.Body, &sp)); err != nil {
		return b, err
	}
	b.space = sp.ID
	if err := b.halt(); err != nil {
		return b, err
	}
	if err := b.fill(ctx); err != nil {
		return b, err
	}
	for range restarts {
		if err := b.firstList(ctx, o.profile != ""); err != nil {
			return b, err
		}
	}
	if o.profile != "" {
		return b, nil
	}
	if err := b.countEdits(ctx); err != nil {
		return b, err
	}
	if b.raw, err = b.role("fts", filepath.Join(b.dir, "raw.db"), strconv.Itoa(pages)); err != nil {
		return b, err
	}
	if line, err := b.raw.out.ReadString('\n'); err != nil || line != "ready\n" {
		return b, fmt.Errorf("the reference of searches says %q: %w", line, err)
	}
	return b, nil
}

// serve starts the server.
func (b *shelf) serve(ctx context.Context, profiled bool) (err error) {
	if profiled {
		b.server, err = b.role("server", b.data, b.addr)
	} else {
		b.server, err = b.start(b.pin.command(b.bin, "serve", "--data", b.data, "--listen", b.addr, "--rate-limit", "0", "--log-level", "warn"))
	}
	if err != nil {
		return err
	}
	return b.ready(ctx)
}

// halt stops the server.
func (b *shelf) halt() error {
	last := len(b.started) - 1
	b.started = b.started[:last]
	return b.server.stop()
}

// fill imports the folder, on all cores: nothing else runs meanwhile.
func (b *shelf) fill(ctx context.Context) error {
	folder := filepath.Join(b.dir, "folder")
	if err := b.corpus.write(folder); err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	name, args := b.bin, []string{"import", "--quiet", "--data", b.data, "--space", b.space, folder}
	if b.pin.on {
		name, args = "taskset", append([]string{"-c", fmt.Sprintf("0-%d", runtime.NumCPU()-1), name}, args...)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("octavo import: %w\n%s", err, out)
	}
	b.facts.ImportRate = float64(b.corpus.pages) / time.Since(start).Seconds()
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		b.facts.ImportMemory = used.Maxrss << 10 // Linux counts kilobytes
	}
	return nil
}

// firstList starts the server anew and asks for all pages twice. The fastest
// of several times counts.
func (b *shelf) firstList(ctx context.Context, profiled bool) error {
	if len(b.ids) > 0 {
		if err := b.halt(); err != nil {
			return err
		}
	}
	if err := b.serve(ctx, profiled); err != nil {
		return err
	}
	b.facts.MemoryStarted = b.server.memory()
	var took [2]float64
	for i := range took {
		start := time.Now()
		a, err := b.fetch(ctx, http.MethodGet, b.path("content", "pages"), "")
		if err != nil {
			return err
		}
		took[i] = float64(time.Since(start)) / float64(time.Millisecond)
		b.facts.ListBytes = len(a.Body)
		if i == 0 && len(b.ids) == 0 {
			b.facts.FirstList, b.facts.SecondList = took[0], took[0]
			if err := b.choose(a.Body); err != nil {
				return err
			}
		}
	}
	b.facts.FirstList, b.facts.SecondList = min(b.facts.FirstList, took[0]), min(b.facts.SecondList, took[1])
	b.facts.MemoryListed = b.server.memory()
	return nil
}

func (b *shelf) path(parts ...string) string {
	return "/v1/spaces/" + b.space + "/" + strings.Join(parts, "/")
}

// listed is a page of the list.
type listed struct {
	ID    string
	Title string
	Pages []listed
}

// choose takes pages from all over the space. The number of a page is the
// last word of its title.
func (b *shelf) choose(list []byte) error {
	var v struct{ Pages []listed }
	if err := json.Unmarshal(list, &v); err != nil {
		return err
	}
	var all []listed
	var walk func(pages []listed)
	walk = func(pages []listed) {
		for _, p := range pages {
			if p.Title != "Pages" {
				all = append(all, p)
			}
			walk(p.Pages)
		}
	}
	walk(v.Pages)
	if len(all) != b.corpus.documents() {
		return fmt.Errorf("there are %d pages, want %d", len(all), b.corpus.documents())
	}
	for k := range manyPaths {
		p := all[k*len(all)/manyPaths]
		n, err := strconv.Atoi(p.Title[strings.LastIndexByte(p.Title, ' ')+1:])
		if err != nil {
			return fmt.Errorf("the page %q is not one of ours: %w", p.Title, err)
		}
		b.ids, b.texts = append(b.ids, p.ID), append(b.texts, n)
	}
	return nil
}

// nextEdit gives the body of a request that changes one paragraph of a page.
func (b *shelf) nextEdit() string {
	k := b.edits % manyPaths
	b.edits++
	source := b.corpus.source(b.texts[k], fmt.Sprintf("Version %d of the paragraph.", b.edits))
	b.facts.PageBytes = len(source)
	body, _ := json.Marshal(map[string]any{"changes": []any{map[string]any{ // strings can always be encoded
		"operation": "update_page", "page": b.ids[k], "document": map[string]any{"markdown": source},
	}}})
	return string(body)
}

// edit changes a page outside of a measurement, and gives the revision.
func (b *shelf) edit(ctx context.Context) (string, error) {
	a, err := b.fetch(ctx, http.MethodPost, b.path("content"), b.nextEdit())
	var done struct{ Revision string }
	return done.Revision, errors.Join(err, json.Unmarshal(a.Body, &done))
}

// countEdits looks at what edits add to the database.
func (b *shelf) countEdits(ctx context.Context) error {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.Join(b.data, "octavo.db")}).EscapedPath()+"?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	type state struct{ used, objects, content int64 }
	look := func() (s state, err error) {
		err = errors.Join(
			db.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&s.used),
			db.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(LENGTH(data)), 0) FROM objects`).Scan(&s.objects, &s.content))
		return s, err
	}
	// The first edits after an import make room once.
	for range manyPaths {
		if _, err := b.edit(ctx); err != nil {
			return err
		}
	}
	before, err := look()
	if err != nil {
		return err
	}
	for range countedEdits {
		if _, err := b.edit(ctx); err != nil {
			return err
		}
	}
	after, err := look()
	b.facts.Database = after.used
	b.facts.EditBytes = float64(after.used-before.used) / countedEdits
	b.facts.EditObjects = float64(after.objects-before.objects) / countedEdits
	b.facts.EditContent = float64(after.content-before.content) / countedEdits
	return err
}

// memory gives the resident memory of a process; zero where there is no
// /proc.
func (p *process) memory() int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[0], 10, 64)
	return n << 10
}

// editing gives a measurement of edits by one client.
func (b *shelf) editing(ctx context.Context, length time.Duration) (sample, error) {
	// More than can be done: no request may come twice, because the second
	// would change nothing.
	l := load{addr: b.addr, conns: 1}
	for range int(length.Seconds()*maxEdits) + 1 {
		l.requests = append(l.requests, request("POST", b.addr, b.path("content"), b.token, b.nextEdit()))
	}
	s, err := l.run(ctx, length)
	if err == nil && s.count >= len(l.requests) {
		err = fmt.Errorf("more than %d edits a second, which the benchmark is not made for", maxEdits)
	}
	return s, err
}

// maxEdits is how many edits a second are prepared.
const maxEdits = 5000
