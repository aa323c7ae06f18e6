package budget

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

func TestBudgetEnds(t *testing.T) {
	ctx := NewContext(context.Background(), New(context.Background()))
	most := byKind[Words].most
	if err := FromContext(ctx).Spend(Words, most); err != nil {
		t.Fatal(err)
	}
	if err := FromContext(ctx).Spend(Words, 1); !errs.Is(err, errs.Invalid) {
		t.Errorf("one word too many: %v", err)
	}
	if n := FromContext(ctx).Left(Words); n != 0 {
		t.Errorf("%d words are left", n)
	}
}

// A caller who holds nothing is served before one who holds much, regardless of the order of arrival.
func TestPoolIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool("tests", 4)
		ctx := t.Context()
		take := func(who string, n int64) func() {
			t.Helper()
			release, err := p.Take(ctx, who, n)
			if err != nil {
				t.Fatal(err)
			}
			return release
		}
		first := take("greedy", 2)
		other := take("other", 2)
		var mu sync.Mutex
		var order []string
		wait := func(who string, n int64) {
			go func() {
				release := take(who, n)
				mu.Lock()
				order = append(order, who)
				mu.Unlock()
				time.Sleep(time.Second)
				release()
			}()
			synctest.Wait()
		}
		wait("greedy", 2)
		wait("modest", 2)
		other() // greedy still holds its half, so modest is next although it came later
		synctest.Wait()
		mu.Lock()
		if len(order) != 1 || order[0] != "modest" {
			t.Errorf("served: %v", order)
		}
		mu.Unlock()
		first()
		time.Sleep(5 * time.Second)
		synctest.Wait() // the race detector does not know that after a sleep all others rest
		if len(order) != 2 || p.used != 0 || len(p.held) != 0 || len(p.queued) != 0 {
			t.Errorf("served: %v, used %d, held %v, queued %v", order, p.used, p.held, p.queued)
		}
	})
}

// Requests do not wait forever, and the queue does not grow without limit.
func TestPoolRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool("tests", 2)
		release, err := p.Take(t.Context(), "a", 5) // more than the pool: the whole pool is taken
		if err != nil {
			t.Fatal(err)
		}
		gone, leave := context.WithCancel(t.Context())
		results := make(chan error, maxQueued+2)
		for i := range maxQueued + 1 {
			ctx := t.Context()
			if i == 0 {
				ctx = gone
			}
			go func() {
				_, err := p.Take(ctx, "b", 1)
				results <- err
			}()
			synctest.Wait()
		}
		if err := <-results; !errs.Is(err, errs.Busy) {
			t.Errorf("one more than the queue has places for: %v", err)
		}
		leave()
		if err := <-results; err != context.Canceled { //nolint:errorlint // as it is
			t.Errorf("a caller who went away: %v", err)
		}
		time.Sleep(maxWait + time.Second)
		for range maxQueued - 1 {
			if err := <-results; !errs.Is(err, errs.Busy) {
				t.Errorf("after waiting: %v", err)
			}
		}
		release()
		release() // a second call has no effect
		if p.used != 0 || len(p.waiting) != 0 || len(p.queued) != 0 {
			t.Errorf("used %d, %d wait, queued %v", p.used, len(p.waiting), p.queued)
		}
	})
}

// Two callers with many long requests do not make a third one wait for those that came before: work that
// yields gives its part up, and who held parts for long recently comes after who did not.
func TestPartsAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, turns := NewPool("tests", 2), NewTurns(1)
		work := func(who string, parts int) (waited time.Duration, err error) {
			b := turns.Budget(t.Context(), who)
			defer b.End()
			ctx, asked := NewContext(t.Context(), b), time.Now()
			release, err := p.Enter(ctx, who, 1)
			if err != nil {
				return 0, err
			}
			defer release()
			waited = time.Since(asked)
			if err := Turn(ctx); err != nil {
				return waited, err
			}
			for range parts {
				time.Sleep(10 * time.Millisecond)
				if err := Yield(ctx); err != nil {
					return waited, err
				}
			}
			return waited, nil
		}
		const long = 500
		var all sync.WaitGroup
		began := time.Now()
		for _, who := range []string{"a", "b", "a", "b", "a", "b"} {
			all.Go(func() { _, _ = work(who, long) })
		}
		time.Sleep(time.Second)
		for range 20 {
			if waited, err := work("c", 1); err != nil || waited > 50*time.Millisecond {
				t.Errorf("a third caller waited %v: %v", waited, err)
			}
			time.Sleep(50 * time.Millisecond)
		}
		all.Wait()
		if took := time.Since(began); took < 2*long*10*time.Millisecond || took > 60*time.Second {
			t.Errorf("the long requests ended after %v", took)
		}
		if p.used != 0 || p.away != 0 || len(p.held) != 0 || len(p.waiting) != 0 {
			t.Errorf("used %d, %d given up, held %v, %d wait", p.used, p.away, p.held, len(p.waiting))
		}
	})
}

// Work that has given its part up and whose client leaves meanwhile releases nothing twice.
func TestLeavingWithoutThePart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool("tests", 1)
		gone, leave := context.WithCancel(t.Context())
		ctx := NewContext(gone, New(gone))
		release, err := p.Enter(ctx, "a", 1)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		took := make(chan func())
		go func() {
			release, _ := p.Take(t.Context(), "b", 1)
			took <- release
		}()
		synctest.Wait()
		ended := make(chan error)
		go func() { ended <- Yield(ctx) }()
		other := <-took
		leave()
		if err := <-ended; err != context.Canceled { //nolint:errorlint // as it is
			t.Errorf("the work ends with %v", err)
		}
		release()
		if p.used != 1 || p.away != 0 {
			t.Errorf("used %d, %d given up", p.used, p.away)
		}
		other()
		if p.used != 0 || len(p.held) != 0 {
			t.Errorf("used %d, held %v", p.used, p.held)
		}
	})
}

// Await waits without a time limit, and Try does not wait.
func TestAwaitAndTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool("imports", 4)
		release, err := p.Try("a", 4)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Try("b", 1); !errs.Is(err, errs.Busy) {
			t.Errorf("a part of a pool that is in use: %v", err)
		}
		ended := make(chan error)
		go func() {
			release, err := p.Await(t.Context(), "b", 9)
			if err == nil {
				release()
			}
			ended <- err
		}()
		time.Sleep(time.Hour)
		release()
		if err := <-ended; err != nil || p.used != 0 {
			t.Errorf("%v, %d in use", err, p.used)
		}
	})
}

func BenchmarkSpend(b *testing.B) {
	ctx := NewContext(context.Background(), New(context.Background()))
	for b.Loop() {
		_ = FromContext(ctx).Spend(Words, 0)
	}
}

// Operators set limits by name.
func TestParseLimits(t *testing.T) {
	for _, wrong := range []map[string]int64{{"steps": 0}, {"values": -1}, {"unknown": 1}} {
		if _, err := ParseLimits(wrong); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
	l, err := ParseLimits(map[string]int64{"steps": 7})
	if err != nil {
		t.Fatal(err)
	}
	b := New(ForRequests(t.Context(), l))
	if err := b.Spend(Steps, 7); err != nil {
		t.Error(err)
	}
	if err := b.Spend(Steps, 1); err == nil || !strings.Contains(err.Error(), "more than 7 steps") {
		t.Errorf("beyond the limit: %v", err)
	}
	b.Renew(Steps)
	if left := b.Left(Steps); left != 7 {
		t.Errorf("%d are left of a new part", left)
	}
	if got := New(t.Context()).Left(Steps); got != byKind[Steps].most {
		t.Errorf("another server has %d steps", got)
	}
}

// A request without a budget fails, other work gets one.
func TestRequestsNeedABudget(t *testing.T) {
	ctx := ForRequests(t.Context(), Limits{})
	if err := FromContext(ctx).Spend(Words, 1); !errs.Is(err, errs.Internal) {
		t.Errorf("a request without a budget: %v", err)
	}
	released := false
	FromContext(ctx).Hold(func() { released = true })
	if !released {
		t.Error("a part of a pool is lost")
	}
	if err := FromContext(NewContext(ctx, New(ctx))).Spend(Words, 1); err != nil {
		t.Error(err)
	}
	l, err := ParseLimits(map[string]int64{"words": 3})
	if err != nil {
		t.Fatal(err)
	}
	if got := FromContext(ForJobs(t.Context(), l)).Left(Words); got != 3 {
		t.Errorf("a job has %d words", got)
	}
}
