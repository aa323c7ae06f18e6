package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// rawSearch is the reference of searches: a plain FTS5 query with the same SQLite
// driver over the same text, in a bare net/http handler. It only ranks: it makes no
// snippets and checks no permissions. It fills a database, prints its address, and
// exits when its input ends. The query string of a request is the search query.
func rawSearch(args []string) error {
	ctx := context.Background()
	pages, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	v := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(OFF)", "cache_size(-16384)"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: args[0]}).EscapedPath()+"?"+v.Encode())
	if err != nil {
		return err
	}
	defer db.Close()
	if err := fillRaw(ctx, db, newCorpus(pages)); err != nil {
		return err
	}
	query, err := db.PrepareContext(ctx, `SELECT rowid, bm25(plain, 10, 4, 1) AS score FROM plain WHERE plain MATCH $1 ORDER BY score LIMIT 20`)
	if err != nil {
		return err
	}
	return serveWhileAsked(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, err := askRaw(r.Context(), query, r.URL.RawQuery)
		if err == nil {
			err = json.NewEncoder(w).Encode(found)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
}

// fillRaw stores the sections of all pages, like Octavo.
func fillRaw(ctx context.Context, db *sql.DB, c *corpus) error {
	if _, err := db.ExecContext(ctx, `CREATE VIRTUAL TABLE plain USING fts5(title, heading, body, tokenize = 'porter unicode61')`); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after the commit it does nothing
	insert, err := tx.PrepareContext(ctx, `INSERT INTO plain (title, heading, body) VALUES ($1, $2, $3)`)
	if err != nil {
		return err
	}
	for i := range c.documents() {
		a := c.article(i)
		for s, body := range a.bodies {
			if _, err := insert.ExecContext(ctx, a.title, a.headings[s], body); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

// rawHit is a section that FTS5 found.
type rawHit struct {
	ID    int64
	Score float64
}

func askRaw(ctx context.Context, query *sql.Stmt, word string) (out []rawHit, err error) {
	rows, err := query.QueryContext(ctx, word)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var h rawHit
		if err := rows.Scan(&h.ID, &h.Score); err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, rows.Err()
}
