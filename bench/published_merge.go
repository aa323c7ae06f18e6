package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"
)

// Names of the facts of a site after one of its spaces has changed. Cached results of the
// previous revision cannot be used then.
const (
	firstVisit  = "visit after a merge, first, ms"
	secondVisit = "visit after a merge, second, ms"
	firstPage   = "web page after a merge, first, ms"
	secondPage  = "web page after a merge, second, ms"
	editedPage  = "edit to published page, ms"
	usedMemory  = "memory of the server, MB"
)

// publishedEdits is the number of edits that are followed by reads, with change requests
// and directly.
const publishedEdits = 41

// visitsAfterMerges measures the first visit after a merge in the smallest and in the
// largest space, and returns the facts and the ratios of the two.
func visitsAfterMerges(ctx context.Context, o options, p pinning, dir string) (facts []fact, ratios []*ratio, err error) {
	list, err := sizes(o.pages)
	if err != nil {
		return nil, nil, err
	}
	var servers []*contentServer
	var pages []*publishedPages
	for _, bin := range o.binaries() {
		for _, n := range []int{list[0], list[len(list)-1]} {
			b := newContentServer(p, filepath.Join(dir, "merged-"+strconv.Itoa(n)+bin.suffix), bin, n)
			b.note("pages", 0, float64(n))
			defer func() { err = errors.Join(err, b.close()) }()
			e, err := b.publish(ctx, false)
			if err != nil {
				return nil, nil, fmt.Errorf("visits of %d pages: %w", n, err)
			}
			servers, pages = append(servers, b), append(pages, e)
		}
	}
	least, most := servers[0], servers[1]
	// Alternate, so that other work of the machine affects all of them.
	for _, ask := range []func(*publishedPages, context.Context, int) error{
		(*publishedPages).visitMerged, (*publishedPages).readMerged, (*publishedPages).editOne,
	} {
		for k := range publishedEdits {
			for _, e := range pages {
				if err := ask(e, ctx, k); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	for i, b := range servers {
		for _, name := range []string{firstVisit, secondVisit, firstPage, secondPage, editedPage} {
			b.cost(name, 1, median(pages[i].took[name]))
		}
		b.cost(usedMemory, 0, b.server.memory())
	}
	for _, r := range []ratio{{Name: firstVisit}, {Name: firstPage}, {Name: editedPage, Target: 1.5}} {
		ratios = append(ratios, &ratio{Name: r.Name + ", most pages / least", AtMost: true, Target: r.Target, Values: []float64{most.fact(r.Name) / least.fact(r.Name)}})
	}
	news, olds := servers[:2], servers[2:]
	return append(factsOf(news), factsOf(olds)...), append(ratios, factsAfterBefore(news, olds)...), nil
}

// profileEdited writes a profile of edits and the web pages that show them.
func profileEdited(ctx context.Context, o options, p pinning, dir string) (err error) {
	list, err := sizes(o.pages)
	if err != nil {
		return err
	}
	b := newContentServer(p, filepath.Join(dir, "merged"), binary{path: o.bin}, list[len(list)-1])
	defer func() { err = errors.Join(err, b.close()) }()
	e, err := b.publish(ctx, true)
	if err != nil {
		return err
	}
	return b.profileOne(ctx, o, profiled{"edit-published", func(ctx context.Context, _ time.Duration) (sample, error) {
		start := time.Now()
		for k := range publishedEdits {
			if err := e.editOne(ctx, k); err != nil {
				return sample{}, err
			}
		}
		return sample{count: publishedEdits, took: time.Since(start)}, nil
	}})
}

// publish imports the pages and publishes them.
func (b *contentServer) publish(ctx context.Context, profiled bool) (*publishedPages, error) {
	spaces, err := b.begin(ctx, 1)
	if err != nil {
		return nil, err
	}
	b.space = spaces[0]
	if _, _, err := b.importCorpus(ctx, b.space, b.corpus); err != nil {
		return nil, err
	}
	if err := b.serve(ctx, profiled); err != nil {
		return nil, err
	}
	pages, err := b.fetch(ctx, http.MethodGet, b.path("content", "pages"), "")
	if err = errors.Join(err, b.choose(pages.Body)); err != nil {
		return nil, err
	}
	e := &publishedPages{contentServer: b, paths: map[string]string{}, took: map[string][]float64{}}
	if e.from, err = b.visit(ctx, spaces); err != nil {
		return nil, err
	}
	_, err = b.webPaths(ctx, e.from, func(id, path string) { e.paths[id] = path })
	return e, err
}

// publishedPages are the pages of a site that are edited and then read.
type publishedPages struct {
	*contentServer
	from  *siteRequests
	paths map[string]string    // paths of web pages, by page ID
	took  map[string][]float64 // milliseconds, by name of the fact
}

// page returns the k-th page that is edited.
func (e *publishedPages) page(k int) string { return e.ids[k%len(e.ids)] }

// timed calls do and records its duration.
func (e *publishedPages) timed(name string, do func() error) error {
	start := time.Now()
	err := do()
	e.took[name] = append(e.took[name], micros(time.Since(start))/1000)
	return err
}

// visitMerged merges a change request and visits the site twice.
func (e *publishedPages) visitMerged(ctx context.Context, k int) error {
	visit := func() error { return e.visitOnce(ctx, e.from, e.page(k)) }
	err := e.mergeOne(ctx, e.page(k), "visit "+strconv.Itoa(k))
	return errors.Join(err, e.timed(firstVisit, visit), e.timed(secondVisit, visit))
}

// readMerged merges a change request and reads the first web page twice.
func (e *publishedPages) readMerged(ctx context.Context, k int) error {
	read := func() error {
		_, err := e.fetch(ctx, http.MethodGet, e.from.web, "")
		return err
	}
	err := e.mergeOne(ctx, e.page(k), "page "+strconv.Itoa(k))
	return errors.Join(err, e.timed(firstPage, read), e.timed(secondPage, read))
}

// editOne reads a web page, as editors usually do, then edits the page and reads it again as
// soon as the response to the edit arrives.
func (e *publishedPages) editOne(ctx context.Context, k int) error {
	id := e.page(k)
	if _, err := e.fetch(ctx, http.MethodGet, e.paths[id], ""); err != nil {
		return err
	}
	text := fmt.Sprintf("Published %d.", k)
	body := fmt.Sprintf(`{"changes":[{"operation":"update_page","page":%q,"document":{"markdown":%q}}]}`, id, text)
	return e.timed(editedPage, func() error {
		if _, err := e.fetch(ctx, http.MethodPost, e.path("content"), body); err != nil {
			return err
		}
		a, err := e.fetch(ctx, http.MethodGet, e.paths[id], "")
		if err == nil && !bytes.Contains(a.Body, []byte(text)) {
			err = fmt.Errorf("%s of %d pages does not show what was written before", e.paths[id], len(e.paths))
		}
		return err
	})
}

func (b *contentServer) mergeOne(ctx context.Context, page, text string) error {
	cr, err := b.open(ctx, page, text+"\n")
	if err != nil {
		return err
	}
	_, err = b.fetch(ctx, http.MethodPost, b.path("change-requests", cr, "merge"), "{}")
	return err
}

// visitOnce sends the requests of a renderer for a page in the current revision of the
// space.
func (b *contentServer) visitOnce(ctx context.Context, v *siteRequests, page string) error {
	member := b.token
	b.token = v.token
	defer func() { b.token = member }()
	if _, err := b.fetch(ctx, http.MethodPost, resolvePath, v.resolve); err != nil {
		return err
	}
	a, err := b.fetch(ctx, http.MethodGet, v.paths[0], "")
	var site struct {
		Structure struct {
			Structure []struct{ Space struct{ Revision string } }
		}
	}
	if err = errors.Join(err, json.Unmarshal(a.Body, &site)); err != nil || len(site.Structure.Structure) == 0 {
		return fmt.Errorf("the site has no space: %w", err)
	}
	_, err = b.fetch(ctx, http.MethodGet, b.path("revisions", site.Structure.Structure[0].Space.Revision, "page", page, "document")+documentOfVisitors, "")
	return err
}
