package budget

import (
	"context"
	"slices"
	"sync"
)

// place is a part of a pool that the work of a budget holds, except while Yield gives it up.
type place struct {
	mu    sync.Mutex
	part  *part
	ended bool
}

// hold makes Yield give a part up for others, and returns the function that releases it.
func (b *Budget) hold(t *part) (release func()) {
	p := &place{part: t}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.places = append(slices.Clip(b.places), p) // Yield may be reading the others
	return p.release
}

// entered returns the places of the work.
func (b *Budget) entered() []*place {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.places
}

func (p *place) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.part.release()
}

// yield gives the part up if somebody waits who goes first, and waits until it is this work's turn again.
func (p *place) yield(ctx context.Context, b *Budget) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil
	}
	w := p.part.pool.giveUp(p.part)
	if w == nil {
		return nil
	}
	return b.withoutTurn(ctx, func() error {
		back, err := p.part.pool.takeBack(ctx, w)
		if err == nil {
			p.part = back
		}
		return err
	})
}
