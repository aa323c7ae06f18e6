package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"
)

// maxEdited is the maximum number of pages that are edited in turn. It is large, so
// that the edits of a large space are spread over it.
const maxEdited = 1024

// editor creates the requests of one client, each of which changes one paragraph of
// the next page. All requests differ, because an edit without a change would cost
// less.
type editor struct {
	requests [][]byte
	at       []int // position of the version number in each request
	sent     int
	size     int // total bytes of the pages
}

const (
	firstVersion = "0000000000"
	editedText   = "Version " + firstVersion + " of the paragraph."
)

// add prepares the edit of a page.
func (e *editor) add(s *site, space string, c *corpus, p listed) error {
	n, err := c.number(p)
	if err != nil {
		return err
	}
	source := c.source(n, editedText)
	body, err := json.Marshal(map[string]any{"changes": []any{map[string]any{
		"operation": "update_page", "page": p.ID, "document": map[string]any{"markdown": source},
	}}})
	if err != nil {
		return err
	}
	e.addRequest(request("POST", s.addr, "/v1/spaces/"+space+"/content", s.token, string(body)), len(source))
	return nil
}

// addRequest adds a request that contains editedText.
func (e *editor) addRequest(r []byte, size int) {
	e.requests = append(e.requests, r)
	e.at = append(e.at, bytes.LastIndex(r, []byte(firstVersion)))
	e.size += size
}

func (e *editor) next() []byte {
	k := e.sent % len(e.requests)
	e.sent++
	copy(e.requests[k][e.at[k]:], fmt.Sprintf("%0*d", len(firstVersion), e.sent))
	return e.requests[k]
}

// edits returns the load of one client that edits pages.
func (b *contentServer) edits() load {
	return load{addr: b.addr, conns: 1, editors: []*editor{b.editor}}
}

// countedEdits is the number of edits over which the growth of the database is
// measured.
const countedEdits = 512

// countEdits measures how much edits add to the database.
func (b *contentServer) countEdits(ctx context.Context) error {
	// The first edits after an import allocate space once.
	if err := b.edits().times(ctx, countedEdits/2); err != nil {
		return err
	}
	before, err := b.stored(ctx)
	if err != nil {
		return err
	}
	if err := b.edits().times(ctx, countedEdits); err != nil {
		return err
	}
	after, err := b.stored(ctx)
	if err != nil {
		return err
	}
	each := func(what string, digits int, before, after int64) {
		b.cost(what, digits, float64(after-before)/countedEdits)
	}
	b.cost("database, MB", 1, float64(after.used)/mb)
	b.note("bytes of an edited page", 0, float64(b.editor.size)/float64(len(b.editor.requests)))
	each(editBytes, 0, before.used, after.used)
	each("of these, revisions and sources", 0, before.content, after.content)
	b.noteTables(before.tables, after.tables)
	each("objects stored for one edit", 1, before.objects, after.objects)
	return nil
}

const editBytes = "bytes stored for one edit"

// times sends n requests over each connection. It fails if one of them fails.
func (l load) times(ctx context.Context, n int) error {
	l.most = n
	got, err := l.run(ctx, 10*time.Minute)
	if want := n * l.conns; err == nil && got.count < want {
		err = fmt.Errorf("%d of %d edits failed: %w", got.errors, want, got.failure)
	}
	return err
}

// stored is the size of the database: bytes in use, objects and their bytes,
// and the bytes of each table.
type stored struct {
	used, objects, content int64
	tables                 map[string]int64
}

// foldTime is longer than the delay after which a server writes recent edits into segments
// of the search index.
const foldTime = time.Second

func (b *contentServer) stored(ctx context.Context) (s stored, err error) {
	time.Sleep(foldTime)
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.Join(b.data, "octavo.db")}).EscapedPath()+"?mode=ro")
	if err != nil {
		return s, err
	}
	defer db.Close()
	if s.tables, err = tableBytes(ctx, db); err != nil {
		return s, err
	}
	return s, errors.Join(
		db.QueryRowContext(ctx, `
			SELECT (page_count - freelist_count) * page_size
			FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&s.used),
		db.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(LENGTH(data)), 0) FROM objects`).Scan(&s.objects, &s.content))
}
