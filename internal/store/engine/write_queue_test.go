package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/budget"
)

// Transactions of those who used less of the writer come first; those of a space keep their order.
func TestTheWriterIsShared(t *testing.T) {
	arriving := make(chan *job, 10)
	q := newWriteQueue(arriving)
	q.used.Add("greedy", time.Minute, time.Now())
	q.used.Add("busy", time.Second, time.Now())
	for _, of := range []string{"s1 greedy", "s1 modest", "s2 busy", "s3 modest", " busy", "s3 greedy"} {
		space, payer, _ := strings.Cut(of, " ")
		arriving <- &job{space: space, payer: payer}
	}
	close(arriving)
	var order []string
	for j := q.wait(); j != nil; j = q.wait() {
		order = append(order, j.space+" "+j.payer)
	}
	got, want := strings.Join(order, ", "), "s3 modest, s2 busy,  busy, s1 greedy, s1 modest, s3 greedy"
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// A group goes on for as long as one payer has the writer alone.
func TestAGroupOfOnePayer(t *testing.T) {
	arriving := make(chan *job, 10)
	q := newWriteQueue(arriving)
	group := []*job{{payer: "one"}, {payer: "one"}}
	arriving <- &job{payer: "one"}
	if !q.onlyOf(group) {
		t.Error("all have one payer")
	}
	arriving <- &job{payer: "two"}
	if q.onlyOf(group) {
		t.Error("another payer waits")
	}
	if newWriteQueue(arriving).onlyOf(append(group, &job{payer: "two"})) {
		t.Error("another payer is in the group")
	}
}

// A transaction that waits behind many long ones of somebody else waits for one of them.
func TestASmallWriteAmongLongOnes(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: t.TempDir() + "/octavo.db"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	turns := budget.NewTurns(1)
	started, done := make(chan struct{}, 100), make(chan struct{})
	long := func(*Tx) error { started <- struct{}{}; time.Sleep(30 * time.Millisecond); return nil }
	const many = 12
	for range many {
		go func() {
			if err := do(budget.NewContext(t.Context(), turns.Budget(t.Context(), "greedy")), s, long); err != nil {
				t.Error(err)
			}
			done <- struct{}{}
		}()
	}
	for range 6 { // now it is known who writes much
		<-started
	}
	if err := do(budget.NewContext(t.Context(), turns.Budget(t.Context(), "modest")), s, func(*Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if n := len(started); n > 1 { // one that was in the group before
		t.Errorf("%d more long ones were first", n)
	}
	for range many {
		<-done
	}
}
