package publish

import (
	"net/http"
	"regexp"
)

// machines name themselves in their requests: crawlers, monitors, programs.
var machines = regexp.MustCompile(`(?i)bot\b|bot/|crawl|spider|slurp|monitor|preview|lighthouse|headless|curl/|wget/|python|go-http-client`)

// counts reports whether a request for a page is a reader who looks at it: not a
// machine, not a browser that loads pages in advance, and not somebody who tries
// the site out. What says so in the request is not kept.
func (v *visit) counts(r *http.Request) bool {
	h := r.Header
	return r.Method == http.MethodGet && !v.drafted && !v.as.Preview &&
		h.Get("Sec-Purpose") == "" && h.Get("Purpose") == "" && !machines.MatchString(h.Get("User-Agent"))
}
