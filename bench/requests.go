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
	s, err := startSite(ctx, o, p, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if o.profile != "" {
		return nil, s.profile(ctx, o)
	}
	subjects, ratios, err := s.plan(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := interleave(ctx, o.rounds, o.length(), subjects); err != nil {
		return nil, err
	}
	title := fmt.Sprintf("Requests: an organization with %d collections.", o.collections)
	return newResults(title, o, p, o.rounds, subjects, ratios), nil
}

// plan says what is measured and what is compared.
func (s *site) plan(ctx context.Context, o options) ([]*subject, []*ratio, error) {
	first, deep := s.pages[:1], []string{s.deepPage()}
	bareHTTP, bareAddr, err := s.references(ctx, slices.Concat(s.top, s.nested, first, deep))
	if err != nil {
		return nil, nil, fmt.Errorf("the reference of reads: %w", err)
	}
	bareSQL, err := s.role("sqlite", filepath.Join(s.dir, "bare.db"))
	if err != nil {
		return nil, nil, fmt.Errorf("the reference of writes: %w", err)
	}
	read := func(group byte, name string, paths []string) (octavo, bare *subject) {
		return &subject{Name: name, group: group, process: s.server, once: s.gets(s.addr, paths, o.conns).run},
			&subject{Name: name + ", bare net/http", group: group, process: bareHTTP, once: s.gets(bareAddr, paths, o.conns).run}
	}
	one, bareOne := read('A', "get a collection", s.top)
	nested, bareNested := read('A', "get a nested collection", s.nested)
	bareTx := &subject{Name: "bare SQLite transaction", group: 'B', process: bareSQL, once: bareSQL.transactions}
	post1 := &subject{Name: "create a collection, 1 client", group: 'B', process: s.server, once: s.posts(1).run}
	postN := &subject{Name: fmt.Sprintf("create a collection, %d clients", o.conns), group: 'B', process: s.server, once: s.posts(o.conns).run}
	page1, bare1 := read('C', fmt.Sprintf("list %d of %d, first page", pageSize, o.collections), first)
	pageN, bareN := read('C', fmt.Sprintf("list %d of %d, deep page", pageSize, o.collections), deep)
	subjects := []*subject{one, bareOne, nested, bareNested, bareTx, post1, postN, page1, bare1, pageN, bareN}
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
	skip := func(group byte) bool { return o.only != "" && !strings.ContainsRune(o.only, rune(group)) }
	subjects = slices.DeleteFunc(subjects, func(v *subject) bool { return skip(v.group) })
	ratios = slices.DeleteFunc(ratios, func(v *ratio) bool { return skip(v.group) })
	return subjects, ratios, nil
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

// transactions lets the reference of writes work for a while.
func (p *process) transactions(ctx context.Context, length time.Duration) (sample, error) {
	if _, err := fmt.Fprintln(p.in, length); err != nil {
		return sample{}, err
	}
	var r bareResult
	if err := json.NewDecoder(p.out).Decode(&r); err != nil {
		return sample{}, err
	}
	// The quantiles were taken over there; half and half keeps them.
	return sample{count: r.Count, took: r.Took, sorted: []time.Duration{r.P50, r.P50, r.P99}}, ctx.Err()
}
