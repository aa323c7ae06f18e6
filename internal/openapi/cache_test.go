package openapi

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestCacheReadsOnce(t *testing.T) {
	c := NewCache()
	var reads atomic.Int32
	read := func() (Bundle, error) {
		reads.Add(1)
		return bundle(samples(t)["petstore"]), nil
	}
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			if d, err := c.Get(t.Context(), "a", read); err != nil || d.Title != "Pet Store" {
				t.Errorf("got %v, %v", d, err)
			}
		})
	}
	wait.Wait()
	if n := reads.Load(); n != 1 {
		t.Errorf("it was read %d times", n)
	}
}

func TestCacheKeepsWhatIsWrong(t *testing.T) {
	c := NewCache()
	reads := 0
	for range 2 {
		_, err := c.Get(t.Context(), "a", func() (Bundle, error) { reads++; return Bundle{Root: "a"}, nil })
		var bad *Invalid
		if !errors.As(err, &bad) || reads != 1 {
			t.Errorf("got %v after %d reads", err, reads)
		}
	}
	broken := errors.New("the disk is gone")
	for range 2 {
		if _, err := c.Get(t.Context(), "b", func() (Bundle, error) { reads++; return Bundle{}, broken }); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	}
	if reads != 3 {
		t.Errorf("%d reads: an error of the server is kept", reads)
	}
}

// A waiting caller loads the description itself if the caller that began is canceled.
func TestCacheReaderGoesAway(t *testing.T) {
	c := NewCache()
	ctx, cancel := context.WithCancel(t.Context())
	began, got := make(chan struct{}), make(chan error)
	go func() {
		_, err := c.Get(ctx, "a", func() (Bundle, error) {
			close(began)
			cancel()
			return bundle(samples(t)["petstore"]), nil
		})
		got <- err
	}()
	<-began
	d, err := c.Get(t.Context(), "a", func() (Bundle, error) { return bundle(samples(t)["petstore"]), nil })
	if err != nil || d == nil {
		t.Errorf("who waits got %v", err)
	}
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("who went away got %v", err)
	}
}

// The largest possible description is cached, if necessary alone.
func TestCacheKeepsLarge(t *testing.T) {
	c := NewCache()
	d := load(t, samples(t)["petstore"])
	d.src.nodes, d.src.bytes = maxNodes, MaxBytes
	c.kept.Set("large", outcome{d: d})
	if got, err := c.Get(t.Context(), "large", func() (Bundle, error) { return Bundle{}, errors.New("it is not kept") }); err != nil || got != d {
		t.Errorf("got %v", err)
	}
}
