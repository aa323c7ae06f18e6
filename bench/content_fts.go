package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rawSearch is the reference of searches: FTS5 of the same SQLite driver
// over the same text, asked for nothing but the best rows. It fills a
// database, says so, then reads how long to work from lines of the standard
// input, and prints a bareResult for each.
func rawSearch(args []string) error {
	ctx := context.Background()
	pages, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	c := newCorpus(pages)
	db, err := sql.Open("sqlite", "file:"+args[0]+"?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_pragma=cache_size(-16384)")
	if err != nil {
		return err
	}
	defer db.Close()
	if err := fillRaw(ctx, db, c); err != nil {
		return err
	}
	query, err := db.PrepareContext(ctx, `SELECT rowid, bm25(plain, 10, 4, 1) AS score FROM plain WHERE plain MATCH $1 ORDER BY score LIMIT 20`)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	queries := c.queries()
	lines := bufio.NewScanner(os.Stdin)
	for at := 0; lines.Scan(); {
		length, err := time.ParseDuration(lines.Text())
		if err != nil {
			return err
		}
		s := sample{}
		start := time.Now()
		for time.Since(start) < length && len(s.sorted) < maxSamples {
			began := time.Now()
			if err := askRaw(ctx, query, strings.Join(queries[at%len(queries)], " AND ")); err != nil {
				return err
			}
			at++
			s.sorted = append(s.sorted, time.Since(began))
		}
		took := time.Since(start)
		slices.Sort(s.sorted)
		if err := json.NewEncoder(os.Stdout).Encode(bareResult{len(s.sorted), took, s.quantile(0.5), s.quantile(0.99)}); err != nil {
			return err
		}
	}
	return lines.Err()
}

// fillRaw stores the sections of all pages, as Octavo does.
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

func askRaw(ctx context.Context, query *sql.Stmt, match string) error {
	rows, err := query.QueryContext(ctx, match)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var score float64
		if err := rows.Scan(&id, &score); err != nil {
			return err
		}
	}
	return rows.Err()
}
