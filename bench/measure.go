package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// subject is something that is measured in every round.
type subject struct {
	Name  string `json:"name"`
	group byte
	// once runs it for a while and gives what it did.
	once func(context.Context, time.Duration) (sample, error)
	// process is whose processor time counts.
	process *process

	Rates  []float64 `json:"rates"` // requests a second, one for each round
	P50    []float64 `json:"p50_us"`
	P99    []float64 `json:"p99_us"`
	CPU    []float64 `json:"cpu_us"` // of the server, for each request
	Busy   []float64 `json:"busy"`   // share of the time that the server's core worked
	Others []float64 `json:"others"` // share of the whole machine that other programs took
	Errors int       `json:"errors"`
}

// ratio compares two subjects, round by round: what disturbs the machine for
// a while then disturbs both sides.
type ratio struct {
	Name   string    `json:"name"`
	Of     string    `json:"of"`
	To     string    `json:"to"`
	Target float64   `json:"target,omitempty"` // 0: only to know
	Values []float64 `json:"values"`
	Median float64   `json:"median"`
	// ByCPU is the same ratio of processor time for each request. It is
	// steady even on a busy machine, but does not know of waiting.
	ByCPU  float64 `json:"by_cpu"`
	Met    bool    `json:"met"`
	group  byte
	of, to *subject
}

// results is what is printed, and written with -json.
type results struct {
	When     time.Time  `json:"when"`
	Rounds   int        `json:"rounds"`
	Seconds  float64    `json:"seconds"`
	Conns    int        `json:"conns"`
	Items    int        `json:"collections"`
	Pinned   bool       `json:"pinned"`
	Notes    []string   `json:"notes"`
	Subjects []*subject `json:"subjects"`
	Ratios   []*ratio   `json:"ratios"`
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
		r.group, r.Of, r.To = r.of.group, r.of.Name, r.to.Name
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

// warm is how long a subject runs before it is measured for the first time:
// statements are prepared, pools and the heap get their size.
const warm = 300 * time.Millisecond

// measure runs all subjects in every round, each second round backward, so
// that none always has the same neighbour or the fresher machine.
func (s *site) measure(ctx context.Context, o options) (*results, error) {
	subjects, ratios, err := s.plan(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, v := range subjects {
		if _, err := v.once(ctx, warm); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	order := slices.Clone(subjects)
	for range o.rounds {
		for _, v := range order {
			if err := v.measure(ctx, o.length()); err != nil {
				return nil, fmt.Errorf("%s: %w", v.Name, err)
			}
		}
		slices.Reverse(order)
	}
	for _, r := range ratios {
		for i := range r.of.Rates {
			r.Values = append(r.Values, r.of.Rates[i]/r.to.Rates[i])
		}
		r.Median = median(r.Values)
		r.Met = r.Median >= r.Target
		r.ByCPU = median(r.to.CPU) / median(r.of.CPU)
	}
	out := &results{
		When: time.Now().UTC(), Rounds: o.rounds, Seconds: o.seconds, Conns: o.conns, Items: o.collections,
		Pinned: s.pin.on, Notes: []string{}, Subjects: subjects, Ratios: ratios,
	}
	if busy := out.others(); busy > 0.05 {
		out.Notes = append(out.Notes, fmt.Sprintf("other programs took %.0f %% of the machine; repeat this when it is quiet", 100*busy))
	}
	return out, nil
}

// others gives the share of the machine that other programs took.
func (r *results) others() float64 {
	var all []float64
	for _, v := range r.Subjects {
		all = append(all, v.Others...)
	}
	return median(all)
}

func (v *subject) measure(ctx context.Context, length time.Duration) error {
	cpu, own, all, start := v.process.cpu(), cpuOf(os.Getpid()), cpuOfAll(), time.Now()
	got, err := v.once(ctx, length)
	if err != nil {
		return err
	}
	cpu, own, all = v.process.cpu()-cpu, cpuOf(os.Getpid())-own, cpuOfAll()-all
	v.Others = append(v.Others, max(0, (all-cpu-own).Seconds()/time.Since(start).Seconds()/float64(runtime.NumCPU())))
	v.Rates = append(v.Rates, got.rate())
	v.P50 = append(v.P50, micros(got.quantile(0.5)))
	v.P99 = append(v.P99, micros(got.quantile(0.99)))
	v.CPU = append(v.CPU, micros(cpu)/float64(got.count))
	v.Busy = append(v.Busy, cpu.Seconds()/got.took.Seconds())
	v.Errors += got.errors
	return nil
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// print gives the tables.
func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "Medians of %d rounds of %g s; %d connections where not said otherwise; server on one core.\n\n", r.Rounds, r.Seconds, r.Conns)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\trequests/s\tp50 µs\tp99 µs\tCPU µs/request\tcore busy\terrors\t")
	for _, v := range r.Subjects {
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f %%\t%d\t\n",
			v.Name, median(v.Rates), median(v.P50), median(v.P99), median(v.CPU), 100*median(v.Busy), v.Errors)
	}
	_ = t.Flush() // as with Fprint: nobody is left to tell
	fmt.Fprintln(w)
	fmt.Fprintln(t, "ratio\tmedian\tlowest\thighest\tby CPU\ttarget\t\t")
	for _, v := range r.Ratios {
		target, mark := "", ""
		if v.Target > 0 {
			target = fmt.Sprintf("%.2f", v.Target)
		}
		if !v.Met {
			mark = "below target"
		}
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\t%.3f\t%s\t%s\t\n",
			v.Name, v.Median, slices.Min(v.Values), slices.Max(v.Values), v.ByCPU, target, mark)
	}
	_ = t.Flush()
	for _, n := range r.Notes {
		fmt.Fprintln(w, "\nNote:", n)
	}
}

func writeResults(file string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}
