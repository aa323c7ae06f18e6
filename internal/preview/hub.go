package preview

import (
	"maps"
	"slices"
	"sync"
)

// event is sent to a browser: that there is a new state, or that the
// state has been checked.
type event struct{ id, kind string }

// hub knows the browsers that wait for changes.
type hub struct {
	mu   sync.Mutex
	list map[chan event]string // the file that is displayed
}

// join returns a channel with room for one event of each kind, or nil if there
// are too many. A browser that is slow misses older ones.
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

// files returns what browsers show now; nothing if nobody waits.
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
		default: // it has enough to do
		}
	}
}
