package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
)

// Group S measures the requests of a renderer for a page of a published site:
// resolving the address, the site, and the document of the page.

// siteSizes are the numbers of site spaces of the sites.
var siteSizes = []int{1, 100, 1000}

// measurePublished measures sites of several sizes on one server, and compares each
// with a bare handler that sends the same responses.
func measurePublished(ctx context.Context, o options, p pinning, dir string) (out *results, err error) {
	var subjects []*subject
	var ratios []*ratio
	for _, bin := range o.binaries() {
		b := newContentServer(p, filepath.Join(dir, "published"+bin.suffix), bin, 100)
		defer func() { err = errors.Join(err, b.close()) }()
		spaces, err := b.beginPublished(ctx, o.profile != "")
		if err != nil {
			return nil, err
		}
		if o.profile != "" {
			return nil, errors.Join(b.profileVisits(ctx, o, spaces), profileEdited(ctx, o, p, dir))
		}
		mine, beside, err := b.planVisits(ctx, o, spaces)
		if err != nil {
			return nil, err
		}
		subjects, ratios = append(subjects, mine...), append(ratios, beside...)
	}
	rounds := o.roundsOr(contentRounds)
	if err := interleave(ctx, rounds, o.length(), subjects); err != nil {
		return nil, err
	}
	facts, merged, err := visitsAfterMerges(ctx, o, p, dir)
	if err != nil {
		return nil, err
	}
	title := "Published sites: an address, its site and a document with a content token, in turn."
	out = newResults(title, o, p, rounds, subjects, slices.Concat(ratios, merged, afterBefore(subjects)))
	out.Facts = facts
	return out, nil
}

// beginPublished starts the server with empty spaces, and imports the corpus into the
// first one.
func (b *contentServer) beginPublished(ctx context.Context, profiled bool) (spaces []string, err error) {
	if spaces, err = b.begin(ctx, siteSizes[len(siteSizes)-1]); err != nil {
		return nil, err
	}
	b.space = spaces[0]
	if _, _, err := b.importCorpus(ctx, b.space, b.corpus); err != nil {
		return nil, err
	}
	return spaces, b.serve(ctx, profiled)
}

// profileVisits writes a profile of visits to a site of each size.
func (b *contentServer) profileVisits(ctx context.Context, o options, spaces []string) error {
	var each []profiled
	for _, n := range siteSizes {
		v, err := b.visit(ctx, spaces[:n])
		if err != nil {
			return err
		}
		each = append(each, profiled{"visit-" + strconv.Itoa(n), v.load(b.addr, o.conns).run})
	}
	return b.profiles(ctx, o, each)
}

// planVisits returns the subjects and ratios of visits. The binary of -before has no bare
// handlers.
func (b *contentServer) planVisits(ctx context.Context, o options, spaces []string) (subjects []*subject, ratios []*ratio, err error) {
	for _, n := range siteSizes {
		v, err := b.visit(ctx, spaces[:n])
		if err != nil {
			return nil, nil, fmt.Errorf("a site of %d spaces: %w", n, err)
		}
		name := strconv.Itoa(n) + " site spaces"
		is := &subject{Name: "visit, " + name + b.bin.suffix, process: b.server, once: v.load(b.addr, o.conns).run}
		if subjects = append(subjects, is); b.bin.suffix != "" {
			continue
		}
		bare, addr, err := v.bare(ctx, b.site)
		if err != nil {
			return nil, nil, err
		}
		to := &subject{Name: "bare handler, " + name, process: bare, once: v.load(addr, o.conns).run}
		subjects = append(subjects, to)
		ratios = append(ratios, &ratio{Name: "visit / bare handler, " + name, of: is, to: to, by: rates, Target: 0.6})
	}
	return subjects, ratios, nil
}

// siteRequests holds the requests of a renderer for one page.
type siteRequests struct {
	token   string
	resolve string   // body of the request to resolvePath
	paths   []string // of the site and of the document
	web     string   // path of the web page
}

// documentOfVisitors is the query string with which a renderer requests a document.
const documentOfVisitors = "?evaluated=deterministic-only&dereferenced=reusable-contents"

const resolvePath = "/v1/urls/published"

// visit creates and publishes a site with spaces, and returns the requests that read it.
func (b *contentServer) visit(ctx context.Context, spaces []string) (*siteRequests, error) {
	list, err := json.Marshal(spaces)
	if err != nil {
		return nil, err
	}
	var site struct {
		ID   string
		URLs struct{ Published string }
	}
	post := func(path, body string, into any) error {
		a, err := b.fetch(ctx, http.MethodPost, path, body)
		return errors.Join(err, json.Unmarshal(a.Body, into))
	}
	if err := post("/v1/orgs/"+b.readOrg+"/sites", `{"title":"Bench","spaces":`+string(list)+`}`, &site); err != nil {
		return nil, err
	}
	at := "/v1/orgs/" + b.readOrg + "/sites/" + site.ID
	if err := post(at+"/publish", "", &site); err != nil {
		return nil, err
	}
	v := &siteRequests{resolve: `{"url":"` + site.URLs.Published + `"}`, web: "/s/" + site.ID + "/"}
	var found struct {
		APIToken string `json:"apiToken"`
	}
	if err := post(resolvePath, v.resolve, &found); err != nil || found.APIToken == "" {
		return nil, fmt.Errorf("resolve %s: %w", v.resolve, err)
	}
	v.token = found.APIToken
	a, err := b.fetch(ctx, http.MethodGet, "/v1/spaces/"+spaces[0]+"/content", "")
	var rev struct {
		ID    string
		Pages []struct{ ID, Type string }
	}
	if err = errors.Join(err, json.Unmarshal(a.Body, &rev)); err != nil {
		return nil, err
	}
	for _, p := range rev.Pages {
		if p.Type == "document" {
			v.paths = []string{at + "/published", "/v1/spaces/" + spaces[0] + "/revisions/" + rev.ID + "/page/" + p.ID + "/document" + documentOfVisitors}
			return v, nil
		}
	}
	return nil, errors.New("the space has no page")
}

// load returns a load that sends all requests in turn.
func (v *siteRequests) load(addr string, conns int) load {
	l := load{addr: addr, conns: conns, requests: [][]byte{request("POST", addr, resolvePath, v.token, v.resolve)}}
	for _, path := range v.paths {
		l.requests = append(l.requests, request("GET", addr, path, v.token, ""))
	}
	return l
}

// bare starts a bare handler that sends the same responses.
func (v *siteRequests) bare(ctx context.Context, s *site) (*process, string, error) {
	a, err := s.fetch(ctx, http.MethodPost, resolvePath, v.resolve)
	if err != nil {
		return nil, "", err
	}
	a.Header.Del("Date")
	member := s.token
	s.token = v.token // fetch the responses of a visitor
	defer func() { s.token = member }()
	p, addr, err := s.referencesWith(ctx, v.paths, map[string]answer{resolvePath: a})
	return p, addr, err
}
