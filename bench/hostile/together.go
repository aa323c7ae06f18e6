package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// allAtOnce runs all rows concurrently, each repeatedly, and prints the latencies of the
// tenant.
func allAtOnce(ctx context.Context, s *servers, t *tenant, chosen []row, long time.Duration) error {
	attackers := make([]*attacker, len(chosen))
	for i, r := range chosen {
		attackers[i] = &attacker{s: s}
		if err := attackers[i].sign(ctx, fmt.Sprintf("Row %d %d", r.number, i)); err != nil {
			return err
		}
		if err := r.prepare(ctx, attackers[i]); err != nil {
			return fmt.Errorf("row %d, %s: %w", r.number, r.name, err)
		}
	}
	s.resetPeaks()
	disk, cpu := s.diskUsed(), s.cpu()
	ctx, stop := context.WithTimeout(ctx, long)
	defer stop()
	seen, err := t.apart(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	if err := yieldToOthers(); err != nil {
		return err
	}
	var wg sync.WaitGroup
	counts := make([]int, len(chosen))
	for i, r := range chosen {
		wg.Go(func() {
			for ctx.Err() == nil {
				_ = r.attack(ctx, attackers[i]) // the last attack is canceled
				counts[i]++
			}
		})
	}
	wg.Wait()
	o, err := seen()
	if err != nil {
		return err
	}
	if !s.alive() {
		return errors.New("a server ended")
	}
	for i, r := range chosen {
		fmt.Printf("row %d: %d times, %s\n", r.number, counts[i], r.name)
	}
	fmt.Printf("memory at most %d MB; disk %+d MB; processor %.0f s\n", s.peak()>>20, (s.diskUsed()-disk)>>20, (s.cpu() - cpu).Seconds())
	fmt.Printf("others: %d reads, p99 %.0f ms; %d writes, p99 %.0f ms; slowest %.0f ms; %d failed %s\n",
		o.Readings, ms(o.Reads), o.Edits, ms(o.Writes), ms(o.Slowest), o.Failed, o.Failure)
	return nil
}
