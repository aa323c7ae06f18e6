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

// What is measured of repositories.
const (
	cloneAll   = "git clone"
	hugoAll    = "Hugo builds the same pages, links and text for search"
	hugoBare   = "Hugo without links and text for search"
	importAll  = "first import"
	importOne  = "import a push of one file"
	importPage = "import a push that adds a page"
	exportOne  = "export an edited page"
)

// largestRepo is how many pages the largest repository has; repoRounds bounds
// the rounds of what works on all of them.
const (
	largestRepo = 10_000
	repoRounds  = 3
)

// measureGit measures what synchronization with a repository costs: all of it
// once, beside others who read all of it, and single changes at all sizes.
func measureGit(ctx context.Context, o options, p pinning, dir string) (out *results, err error) {
	list, err := sizes(o.pages)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(n int) bool { return n > largestRepo })
	if len(list) == 0 {
		return nil, fmt.Errorf("-pages has no size up to %d, which group F needs", largestRepo)
	}
	dir = filepath.Join(dir, "git")
	var desks []*desk
	defer func() {
		for _, d := range desks {
			err = errors.Join(err, d.close(), d.remote.close())
		}
	}()
	if o.profile != "" {
		list = list[len(list)-1:]
	}
	for _, n := range list {
		at := filepath.Join(dir, strconv.Itoa(n))
		r, err := newRemote(ctx, at, n)
		if err != nil {
			return nil, err
		}
		d := &desk{site: &site{pin: p, dir: at}, remote: r, bin: o.bin}
		desks = append(desks, d)
	}
	last := desks[len(desks)-1]
	var first []*subject
	peak := 0.0
	if o.profile == "" {
		if first, err = last.whole(ctx, &peak); err != nil {
			return nil, err
		}
		if err := interleave(ctx, min(o.rounds, repoRounds), o.length(), first); err != nil {
			return nil, err
		}
	}
	var one []*subject
	for _, d := range desks {
		if err := d.begin(ctx, o); err != nil {
			return nil, fmt.Errorf("%d pages: %w", d.remote.pages, err)
		}
		defer d.db.Close()
		one = append(one, d.changes()...)
	}
	if o.profile != "" {
		return nil, last.profileGit(ctx, o, one)
	}
	rounds := min(o.rounds, contentRounds)
	if err := interleave(ctx, rounds, o.length(), one); err != nil {
		return nil, err
	}
	ratios := []*ratio{
		{Name: "first import / Hugo", of: first[3], to: first[1], by: rates, Target: 3, Goal: 5},
		{Name: "first import / Hugo without links and text for search", of: first[3], to: first[2], by: rates},
		{Name: "first import / git clone", of: first[3], to: first[0], by: rates},
	}
	each := len(one) / len(desks)
	for i, name := range []string{"of an import of one file", "of an import that adds a page", "of an export"} {
		few, many := one[i], one[len(one)-each+i]
		target := 0.0
		if i != 1 {
			target = 1.5
		}
		for _, by := range []struct {
			what string
			of   metric
		}{{"time ", p50}, {"CPU ", cpu}} {
			ratios = append(ratios, &ratio{
				Name: fmt.Sprintf("%s%s, %d pages / %d", by.what, name, last.remote.pages, desks[0].remote.pages), of: many, to: few, by: by.of, Target: target,
			})
		}
	}
	out = newResults("Repositories: remotes on this machine, over HTTP.", o, p, rounds, append(first, one...), ratios)
	out.Facts = []fact{{Name: "pages", Values: []float64{float64(last.remote.pages)}},
		{Name: fmt.Sprintf("peak memory of the server in a first import, MB (target: at most %d)", peakTarget), Values: []float64{peak}}}
	for i, d := range desks {
		for k, v := range one[i*each : (i+1)*each] {
			f := fact{Name: v.Name + ", fetch included, ms", Digits: 1, Values: []float64{median(d.wholes[k])}}
			out.Facts = append(out.Facts, f)
		}
	}
	return out, nil
}

// peakTarget is how many megabytes a first import of largestRepo pages may
// need.
const peakTarget = 500

// loopback is where the remotes are.
const loopback = "127.0.0.1/32"

// desk is an Octavo with one space beside a remote.
type desk struct {
	*site
	remote *remote
	bin    string
	space  string
	data   string
	db     *sql.DB
	ids    map[int]string // of pages, by number
	edits  int
	wholes [3][]float64 // milliseconds of whole operations, for each kind
}

// start starts a server with an empty space.
func (d *desk) start(ctx context.Context, data string, profiled, pinned bool) error {
	cmd := onAllCores(ctx, d.bin, "bootstrap", "--data", data, "--email", "bench@octavo.example", "--organization", "Bench")
	b, err := cmd.Output()
	var made struct{ Organization, Token string }
	if err = errors.Join(err, json.Unmarshal(b, &made)); err != nil {
		return fmt.Errorf("octavo bootstrap: %w", err)
	}
	d.token = made.Token
	if d.addr, err = freeAddr(); err != nil {
		return err
	}
	args := []string{"serve", "--data", data, "--listen", d.addr, "--rate-limit", "0", "--log-level", "warn", "--outbound-allow", loopback}
	switch {
	case profiled:
		d.server, err = d.role("server", data, d.addr)
	case pinned:
		d.server, err = d.site.start(d.pin.command(d.bin, args...))
	default:
		cmd := onAllCores(ctx, d.bin, args...)
		cmd.Stderr = os.Stderr
		d.server, err = d.site.start(cmd)
	}
	if err != nil {
		return err
	}
	if err := d.ready(ctx); err != nil {
		return err
	}
	a, err := d.fetch(ctx, http.MethodPost, "/v1/orgs/"+made.Organization+"/spaces", `{"title":"Bench","editMode":"live"}`)
	var sp struct{ ID string }
	err = errors.Join(err, json.Unmarshal(a.Body, &sp))
	d.space = sp.ID
	return err
}

// ask asks for an operation and gives its id.
func (d *desk) ask(ctx context.Context, what string, more map[string]any) (string, error) {
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

// wait waits for an operation by asking the server.
func (d *desk) wait(ctx context.Context, id string) error {
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

// whole gives what reads all of the repository.
func (d *desk) whole(ctx context.Context, peak *float64) ([]*subject, error) {
	start := time.Now()
	h, err := newHugo(ctx, d.dir, d.remote.manual)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "made Hugo and its site in %.0f s\n", time.Since(start).Seconds())
	clone := func(ctx context.Context, _ time.Duration) (sample, error) {
		to := filepath.Join(d.dir, "clone")
		defer os.RemoveAll(to)
		return timed(onAllCores(ctx, "git", "clone", "-q", d.remote.url, to), d.remote.pages)
	}
	first := func(ctx context.Context, _ time.Duration) (out sample, err error) {
		data := filepath.Join(d.dir, "first")
		defer os.RemoveAll(data)
		if err := d.start(ctx, data, false, false); err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, d.halt()) }()
		before, began := d.server.cpu(), time.Now()
		id, err := d.ask(ctx, "import", nil)
		if err == nil {
			err = d.wait(ctx, id)
		}
		took, used := time.Since(began), d.server.cpu()-before
		*peak = max(*peak, d.server.peak())
		return sample{count: d.remote.pages, took: took, sorted: []time.Duration{took}, cpu: &used}, err
	}
	name := func(what string) string { return fmt.Sprintf("%s, %d pages", what, d.remote.pages) }
	return []*subject{
		{Name: name(cloneAll), once: clone}, {Name: name(hugoAll), once: h.build("whole.toml")},
		{Name: name(hugoBare), once: h.build("bare.toml")}, {Name: name(importAll), once: first},
	}, nil
}

// halt stops the server, which is what was started last.
func (d *desk) halt() error {
	d.started = d.started[:len(d.started)-1]
	return d.server.stop()
}

// begin starts the server that stays, and imports everything.
func (d *desk) begin(ctx context.Context, o options) error {
	d.data = filepath.Join(d.dir, "data")
	if err := d.start(ctx, d.data, o.profile != "", true); err != nil {
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
			if err == nil && n < d.remote.pages && p.Title == d.remote.title(n) { // groups have numbers, too
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
