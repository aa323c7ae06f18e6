package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// print prints the tables: the facts, the measurements and the ratios.
func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\nMedians of %d rounds of %g s; %d connections unless stated otherwise; server on one core.\n\n", r.Title, r.Rounds, r.Seconds, r.Conns)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	flush := func() {
		_ = t.Flush() // errors are ignored, as those of Fprint below
		fmt.Fprintln(w)
	}
	for _, f := range r.Facts {
		fmt.Fprintf(t, "%s\t", f.Name)
		for _, v := range f.Values {
			fmt.Fprintf(t, "%.*f\t", f.Digits, v)
		}
		fmt.Fprintln(t)
	}
	if len(r.Facts) > 0 {
		flush()
	}
	fmt.Fprintln(t, "\trequests/s\tp50 µs\tp99 µs\tCPU µs/request\tcore busy\terrors\t")
	for _, v := range r.Subjects {
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f %%\t%d\t\n",
			v.Name, median(v.Rates), median(v.P50), median(v.P99), median(v.CPU), 100*median(v.Busy), v.Errors)
	}
	flush()
	fmt.Fprintln(t, "ratio\tmedian\tlowest\thighest\tby CPU\ttarget\t\t")
	for _, v := range r.Ratios {
		byCPU := ""
		if v.ByCPU > 0 {
			byCPU = fmt.Sprintf("%.3f", v.ByCPU)
		}
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\t%s\t%s\t%s\t\n",
			v.Name, v.Median, slices.Min(v.Values), slices.Max(v.Values), byCPU, v.target(), v.mark())
	}
	flush()
	for _, n := range r.Notes {
		fmt.Fprintf(w, "Note: %s\n\n", n)
	}
}

func (r *ratio) target() string {
	if r.Target == 0 {
		return ""
	}
	out := "at least"
	if r.AtMost {
		out = "at most"
	}
	out += fmt.Sprintf(" %.2f", r.Target)
	if r.Goal > 0 {
		out += fmt.Sprintf(", goal %.2f", r.Goal)
	}
	if r.Dream > 0 {
		out += fmt.Sprintf(", dream %.2f", r.Dream)
	}
	return out
}

// mark returns a text about whether the target was met. "Below" always means
// worse, even if the target is an upper bound.
func (r *ratio) mark() string {
	switch {
	case r.Target == 0:
		return ""
	case !r.Met && strings.HasSuffix(r.Name, suffixAfter):
		return "worse"
	case !r.Met:
		return "below target"
	case r.Goal > 0 && !r.meets(r.Goal):
		return "ok, below goal"
	case r.Dream > 0 && !r.meets(r.Dream):
		return "ok, below dream"
	}
	return "ok"
}
