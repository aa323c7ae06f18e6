// These tests run the real binary. It is built once, started, killed, and used over HTTP
// like by an operator and a client.
package main_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/server"
)

// binary is the path of the program under test.
var binary string

// realS3 is the value of OCTAVO_TEST_S3: endpoint,key,secret,bucket. It is empty if there
// is no such server.
var realS3 = os.Getenv("OCTAVO_TEST_S3")

// patience is the timeout of every wait for a process. It is far above the usual
// duration, so that only a hang reaches it.
const patience = 3 * time.Minute

func TestMain(m *testing.M) { os.Exit(withBinary(m.Run)) }

// withBinary builds the program as it is released, without cgo, in a temporary folder.
func withBinary(run func() int) int {
	// Settings of the user who runs the tests must not affect the program.
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "OCTAVO_") && name != testdb.Env {
			_ = os.Unsetenv(name) // fails only for invalid names
		}
	}
	dir, err := os.MkdirTemp("", "octavo-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "octavo")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return run()
}

// place is the data location of an instance.
type place struct {
	data     string
	database string // empty for SQLite in the data folder
}

func (p place) flags() []string {
	f := []string{"--data=" + p.data}
	if p.database != "" {
		f = append(f, "--database="+p.database)
	}
	return f
}

func sqlitePlace(t testing.TB) place { t.Helper(); return place{data: t.TempDir()} }

func postgresPlace(t testing.TB) place {
	t.Helper()
	return place{data: t.TempDir(), database: testdb.BarePostgres(t).DatabaseURL}
}

// eachPlace runs a test on an empty instance of each kind of database, in parallel.
func eachPlace(t *testing.T, test func(t *testing.T, at place)) {
	t.Helper()
	for name, make := range map[string]func(testing.TB) place{"sqlite": sqlitePlace, "postgres": postgresPlace} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, make(t))
		})
	}
}

// eachKilled is like eachPlace, but for a test that kills the server the given number of
// times. PostgreSQL, which survives our process, needs fewer kills.
func eachKilled(t *testing.T, rounds int, test func(t *testing.T, at place, rounds int)) {
	t.Helper()
	if testing.Short() {
		rounds = crashesShort
	}
	eachPlace(t, func(t *testing.T, at place) {
		if at.database != "" {
			test(t, at, min(rounds, crashesPostgres))
			return
		}
		test(t, at, rounds)
	})
}

// store opens the store directly, without the program.
func (p place) store(t testing.TB) *store.Store {
	t.Helper()
	o, err := server.DataPath(p.data, p.database)
	if err != nil {
		t.Fatal(err)
	}
	return testdb.Open(t, o)
}

// sql opens the database without the store.
func (p place) sql(t testing.TB) *sql.DB {
	t.Helper()
	driver, address := "pgx", p.database
	if address == "" {
		driver, address = "sqlite", server.DatabasePath(p.data)
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// octavo runs a command on a place and waits for its end.
func octavo(at place, command string, args ...string) (stdout, stderr string, err error) {
	return octavoWith(nil, at, command, args...)
}

// octavoWith is like octavo, with additional environment variables.
func octavoWith(env []string, at place, command string, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	all := append(strings.Fields(command), append(at.flags(), args...)...)
	var out, errout bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, all...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), &out, &errout
	err = cmd.Run()
	return out.String(), errout.String(), err
}

// mustOctavo is like octavo, but fails the test if the command fails. It returns the
// output of the command.
func mustOctavo(t testing.TB, at place, command string, args ...string) string {
	t.Helper()
	stdout, stderr, err := octavo(at, command, args...)
	if err != nil {
		t.Fatalf("octavo %s %v: %v\n%s%s", command, args, err, stdout, stderr)
	}
	return stdout
}

// bootstrap creates the first user and an organization.
func bootstrap(t testing.TB, at place, organization string) orgs.Bootstrapped {
	t.Helper()
	var b orgs.Bootstrapped
	out := mustOctavo(t, at, "bootstrap", "--email=ada@octavo.example", "--organization="+organization)
	if err := json.Unmarshal([]byte(out), &b); err != nil {
		t.Fatalf("bootstrap printed %q: %v", out, err)
	}
	return b
}

// node is a running octavo serve process.
type node struct {
	url    string
	cmd    *exec.Cmd
	exited chan struct{}
	err    error // of the process; valid after exited is closed
	http   *http.Client

	mu  sync.Mutex
	log []string
}

// serve starts a node and waits until it is ready. The system chooses the port, so that
// nodes never conflict. A node that still runs at the end of the test is killed.
func serve(t testing.TB, at place, more ...string) *node {
	t.Helper()
	n, err := start(at, more...)
	if n != nil {
		t.Cleanup(func() {
			n.kill()
			if log := n.logged(); t.Failed() && strings.Contains(log, "\n") { // more than its address
				t.Logf("log of %s:\n%s", n.url, log)
			}
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// start is like serve, but without a test. It returns a node that did not become ready
// together with the error.
func start(at place, more ...string) (*node, error) {
	// Tests make an organization in each of many rounds.
	args := append([]string{"serve", "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--organizations-per-day=0"}, at.flags()...)
	return startProcess(exec.Command(binary, append(args, more...)...))
}

func startProcess(cmd *exec.Cmd) (*node, error) {
	n, err := launch(cmd)
	if err != nil {
		return n, err
	}
	return n, n.awaitReady()
}

// launch starts a process and waits until it logs its address.
func launch(cmd *exec.Cmd) (*node, error) {
	n := &node{
		cmd: cmd, exited: make(chan struct{}),
		http: &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	serving := make(chan string, 1)
	go func() {
		n.follow(stderr, serving)
		n.err = cmd.Wait()
		close(n.exited)
	}()
	select {
	case addr := <-serving:
		n.url = "http://" + addr
	case <-n.exited:
		return n, fmt.Errorf("serve ended: %w\n%s", n.err, n.logged())
	case <-time.After(patience):
		return n, fmt.Errorf("serve does not start\n%s", n.logged())
	}
	return n, nil
}

// servingLine matches the address in a log line of either format.
var servingLine = regexp.MustCompile(`\bmsg"?[=:]"?serving\b.*\blisten"?[=:]"?([0-9.:]+)`)

// follow stores the log, and sends the address to serving.
func (n *node) follow(r io.Reader, serving chan<- string) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		n.mu.Lock()
		n.log = append(n.log, lines.Text())
		n.mu.Unlock()
		if m := servingLine.FindStringSubmatch(lines.Text()); m != nil {
			serving <- m[1]
		}
	}
}

func (n *node) logged() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.log, "\n")
}

func (n *node) awaitReady() error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if a, err := n.call("", "GET", "/readyz", nil); err == nil && a.status == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("%s does not become ready\n%s", n.url, n.logged())
}

// kill ends the process like kill -9. It has no effect after the end.
func (n *node) kill() {
	_ = n.cmd.Process.Kill() // fails if the process has already ended
	<-n.exited
	n.http.CloseIdleConnections()
}

// terminate sends SIGTERM and returns how the process ended.
func (n *node) terminate() error {
	n.http.CloseIdleConnections()
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-n.exited:
		return n.err
	case <-time.After(patience):
		return fmt.Errorf("serve does not stop\n%s", n.logged())
	}
}

// stop is like terminate, but fails the test on an error.
func (n *node) stop(t testing.TB) {
	t.Helper()
	if err := n.terminate(); err != nil {
		t.Fatalf("serve ended with %v\n%s", err, n.logged())
	}
}

// answer is the response of a node.
type answer struct {
	status int
	body   []byte
	header http.Header
}

// call sends one request. An error means that there was no complete response, so the
// outcome is unknown.
func (n *node) call(token, method, path string, body any) (answer, error) {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, n.url+path, in)
	if err != nil {
		return answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := n.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, b, res.Header}, err
}

// want is like call, but fails the test unless the response has the given status. It
// decodes the body into out unless out is nil.
func (n *node) want(t testing.TB, status int, token, method, path string, body, out any) {
	t.Helper()
	a, err := n.call(token, method, path, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if a.status != status {
		t.Fatalf("%s %s: status %d, want %d\n%s", method, path, a.status, status, a.body)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		t.Fatalf("%s %s: %v\n%s", method, path, err, a.body)
	}
}

// thing holds the fields that tests read of most resources.
type thing struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// made creates a resource and returns its ID.
func (n *node) made(t testing.TB, token, method, path string, body any) string {
	t.Helper()
	var v thing
	n.want(t, http.StatusCreated, token, method, path, body, &v)
	return v.ID
}

// list returns the items of all pages of a list.
func list[T any](t testing.TB, n *node, token, path string) []T {
	t.Helper()
	var all []T
	for page := ""; ; {
		var v struct {
			Items []T
			Next  struct{ Page string }
		}
		n.want(t, http.StatusOK, token, "GET", path+"?limit=200&page="+page, nil, &v)
		all = append(all, v.Items...)
		if page = v.Next.Page; page == "" {
			return all
		}
	}
}
