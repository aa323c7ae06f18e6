package publish

import (
	"net/http"
	"regexp"
	"strings"
)

// machines matches the user agents of crawlers, monitors and programs.
var machines = regexp.MustCompile(`(?i)bot\b|bot/|crawl|spider|slurp|monitor|preview|lighthouse|headless|curl/|wget/|python|go-http-client`)

const (
	maxAgents = 256 << 10 // bytes of all cached user agents
	maxAgent  = 512       // bytes of one cached user agent
)

// counts reports whether a visit counts as a page view of a reader. Visits of drafts and
// previews do not.
func (v *visit) counts(r *http.Request) bool { return v.Output.Published() && v.h.countable(r) }

// countable reports whether a request for a page comes from a reader: neither from a
// machine nor from a browser that prefetches pages. The result is cached by user agent,
// because there are few. Nothing else of the request is kept.
func (h *Handler) countable(r *http.Request) bool {
	if r.Method != http.MethodGet || r.Header["Sec-Purpose"] != nil || r.Header["Purpose"] != nil {
		return false
	}
	name := r.UserAgent()
	machine, known := h.agents.Get(name)
	if !known {
		if machine = machines.MatchString(name); len(name) <= maxAgent {
			h.agents.Set(strings.Clone(name), machine) // name shares memory with the whole request
		}
	}
	return !machine
}
