package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver that Octavo uses
)

// answer is a response of Octavo, which a reference sends again from memory.
type answer struct {
	Header http.Header
	Body   []byte
}

// serveAnswers is the reference of reads: the least that a net/http server can do
// to send the same responses. It reads them from the standard input, prints its
// address, and exits when the input ends.
func serveAnswers([]string) error {
	in := json.NewDecoder(os.Stdin)
	answers := map[string]answer{}
	if err := in.Decode(&answers); err != nil {
		return err
	}
	return serveWhileAsked(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[r.RequestURI]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		for k, v := range a.Header {
			h[k] = v
		}
		_, _ = w.Write(a.Body) // the client reports a broken connection
	}))
}

// serveWhileAsked serves on a free port, prints its address, and exits when the
// standard input ends.
func serveWhileAsked(h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return http.Serve(l, h)
}

// bareRow is about as long as a row of a collection.
var bareRow = strings.Repeat("x", 200)

// bareSQLite is the reference of writes: durable transactions of one row on
// one connection. It reads durations from lines of the standard input, and
// prints a bareResult for each.
func bareSQLite(args []string) error {
	ctx := context.Background()
	v := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(10000)"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: args[0]}).EscapedPath()+"?"+v.Encode())
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `CREATE TABLE bare (id INTEGER PRIMARY KEY, body TEXT NOT NULL)`); err != nil {
		return err
	}
	var steps []*sql.Stmt
	for _, text := range []string{`BEGIN IMMEDIATE`, `INSERT INTO bare (body) VALUES ($1)`, `COMMIT`} {
		st, err := conn.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		steps = append(steps, st)
	}
	return answerRuns(func() error {
		for i, st := range steps {
			var args []any
			if i == 1 {
				args = []any{bareRow}
			}
			if _, err := st.ExecContext(ctx, args...); err != nil {
				return err
			}
		}
		return nil
	})
}

// answerRuns reads durations from lines of the standard input. For each it calls
// once repeatedly for that long, and prints a bareResult.
func answerRuns(once func() error) error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		length, err := time.ParseDuration(lines.Text())
		if err != nil {
			return err
		}
		s := sample{}
		start := time.Now()
		for time.Since(start) < length && len(s.sorted) < maxSamples {
			began := time.Now()
			if err := once(); err != nil {
				return err
			}
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

type bareResult struct {
	Count          int
	Took, P50, P99 time.Duration
}
