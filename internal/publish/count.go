package publish

import (
	"net/http"
	"regexp"
	"strings"
)

// machines name themselves in their requests: crawlers, monitors, programs.
var machines = regexp.MustCompile(`(?i)bot\b|bot/|crawl|spider|slurp|monitor|preview|lighthouse|headless|curl/|wget/|python|go-http-client`)

const (
	maxAgents = 256 << 10 // bytes of names of browsers that are kept in memory
	maxAgent  = 512       // bytes of one that is kept
)

// counts reports whether a visit is that of a reader who looks at a page, and not of
// somebody who tries the site out.
func (v *visit) counts(r *http.Request) bool { return !v.drafted && !v.as.Preview && v.h.countable(r) }

// countable reports whether a request for a page comes from a reader: not from a
// machine, and not from a browser that loads pages in advance. What says so in the
// request is not kept, but the names of browsers are, because there are few.
func (h *Handler) countable(r *http.Request) bool {
	if r.Method != http.MethodGet || r.Header["Sec-Purpose"] != nil || r.Header["Purpose"] != nil {
		return false
	}
	name := r.UserAgent()
	machine, known := h.agents.Get(name)
	if !known {
		if machine = machines.MatchString(name); len(name) <= maxAgent {
			h.agents.Set(strings.Clone(name), machine) // name is a part of the whole request
		}
	}
	return !machine
}
