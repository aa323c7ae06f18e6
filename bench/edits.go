package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
)

// Group W measures clients that edit pages concurrently.
const (
	editsOneSpace  = "edit pages of one space"
	editsSpaces    = "edit pages of a space each"
	updatesRecords = "PocketBase updates records"

	// clientPages is the number of pages that each client edits in turn.
	clientPages = 64
	// editTarget is the target for the bytes that an edit stores.
	editTarget = 8 << 10
)

// measureEdits compares clients that edit pages with clients of PocketBase that
// update records with the same text. Both are measured with servers on one core, and
// with servers that may use all cores.
func measureEdits(ctx context.Context, o options, p pinning, dir string) (out *results, err error) {
	r := &editsRun{o: o, dir: filepath.Join(dir, "edits")}
	defer func() { err = errors.Join(err, r.close()) }()
	if o.profile != "" {
		e, err := r.octavo(ctx, p, "octavo", binary{path: o.bin})
		if err != nil {
			return nil, err
		}
		return nil, e.profile(ctx, o)
	}
	if r.pocketbase, err = buildProgram(ctx, r.dir, "POCKETBASE", "pocketbase", "github.com/pocketbase/pocketbase/examples/base"); err != nil {
		return nil, err
	}
	if err := r.add(ctx, p, ""); err != nil {
		return nil, err
	}
	if err := r.add(ctx, p.allCores(), ", all cores"); err != nil {
		return nil, err
	}
	rounds := o.roundsOr(contentRounds)
	if err := interleave(ctx, rounds, o.length(), r.subjects); err != nil {
		return nil, err
	}
	title := fmt.Sprintf("Edits: %d pages for each client, in one space and in a space for each client.", clientPages)
	return newResults(title, o, p, rounds, r.subjects, slices.Concat(r.ratios, afterBefore(r.subjects))), nil
}

// editsRun is a run of group W.
type editsRun struct {
	o          options
	dir        string
	pocketbase string // path of the program
	sites      []*site
	subjects   []*subject
	ratios     []*ratio
}

func (r *editsRun) close() (err error) {
	for _, s := range r.sites {
		err = errors.Join(err, s.close())
	}
	return err
}

// add starts the servers with a pinning, and adds their subjects and ratios.
func (r *editsRun) add(ctx context.Context, pin pinning, cores string) error {
	var both []*editServer
	for _, bin := range r.o.binaries() {
		e, err := r.octavo(ctx, pin, "octavo"+cores+bin.suffix, bin)
		if err != nil {
			return err
		}
		both = append(both, e)
	}
	pb := &pocketbase{site: &site{pin: pin, dir: filepath.Join(r.dir, "pocketbase"+cores)}}
	r.sites = append(r.sites, pb.site)
	if err := pb.build(ctx, r.pocketbase, both[0].corpus, r.o.conns); err != nil {
		return fmt.Errorf("PocketBase: %w", err)
	}
	updates := &subject{Name: manyClients(updatesRecords, r.o.conns) + cores, process: pb.server, once: pb.updates().run}
	edits := both[0].plan(cores)
	r.subjects = append(append(r.subjects, updates), edits...)
	for _, old := range both[1:] {
		r.subjects = append(r.subjects, old.plan(cores)...)
	}
	r.ratios = append(r.ratios, compareEdits(edits, updates, cores, pin.all)...)
	if !pin.all { // the number of cores does not change what is stored
		bytes := &ratio{Name: editBytes, AtMost: true, Target: editTarget, Values: []float64{both[0].fact(editBytes)}}
		r.ratios = append(append(r.ratios, bytes), factsAfterBefore(contentServers(both[:1]), contentServers(both[1:]))...)
	}
	return nil
}

func contentServers(all []*editServer) (out []*contentServer) {
	for _, e := range all {
		out = append(out, e.contentServer)
	}
	return out
}

// octavo starts a server with the pages of all clients.
func (r *editsRun) octavo(ctx context.Context, pin pinning, name string, bin binary) (*editServer, error) {
	e := &editServer{clients: r.o.conns}
	e.contentServer = newContentServer(pin, filepath.Join(r.dir, name), bin, e.clients*clientPages+1) // plus the group
	r.sites = append(r.sites, e.site)
	return e, e.build(ctx, r.o)
}

// compareEdits returns the ratios of edits. They have targets only if targets is set,
// which is so for all cores.
func compareEdits(edits []*subject, updates *subject, cores string, targets bool) []*ratio {
	many, one, spaces := edits[0], edits[1], edits[2]
	out := []*ratio{
		{Name: "edits of one space / PocketBase", of: many, to: updates, Target: 1, Goal: 2, Dream: 4},
		{Name: "edits of a space each / PocketBase", of: spaces, to: updates},
		{Name: "edits of one space, many clients / 1 client", of: many, to: one, Target: 2},
		{Name: "edits of a space each / of one space", of: spaces, to: many},
	}
	for _, r := range out {
		r.Name, r.by = r.Name+cores, rates
		if !targets {
			r.Target, r.Goal, r.Dream = 0, 0, 0
		}
	}
	return out
}

func manyClients(what string, n int) string { return fmt.Sprintf("%s, %d clients", what, n) }

// editServer is a server with one space for all clients, and a separate space
// for each client.
type editServer struct {
	*contentServer
	clients   int
	oneSpace  []*editor // one for each client
	ownSpaces []*editor
}

// build imports the pages and starts the server.
func (e *editServer) build(ctx context.Context, o options) error {
	spaces, err := e.begin(ctx, 1+e.clients)
	if err != nil {
		return err
	}
	e.space = spaces[0]
	small := newCorpus(clientPages + 1)
	for i, space := range spaces {
		c := small
		if i == 0 {
			c = e.corpus
		}
		if _, _, err := e.importCorpus(ctx, space, c); err != nil {
			return err
		}
	}
	if err := e.serve(ctx, o.profile != ""); err != nil {
		return err
	}
	if e.oneSpace, err = e.editors(ctx, e.space, e.corpus); err != nil {
		return err
	}
	for _, space := range spaces[1:] {
		some, err := e.editors(ctx, space, small)
		if err != nil {
			return err
		}
		e.ownSpaces = append(e.ownSpaces, some...)
	}
	return e.countBytes(ctx)
}

// editors returns editors of clientPages pages each for the pages of a space.
func (e *editServer) editors(ctx context.Context, space string, c *corpus) (out []*editor, err error) {
	list, err := e.fetch(ctx, http.MethodGet, "/v1/spaces/"+space+"/content/pages", "")
	if err != nil {
		return nil, err
	}
	pages, err := documentsIn(list.Body, c)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(pages, clientPages) {
		client := &editor{}
		for _, p := range some {
			if err := client.add(e.site, space, c, p); err != nil {
				return nil, err
			}
		}
		out = append(out, client)
	}
	return out, nil
}

// countBytes measures how much the edits of all clients add to the database.
func (e *editServer) countBytes(ctx context.Context) error {
	l := e.load(e.oneSpace)
	each := max(1, countedEdits/e.clients)
	if err := l.times(ctx, each); err != nil { // the first edits after an import allocate space once
		return err
	}
	before, err := e.stored(ctx)
	if err != nil {
		return err
	}
	if err := l.times(ctx, each); err != nil {
		return err
	}
	after, err := e.stored(ctx)
	e.cost(editBytes, 0, float64(after.used-before.used)/float64(each*e.clients))
	return err
}

func (e *editServer) load(editors []*editor) load {
	return load{addr: e.addr, conns: len(editors), editors: editors}
}

// plan returns the subjects: many clients in one space, one client, and many clients
// with separate spaces.
func (e *editServer) plan(cores string) []*subject {
	out := []*subject{
		e.ours(manyClients(editsOneSpace, e.clients), e.load(e.oneSpace)),
		e.ours(editsOneSpace+", 1 client", e.load(e.oneSpace[:1])),
		e.ours(manyClients(editsSpaces, e.clients), e.load(e.ownSpaces)),
	}
	for _, v := range out {
		v.Name += cores + e.bin.suffix
	}
	return out
}

// profile writes a CPU profile of the server under each kind of load.
func (e *editServer) profile(ctx context.Context, o options) error {
	return e.profiles(ctx, o, []profiled{
		{"edit-one-space", e.load(e.oneSpace).run},
		{"edit-one-space-1", e.load(e.oneSpace[:1]).run},
		{"edit-spaces", e.load(e.ownSpaces).run},
	})
}
