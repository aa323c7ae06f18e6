package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Names of the subjects of repositories.
const (
	cloneAll   = "git clone"
	hugoAll    = "Hugo builds the same pages, links and text for search"
	hugoBare   = "Hugo without links and text for search"
	importAll  = "first import"
	importOne  = "import a push of one file"
	importPage = "import a push that adds a page"
	exportOne  = "export an edited page"
)

// largestRepo is the number of pages of the largest repository. repoRounds is the
// maximum number of rounds of subjects that process all pages.
const (
	largestRepo = 10_000
	repoRounds  = 3
)

// measureGit measures the cost of synchronization with a repository. It compares a
// first import with other programs that read the whole repository, and measures
// single changes at all sizes.
func measureGit(ctx context.Context, o options, p pinning, dir string) (out *results, err error) {
	list, err := repositorySizes(o)
	if err != nil {
		return nil, err
	}
	var servers []*gitServer
	defer func() {
		for _, d := range servers {
			err = errors.Join(err, d.close(), d.remote.close())
		}
	}()
	for _, bin := range o.binaries() {
		for _, n := range list {
			at := filepath.Join(dir, "git"+bin.suffix, strconv.Itoa(n))
			r, err := newRemote(ctx, at, n)
			if err != nil {
				return nil, err
			}
			servers = append(servers, &gitServer{site: &site{pin: p, dir: at}, remote: r, bin: bin.path, suffix: bin.suffix})
		}
	}
	if o.profile != "" {
		return nil, servers[0].profileGit(ctx, o)
	}
	first, err := measureFirstImports(ctx, o, servers, len(list))
	if err != nil {
		return nil, err
	}
	var one []*subject
	for _, d := range servers {
		if err := d.begin(ctx, o); err != nil {
			return nil, fmt.Errorf("%d pages: %w", d.remote.pages, err)
		}
		defer d.db.Close()
		one = append(one, d.changes()...)
	}
	rounds := o.roundsOr(contentRounds)
	if err := interleave(ctx, rounds, o.length(), one); err != nil {
		return nil, err
	}
	subjects := slices.Concat(first, one)
	ratios := slices.Concat(compareFirst(first), compareChanges(servers[:len(list)], one), afterBefore(subjects))
	out = newResults("Repositories: remotes on this machine, over HTTP.", o, p, rounds, subjects, ratios)
	out.Facts = gitFacts(servers, len(list))
	return out, nil
}

// repositorySizes returns the sizes of the repositories.
func repositorySizes(o options) ([]int, error) {
	list, err := sizes(o.pages)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(n int) bool { return n > largestRepo })
	switch {
	case len(list) == 0:
		return nil, fmt.Errorf("group F needs a size up to %d in -pages", largestRepo)
	case o.profile != "":
		list = list[len(list)-1:]
	}
	return list, nil
}

// measureFirstImports measures first imports of the largest repository, and other
// programs that process it. Each binary has one server for each size.
func measureFirstImports(ctx context.Context, o options, servers []*gitServer, sizes int) ([]*subject, error) {
	all, err := servers[sizes-1].references(ctx)
	if err != nil {
		return nil, err
	}
	for i := sizes - 1; i < len(servers); i += sizes {
		all = append(all, servers[i].firstImport())
	}
	return all, interleave(ctx, min(o.roundsOr(repoRounds), repoRounds), o.length(), all)
}

// compareFirst compares a first import with the references, which precede it in first.
func compareFirst(first []*subject) []*ratio {
	return []*ratio{
		{Name: "first import / Hugo", of: first[3], to: first[1], by: rates, Target: 3, Goal: 5},
		{Name: "first import / Hugo without links and text for search", of: first[3], to: first[2], by: rates},
		{Name: "first import / git clone", of: first[3], to: first[0], by: rates},
	}
}

// compareChanges compares single changes at the largest size with those at the
// smallest.
func compareChanges(servers []*gitServer, one []*subject) (out []*ratio) {
	least, most := 0, len(servers)-1
	for i, name := range []string{"of an import of one file", "of an import that adds a page", "of an export"} {
		few, many := one[least+i], one[most*changeKinds+i]
		target := 0.0
		if i != 1 {
			target = 1.5
		}
		name = fmt.Sprintf("%s, %d pages / %d", name, servers[most].remote.pages, servers[least].remote.pages)
		out = append(out,
			&ratio{Name: "time " + name, of: many, to: few, by: p50, Target: target},
			&ratio{Name: "CPU " + name, of: many, to: few, by: cpu, Target: target})
	}
	return out
}

// gitFacts returns the peak memory of first imports and the total time of changes.
func gitFacts(servers []*gitServer, sizes int) []fact {
	out := []fact{{Name: "pages", Values: []float64{float64(servers[sizes-1].remote.pages)}}}
	for i := sizes - 1; i < len(servers); i += sizes {
		out = append(out, fact{
			Name:   fmt.Sprintf("peak memory of the server in a first import, MB (target: at most %d)%s", peakTarget, servers[i].suffix),
			Values: []float64{servers[i].peak},
		})
	}
	for _, d := range servers {
		for k, what := range []string{importOne, importPage, exportOne} {
			out = append(out, fact{Name: d.name(what) + ", fetch included, ms", Digits: 1, Values: []float64{median(d.wholes[k])}})
		}
	}
	return out
}

// peakTarget is the target for the peak memory of a first import of largestRepo
// pages, in megabytes.
const peakTarget = 500

// loopback is the network of the remotes.
const loopback = "127.0.0.1/32"

// gitServer is a server with one space that is synchronized with a remote.
type gitServer struct {
	*site
	remote *remote
	bin    string
	suffix string // of the names of subjects
	space  string
	data   string
	db     *sql.DB
	ids    map[int]string // of pages, by number
	edits  int
	peak   float64                // peak memory of first imports, in megabytes
	wholes [changeKinds][]float64 // times of whole operations, in milliseconds
}

func (d *gitServer) name(what string) string {
	return fmt.Sprintf("%s, %d pages%s", what, d.remote.pages, d.suffix)
}

// start starts a server with an empty space.
func (d *gitServer) start(ctx context.Context, pin pinning, data string, profiled bool) error {
	cmd := onAllCores(ctx, d.bin, "bootstrap", "--data", data, "--email", "bench@octavo.example", "--organization", "Bench")
	b, err := cmd.Output()
	var created struct{ Organization, Token string }
	if err = errors.Join(err, json.Unmarshal(b, &created)); err != nil {
		return fmt.Errorf("octavo bootstrap: %w", err)
	}
	d.token = created.Token
	if d.addr, err = freeAddr(); err != nil {
		return err
	}
	args := []string{"serve", "--data", data, "--listen", d.addr, "--rate-limit", "0", "--log-level", "warn", "--outbound-allow", loopback}
	if profiled {
		d.server, err = d.role("server", data, d.addr)
	} else {
		d.server, err = d.site.start(pin.command(d.bin, args...))
	}
	if err != nil {
		return err
	}
	if err := d.ready(ctx); err != nil {
		return err
	}
	a, err := d.fetch(ctx, http.MethodPost, "/v1/orgs/"+created.Organization+"/spaces", `{"title":"Bench","editMode":"live"}`)
	var sp struct{ ID string }
	err = errors.Join(err, json.Unmarshal(a.Body, &sp))
	d.space = sp.ID
	return err
}

// ask starts a git operation and returns its ID.
func (d *gitServer) ask(ctx context.Context, what string, more map[string]any) (string, error) {
	body := map[string]any{"url": d.remote.url, "ref": "refs/heads/main"}
	for k, v := range more {
		body[k] = v
	}
	b, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	a, err := d.fetch(ctx, http.MethodPost, "/v1/spaces/"+d.space+"/git/"+what, string(b))
	return path.Base(a.Header.Get("Location")), err
}

// wait waits for an operation by polling the server.
func (d *gitServer) wait(ctx context.Context, id string) error {
	for {
		a, err := d.fetch(ctx, http.MethodGet, "/v1/spaces/"+d.space+"/git/operations/"+id, "")
		var op struct{ State, Reason, Error string }
		if err = errors.Join(err, json.Unmarshal(a.Body, &op)); err != nil {
			return err
		}
		if done, err := ended(op.State, op.Reason, op.Error); done {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func ended(state, reason, message string) (bool, error) {
	switch {
	case state == "success" && reason == "":
		return true, nil
	case state == "success" || state == "failure":
		return true, fmt.Errorf("the operation ended as %s: %s: %s", state, reason, message)
	}
	return false, nil
}

// references returns subjects for other programs that read the whole repository.
func (d *gitServer) references(ctx context.Context) ([]*subject, error) {
	h, err := newHugo(ctx, d.dir, d.remote.manual)
	if err != nil {
		return nil, err
	}
	clone := func(ctx context.Context, _ time.Duration) (sample, error) {
		to := filepath.Join(d.dir, "clone")
		defer os.RemoveAll(to)
		return timed(onAllCores(ctx, "git", "clone", "-q", d.remote.url, to), d.remote.pages)
	}
	return []*subject{
		{Name: d.name(cloneAll), once: clone},
		{Name: d.name(hugoAll), once: h.build("whole.toml")},
		{Name: d.name(hugoBare), once: h.build("bare.toml")},
	}, nil
}

// firstImport returns the subject of an import into an empty space of a new server,
// which may use all cores.
func (d *gitServer) firstImport() *subject {
	return &subject{Name: d.name(importAll), once: func(ctx context.Context, _ time.Duration) (out sample, err error) {
		data := filepath.Join(d.dir, "first")
		defer os.RemoveAll(data)
		if err := d.start(ctx, d.pin.allCores(), data, false); err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, d.halt()) }()
		before, began := d.server.cpu(), time.Now()
		id, err := d.ask(ctx, "import", nil)
		if err == nil {
			err = d.wait(ctx, id)
		}
		took, used := time.Since(began), d.server.cpu()-before
		d.peak = max(d.peak, d.server.peak())
		return sample{count: d.remote.pages, took: took, sorted: []time.Duration{took}, cpu: &used}, err
	}}
}

// halt stops the server, which must be the process that was started last.
func (d *gitServer) halt() error {
	d.started = d.started[:len(d.started)-1]
	return d.server.stop()
}

// begin starts the server of the single changes and imports the repository.
func (d *gitServer) begin(ctx context.Context, o options) error {
	d.data = filepath.Join(d.dir, "data")
	if err := d.start(ctx, d.pin, d.data, o.profile != ""); err != nil {
		return err
	}
	all := func(ctx context.Context, _ time.Duration) (sample, error) {
		start := time.Now()
		id, err := d.ask(ctx, "import", nil)
		if err == nil {
			err = d.wait(ctx, id)
		}
		return sample{count: d.remote.pages, took: time.Since(start)}, err
	}
	var err error
	if o.profile != "" {
		err = d.profileOne(ctx, o, profiled{"first-import", all})
	} else {
		_, err = all(ctx, 0)
	}
	if err != nil {
		return err
	}
	if d.db, err = sql.Open("sqlite", "file:"+filepath.Join(d.data, "octavo.db")+"?mode=ro"); err != nil {
		return err
	}
	a, err := d.fetch(ctx, http.MethodGet, "/v1/spaces/"+d.space+"/content/pages", "")
	var v struct{ Pages []listed }
	if err = errors.Join(err, json.Unmarshal(a.Body, &v)); err != nil {
		return err
	}
	d.ids = map[int]string{}
	var walk func(pages []listed)
	walk = func(pages []listed) {
		for _, p := range pages {
			n, err := strconv.Atoi(p.Title[strings.LastIndexByte(p.Title, ' ')+1:])
			if err == nil && n < d.remote.pages && p.Title == d.remote.title(n) { // titles of groups also end with a number
				d.ids[n] = p.ID
			}
			walk(p.Pages)
		}
	}
	walk(v.Pages)
	if len(d.ids) != d.remote.pages {
		return fmt.Errorf("%d pages were imported, want %d", len(d.ids), d.remote.pages)
	}
	return nil
}
