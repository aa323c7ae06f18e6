package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/octavo-docs/octavo/internal/docs"
)

// TestCommandLine runs the scripts in testdata/script. Each is a session of an operator
// with the real binary.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Values[runningKey{}] = &running{}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": scriptExits, "field": scriptField, "serve": scriptServe, "stop-server": scriptStop, "get": scriptGet,
		},
	})
}

// exits CODE program [args...]: runs the program, which must exit with this code.
func scriptExits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// field NAME key: sets a variable to a field of the JSON object that was just printed.
func scriptField(ts *testscript.TestScript, _ bool, args []string) {
	var v map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	value, ok := v[args[1]]
	if !ok {
		ts.Fatalf("there is no field %s", args[1])
	}
	ts.Setenv(args[0], fmt.Sprint(value))
}

// running is the server of a script.
type running struct{ *node }

type runningKey struct{}

// serve [NAME=value...] [flags...]: starts a server with environment variables and waits
// until it is ready. Its address is in $URL. It is killed at the end of the script.
func scriptServe(ts *testscript.TestScript, _ bool, args []string) {
	env := os.Environ()
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		env, args = append(env, args[0]), args[1:]
	}
	cmd := exec.Command(binary, append([]string{"serve"}, args...)...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), env
	n, err := startProcess(cmd)
	if n != nil {
		ts.Defer(n.kill)
	}
	ts.Check(err)
	ts.Setenv("URL", n.url)
	ts.Value(runningKey{}).(*running).node = n
}

// stop-server: sends SIGTERM and requires a clean exit. The log of the server is the
// error output.
func scriptStop(ts *testscript.TestScript, _ bool, _ []string) {
	n := ts.Value(runningKey{}).(*running).node
	ts.Check(n.terminate())
	fmt.Fprintln(ts.Stderr(), n.logged())
}

// get STATUS path [token]: sends a request to the server at $URL. The body is the output,
// and the header is the error output. The token can also be the name of a file.
func scriptGet(ts *testscript.TestScript, _ bool, args []string) {
	token := ""
	if len(args) > 2 {
		token = args[2]
		if !strings.HasPrefix(token, docs.TokenPrefix) {
			token = strings.TrimSpace(ts.ReadFile(token))
		}
	}
	n := &node{url: ts.Getenv("URL"), http: http.DefaultClient}
	a, err := n.call(token, "GET", args[1], nil)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%s", a.body)
	ts.Check(a.header.Write(ts.Stderr()))
	if strconv.Itoa(a.status) != args[0] {
		ts.Fatalf("status %d, want %s\n%s", a.status, args[0], a.body)
	}
}
