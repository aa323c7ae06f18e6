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

// What is measured of a site after one of its spaces has changed. Nothing that was
// worked out for the former revision can be used then.
const (
	firstVisit  = "visit after a merge, first, ms"
	secondVisit = "visit after a merge, second, ms"
	firstPage   = "web page after a merge, first, ms"
	secondPage  = "web page after a merge, second, ms"
	editedPage  = "edit to published page, ms"
	usedMemory  = "memory of the server, MB"
)

// publishedEdits is how many pages are edited and then read.
const publishedEdits = 41

// mergedVisits is how often a change request is merged and the site then visited.
const mergedVisits = 7

// visitsAfterMerges measures the first visit after a merge in spaces of the least
// and of the most pages, and returns the facts and the ratios of the two.
func visitsAfterMerges(ctx context.Context, o options, p pinning, dir string) (facts []fact, ratios []*ratio, err error) {
	list, err := sizes(o.pages)
	if err != nil {
		return nil, nil, err
	}
	var shelves []*shelf
	var edits []*editedPages
	for _, bin := range o.binaries() {
		for _, n := range []int{list[0], list[len(list)-1]} {
			b := newShelf(p, filepath.Join(dir, "merged-"+strconv.Itoa(n)+bin.suffix), bin, n)
			b.note("pages", 0, float64(n))
			defer func() { err = errors.Join(err, b.close()) }()
			e, err := b.visitMerged(ctx, false)
			if err != nil {
				return nil, nil, fmt.Errorf("visits of %d pages: %w", n, err)
			}
			shelves, edits = append(shelves, b), append(edits, e)
		}
	}
	least, most := shelves[0], shelves[1]
	for range publishedEdits { // in turn, so that whatever else the machine does counts for both
		for _, e := range edits {
			if err := e.editOne(ctx); err != nil {
				return nil, nil, err
			}
		}
	}
	for i, b := range shelves {
		b.cost(editedPage, 1, median(edits[i].took))
		b.cost(usedMemory, 0, b.server.memory())
	}
	for _, r := range []ratio{{Name: firstVisit}, {Name: firstPage}, {Name: editedPage, Target: 1.5}} {
		ratios = append(ratios, &ratio{Name: r.Name + ", most pages / least", AtMost: true, Target: r.Target, Values: []float64{most.fact(r.Name) / least.fact(r.Name)}})
	}
	news, olds := shelves[:2], shelves[2:]
	return append(factsOf(news), factsOf(olds)...), append(ratios, factsAfterBefore(news, olds)...), nil
}

// profileEdited writes a profile of edits and the web pages that show them.
func profileEdited(ctx context.Context, o options, p pinning, dir string) (err error) {
	list, err := sizes(o.pages)
	if err != nil {
		return err
	}
	b := newShelf(p, filepath.Join(dir, "merged"), binary{path: o.bin}, list[len(list)-1])
	defer func() { err = errors.Join(err, b.close()) }()
	e, err := b.visitMerged(ctx, true)
	if err != nil {
		return err
	}
	return b.profileOne(ctx, o, profiled{"edit-published", func(ctx context.Context, _ time.Duration) (sample, error) {
		start := time.Now()
		for range publishedEdits {
			if err := e.editOne(ctx); err != nil {
				return sample{}, err
			}
		}
		return sample{count: publishedEdits, took: time.Since(start)}, nil
	}})
}

// visitMerged merges change requests and visits the site after each. It returns the pages that
// can be edited then.
func (b *shelf) visitMerged(ctx context.Context, profiled bool) (*editedPages, error) {
	made, err := b.begin(ctx, 1)
	if err != nil {
		return nil, err
	}
	b.space = made[0]
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
	v, err := b.visit(ctx, made)
	if err != nil {
		return nil, err
	}
	for _, m := range []struct {
		names []string
		ask   func(page string) error
	}{
		{[]string{firstVisit, secondVisit}, func(page string) error { return b.visitOnce(ctx, v, page) }},
		{[]string{firstPage, secondPage}, func(string) error {
			_, err := b.fetch(ctx, http.MethodGet, v.web, "")
			return err
		}},
	} {
		took := map[string][]float64{}
		for k := range mergedVisits {
			if err := b.mergeOne(ctx, b.ids[k], m.names[0]+strconv.Itoa(k)); err != nil {
				return nil, err
			}
			for _, name := range m.names {
				start := time.Now()
				if err := m.ask(b.ids[k]); err != nil {
					return nil, err
				}
				took[name] = append(took[name], micros(time.Since(start))/1000)
			}
		}
		for _, name := range m.names {
			b.cost(name, 1, median(took[name]))
		}
	}
	e := &editedPages{shelf: b, paths: map[string]string{}}
	_, err = b.webPaths(ctx, v, func(id, path string) { e.paths[id] = path })
	return e, err
}

// editedPages are the pages of a site that are edited and then read.
type editedPages struct {
	*shelf
	paths map[string]string // web pages, by the id
	took  []float64         // milliseconds of each
}

// editOne edits a page that was read before, as those do who edit, and reads it as soon as the edit
// is answered.
func (e *editedPages) editOne(ctx context.Context) error {
	id := e.ids[len(e.took)%len(e.ids)]
	if _, err := e.fetch(ctx, http.MethodGet, e.paths[id], ""); err != nil {
		return err
	}
	text := fmt.Sprintf("Published %d.", len(e.took))
	start := time.Now()
	body := fmt.Sprintf(`{"changes":[{"operation":"update_page","page":%q,"document":{"markdown":%q}}]}`, id, text)
	if _, err := e.fetch(ctx, http.MethodPost, e.path("content"), body); err != nil {
		return err
	}
	a, err := e.fetch(ctx, http.MethodGet, e.paths[id], "")
	if err != nil {
		return err
	}
	e.took = append(e.took, micros(time.Since(start))/1000)
	if !bytes.Contains(a.Body, []byte(text)) {
		return fmt.Errorf("%s of %d pages does not show what was written before", e.paths[id], len(e.paths))
	}
	return nil
}

func (b *shelf) mergeOne(ctx context.Context, page, text string) error {
	cr, err := b.open(ctx, page, text+"\n")
	if err != nil {
		return err
	}
	_, err = b.fetch(ctx, http.MethodPost, b.path("change-requests", cr, "merge"), "{}")
	return err
}

// visitOnce asks for what a renderer needs to show a page of the space as it is
// now.
func (b *shelf) visitOnce(ctx context.Context, v *visited, page string) error {
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
