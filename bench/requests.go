package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// measureRequests measures groups A to C, or profiles them.
func measureRequests(ctx context.Context, o options, p pinning, dir string) (r *results, err error) {
	var subjects []*subject
	var ratios []*ratio
	var sites []*site
	defer func() {
		for _, s := range sites {
			err = errors.Join(err, s.close())
		}
	}()
	for _, bin := range o.binaries() {
		s, err := startSite(ctx, o, bin.path, p, filepath.Join(dir, "requests"+bin.suffix))
		if err != nil {
			return nil, err
		}
		sites = append(sites, s)
		if o.profile != "" {
			return nil, s.profile(ctx, o)
		}
		mine := s.subjects(o, bin.suffix)
		if bin.suffix == "" {
			bare, err := s.bareSubjects(ctx, o)
			if err != nil {
				return nil, err
			}
			ratios = compareRequests(o, mine, bare)
			mine = append(mine, bare...)
		}
		subjects = append(subjects, mine...)
	}
	skip := func(group byte) bool { return o.only != "" && !strings.ContainsRune(o.only, rune(group)) }
	subjects = slices.DeleteFunc(subjects, func(v *subject) bool { return skip(v.group) })
	ratios = slices.DeleteFunc(ratios, func(v *ratio) bool { return skip(v.group) })
	rounds := o.roundsOr(requestRounds)
	if err := interleave(ctx, rounds, o.length(), subjects); err != nil {
		return nil, err
	}
	title := fmt.Sprintf("Requests: an organization with %d collections.", o.collections)
	return newResults(title, o, p, rounds, subjects, append(ratios, afterBefore(subjects)...)), nil
}

// subjects returns the subjects of a server: two reads, two writes, two lists.
func (s *site) subjects(o options, suffix string) []*subject {
	return []*subject{
		{Name: "get a collection" + suffix, group: 'A', process: s.server, once: s.gets(s.addr, s.top, o.conns).run},
		{Name: "get a nested collection" + suffix, group: 'A', process: s.server, once: s.gets(s.addr, s.nested, o.conns).run},
		{Name: "create a collection, 1 client" + suffix, group: 'B', process: s.server, once: s.posts(1).run},
		{Name: fmt.Sprintf("create a collection, %d clients", o.conns) + suffix, group: 'B', process: s.server, once: s.posts(o.conns).run},
		{Name: fmt.Sprintf("list %d of %d, first page", pageSize, o.collections) + suffix, group: 'C', process: s.server, once: s.gets(s.addr, s.pages[:1], o.conns).run},
		{Name: fmt.Sprintf("list %d of %d, deep page", pageSize, o.collections) + suffix, group: 'C', process: s.server, once: s.gets(s.addr, []string{s.deepPage()}, o.conns).run},
	}
}

// bareSubjects returns the references for the subjects: the same responses from memory,
// and a bare transaction.
func (s *site) bareSubjects(ctx context.Context, o options) ([]*subject, error) {
	first, deep := s.pages[:1], []string{s.deepPage()}
	bareHTTP, addr, err := s.references(ctx, slices.Concat(s.top, s.nested, first, deep))
	if err != nil {
		return nil, fmt.Errorf("the reference of reads: %w", err)
	}
	bareSQL, err := s.role("sqlite", filepath.Join(s.dir, "bare.db"))
	if err != nil {
		return nil, fmt.Errorf("the reference of writes: %w", err)
	}
	read := func(group byte, name string, paths []string) *subject {
		return &subject{Name: name + ", bare net/http", group: group, process: bareHTTP, once: s.gets(addr, paths, o.conns).run}
	}
	return []*subject{
		read('A', "get a collection", s.top), read('A', "get a nested collection", s.nested),
		{Name: "bare SQLite transaction", group: 'B', process: bareSQL, once: bareSQL.transactions},
		read('C', "list, first page", first), read('C', "list, deep page", deep),
	}, nil
}

// compareRequests returns the ratios of the results of subjects to those of
// bareSubjects.
func compareRequests(o options, mine, bare []*subject) []*ratio {
	one, nested, post1, postN, page1, pageN := mine[0], mine[1], mine[2], mine[3], mine[4], mine[5]
	bareOne, bareNested, bareTx, bare1, bareN := bare[0], bare[1], bare[2], bare[3], bare[4]
	ratios := []*ratio{
		{Name: "get / bare net/http", of: one, to: bareOne, Target: 0.6},
		{Name: "get nested / bare net/http", of: nested, to: bareNested},
		{Name: fmt.Sprintf("create, %d clients / bare SQLite", o.conns), of: postN, to: bareTx, Target: 0.3},
		{Name: "create, 1 client / bare SQLite", of: post1, to: bareTx},
		{Name: fmt.Sprintf("create, %d clients / 1 client", o.conns), of: postN, to: post1, Target: 1},
		{Name: "list first page / bare net/http", of: page1, to: bare1},
		{Name: "list deep page / bare net/http", of: pageN, to: bareN},
		{Name: "list deep page / first page", of: pageN, to: page1},
	}
	for _, r := range ratios {
		r.group, r.by = r.of.group, rates
	}
	return ratios
}

func (s *site) gets(addr string, paths []string, conns int) load {
	l := load{addr: addr, conns: conns}
	for _, path := range paths {
		l.requests = append(l.requests, request("GET", s.addr, path, s.token, ""))
	}
	return l
}

func (s *site) posts(conns int) load {
	r := request("POST", s.addr, s.collectionsPath(s.writeOrg), s.token, `{"title":"A collection of the benchmark"}`)
	return load{addr: s.addr, conns: conns, requests: [][]byte{r}}
}

// transactions runs the operation of a child process that uses answerRuns, such as
// the reference of writes.
func (p *process) transactions(ctx context.Context, length time.Duration) (sample, error) {
	if _, err := fmt.Fprintln(p.in, length); err != nil {
		return sample{}, err
	}
	var r bareResult
	if err := json.NewDecoder(p.out).Decode(&r); err != nil {
		return sample{}, err
	}
	// The child process has computed the quantiles; these samples reproduce them.
	return sample{count: r.Count, took: r.Took, sorted: []time.Duration{r.P50, r.P50, r.P99}}, ctx.Err()
}
