package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// run does something for about the given duration and returns a sample of it.
type run func(context.Context, time.Duration) (sample, error)

// subject is something that is measured in every round.
type subject struct {
	Name    string `json:"name"`
	group   byte
	once    run
	process *process // the process whose processor time is measured

	Rates  []float64 `json:"rates"` // requests per second, one value for each round
	P50    []float64 `json:"p50_us"`
	P99    []float64 `json:"p99_us"`
	CPU    []float64 `json:"cpu_us"` // processor time of the server per request
	Busy   []float64 `json:"busy"`   // share of the time that the server's core was busy
	Others []float64 `json:"others"` // share of the machine's capacity that other programs used
	Errors int       `json:"errors"`
}

// metric is the measurement that a ratio compares.
type metric struct {
	of   func(*subject) []float64
	more bool // more is better
}

var (
	rates = metric{of: func(v *subject) []float64 { return v.Rates }, more: true}
	times = metric{of: func(v *subject) []float64 { // of one request, on average
		out := make([]float64, len(v.Rates))
		for i, r := range v.Rates {
			out[i] = 1 / r
		}
		return out
	}}
	cpu = metric{of: func(v *subject) []float64 { return v.CPU }}
	p50 = metric{of: func(v *subject) []float64 { return v.P50 }}
	p99 = metric{of: func(v *subject) []float64 { return v.P99 }}
)

// ratio compares two subjects round by round, so that a disturbance of the
// machine affects both sides.
type ratio struct {
	Name   string    `json:"name"`
	Of     string    `json:"of"`
	To     string    `json:"to"`
	Target float64   `json:"target,omitempty"` // 0 means no target
	Goal   float64   `json:"goal,omitempty"`   // better than the target
	Dream  float64   `json:"dream,omitempty"`  // better than the goal
	AtMost bool      `json:"at_most"`          // the target is an upper bound; else a lower one
	Values []float64 `json:"values"`
	Median float64   `json:"median"`
	// ByCPU is the ratio of processor time per request, or 0 if it was not
	// measured. It is stable even on a busy machine, but does not include
	// waiting.
	ByCPU  float64 `json:"by_cpu,omitempty"`
	Met    bool    `json:"met"`
	group  byte
	by     metric
	of, to *subject
}

// compute computes the ratio from the measurements of its subjects.
func (r *ratio) compute() {
	if r.of != nil {
		r.Of, r.To, r.AtMost = r.of.Name, r.to.Name, !r.by.more
		of, to := r.by.of(r.of), r.by.of(r.to)
		for i := range of {
			r.Values = append(r.Values, of[i]/to[i])
		}
		r.ByCPU = median(r.of.CPU) / median(r.to.CPU)
		if r.by.more { // less time is more work
			r.ByCPU = 1 / r.ByCPU
		}
	}
	r.Median = median(r.Values)
	r.Met = r.Target == 0 || r.meets(r.Target)
}

func (r *ratio) meets(limit float64) bool {
	if r.AtMost {
		return r.Median <= limit
	}
	return r.Median >= limit
}

// worseThanBefore is the ratio of the cost after to the cost before above which
// a line is marked as worse.
const worseThanBefore = 1.1

// afterBefore returns the ratios of subjects to those of -before, which have the
// same names with a suffix.
func afterBefore(subjects []*subject) (out []*ratio) {
	byName := map[string]*subject{}
	for _, v := range subjects {
		byName[v.Name] = v
	}
	for _, v := range subjects {
		if old := byName[v.Name+suffixBefore]; old != nil {
			out = append(out, &ratio{Name: v.Name + suffixAfter, group: v.group, of: v, to: old, by: times, Target: worseThanBefore})
		}
	}
	return out
}

// Suffixes of the names of subjects and ratios if -before is set.
const (
	suffixBefore = ", before"
	suffixAfter  = ", after / before"
)

// fact is a value that is measured once at every size.
type fact struct {
	Name   string    `json:"name"`
	Digits int       `json:"-"` // after the decimal point
	Values []float64 `json:"values"`
}

// results are the results that are printed, and written with -json.
type results struct {
	Title    string     `json:"title"`
	When     time.Time  `json:"when"`
	Rounds   int        `json:"rounds"`
	Seconds  float64    `json:"seconds"`
	Conns    int        `json:"conns"`
	Pinned   bool       `json:"pinned"`
	Notes    []string   `json:"notes"`
	Facts    []fact     `json:"facts,omitempty"`
	Subjects []*subject `json:"subjects"`
	Ratios   []*ratio   `json:"ratios"`
}

// warm is how long a subject runs before its first measurement, so that
// statements are prepared, and pools and the heap have reached their size.
const warm = 300 * time.Millisecond

// interleave measures every subject in every round. Every second round is in
// reverse order, so that no subject is always measured after the same one, or
// always earlier than the others.
func interleave(ctx context.Context, rounds int, length time.Duration, subjects []*subject) error {
	for _, v := range subjects {
		if _, err := v.once(ctx, warm); err != nil {
			return fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	order := slices.Clone(subjects)
	for range rounds {
		for _, v := range order {
			if err := v.measure(ctx, length); err != nil {
				return fmt.Errorf("%s: %w", v.Name, err)
			}
		}
		slices.Reverse(order)
	}
	return nil
}

func (v *subject) measure(ctx context.Context, length time.Duration) error {
	cpu, own, all, start := v.process.cpu(), cpuOf(os.Getpid()), cpuOfAll(), time.Now()
	got, err := v.once(ctx, length)
	if err != nil {
		return err
	}
	cpu, own, all = v.process.cpu()-cpu, cpuOf(os.Getpid())-own, cpuOfAll()-all
	others := all - cpu - own
	if got.cpu != nil {
		others, cpu = 0, *got.cpu // the process also did unrelated work
	}
	v.Others = append(v.Others, max(0, others.Seconds()/time.Since(start).Seconds()/float64(runtime.NumCPU())))
	v.Rates = append(v.Rates, got.rate())
	v.P50 = append(v.P50, micros(got.quantile(0.5)))
	v.P99 = append(v.P99, micros(got.quantile(0.99)))
	v.CPU = append(v.CPU, micros(cpu)/float64(got.count))
	v.Busy = append(v.Busy, cpu.Seconds()/got.took.Seconds())
	v.Errors += got.errors
	return nil
}

// newResults computes the ratios and returns the results.
func newResults(title string, o options, p pinning, rounds int, subjects []*subject, ratios []*ratio) *results {
	out := &results{
		Title: title, When: time.Now().UTC(), Rounds: rounds, Seconds: o.seconds, Conns: o.conns,
		Pinned: p.on, Notes: slices.Clone(p.notes), Subjects: subjects, Ratios: ratios,
	}
	var others []float64
	for _, v := range subjects {
		others = append(others, v.Others...)
	}
	if busy := median(others); busy > 0.05 {
		out.Notes = append(out.Notes, fmt.Sprintf("other programs took %.0f %% of the machine; repeat this when it is quiet", 100*busy))
	}
	for _, r := range ratios {
		r.compute()
	}
	return out
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// median returns the median of values, or 0 if there are none.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func writeResults(file string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}
