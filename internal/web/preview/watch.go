package preview

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
)

// watch checks for changes while a browser waits for them. It checks the displayed files
// often, and all files at an interval that depends on the cost of a scan.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if files := s.watchers.files(); len(files) > 0 && s.due(files) {
			s.update(ctx)
		}
	}
}

func (s *Server) due(files []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stale() {
		return true
	}
	return slices.ContainsFunc(files, func(name string) bool {
		if name == "" { // a page without a file
			return false
		}
		was, known := s.state[name]
		st, ok := s.src.look(name)
		return ok && known && st != was
	})
}

// stale reports whether it is time to scan all files.
func (s *Server) stale() bool {
	return time.Since(s.scanned) >= max(scanEvery, min(scanShare*s.took, scanLatest))
}

// refresh checks for changes when a page is requested and no browser waits for changes.
// It does not wait for another check that is running.
func (s *Server) refresh(ctx context.Context) {
	if len(s.watchers.files()) > 0 || !s.mu.TryLock() {
		return
	}
	old := s.stale()
	s.mu.Unlock()
	if old {
		s.update(ctx)
	}
}

// update creates a new state of the site if the folder has changed.
func (s *Server) update(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed, err := s.reload(ctx)
	if ctx.Err() != nil {
		return
	}
	before := s.Trouble()
	if err != nil {
		why := explain(err)
		s.trouble.Store(&why)
		if why != before {
			s.Log.Warn("the folder cannot be shown as it is now", "error", err)
			s.watchers.send(s.stateID(), "state")
		}
		return
	}
	if changed || before != "" {
		s.trouble.Store(nil)
		s.watchers.send(s.stateID(), "state")
	}
	if changed { // browsers receive the state event before the report event
		select { // only the newest state is checked
		case <-s.unchecked:
		default:
		}
		s.unchecked <- s.now.Load()
	}
}

// explain returns the message of an error that a person can act on.
func explain(err error) string {
	var known *errs.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

// stateID returns an identifier that browsers compare. The displayed page is outdated if
// it changes.
func (s *Server) stateID() string {
	id := s.now.Load().version
	if t := s.Trouble(); t != "" {
		id += "!"
	}
	return id
}

// reload reads the folder if it changed since the last scan. A state that could not be
// read is not read again; reload returns the same error.
func (s *Server) reload(ctx context.Context) (changed bool, err error) {
	next, err := s.scan(ctx)
	if err != nil {
		return false, err
	}
	if s.state != nil {
		if maps.Equal(s.state, next) {
			return false, s.broken
		}
		if next, err = s.waitQuiet(ctx, next); err != nil {
			return false, err
		}
	}
	s.state, s.broken = next, nil
	if s.shown != nil && maps.Equal(s.shown, next) {
		return false, nil
	}
	tree, err := s.read(ctx, s.shown)
	if err == nil && tree.Root != s.root { // the scan was of another root
		s.root = tree.Root
		if s.state, err = s.scan(ctx); err == nil {
			tree, err = s.read(ctx, nil)
		}
	}
	if err != nil {
		s.broken = err
		return false, err
	}
	s.shown = s.state
	s.count++
	s.now.Store(newSite(tree, s.start+"-"+strconv.Itoa(s.count), s.shown, func(made *site) apidoc.Find { return s.specs(ctx, made) }))
	return true, nil
}

func (s *Server) scan(ctx context.Context) (state, error) {
	begin := time.Now()
	found, err := s.src.scan(ctx, s.root)
	s.scanned, s.took = time.Now(), time.Since(begin)
	return found, err
}

// waitQuiet waits until no file changes, so that no incomplete file is read.
func (s *Server) waitQuiet(ctx context.Context, last state) (state, error) {
	begin := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(quietTime):
		}
		next, err := s.scan(ctx)
		waited := time.Since(begin)
		switch {
		case err != nil:
			return nil, err
		case waited >= maxQuietWait, maps.Equal(last, next) && (waited >= emptyTime || !emptied(s.state, next)):
			return next, nil
		}
		last = next
	}
}

// emptied reports whether a file became empty. Some editors truncate a file before they
// write it.
func emptied(before, now state) bool {
	for name, st := range now {
		if was, ok := before[name]; ok && st.size == 0 && was.size > 0 {
			return true
		}
	}
	return false
}

// read reads the folder, and reuses the files that did not change since before.
func (s *Server) read(ctx context.Context, before state) (*folder.Tree, error) {
	old := s.now.Load()
	if before[folder.ConfigName] != s.state[folder.ConfigName] {
		before = nil // a new configuration can change everything
	}
	same := func(name string) bool {
		was, ok := before[name]
		return ok && was == s.state[name]
	}
	fsys, found, err := s.src.open(ctx, func(name string) bool { return same(name) && old.has(name) })
	if err != nil {
		return nil, err
	}
	tree, err := folder.Reread(fsys, folder.Limits{}, old.tree, same)
	if err != nil {
		return nil, err
	}
	tree.Problems = append(tree.Problems, found...)
	for _, list := range [][]*folder.File{tree.Files, tree.Others} {
		for _, f := range list {
			f.Open = nil // the source opens the files, so fsys and its contents can be released
		}
	}
	return tree, nil
}
