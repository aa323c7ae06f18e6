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
	for _, n := range []int{list[0], list[len(list)-1]} {
		b := newShelf(p, filepath.Join(dir, "merged-"+strconv.Itoa(n)), binary{path: o.bin}, n)
		b.note("pages", 0, float64(n))
		if err := errors.Join(b.visitMerged(ctx), b.close()); err != nil {
			return nil, nil, fmt.Errorf("visits of %d pages: %w", n, err)
		}
		shelves = append(shelves, b)
	}
	least, most := shelves[0], shelves[1]
	for _, r := range []ratio{{Name: firstVisit}, {Name: firstPage}, {Name: editedPage, Target: 1.5}} {
		ratios = append(ratios, &ratio{Name: r.Name + ", most pages / least", AtMost: true, Target: r.Target, Values: []float64{most.fact(r.Name) / least.fact(r.Name)}})
	}
	return factsOf(shelves), ratios, nil
}

// visitMerged merges change requests and visits the site after each.
func (b *shelf) visitMerged(ctx context.Context) error {
	made, err := b.begin(ctx, 1)
	if err != nil {
		return err
	}
	b.space = made[0]
	if _, _, err := b.importCorpus(ctx, b.space, b.corpus); err != nil {
		return err
	}
	if err := b.serve(ctx, false); err != nil {
		return err
	}
	pages, err := b.fetch(ctx, http.MethodGet, b.path("content", "pages"), "")
	if err = errors.Join(err, b.choose(pages.Body)); err != nil {
		return err
	}
	v, err := b.visit(ctx, made)
	if err != nil {
		return err
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
				return err
			}
			for _, name := range m.names {
				start := time.Now()
				if err := m.ask(b.ids[k]); err != nil {
					return err
				}
				took[name] = append(took[name], micros(time.Since(start))/1000)
			}
		}
		for _, name := range m.names {
			b.cost(name, 1, median(took[name]))
		}
	}
	if err := b.readEdited(ctx, v); err != nil {
		return err
	}
	b.cost(usedMemory, 0, b.server.memory())
	return nil
}

// readEdited edits pages and reads each as readers do, as soon as the edit is
// answered.
func (b *shelf) readEdited(ctx context.Context, v *visited) error {
	paths := map[string]string{}
	all, err := b.webPaths(ctx, v, func(id, path string) { paths[id] = path })
	if err != nil {
		return err
	}
	var took []float64
	for k := range publishedEdits {
		id := b.ids[k%len(b.ids)]
		text := fmt.Sprintf("Published %d.", k)
		start := time.Now()
		body := fmt.Sprintf(`{"changes":[{"operation":"update_page","page":%q,"document":{"markdown":%q}}]}`, id, text)
		if _, err := b.fetch(ctx, http.MethodPost, b.path("content"), body); err != nil {
			return err
		}
		a, err := b.fetch(ctx, http.MethodGet, paths[id], "")
		if err != nil {
			return err
		}
		took = append(took, micros(time.Since(start))/1000)
		if !bytes.Contains(a.Body, []byte(text)) {
			return fmt.Errorf("%s of %d pages does not show what was written before", paths[id], len(all))
		}
	}
	b.cost(editedPage, 1, median(took))
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
