package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// contentServer is a server with one space of a number of pages. Each size has
// its own server, because a large space could slow down the others.
type contentServer struct {
	*site
	corpus   *corpus
	bin      binary
	data     string
	space    string
	ids      []string // of the pages that are read, spread over the space
	editor   *editor
	facts    []serverFact
	subjects map[string]*subject // by name without suffixes
}

// serverFact is a fact of one server.
type serverFact struct {
	name   string
	digits int
	value  float64
	cost   bool // less is better
}

func (b *contentServer) note(name string, digits int, value float64) {
	b.facts = append(b.facts, serverFact{name: name, digits: digits, value: value})
}

// cost adds a fact of which less is better.
func (b *contentServer) cost(name string, digits int, value float64) {
	b.facts = append(b.facts, serverFact{name, digits, value, true})
}

const mb = 1 << 20

const (
	restarts  = 5 // number of starts of a server to measure its first list
	nextLists = 9 // number of lists that are measured after the first
)

// newContentServer returns a contentServer that is not started.
func newContentServer(p pinning, dir string, bin binary, pages int) *contentServer {
	return &contentServer{
		site: &site{pin: p, dir: dir}, data: filepath.Join(dir, "data"),
		corpus: newCorpus(pages), bin: bin, subjects: map[string]*subject{},
	}
}

// build creates the space and imports the corpus.
func (b *contentServer) build(ctx context.Context) error {
	start := time.Now()
	b.note("pages", 0, float64(b.corpus.pages))
	spaces, err := b.begin(ctx, 1)
	if err != nil {
		return err
	}
	b.space = spaces[0]
	if err := b.fill(ctx); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "built %d pages in %.0f s\n", b.corpus.pages, time.Since(start).Seconds())
	return nil
}

// begin creates an organization with empty spaces, and returns their IDs.
func (b *contentServer) begin(ctx context.Context, spaces int) ([]string, error) {
	var created struct{ Organization, Token string }
	out, err := exec.CommandContext(ctx, b.bin.path, "bootstrap", "--data", b.data, "--email", "bench@octavo.example", "--organization", "Bench").Output()
	if err = errors.Join(err, json.Unmarshal(out, &created)); err != nil {
		return nil, fmt.Errorf("octavo bootstrap: %w", err)
	}
	b.token, b.readOrg = created.Token, created.Organization
	if b.addr, err = freeAddr(); err != nil {
		return nil, err
	}
	if err := b.serve(ctx, false); err != nil {
		return nil, err
	}
	var ids []string
	for range spaces {
		a, err := b.fetch(ctx, http.MethodPost, "/v1/orgs/"+b.readOrg+"/spaces", `{"title":"Bench","editMode":"live"}`)
		var sp struct{ ID string }
		if err = errors.Join(err, json.Unmarshal(a.Body, &sp)); err != nil {
			return nil, err
		}
		ids = append(ids, sp.ID)
	}
	return ids, b.halt()
}

// serve starts the server.
func (b *contentServer) serve(ctx context.Context, profiled bool) (err error) {
	if profiled {
		b.server, err = b.role("server", b.data, b.addr)
	} else {
		b.server, err = b.start(b.pin.command(b.bin.path, "serve", "--data", b.data, "--listen", b.addr, "--rate-limit", "0", "--log-level", "warn"))
	}
	if err != nil {
		return err
	}
	return b.ready(ctx)
}

// halt stops the server, which must be the process that was started last.
func (b *contentServer) halt() error {
	b.started = b.started[:len(b.started)-1]
	return b.server.stop()
}

// fill imports the corpus and records the cost.
func (b *contentServer) fill(ctx context.Context) error {
	took, state, err := b.importCorpus(ctx, b.space, b.corpus)
	if err != nil {
		return err
	}
	n := float64(b.corpus.pages)
	b.note("import, pages/s", 0, n/took.Seconds())
	b.cost("import, CPU µs/page", 0, micros(state.UserTime()+state.SystemTime())/n)
	if used, ok := state.SysUsage().(*syscall.Rusage); ok {
		b.cost("import, peak memory, MB", 0, float64(used.Maxrss<<10)/mb) // Linux counts kilobytes
	}
	return nil
}

// importCorpus imports a corpus into a space with octavo import, on all cores.
func (b *contentServer) importCorpus(ctx context.Context, space string, c *corpus) (time.Duration, *os.ProcessState, error) {
	folder := filepath.Join(b.dir, "folder")
	if err := c.write(folder); err != nil {
		return 0, nil, err
	}
	defer os.RemoveAll(folder)
	cmd := onAllCores(ctx, b.bin.path, "import", "--quiet", "--data", b.data, "--space", space, folder)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("octavo import: %w\n%s", err, out)
	}
	return time.Since(start), cmd.ProcessState, err
}

// pageLists holds the times of lists of all pages, in milliseconds, and the memory
// of the server before and after them, in megabytes.
type pageLists struct {
	first, again, fresh, listed []float64
	size                        int // of a list, in bytes
}

// firstLists starts the servers several times and requests the list of all
// pages each time. The servers are measured in turn, so that other work of the
// machine affects all of them.
func firstLists(ctx context.Context, all []*contentServer, profiled bool) error {
	lists := make([]pageLists, len(all))
	for i := range restarts {
		for k, b := range all {
			if i > 0 {
				if err := b.halt(); err != nil {
					return err
				}
			}
			if err := b.serve(ctx, profiled); err != nil {
				return err
			}
			if err := b.listPages(ctx, &lists[k]); err != nil {
				return err
			}
		}
	}
	for k, b := range all {
		l := lists[k]
		b.cost("first page list after a restart, ms", 1, median(l.first))
		b.cost("the same again, ms", 1, median(l.again))
		b.note("size of that list, MB", 1, float64(l.size)/mb)
		b.cost("memory after a restart, MB", 0, median(l.fresh))
		b.cost("memory after the lists, MB", 0, median(l.listed))
	}
	return nil
}

// listPages requests the list of all pages from a server that has just been
// started.
func (b *contentServer) listPages(ctx context.Context, l *pageLists) error {
	l.fresh = append(l.fresh, b.server.memory())
	for k := range 1 + nextLists {
		took := &l.again
		if k == 0 {
			took = &l.first
		}
		start := time.Now()
		a, err := b.fetch(ctx, http.MethodGet, b.path("content", "pages"), "")
		if err != nil {
			return err
		}
		*took = append(*took, micros(time.Since(start))/1000)
		if l.size = len(a.Body); b.editor == nil {
			if err := b.choose(a.Body); err != nil {
				return err
			}
		}
	}
	l.listed = append(l.listed, b.server.memory())
	return nil
}

func (b *contentServer) path(parts ...string) string {
	return "/v1/spaces/" + b.space + "/" + strings.Join(parts, "/")
}

// listed is a page in a list of pages.
type listed struct {
	ID    string
	Title string
	Pages []listed
}

// documentsIn returns the pages of a corpus in a list of all pages.
func documentsIn(list []byte, c *corpus) (all []listed, err error) {
	var v struct{ Pages []listed }
	if err := json.Unmarshal(list, &v); err != nil {
		return nil, err
	}
	var walk func(pages []listed)
	walk = func(pages []listed) {
		for _, p := range pages {
			if p.Title != groupTitle {
				all = append(all, p)
			}
			walk(p.Pages)
		}
	}
	walk(v.Pages)
	if len(all) != c.documents() {
		return nil, fmt.Errorf("the space has %d pages, want %d", len(all), c.documents())
	}
	return all, nil
}

// choose selects the pages that are read and edited, spread over the space.
func (b *contentServer) choose(list []byte) error {
	all, err := documentsIn(list, b.corpus)
	if err != nil {
		return err
	}
	for k := range manyPaths {
		b.ids = append(b.ids, all[k*len(all)/manyPaths].ID)
	}
	b.editor = &editor{}
	n := min(len(all), maxEdited)
	for k := range n {
		if err := b.editor.add(b.site, b.space, b.corpus, all[k*len(all)/n]); err != nil {
			return err
		}
	}
	return nil
}

// memory returns the resident memory of a process in megabytes, or 0 if there is no
// /proc.
func (p *process) memory() float64 { return p.status("VmRSS:") }

// peak returns the peak resident memory of a process, in megabytes.
func (p *process) peak() float64 { return p.status("VmHWM:") }

func (p *process) status(what string) float64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), what)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseFloat(fields[0], 64)
	return n / 1024
}
