// Hostile measures how much one ordinary account can slow down others: it sends the most
// expensive known requests to a running Octavo, one kind after another, while a second
// organization reads and writes a page.
//
//	go run ./bench/hostile -bin bin/octavo
//
// All requests go to this machine, with a limited count and time.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("hostile: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	work := run
	if len(os.Args) == 2 && os.Args[1] == tenantRole {
		work = tenantProcess
	}
	if err := work(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	var o options
	var only string
	var together time.Duration
	flag.StringVar(&o.bin, "bin", "bin/octavo", "octavo `binary`")
	flag.StringVar(&o.database, "database", "", "`address` of an empty PostgreSQL database; SQLite without it")
	flag.IntVar(&o.nodes, "nodes", 1, "servers over one database")
	flag.StringVar(&o.memory, "memory", "", "memory limit of each server, such as 512MiB")
	flag.StringVar(&only, "only", "", "rows, such as 2,7; all without it")
	flag.DurationVar(&together, "together", 0, "send all rows at once, for this long, instead of one after another")
	flag.Parse()
	s, err := start(ctx, o)
	if err != nil {
		return err
	}
	defer s.close()
	t, err := newTenant(ctx, s)
	if err != nil {
		return err
	}
	var chosen []row
	for _, r := range rows {
		if only == "" || contains(only, r.number) {
			chosen = append(chosen, r)
		}
	}
	if together > 0 {
		return allAtOnce(ctx, s, t, chosen, together)
	}
	return oneByOne(ctx, s, t, chosen)
}

func contains(list string, n int) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one == strconv.Itoa(n) {
			return true
		}
	}
	return false
}

// oneByOne runs the rows one after another and prints the effect of each.
func oneByOne(ctx context.Context, s *servers, t *tenant, chosen []row) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "row\twhat\tanswer\ttime\tCPU\tmemory\tothers read p99\twrite p99\tslowest")
	for _, r := range chosen {
		a := &attacker{s: s}
		if err := a.sign(ctx, "Row "+strconv.Itoa(r.number)); err != nil {
			return err
		}
		if err := r.prepare(ctx, a); err != nil {
			return fmt.Errorf("row %d, %s: %w", r.number, r.name, err)
		}
		if err := s.restart(ctx); err != nil {
			return err
		}
		t.begin(ctx)
		cpu, began := s.cpu(), time.Now()
		got := r.attack(ctx, a)
		took, spent := time.Since(began), s.cpu()-cpu
		if rest := time.Second - took; rest > 0 {
			time.Sleep(rest) // collect enough measurements of the tenant
		}
		seen := t.end()
		fmt.Fprintf(w, "%d\t%s\t%s\t%.1f s\t%.1f s\t%d MB\t%.0f ms\t%.0f ms\t%.0f ms\n", r.number, r.name, got,
			took.Seconds(), spent.Seconds(), s.peak()>>20, ms(seen.Reads), ms(seen.Writes), ms(seen.Slowest))
		if err := w.Flush(); err != nil {
			return err
		}
		if seen.Failed > 0 {
			log.Printf("row %d: %d requests of the others failed, such as %s", r.number, seen.Failed, seen.Failure)
		}
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
