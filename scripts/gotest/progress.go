package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// An event is a line of go test -json: see go doc test2json, and go help buildjson for those
// of the compiler.
type event struct {
	Action     string
	Package    string
	ImportPath string // of what does not compile
	Test       string
	Elapsed    float64
	Output     string
}

// running is a package whose tests run.
type running struct {
	began  time.Time
	tests  map[string][]string // the output of tests that have not ended, "" for the package's
	order  []string            // the tests, as they began
	ended  int
	cached bool
}

// progress prints what happens, and counts.
type progress struct {
	out                     io.Writer
	began, printed          time.Time
	packages                map[string]*running
	ended                   int
	passed, failed, skipped int
	failures                []string // packages
}

func newProgress(out io.Writer, now time.Time) *progress {
	return &progress{out: out, began: now, printed: now, packages: map[string]*running{}}
}

func (p *progress) print(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

// see takes the next event.
func (p *progress) see(e event, now time.Time) {
	switch {
	case e.Action == "build-output":
		p.print("%s", e.Output)
		p.printed = now
	case e.Package == "":
	case e.Test == "":
		p.seePackage(e, now)
	default:
		p.seeTest(e, now)
	}
}

func (p *progress) seePackage(e event, now time.Time) {
	r := p.of(e.Package, now)
	switch e.Action {
	case "output":
		if strings.HasPrefix(e.Output, "ok ") {
			r.cached = strings.Contains(e.Output, "(cached)")
		}
		r.tests[""] = append(r.tests[""], e.Output)
	case "pass":
		p.endPackage(e, "ok", now)
	case "skip":
		delete(p.packages, e.Package) // it has no tests
	case "fail":
		// What its tests printed before it ended at once, as at a panic.
		for _, name := range r.order {
			p.print("%s", strings.Join(r.tests[name], ""))
			if name != "" {
				p.failed++
			}
		}
		p.print("%s", strings.Join(r.tests[""], ""))
		p.failures = append(p.failures, short(e.Package))
		p.endPackage(e, "FAIL", now)
	}
}

func (p *progress) endPackage(e event, result string, now time.Time) {
	r := p.packages[e.Package]
	took := fmt.Sprintf("%.1fs", e.Elapsed)
	if r.cached {
		took = "cached"
	}
	p.print("%-4s  %-32s %8s  %d tests\n", result, short(e.Package), took, r.ended)
	p.printed = now
	p.ended++
	delete(p.packages, e.Package)
}

func (p *progress) seeTest(e event, now time.Time) {
	r := p.of(e.Package, now)
	switch e.Action {
	case "run":
		r.order = append(r.order, e.Test)
		r.tests[e.Test] = nil
		return
	case "output":
		if !strings.HasPrefix(e.Output, "=== ") { // the moments at which it ran
			r.tests[e.Test] = append(r.tests[e.Test], e.Output)
		}
		return
	case "pass":
		p.passed++
	case "skip":
		p.skipped++
	case "fail":
		p.failed++
		p.print("%s", strings.Join(r.tests[e.Test], ""))
		p.printed = now
	default: // pause, cont
		return
	}
	r.ended++
	delete(r.tests, e.Test)
	r.order = slices.DeleteFunc(r.order, func(name string) bool { return name == e.Test })
}

// of returns the package, which runs from now on if it did not.
func (p *progress) of(name string, now time.Time) *running {
	r := p.packages[name]
	if r == nil {
		r = &running{began: now, tests: map[string][]string{}}
		p.packages[name] = r
	}
	return r
}

// remind prints what is running if nothing was printed for a while.
func (p *progress) remind(now time.Time) {
	if now.Sub(p.printed) < quiet {
		return
	}
	p.printed = now
	var what []string
	for name, r := range p.packages {
		s := fmt.Sprintf("%s %s, %d tests ended", short(name), now.Sub(r.began).Round(time.Second), r.ended)
		if n := len(r.order); n > 0 {
			s += ", in " + r.order[n-1]
		}
		what = append(what, s)
	}
	slices.Sort(what)
	if len(what) == 0 {
		what = []string{"compiling"}
	}
	p.print("...   after %s, %d packages ended; running: %s\n", now.Sub(p.began).Round(time.Second), p.ended, strings.Join(what, "; "))
}

// end prints the numbers and returns whether all tests passed.
func (p *progress) end() bool {
	if len(p.failures) > 0 {
		slices.Sort(p.failures)
		p.print("failed packages: %s\n", strings.Join(p.failures, ", "))
	}
	p.print("%d packages\n%d passed, %d failed, %d skipped\n", p.ended, p.passed, p.failed, p.skipped)
	return len(p.failures) == 0
}

// short returns the path of a package within its module: without a host, its owner and a name.
func short(path string) string {
	parts := strings.SplitN(path, "/", 4)
	if len(parts) < 3 || !strings.Contains(parts[0], ".") {
		return path
	}
	if len(parts) == 3 {
		return "."
	}
	return parts[3]
}
