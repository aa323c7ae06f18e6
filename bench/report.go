package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// print gives the tables: what was found out once, what was measured, and
// the ratios.
func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\nMedians of %d rounds of %g s; %d connections where not said otherwise; server on one core.\n\n", r.Title, r.Rounds, r.Seconds, r.Conns)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	flush := func() {
		_ = t.Flush() // as with Fprint: nobody is left to tell
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
	side := "at least"
	if r.AtMost {
		side = "at most"
	}
	switch {
	case r.Target == 0:
		return ""
	case r.Goal == 0:
		return fmt.Sprintf("%s %.2f", side, r.Target)
	}
	return fmt.Sprintf("%s %.2f, goal %.2f", side, r.Target, r.Goal)
}

// mark tells whether the target was met. "Below" is worse, on whichever side
// of the number that is.
func (r *ratio) mark() string {
	switch {
	case r.Target == 0:
		return ""
	case !r.Met:
		return "below target"
	case r.Goal > 0 && !r.meets(r.Goal):
		return "ok, below goal"
	}
	return "ok"
}
