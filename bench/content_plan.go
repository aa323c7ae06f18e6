package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Names of the subjects that are measured at every size. The number of pages is
// appended to a name.
const (
	editPage   = "edit a page, 1 client"
	getPage    = "get a page"
	getBare    = "get a page, bare net/http"
	oneDiff    = "changes of a revision, 1 client"
	findCommon = "search a common word, 1 client"
	rawCommon  = "common word, bare FTS5"
	findRare   = "search a rare word, 1 client"
	rawRare    = "rare word, bare FTS5"
	duplicate  = "duplicate the space, 1 client"
)

// phases are measured one after the other, each interleaved at all sizes. Group D
// is content, group E is change requests. Reads come before edits, because a faster
// binary makes more edits in the same time and would then read from a larger store.
// Duplicates come last, because the search index of a duplicated space is written in
// layers.
var phases = []struct {
	group byte
	plan  func(*contentServer, context.Context, options) ([]*subject, error)
}{
	{'D', (*contentServer).planReads},
	{'D', (*contentServer).planEdits},
	{'E', (*contentServer).planRequests},
	{'D', (*contentServer).planDuplicates},
}

// comparisons are the ratios. If to is set, the subject of is compared with the
// subject to at every size. Otherwise the largest size is compared with the smallest.
var comparisons = []struct {
	group  byte
	name   string
	of, to string
	by     metric
	target float64
	goal   float64
}{
	{group: 'D', name: "time of an edit", of: editPage, by: times, target: 1.5},
	{group: 'D', name: "CPU of an edit", of: editPage, by: cpu, target: 1.5},
	{group: 'D', name: "time of a duplicate", of: duplicate, by: times, target: 1.5},
	{group: 'D', name: "time of changes of a revision", of: oneDiff, by: times},
	{group: 'D', name: "get a page / bare net/http", of: getPage, to: getBare, by: rates, target: 0.6, goal: 0.8},
	{group: 'D', name: "common word, p50 / bare FTS5", of: findCommon, to: rawCommon, by: p50},
	{group: 'D', name: "common word, p99 / bare FTS5", of: findCommon, to: rawCommon, by: p99},
	{group: 'D', name: "rare word, p50 / bare FTS5", of: findRare, to: rawRare, by: p50},
	{group: 'D', name: "rare word, p99 / bare FTS5", of: findRare, to: rawRare, by: p99},
	{group: 'E', name: "time from opening to merging", of: wholeRequest, by: times, target: 1.5},
	{group: 'E', name: "CPU from opening to merging", of: wholeRequest, by: cpu, target: 1.5},
	{group: 'E', name: "time of a merge", of: mergeOnly, by: p50, target: 1.5},
	{group: 'E', name: "time of changes of a request", of: requestDiff, by: times, target: 1.5},
	{group: 'E', name: "time of finding a conflict", of: findConflict, by: times, target: 1.5},
	{group: 'E', name: "a merge / git, time", of: mergeOnly, to: gitMerge, by: p50, target: 1},
	{group: 'E', name: "a merge / git, CPU", of: mergeOnly, to: gitMerge, by: cpu, target: 1},
	{group: 'E', name: "own work of a merge / git, time", of: ownMerge, to: gitMerge, by: p50, target: 0.1},
}

// contentRounds is the default number of rounds of groups with many subjects.
const contentRounds = 5

// sizes parses the flag -pages.
func sizes(list string) ([]int, error) {
	var out []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 100 || n > 100_000 {
			return nil, errors.New("-pages is a list of numbers from 100 to 100000, such as 100,1000")
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// measureContent fills the servers and measures them in interleaved rounds.
func measureContent(ctx context.Context, o options, p pinning, dir string) (out *results, err error) {
	list, err := sizes(o.pages)
	if err != nil {
		return nil, err
	}
	if o.profile != "" {
		list = list[len(list)-1:] // the largest size shows most
	}
	var all []*contentServer
	defer func() {
		for _, b := range all {
			err = errors.Join(err, b.close())
		}
	}()
	for _, bin := range o.binaries() {
		for _, n := range list {
			b := newContentServer(p, filepath.Join(dir, "content"+bin.suffix, strconv.Itoa(n)), bin, n)
			all = append(all, b)
			if err := b.build(ctx); err != nil {
				return nil, fmt.Errorf("%d pages: %w", n, err)
			}
		}
	}
	if err := firstLists(ctx, all, o.profile != ""); err != nil {
		return nil, err
	}
	for _, b := range all {
		if err := b.countEdits(ctx); err != nil {
			return nil, fmt.Errorf("%d pages: %w", b.corpus.pages, err)
		}
	}
	servers, olds := all[:len(list)], all[len(list):]
	if o.profile != "" {
		return nil, servers[0].profile(ctx, o)
	}
	rounds := o.roundsOr(contentRounds)
	subjects, err := measurePhases(ctx, o, rounds, all)
	if err != nil {
		return nil, err
	}
	for _, b := range all {
		b.cost("memory after all loads, MB", 0, b.server.memory())
	}
	ratios := slices.Concat(compare(servers), afterBefore(subjects), factsAfterBefore(servers, olds))
	out = newResults("Content: one space on a server of its own for each size.", o, p, rounds, subjects, ratios)
	out.Facts = append(factsOf(servers), factsOf(olds)...)
	return out, nil
}

// measurePhases measures the phases one after the other. It returns the subjects
// sorted by name and then by size, which makes them easy to compare.
func measurePhases(ctx context.Context, o options, rounds int, servers []*contentServer) (all []*subject, err error) {
	for _, ph := range phases {
		if !o.wants(string(ph.group)) {
			continue
		}
		var names []string
		var now []*subject
		for i, b := range servers {
			some, err := ph.plan(b, ctx, o)
			if err != nil {
				return nil, fmt.Errorf("%d pages: %w", b.corpus.pages, err)
			}
			for _, v := range some {
				if b.subjects[v.Name] = v; i == 0 {
					names = append(names, v.Name)
				}
				v.Name += fmt.Sprintf(", %d pages%s", b.corpus.pages, b.bin.suffix)
			}
			now = append(now, some...)
		}
		if err := interleave(ctx, rounds, o.length(), now); err != nil {
			return nil, err
		}
		for _, name := range names {
			for _, b := range servers {
				if v := b.subjects[name]; v != nil { // -before has no references
					all = append(all, v)
				}
			}
		}
	}
	return all, nil
}

// factsOf returns the facts of servers, with a column for each.
func factsOf(servers []*contentServer) (out []fact) {
	if len(servers) == 0 {
		return nil
	}
	for _, f := range servers[0].facts {
		row := fact{Name: f.name + servers[0].bin.suffix, Digits: f.digits}
		for _, b := range servers {
			row.Values = append(row.Values, b.fact(f.name))
		}
		out = append(out, row)
	}
	return out
}

// factsAfterBefore returns the ratios of facts to those of -before.
func factsAfterBefore(servers, olds []*contentServer) (out []*ratio) {
	for k, old := range olds {
		for _, was := range old.facts {
			now, ok := servers[k].known(was.name) // a table that did not grow has no fact
			if ok && was.cost && was.value > 0 {
				out = append(out, &ratio{
					Name:   fmt.Sprintf("%s, %d pages%s", was.name, old.corpus.pages, suffixAfter),
					AtMost: true, Target: worseThanBefore, Values: []float64{now / was.value},
				})
			}
		}
	}
	return out
}

// compare returns the ratios of the measured subjects and facts.
func compare(servers []*contentServer) (out []*ratio) {
	least, most := servers[0], servers[len(servers)-1]
	between := func(what string) string {
		return fmt.Sprintf("%s, %d pages / %d", what, most.corpus.pages, least.corpus.pages)
	}
	for _, c := range comparisons {
		r := ratio{group: c.group, by: c.by, Target: c.target, Goal: c.goal}
		switch {
		case least.subjects[c.of] == nil: // its group was not measured
		case c.to == "" && least != most:
			r.Name, r.of, r.to = between(c.name), most.subjects[c.of], least.subjects[c.of]
			out = append(out, &r)
		case c.to != "":
			for _, b := range servers {
				one := r
				one.Name = fmt.Sprintf("%s, %d pages", c.name, b.corpus.pages)
				one.of, one.to = b.subjects[c.of], b.subjects[c.to]
				out = append(out, &one)
			}
		}
	}
	if least != most {
		out = append(out, &ratio{Name: between(editBytes), AtMost: true, Values: []float64{most.fact(editBytes) / least.fact(editBytes)}})
	}
	return out
}

func (b *contentServer) fact(name string) float64 {
	v, _ := b.known(name)
	return v
}

// known returns the value of the fact with a name, and whether there is one.
func (b *contentServer) known(name string) (float64, bool) {
	i := slices.IndexFunc(b.facts, func(f serverFact) bool { return f.name == name })
	if i < 0 {
		return 0, false
	}
	return b.facts[i].value, true
}

func (b *contentServer) ours(what string, l load) *subject {
	return &subject{Name: what, process: b.server, once: l.run}
}

func (b *contentServer) planEdits(context.Context, options) ([]*subject, error) {
	return []*subject{b.ours(editPage, b.edits())}, nil
}

func (b *contentServer) planDuplicates(context.Context, options) ([]*subject, error) {
	r := request("POST", b.addr, b.path("duplicate"), b.token, `{}`)
	return []*subject{b.ours(duplicate, load{addr: b.addr, conns: 1, requests: [][]byte{r}})}, nil
}

func (b *contentServer) planReads(ctx context.Context, o options) ([]*subject, error) {
	var pages []string
	for _, id := range b.ids {
		pages = append(pages, b.path("content", "page", id))
	}
	diffs, err := b.diffs(ctx)
	if err != nil {
		return nil, err
	}
	common, rare := b.searches(b.corpus.common()), b.searches(b.corpus.rare())
	ours := []*subject{
		b.ours(getPage, b.gets(b.addr, pages, o.conns)),
		b.ours(oneDiff, b.gets(b.addr, diffs, 1)),
		b.ours(findCommon, b.gets(b.addr, common, 1)),
		b.ours(findRare, b.gets(b.addr, rare, 1)),
	}
	if o.profile != "" || b.bin.suffix != "" { // the references are measured once
		return ours, nil
	}
	bare, bareAddr, err := b.references(ctx, pages)
	if err != nil {
		return nil, err
	}
	raw, err := b.role("fts", b.dir+"/raw.db", strconv.Itoa(b.corpus.pages))
	if err != nil {
		return nil, err
	}
	rawAddr, err := raw.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the reference of searches: %w", err)
	}
	rawAddr = strings.TrimSpace(rawAddr)
	of := func(what string, p *process, l load) *subject { return &subject{Name: what, process: p, once: l.run} }
	return []*subject{
		ours[0], of(getBare, bare, b.gets(bareAddr, pages, o.conns)),
		ours[1],
		ours[2], of(rawCommon, raw, b.gets(rawAddr, rawQueries(b.corpus.common()), 1)),
		ours[3], of(rawRare, raw, b.gets(rawAddr, rawQueries(b.corpus.rare()), 1)),
	}, nil
}

// diffs returns the paths of the changes of the newest revisions. Each revision is
// an edit of one page.
func (b *contentServer) diffs(ctx context.Context) (out []string, err error) {
	a, err := b.fetch(ctx, http.MethodGet, b.path("revisions")+"?limit=16", "")
	var v struct{ Items []struct{ ID string } }
	if err = errors.Join(err, json.Unmarshal(a.Body, &v)); err != nil {
		return nil, err
	}
	for _, rev := range v.Items {
		out = append(out, b.path("revisions", rev.ID, "changes"))
	}
	return out, nil
}

// searches returns the paths of searches for whole words. Each query ends with a
// blank; without it, a query would also find words that begin with its last word.
func (b *contentServer) searches(words []string) (out []string) {
	for _, w := range words {
		out = append(out, b.path("search")+"?limit=20&query="+url.QueryEscape(w+" "))
	}
	return out
}

func rawQueries(words []string) (out []string) {
	for _, w := range words {
		out = append(out, "/?"+w)
	}
	return out
}

// profile writes a CPU profile of the server under each kind of load.
func (b *contentServer) profile(ctx context.Context, o options) error {
	list := b.gets(b.addr, []string{b.path("content", "pages")}, 1)
	loads := []profiled{{"list-pages", list.run}}
	for _, ph := range phases {
		if !o.wants(string(ph.group)) {
			continue
		}
		some, err := ph.plan(b, ctx, o)
		if err != nil {
			return err
		}
		for _, v := range some {
			name, _, _ := strings.Cut(v.Name, ",")
			loads = append(loads, profiled{strings.ReplaceAll(name, " ", "-"), v.once})
		}
	}
	return b.profiles(ctx, o, loads)
}
