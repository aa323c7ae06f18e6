package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// bound is a ratio of times or rates with a limit.
type bound struct {
	Name   string    `json:"name"`
	Target float64   `json:"target,omitempty"` // 0: only to know
	Most   bool      `json:"at_most"`          // the target is what must not be exceeded
	Values []float64 `json:"values"`
	Median float64   `json:"median"`
	// ByCPU is the same ratio of processor time for each request; 0 where it
	// says nothing.
	ByCPU float64 `json:"by_cpu,omitempty"`
	Met   bool    `json:"met"`
}

// contentResults are what group D gives.
type contentResults struct {
	Facts    []shelfFacts `json:"facts"`
	Subjects []*subject   `json:"subjects"`
	Bounds   []*bound     `json:"ratios"`
	Notes    []string     `json:"notes"`
}

// sizes reads the flag -pages.
func sizes(list string) ([]int, error) {
	var out []int
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 100 || n > 100_000 {
			return nil, errors.New("-pages is a list of numbers from 100 to 100000, such as 100,1000")
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return out, nil
}

// measured are the subjects of one shelf.
type measured struct {
	*shelf
	edit, copy, get, bare, diff, search, raw *subject
}

// measureContent builds the shelves and measures them side by side.
func measureContent(ctx context.Context, o options, p pinning, dir string) (out *contentResults, err error) {
	list, err := sizes(o.pages)
	if err != nil {
		return nil, err
	}
	var shelves []*measured
	defer func() {
		for _, m := range shelves {
			err = errors.Join(err, m.close())
		}
	}()
	for _, n := range list {
		start := time.Now()
		b, err := buildShelf(ctx, o, p, dir, n)
		if err != nil {
			return nil, err
		}
		shelves = append(shelves, &measured{shelf: b})
		fmt.Fprintf(os.Stderr, "built %d pages in %.0f s\n", n, time.Since(start).Seconds())
	}
	if o.profile != "" {
		return nil, shelves[len(shelves)-1].profileContent(ctx, o)
	}
	out = &contentResults{}
	var reads, writes, copies []*subject
	for _, m := range shelves {
		if err := m.plan(ctx, o); err != nil {
			return nil, err
		}
		reads = append(reads, m.get, m.bare, m.diff, m.search, m.raw)
		writes = append(writes, m.edit)
		copies = append(copies, m.copy)
	}
	// Copies come last: what is written afterwards is written in layers.
	for _, part := range [][]*subject{writes, reads, copies} {
		if err := interleave(ctx, o, part); err != nil {
			return nil, err
		}
		out.Subjects = append(out.Subjects, part...)
	}
	for _, m := range shelves {
		m.facts.MemoryEnd = m.server.memory()
		out.Facts = append(out.Facts, m.facts)
	}
	out.compare(shelves)
	return out, nil
}

// interleave measures every subject in every round, each second round
// backward.
func interleave(ctx context.Context, o options, subjects []*subject) error {
	for _, v := range subjects {
		if _, err := v.once(ctx, warm); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	order := slices.Clone(subjects)
	for range min(o.rounds, contentRounds) {
		for _, v := range order {
			if err := v.measure(ctx, o.length()); err != nil {
				return fmt.Errorf("%s: %w", v.Name, err)
			}
		}
		slices.Reverse(order)
	}
	return nil
}

// contentRounds bounds the rounds of group D, which has many subjects.
const contentRounds = 5

// plan says what is measured of a shelf.
func (m *measured) plan(ctx context.Context, o options) error {
	name := func(what string) string { return fmt.Sprintf("%s, %d pages", what, m.corpus.pages) }
	ours := func(what string, once func(context.Context, time.Duration) (sample, error)) *subject {
		return &subject{Name: name(what), group: 'D', process: m.server, once: once}
	}
	m.edit = ours("edit a page, 1 client", m.editing)
	m.copy = ours("duplicate the space, 1 client", load{addr: m.addr, conns: 1, requests: [][]byte{
		request("POST", m.addr, m.path("duplicate"), m.token, `{}`),
	}}.run)
	var pages, queries []string
	for _, id := range m.ids {
		pages = append(pages, m.path("content", "page", id))
	}
	for _, q := range m.corpus.queries() {
		queries = append(queries, m.path("search")+"?limit=20&query="+url.QueryEscape(strings.Join(q, " ")+" "))
	}
	rev, err := m.shelf.edit(ctx)
	if err != nil {
		return err
	}
	bare, bareAddr, err := m.references(ctx, pages)
	if err != nil {
		return err
	}
	m.get = ours("get a page", m.gets(m.addr, pages, o.conns).run)
	m.bare = &subject{Name: name("get a page, bare net/http"), group: 'D', process: bare, once: m.gets(bareAddr, pages, o.conns).run}
	m.diff = ours("changes of a revision, 1 client", m.gets(m.addr, []string{m.path("revisions", rev, "changes")}, 1).run)
	m.search = ours("search, 1 client", m.gets(m.addr, queries, 1).run)
	m.raw = &subject{Name: name("search, bare FTS5"), group: 'D', process: m.shelf.raw, once: m.shelf.raw.transactions}
	return nil
}

// compare makes the ratios: a size against the smallest, and each against
// its reference.
func (r *contentResults) compare(shelves []*measured) {
	least, most := shelves[0], shelves[len(shelves)-1]
	add := func(name string, target float64, atMost bool, of, to []float64) *bound {
		b := &bound{Name: name, Target: target, Most: atMost}
		for i := range of {
			b.Values = append(b.Values, of[i]/to[i])
		}
		b.Median = median(b.Values)
		b.Met = target == 0 || atMost && b.Median <= target || !atMost && b.Median >= target
		r.Bounds = append(r.Bounds, b)
		return b
	}
	between := func(what string) string {
		return fmt.Sprintf("%s, %d pages / %d", what, most.corpus.pages, least.corpus.pages)
	}
	longer := func(what string, target float64, of, to *subject) {
		// Times are the inverse of rates, so the sides change places.
		add(between("time of "+what), target, true, to.Rates, of.Rates).ByCPU = median(of.CPU) / median(to.CPU)
	}
	longer("an edit", 1.5, most.edit, least.edit)
	longer("a duplicate", 1.5, most.copy, least.copy)
	longer("changes of a revision", 0, most.diff, least.diff)
	add(between("bytes stored for an edit"), 0, true, []float64{most.facts.EditBytes}, []float64{least.facts.EditBytes})
	for _, m := range shelves {
		b := add(fmt.Sprintf("get a page / bare net/http, %d pages", m.corpus.pages), 0.6, false, m.get.Rates, m.bare.Rates)
		b.ByCPU = median(m.bare.CPU) / median(m.get.CPU)
	}
	for _, m := range shelves {
		b := add(fmt.Sprintf("p50 of search / bare FTS5, %d pages", m.corpus.pages), 0, true, m.search.P50, m.raw.P50)
		b.ByCPU = median(m.search.CPU) / median(m.raw.CPU)
		add(fmt.Sprintf("p99 of search / bare FTS5, %d pages", m.corpus.pages), 0, true, m.search.P99, m.raw.P99)
	}
	if busy := (&results{Subjects: r.Subjects}).others(); busy > 0.05 {
		r.Notes = append(r.Notes, fmt.Sprintf("other programs took %.0f %% of the machine; repeat this when it is quiet", 100*busy))
	}
}

// print gives the tables.
func (r *contentResults) print(w io.Writer) {
	const mb = 1 << 20
	fmt.Fprint(w, "\nContent: one space on a server of its own for each size.\n\n")
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	rows := []struct {
		name string
		show func(f shelfFacts) string
	}{
		{"pages", func(f shelfFacts) string { return strconv.Itoa(f.Pages) }},
		{"import, pages/s", func(f shelfFacts) string { return fmt.Sprintf("%.0f", f.ImportRate) }},
		{"import, peak MB", func(f shelfFacts) string { return fmt.Sprint(f.ImportMemory / mb) }},
		{"database, MB", func(f shelfFacts) string { return fmt.Sprintf("%.1f", float64(f.Database)/mb) }},
		{"first page list after a restart, ms", func(f shelfFacts) string { return fmt.Sprintf("%.1f", f.FirstList) }},
		{"the same again, ms", func(f shelfFacts) string { return fmt.Sprintf("%.1f", f.SecondList) }},
		{"size of that list, MB", func(f shelfFacts) string { return fmt.Sprintf("%.1f", float64(f.ListBytes)/mb) }},
		{"bytes of the edited page", func(f shelfFacts) string { return strconv.Itoa(f.PageBytes) }},
		{"bytes stored for one edit", func(f shelfFacts) string { return fmt.Sprintf("%.0f", f.EditBytes) }},
		{"of these, content", func(f shelfFacts) string { return fmt.Sprintf("%.0f", f.EditContent) }},
		{"objects for one edit", func(f shelfFacts) string { return fmt.Sprintf("%.1f", f.EditObjects) }},
		{"memory after the start, MB", func(f shelfFacts) string { return fmt.Sprint(f.MemoryStarted / mb) }},
		{"memory after the list, MB", func(f shelfFacts) string { return fmt.Sprint(f.MemoryListed / mb) }},
		{"memory at the end, MB", func(f shelfFacts) string { return fmt.Sprint(f.MemoryEnd / mb) }},
	}
	for _, row := range rows {
		fmt.Fprintf(t, "%s\t", row.name)
		for _, f := range r.Facts {
			fmt.Fprintf(t, "%s\t", row.show(f))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // as with Fprint: nobody is left to tell
	fmt.Fprintln(w)
	fmt.Fprintln(t, "\trequests/s\tp50 µs\tp99 µs\tCPU µs/request\tcore busy\terrors\t")
	for _, v := range r.Subjects {
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f %%\t%d\t\n",
			v.Name, median(v.Rates), median(v.P50), median(v.P99), median(v.CPU), 100*median(v.Busy), v.Errors)
	}
	_ = t.Flush()
	fmt.Fprintln(w)
	fmt.Fprintln(t, "ratio\tmedian\tlowest\thighest\tby CPU\ttarget\t\t")
	for _, v := range r.Bounds {
		target, mark := "", ""
		switch {
		case v.Target == 0:
		case v.Most:
			target, mark = fmt.Sprintf("at most %.2f", v.Target), "above target"
		default:
			target, mark = fmt.Sprintf("at least %.2f", v.Target), "below target"
		}
		if v.Met && v.Target > 0 {
			mark = "ok"
		}
		byCPU := ""
		if v.ByCPU > 0 {
			byCPU = fmt.Sprintf("%.3f", v.ByCPU)
		}
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\t%s\t%s\t%s\t\n", v.Name, v.Median, slices.Min(v.Values), slices.Max(v.Values), byCPU, target, mark)
	}
	_ = t.Flush()
	for _, n := range r.Notes {
		fmt.Fprintln(w, "\nNote:", n)
	}
}

// profileContent writes a CPU profile of the server under each kind of load.
func (m *measured) profileContent(ctx context.Context, o options) error {
	dir, err := filepath.Abs(o.profile)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if m.shelf.raw, err = m.role("http"); err != nil { // plan wants one; it is not asked
		return err
	}
	if err := json.NewEncoder(m.shelf.raw.in).Encode(map[string]answer{}); err != nil {
		return err
	}
	if err := m.plan(ctx, o); err != nil {
		return err
	}
	list := &subject{once: m.gets(m.addr, []string{m.path("content", "pages")}, 1).run}
	length := time.Duration(o.rounds) * o.length()
	for _, l := range []struct {
		name    string
		subject *subject
	}{{"edit", m.edit}, {"get-page", m.get}, {"changes", m.diff}, {"search", m.search}, {"list-pages", list}, {"duplicate", m.copy}} {
		if _, err := l.subject.once(ctx, warm); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		file := filepath.Join(dir, l.name+".pprof")
		if err := m.server.tell(file); err != nil {
			return err
		}
		got, err := l.subject.once(ctx, length)
		if err = errors.Join(err, m.server.tell("")); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Printf("%s: %.0f requests/s, %d errors\n", file, got.rate(), got.errors)
	}
	return nil
}
