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
	"strconv"
	"strings"
	"time"
)

// maxEdited is how many pages are edited in turn: enough that a large space
// is not edited in one warm corner.
const maxEdited = 1024

// editor gives requests that each change one paragraph of another page. No
// two are alike, because the second would change nothing.
type editor struct {
	requests [][]byte
	at       []int // where in a request the number of the version stands
	sent     int
	size     int // of all pages
}

const firstVersion = "0000000000"

// add prepares the edit of a page, whose number is the last word of its
// title.
func (e *editor) add(b *shelf, p listed) error {
	n, err := strconv.Atoi(p.Title[strings.LastIndexByte(p.Title, ' ')+1:])
	if err != nil {
		return fmt.Errorf("the page %q is not one of ours: %w", p.Title, err)
	}
	source := b.corpus.source(n, "Version "+firstVersion+" of the paragraph.")
	body, err := json.Marshal(map[string]any{"changes": []any{map[string]any{
		"operation": "update_page", "page": p.ID, "document": map[string]any{"markdown": source},
	}}})
	if err != nil {
		return err
	}
	r := request("POST", b.addr, b.path("content"), b.token, string(body))
	e.requests = append(e.requests, r)
	e.at = append(e.at, bytes.LastIndex(r, []byte(firstVersion)))
	e.size += len(source)
	return nil
}

func (e *editor) next() []byte {
	k := e.sent % len(e.requests)
	e.sent++
	copy(e.requests[k][e.at[k]:], fmt.Sprintf("%0*d", len(firstVersion), e.sent))
	return e.requests[k]
}

// edits gives the load of one client who edits.
func (b *shelf) edits() load { return load{addr: b.addr, conns: 1, next: b.editor.next} }

// countedEdits is over how many edits the growth of the database is taken.
const countedEdits = 512

// countEdits looks at what edits add to the database.
func (b *shelf) countEdits(ctx context.Context) error {
	// The first edits after an import make room once.
	if err := b.editTimes(ctx, countedEdits/2); err != nil {
		return err
	}
	before, err := b.stored(ctx)
	if err != nil {
		return err
	}
	if err := b.editTimes(ctx, countedEdits); err != nil {
		return err
	}
	after, err := b.stored(ctx)
	if err != nil {
		return err
	}
	each := func(what string, digits int, before, after int64) {
		b.note(what, digits, float64(after-before)/countedEdits)
	}
	b.note("database, MB", 1, float64(after.used)/mb)
	b.note("bytes of an edited page", 0, float64(b.editor.size)/float64(len(b.editor.requests)))
	each(editBytes, 0, before.used, after.used)
	each("of these, revisions and sources", 0, before.content, after.content)
	each("objects stored for one edit", 1, before.objects, after.objects)
	return nil
}

const editBytes = "bytes stored for one edit"

func (b *shelf) editTimes(ctx context.Context, n int) error {
	l := b.edits()
	l.most = n
	got, err := l.run(ctx, 10*time.Minute) // even on a machine that has no time
	if err == nil && got.count < n {
		err = fmt.Errorf("%d of %d edits failed: %w", got.errors, n, got.failure)
	}
	return err
}

// stored is what the database holds.
type stored struct{ used, objects, content int64 }

func (b *shelf) stored(ctx context.Context) (s stored, err error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.Join(b.data, "octavo.db")}).EscapedPath()+"?mode=ro")
	if err != nil {
		return s, err
	}
	defer db.Close()
	return s, errors.Join(
		db.QueryRowContext(ctx, `
			SELECT (page_count - freelist_count) * page_size
			FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&s.used),
		db.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(SUM(LENGTH(data)), 0) FROM objects`).Scan(&s.objects, &s.content))
}
