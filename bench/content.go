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

// shelf is an Octavo whose one space has a number of pages. Each size has an
// instance of its own: what a large space costs those beside it counts too.
type shelf struct {
	*site
	corpus   *corpus
	bin      string
	data     string
	space    string
	ids      []string // of pages that are read, from all over the space
	editor   *editor
	facts    []noted
	subjects map[string]*subject // by what is measured
}

// noted is a fact of one shelf.
type noted struct {
	name   string
	digits int
	value  float64
}

func (b *shelf) note(name string, digits int, value float64) {
	b.facts = append(b.facts, noted{name, digits, value})
}

const mb = 1 << 20

// restarts is how often a server is started to see its first list.
const restarts = 3

// buildShelf imports a folder of the size, and starts the server on it.
func buildShelf(ctx context.Context, o options, p pinning, dir string, pages int) (b *shelf, err error) {
	b = &shelf{
		site:   &site{pin: p, dir: filepath.Join(dir, strconv.Itoa(pages))},
		corpus: newCorpus(pages), bin: o.bin, subjects: map[string]*subject{},
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%d pages: %w", pages, err), b.close())
		}
	}()
	b.data = filepath.Join(b.dir, "data")
	b.note("pages", 0, float64(pages))
	if err := b.begin(ctx); err != nil {
		return b, err
	}
	if err := b.fill(ctx); err != nil {
		return b, err
	}
	if err := b.firstLists(ctx, o.profile != ""); err != nil {
		return b, err
	}
	return b, b.countEdits(ctx)
}

// begin makes an empty space.
func (b *shelf) begin(ctx context.Context) error {
	var made struct{ Organization, Token string }
	out, err := exec.CommandContext(ctx, b.bin, "bootstrap", "--data", b.data, "--email", "bench@octavo.example", "--organization", "Bench").Output()
	if err = errors.Join(err, json.Unmarshal(out, &made)); err != nil {
		return fmt.Errorf("octavo bootstrap: %w", err)
	}
	b.token, b.readOrg = made.Token, made.Organization
	if b.addr, err = freeAddr(); err != nil {
		return err
	}
	if err := b.serve(ctx, false); err != nil {
		return err
	}
	a, err := b.fetch(ctx, http.MethodPost, "/v1/orgs/"+b.readOrg+"/spaces", `{"title":"Bench","editMode":"live"}`)
	var sp struct{ ID string }
	if err = errors.Join(err, json.Unmarshal(a.Body, &sp)); err != nil {
		return err
	}
	b.space = sp.ID
	return b.halt()
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

// halt stops the server, which is what was started last.
func (b *shelf) halt() error {
	b.started = b.started[:len(b.started)-1]
	return b.server.stop()
}

// fill imports the folder, on all cores: nothing else runs meanwhile.
func (b *shelf) fill(ctx context.Context) error {
	folder := filepath.Join(b.dir, "folder")
	if err := b.corpus.write(folder); err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	cmd := onAllCores(ctx, b.bin, "import", "--quiet", "--data", b.data, "--space", b.space, folder)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("octavo import: %w\n%s", err, out)
	}
	n, state := float64(b.corpus.pages), cmd.ProcessState
	b.note("import, pages/s", 0, n/time.Since(start).Seconds())
	b.note("import, CPU µs/page", 0, micros(state.UserTime()+state.SystemTime())/n)
	if used, ok := state.SysUsage().(*syscall.Rusage); ok {
		b.note("import, peak memory, MB", 0, float64(used.Maxrss<<10)/mb) // Linux counts kilobytes
	}
	return nil
}

// firstLists starts the server several times, and asks for all pages twice
// each time.
func (b *shelf) firstLists(ctx context.Context, profiled bool) error {
	var first, again, fresh, listed []float64
	size := 0
	for i := range restarts {
		if i > 0 {
			if err := b.halt(); err != nil {
				return err
			}
		}
		if err := b.serve(ctx, profiled); err != nil {
			return err
		}
		fresh = append(fresh, b.server.memory())
		for _, took := range []*[]float64{&first, &again} {
			start := time.Now()
			a, err := b.fetch(ctx, http.MethodGet, b.path("content", "pages"), "")
			if err != nil {
				return err
			}
			*took = append(*took, micros(time.Since(start))/1000)
			if size = len(a.Body); b.editor == nil {
				if err := b.choose(a.Body); err != nil {
					return err
				}
			}
		}
		listed = append(listed, b.server.memory())
	}
	b.note("first page list after a restart, ms", 1, median(first))
	b.note("the same again, ms", 1, median(again))
	b.note("size of that list, MB", 1, float64(size)/mb)
	b.note("memory after a restart, MB", 0, median(fresh))
	b.note("memory after the lists, MB", 0, median(listed))
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

// choose takes pages from all over the space.
func (b *shelf) choose(list []byte) error {
	var v struct{ Pages []listed }
	if err := json.Unmarshal(list, &v); err != nil {
		return err
	}
	var all []listed
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
	if len(all) != b.corpus.documents() {
		return fmt.Errorf("there are %d pages, want %d", len(all), b.corpus.documents())
	}
	for k := range manyPaths {
		b.ids = append(b.ids, all[k*len(all)/manyPaths].ID)
	}
	b.editor = &editor{}
	n := min(len(all), maxEdited)
	for k := range n {
		if err := b.editor.add(b, all[k*len(all)/n]); err != nil {
			return err
		}
	}
	return nil
}

// memory gives the resident memory of a process in megabytes; zero where
// there is no /proc.
func (p *process) memory() float64 { return p.status("VmRSS:") }

// peak gives the most resident memory that a process had, in megabytes.
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
