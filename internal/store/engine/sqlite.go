package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	lite "modernc.org/sqlite"
	litelib "modernc.org/sqlite/lib"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/store/owner"
)

// normalize is a function of PostgreSQL: a text in its normal form.
func init() {
	lite.MustRegisterDeterministicScalarFunction("normalize", 1, func(_ *lite.FunctionContext, args []driver.Value) (driver.Value, error) {
		if text, ok := args[0].(string); ok {
			return names.Normal(text), nil
		}
		return args[0], nil
	})
}

// sqlite is the embedded default: one file in WAL mode with many readers and
// one writer. The writer commits in groups: transactions that wait while the
// disk is busy share the next flush, so sixteen clients are never slower
// than one.
type sqlite struct {
	stmts *stmtCache
	wdb   *sql.DB
	conn  *sql.Conn
	queue chan *job
	done  chan struct{}
	cache *rowCache // nil if there is no shared memory
	poll  context.CancelFunc
	bg    sync.WaitGroup // of watch
}

// job is a transaction on its way to the writer.
type job struct {
	ctx    context.Context
	space  string // jobs of the same space run in order; empty: none
	payer  string // who is charged for the time
	fn     func(runner) error
	took   time.Duration // of the writer's time
	err    error
	panics any
	ready  chan struct{}
}

// maxGroup is the maximum number of transactions that share a flush, and groupTime the
// maximum time of a group of several payers, which the first of them has to wait.
const (
	maxGroup  = 128
	groupTime = 40 * time.Millisecond
)

func openSQLite(ctx context.Context, o Options) (*sql.DB, dialect, error) {
	address := func(more ...string) string {
		v := url.Values{"_pragma": append([]string{
			"busy_timeout(10000)", // other processes (backup, token create) write too
			"journal_mode(WAL)",
			"synchronous(FULL)", // an acknowledged write is on disk
			"foreign_keys(ON)",
			"cache_size(-16384)",
			"temp_store(MEMORY)",
			// In pages: 16 MB. Pages that changes write repeatedly are copied into the
			// file once. One block of the WAL index has 4062 entries.
			"wal_autocheckpoint(4000)",
		}, more...)}
		return "file:" + (&url.URL{Path: o.Path}).EscapedPath() + "?" + v.Encode()
	}
	// Only the owner may read it; SQLite gives its other files the same mode.
	// An existing file is not touched: closing it would drop SQLite's locks.
	if f, err := os.OpenFile(o.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		if err := f.Close(); err != nil {
			return nil, nil, err
		}
	}
	wdb, err := sql.Open("sqlite", address())
	if err != nil {
		return nil, nil, err
	}
	// The writer opens first: it creates the file and switches to WAL.
	conn, err := firstConn(ctx, wdb)
	if err != nil {
		return nil, nil, errors.Join(notOpened(o.Path, err), wdb.Close())
	}
	db, err := sql.Open("sqlite", address("query_only(ON)"))
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close(), wdb.Close())
	}
	n := o.MaxConns
	if n == 0 {
		n = max(4, 2*budget.Processors())
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	s := &sqlite{
		stmts: &stmtCache{}, wdb: wdb, conn: conn,
		queue: make(chan *job, maxGroup), done: make(chan struct{}),
	}
	gen, err := openGeneration(o.Path + generationSuffix)
	if err != nil {
		return nil, nil, errors.Join(owner.Explain(o.Path+generationSuffix, err), conn.Close(), wdb.Close(), db.Close())
	}
	s.cache = newRowCache(gen)
	var watch context.Context
	watch, s.poll = context.WithCancel(context.Background())
	s.bg.Go(func() { s.watch(watch) })
	go s.write()
	return db, s, nil
}

// notOpened says why a database cannot be opened. The errors of SQLite do not say whether
// the file is missing or belongs to somebody else.
func notOpened(path string, err error) error {
	out := fmt.Errorf("open %s: %w", path, err)
	var e *lite.Error
	if !errors.As(err, &e) {
		return out
	}
	switch e.Code() & 0xff {
	case litelib.SQLITE_CANTOPEN, litelib.SQLITE_READONLY, litelib.SQLITE_PERM:
		return owner.Explain(path, out)
	}
	return out
}

// firstConn opens a file that other processes may be opening: SQLite does not
// wait by itself when several switch a new one to WAL together.
func firstConn(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	for try := 1; ; try++ {
		conn, err := db.Conn(ctx)
		var e *lite.Error
		if err == nil || try == 400 || !errors.As(err, &e) || e.Code()&0xff != litelib.SQLITE_BUSY {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(25 * time.Millisecond):
		}
	}
}

func (s *sqlite) pool(db *sql.DB) *Reader {
	return &Reader{run: &litePool{db: db, stmts: s.stmts}, d: s, cache: s.cache}
}

// watch notices commits that were not counted, because a process was killed
// between its commit and counting it, or the generation file was removed.
func (s *sqlite) watch(ctx context.Context) {
	// The pragma returns another number when another connection has committed
	// since it last ran on this connection.
	conn, err := s.wdb.Conn(ctx)
	if err != nil {
		return // closing already
	}
	defer conn.Close()
	for last := int64(-1); ; {
		var v int64
		if err := conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&v); err == nil && v != last {
			last = v
			s.cache.gen.bump()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

func (s *sqlite) name() string { return "sqlite" }

func (s *sqlite) close() error {
	s.poll()
	close(s.queue)
	<-s.done
	s.bg.Wait() // the last connection to close folds the log into the file
	return errors.Join(s.conn.Close(), s.wdb.Close(), s.cache.gen.close())
}

// transact hands fn to the writer and waits until it is on disk.
func (s *sqlite) transact(ctx context.Context, space string, queued func(), fn func(runner) error) error {
	j := &job{ctx: ctx, space: space, payer: budget.Payer(ctx), fn: fn, ready: make(chan struct{})}
	began := time.Now()
	s.queue <- j
	queued()
	<-j.ready
	budget.ExcludeWait(ctx, time.Since(began)-j.took)
	if j.panics != nil {
		panic(j.panics)
	}
	return j.err
}

// write is the one goroutine that changes the database.
func (s *sqlite) write() {
	defer close(s.done)
	w := &liteConn{conn: s.conn, stmts: map[string]*sql.Stmt{}}
	defer w.closeStmts()
	waiting := newWriteQueue(s.queue)
	for {
		first := waiting.wait()
		if first == nil {
			return
		}
		group, began := []*job{first}, time.Now()
		err := w.plain("BEGIN IMMEDIATE")
		for i := 0; err == nil && i < len(group); i++ {
			start := time.Now()
			err = w.attempt(group[i], i == 0)
			end := time.Now()
			group[i].took = end.Sub(start)
			waiting.used.Add(group[i].payer, end.Sub(start), end)
			if err == nil && len(group) < maxGroup && (end.Sub(began) < groupTime || waiting.onlyOf(group)) {
				group = waiting.more(group)
			}
		}
		s.finish(w, group, err)
	}
}

// finish commits a group, or undoes it after an error, and lets its callers go on.
func (s *sqlite) finish(w *liteConn, group []*job, err error) {
	s.cache.committing.Store(true)
	if err == nil {
		err = w.plain("COMMIT")
	}
	s.cache.gen.bump() // before any caller goes on
	s.cache.committing.Store(false)
	if err != nil {
		// Nothing of the group is on disk: every caller gets the error.
		_ = w.plain("ROLLBACK") // fails when SQLite has rolled back by itself
	}
	for _, j := range group {
		if err != nil && j.err == nil {
			j.err = fmt.Errorf("commit: %w", err)
		}
		close(j.ready)
	}
}

// attempt runs one transaction of a group. A failure of its own is undone and noted in
// the job; an error is returned only when the group is lost. The first transaction has
// the group for itself, so it needs no savepoint, for which SQLite would copy each page
// that changes.
func (w *liteConn) attempt(j *job, first bool) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil
	}
	if !first {
		if err := w.plain("SAVEPOINT one"); err != nil {
			return err
		}
	}
	func() {
		defer func() { j.panics = recover() }()
		j.err = j.fn(w)
	}()
	failed := j.err != nil || j.panics != nil
	switch {
	case first && failed:
		_ = w.plain("ROLLBACK") // fails when SQLite has rolled back by itself
		return w.plain("BEGIN IMMEDIATE")
	case first:
		return nil
	case failed:
		if err := w.plain("ROLLBACK TO one"); err != nil {
			return errors.Join(err, j.err) // a full disk ends the whole transaction
		}
	}
	return w.plain("RELEASE one")
}

func (s *sqlite) snapshot(ctx context.Context, fn func(runner) error) error {
	conn, err := s.wdb.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	w := &liteConn{conn: conn, stmts: map[string]*sql.Stmt{}}
	defer w.closeStmts()
	if err := w.plain("BEGIN"); err != nil {
		return err
	}
	defer func() { _ = w.plain("ROLLBACK") }()
	return fn(w)
}

func (s *sqlite) prelude() string { return "" }
func (s *sqlite) exclusive(ctx context.Context, fn func(runner) error) error {
	return s.transact(ctx, "", func() {}, fn)
}
func (s *sqlite) skipLocked() string { return "" } // one writer: nothing to skip

// manyRows adds OR FAIL: if a row fails, the rows before it stay until the transaction
// is rolled back. By default SQLite keeps a journal of each statement to undo it alone,
// which costs more than writing the rows.
func (s *sqlite) manyRows(insert string) string {
	return strings.Replace(insert, "INSERT INTO", "INSERT OR FAIL INTO", 1)
}

// parameter returns a parameter without a name: the driver looks up each named one among
// all of the statement, which takes quadratic time.
func (s *sqlite) parameter(int) string { return "?" }

func (s *sqlite) nowMillis() string {
	return `SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)`
}

var sqliteOnly = regexp.MustCompile(`/\*sqlite: (.*?) \*/`)

func (s *sqlite) ddl(text string) string { return sqliteOnly.ReplaceAllString(text, "$1") }

func (s *sqlite) duplicate(err error) bool {
	var e *lite.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code() == litelib.SQLITE_CONSTRAINT_UNIQUE || e.Code() == litelib.SQLITE_CONSTRAINT_PRIMARYKEY
}

func (s *sqlite) full(err error) bool {
	var e *lite.Error
	return errors.As(err, &e) && e.Code()&0xff == litelib.SQLITE_FULL
}

func (s *sqlite) check(ctx context.Context, r runner) error {
	var answer string
	if err := r.row(ctx, `PRAGMA quick_check(1)`).Scan(&answer); err != nil {
		return err
	}
	if answer != "ok" {
		return fmt.Errorf("the database file is damaged: %s; restore a backup", answer)
	}
	return nil
}

func (s *sqlite) describe(ctx context.Context, r runner) ([]Table, error) {
	return describeWith(ctx, r, `
		SELECT t.name, c.name, c.type, c."notnull" = 1 OR c.pk > 0
		FROM sqlite_schema t JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
		ORDER BY t.name, c.cid`)
}

// stmtCache keeps prepared statements: parsing costs more than a point read.
type stmtCache struct{ m sync.Map }

func (c *stmtCache) get(ctx context.Context, db *sql.DB, text string) (*sql.Stmt, error) {
	if v, ok := c.m.Load(text); ok {
		return v.(*sql.Stmt), nil
	}
	st, err := db.PrepareContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", text, err)
	}
	if v, loaded := c.m.LoadOrStore(text, st); loaded {
		_ = st.Close()
		return v.(*sql.Stmt), nil
	}
	return st, nil
}

// litePool reads on any reader.
type litePool struct {
	db    *sql.DB
	stmts *stmtCache
}

func (p *litePool) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	st, err := p.stmts.get(ctx, p.db, text)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// row reads at most one row. It ignores cancellation: a point read is over
// in microseconds, and watching the context would cost as much again.
func (p *litePool) row(ctx context.Context, text string, args ...any) *sql.Row {
	ctx = context.WithoutCancel(ctx)
	st, err := p.stmts.get(ctx, p.db, text)
	if err != nil {
		return p.db.QueryRowContext(ctx, text, args...) // reports the same error
	}
	return st.QueryRowContext(ctx, args...)
}

func (p *litePool) exec(context.Context, string, ...any) (sql.Result, error) {
	return nil, errors.New("write outside a transaction")
}

// liteConn runs on one connection. It ignores cancellation on purpose: an
// interrupted statement would roll back the whole group.
type liteConn struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func (w *liteConn) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if st, ok := w.stmts[text]; ok {
		return st, nil
	}
	st, err := w.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", text, err)
	}
	w.stmts[text] = st
	return st, nil
}

func (w *liteConn) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	ctx = context.WithoutCancel(ctx)
	st, err := w.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

func (w *liteConn) row(ctx context.Context, text string, args ...any) *sql.Row {
	ctx = context.WithoutCancel(ctx)
	st, err := w.prepared(ctx, text)
	if err != nil {
		return w.conn.QueryRowContext(ctx, text, args...)
	}
	return st.QueryRowContext(ctx, args...)
}

func (w *liteConn) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	ctx = context.WithoutCancel(ctx)
	if len(args) == 0 { // scripts of several statements cannot be prepared
		return w.conn.ExecContext(ctx, text)
	}
	st, err := w.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	return st.ExecContext(ctx, args...)
}

// plain runs one of the few statements that control a transaction.
func (w *liteConn) plain(text string) error {
	ctx := context.Background()
	st, err := w.prepared(ctx, text)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(ctx)
	return err
}

func (w *liteConn) closeStmts() {
	for _, st := range w.stmts {
		_ = st.Close()
	}
}
