package preview

import (
	"maps"
	"slices"
	"sync"
)

// event is an event for browsers: a new state exists, or a state was checked.
type event struct{ id, kind string }

// hub holds the browsers that wait for changes.
type hub struct {
	mu   sync.Mutex
	list map[chan event]string // the displayed file
}

// join registers a browser and returns its channel, or nil if there are too many
// browsers. The channel has a small buffer; a slow browser misses further events.
func (h *hub) join(file string) chan event {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) >= maxWatchers {
		return nil
	}
	if h.list == nil {
		h.list = map[chan event]string{}
	}
	c := make(chan event, 8)
	h.list[c] = file
	return c
}

func (h *hub) leave(c chan event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.list, c)
}

// files returns the files that browsers display now. It is empty if no browser waits for
// changes.
func (h *hub) files() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Compact(slices.Sorted(maps.Values(h.list)))
}

func (h *hub) send(id, kind string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.list {
		select {
		case c <- event{id, kind}:
		default: // the buffer of a slow browser is full
		}
	}
}
