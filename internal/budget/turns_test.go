package budget

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// request simulates a request that takes some time, and returns how long it waited first.
func request(t *testing.T, turns *Turns, who string, takes time.Duration) time.Duration {
	t.Helper()
	b := turns.Budget(t.Context(), who)
	defer b.End()
	asked := time.Now()
	end, err := Begin(NewContext(t.Context(), b))
	if err != nil {
		t.Error(err)
		return 0
	}
	waited := time.Since(asked)
	time.Sleep(takes)
	end()
	return waited
}

// Callers with long requests wait for each other. Other callers do not wait for them.
func TestLongRequestsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1)
		for _, who := range []string{"a", "b"} {
			if waited := request(t, turns, who, 2*time.Second); waited != 0 {
				t.Errorf("the first request of %s waited %v", who, waited)
			}
		}
		go request(t, turns, "a", 2*time.Second)
		synctest.Wait()
		for range 10 {
			if waited := request(t, turns, "light", shortWork); waited != 0 {
				t.Errorf("a short request waited %v", waited)
			}
		}
		if waited := request(t, turns, "b", 0); waited == 0 {
			t.Error("two long requests at the same time")
		}
		time.Sleep(time.Minute) // their use has decayed
		go request(t, turns, "a", 2*time.Second)
		synctest.Wait()
		if waited := request(t, turns, "b", 0); waited != 0 {
			t.Errorf("a minute later a request waited %v", waited)
		}
		time.Sleep(time.Minute)
	})
}

// A caller who is the only one does not wait.
func TestWhoIsAloneTakesNoTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1)
		request(t, turns, "script", time.Minute)
		go request(t, turns, "script", time.Second)
		synctest.Wait()
		if waited := request(t, turns, "script", 0); waited != 0 {
			t.Errorf("waited %v", waited)
		}
		time.Sleep(time.Minute)
	})
}

// Time in a queue does not count as work.
func TestWaitingDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1)
		b := turns.Budget(t.Context(), "a")
		ctx := NewContext(t.Context(), b)
		end, err := Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		ExcludeWait(ctx, time.Minute)
		end()
		if long := turns.excessOf("a"); long != 0 {
			t.Errorf("%v were counted", long)
		}
		if Payer(ctx) != "a" || Payer(context.Background()) != "" {
			t.Error("the payer is somebody else")
		}
	})
}

// A slow reader of the response keeps a turn only briefly.
func TestSendingDoesNotKeepATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1)
		request(t, turns, "b", 2*time.Second)
		request(t, turns, "a", 2*time.Second)
		slow := turns.Budget(t.Context(), "a")
		defer slow.End()
		end, err := Begin(NewContext(t.Context(), slow))
		if err != nil {
			t.Fatal(err)
		}
		end() // the response is sent without end
		if waited := request(t, turns, "b", 0); waited > sendTime {
			t.Errorf("others waited %v", waited)
		}
		time.Sleep(time.Minute)
	})
}

// A request has no turn while it waits for another server, and takes one again afterwards.
func TestPausing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1)
		b := turns.Budget(t.Context(), "a")
		ctx := NewContext(t.Context(), b)
		if err := Turn(ctx); err != nil {
			t.Fatal(err)
		}
		resume := Pause(ctx)
		other := turns.Budget(t.Context(), "b")
		if err := Turn(NewContext(t.Context(), other)); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, other.End)
		began := time.Now()
		if err := resume(); err != nil || time.Since(began) != time.Second || !b.hasTurn() {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		b.End()
		if err := Pause(ctx)(); err != nil || b.hasTurn() { // there was no turn before
			t.Error(err)
		}
		if err := Pause(context.Background())(); err != nil {
			t.Error(err)
		}
	})
}

// Among waiting requests, the caller who used least goes next.
func TestWhoUsedLeastIsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1)
		request(t, turns, "greedy", 10*time.Second)
		holder := turns.Budget(t.Context(), "holder")
		if err := Turn(NewContext(t.Context(), holder)); err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, who := range []string{"greedy", "modest"} {
			go func() {
				b := turns.Budget(t.Context(), who)
				if err := Turn(NewContext(t.Context(), b)); err != nil {
					t.Error(err)
				}
				order = append(order, who)
				b.End()
			}()
			synctest.Wait()
		}
		holder.End()
		synctest.Wait()
		if len(order) != 2 || order[0] != "modest" {
			t.Errorf("served: %v", order)
		}
	})
}

func TestCallersAreForgotten(t *testing.T) {
	l := NewRecentUse(time.Second)
	now := time.Now()
	for i := range 3 * maxCallers {
		l.Add(string(rune(i+1000)), time.Millisecond, now)
	}
	if len(l.by) > maxCallers {
		t.Errorf("%d callers are remembered", len(l.by))
	}
}

// Work in parts gives its turn to whoever waits, and gets it back. Nobody waits for the end of the
// whole work.
func TestWorkInPartsYields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1)
		long := func(who string) {
			b := turns.Budget(t.Context(), who)
			defer b.End()
			ctx := NewContext(t.Context(), b)
			if err := Turn(ctx); err != nil {
				t.Error(err)
			}
			for range 60 {
				time.Sleep(time.Second)
				if err := Yield(ctx); err != nil {
					t.Error(err)
				}
			}
		}
		began := time.Now()
		go long("a")
		synctest.Wait()
		b := turns.Budget(t.Context(), "b")
		if err := Turn(NewContext(t.Context(), b)); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("a turn came after %v", waited)
		}
		time.Sleep(time.Second)
		b.End()
		long("b") // both go on in turns, although each waits longer than a request may
		if took := time.Since(began); took > 122*time.Second || took < 119*time.Second {
			t.Errorf("two minutes of work took %v", took)
		}
		time.Sleep(time.Minute)
	})
}

// Who left does not go on.
func TestYieldEndsWithTheContext(t *testing.T) {
	ctx, leave := context.WithCancel(NewContext(t.Context(), NewTurns(1).Budget(t.Context(), "a")))
	if err := Yield(ctx); err != nil {
		t.Error(err)
	}
	leave()
	if err := Yield(ctx); err == nil {
		t.Error("the work goes on for nobody")
	}
}

// A request that waits for a part of a pool has no turn meanwhile: the one that holds the part may
// wait for it.
func TestEntering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, pool := NewTurns(1), NewPool("books", 1)
		first, second := turns.Budget(t.Context(), "a"), turns.Budget(t.Context(), "b")
		release, err := pool.Enter(NewContext(t.Context(), first), "a", 1)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(time.Second)
			if err := Turn(NewContext(t.Context(), first)); err != nil {
				t.Error(err)
			}
			release()
			first.End()
		}()
		began, ctx := time.Now(), NewContext(t.Context(), second)
		if err := Turn(ctx); err != nil {
			t.Fatal(err)
		}
		release, err = pool.Enter(ctx, "b", 1)
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited != time.Second || !second.hasTurn() {
			t.Errorf("waited %v, has a turn: %t", waited, second.hasTurn())
		}
		release()
		second.End()
	})
}

// A caller with many requests in parts does not make another one wait for each of them.
func TestPartsAreFairAmongCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1)
		const part = 250 * time.Millisecond
		stop := make(chan struct{})
		parts := func(who string, n int) (waited time.Duration) {
			b := turns.Budget(t.Context(), who)
			defer b.End()
			ctx := NewContext(t.Context(), b)
			began := time.Now()
			if err := Turn(ctx); err != nil {
				t.Error(err)
			}
			for range n {
				select {
				case <-stop:
					return 0
				case <-time.After(part):
				}
				if err := Yield(ctx); err != nil {
					t.Error(err)
				}
			}
			return time.Since(began) - time.Duration(n)*part
		}
		for range 8 {
			go parts("attacker", 1000)
		}
		synctest.Wait()
		time.Sleep(3 * time.Second)
		if waited := parts("other", 3); waited > 6*part {
			t.Errorf("three parts of another caller waited %v", waited)
		}
		close(stop)
		time.Sleep(time.Minute)
	})
}
