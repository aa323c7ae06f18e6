// Command bench compares Octavo with the best that the same machine can do. For
// example, it compares reads with a bare net/http handler that sends the same
// bytes from memory, and writes with bare one-row transactions through the same
// SQLite driver. Absolute rates depend on the machine; the ratios are the
// relevant results. See README.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	bin         string
	before      string
	dir         string
	rounds      int
	seconds     float64
	conns       int
	collections int
	json        string
	profile     string
	only        string
	pages       string
	pin         bool
}

// requestRounds is the default number of rounds of groups A to C.
const requestRounds = 9

// roundsOr returns the number of rounds of the flag, or else the default of a group.
func (o options) roundsOr(group int) int { return cmp.Or(o.rounds, group) }

func (o options) length() time.Duration { return time.Duration(o.seconds * float64(time.Second)) }

// binary is an octavo binary that is measured.
type binary struct{ path, suffix string }

// binaries returns the binaries to measure: -bin, and -before if it is set.
func (o options) binaries() []binary {
	out := []binary{{path: o.bin}}
	if o.before != "" {
		out = append(out, binary{o.before, suffixBefore})
	}
	return out
}

// wants reports whether at least one of the groups is to be measured.
func (o options) wants(groups string) bool {
	return o.only == "" || strings.ContainsAny(o.only, groups)
}

// main runs the benchmark, or one of its child processes. The references and the
// profiled server are this same binary with another first argument, so that they
// have their own core, GOMAXPROCS and CPU clock.
func main() {
	err := errors.New("no such role")
	if len(os.Args) > 1 && os.Args[1] == roleFlag {
		if role, ok := roles[os.Args[2]]; ok {
			err = role(os.Args[3:])
		}
	} else {
		err = bench()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

const roleFlag = "-role"

var roles = map[string]func(args []string) error{
	"merge":  workMerges,
	"http":   serveAnswers,
	"sqlite": bareSQLite,
	"fts":    rawSearch,
	"server": profiledServer,

	"openapi": processAPI,
}

func bench() error {
	var o options
	flag.StringVar(&o.bin, "bin", "", "octavo `binary`; built from this module without it")
	flag.StringVar(&o.before, "before", "", "another octavo `binary`; all groups but O measure both and compare them")
	flag.StringVar(&o.dir, "dir", "", "`folder` for the temporary data; it should be on a real disk")
	flag.IntVar(&o.rounds, "rounds", 0, "interleaved rounds, whose median counts; 0 is the number of the group")
	flag.Float64Var(&o.seconds, "seconds", 1, "length of each measurement")
	flag.IntVar(&o.conns, "conns", 16, "connections of the concurrent measurements")
	flag.IntVar(&o.collections, "collections", 1000, "collections in the organization that is listed")
	flag.StringVar(&o.json, "json", "", "also write the results to a `file`")
	flag.StringVar(&o.only, "only", "", "measure only the groups in these `letters`, such as AB")
	flag.StringVar(&o.pages, "pages", "100,1000,10000,100000", "`sizes` of the spaces whose content is measured")
	flag.StringVar(&o.profile, "profile", "", "write CPU profiles of the server to a `folder` instead of measuring ratios")
	flag.BoolVar(&o.pin, "pin", true, "pin the server to core 0 and the load to core 1")
	flag.Parse()
	if o.rounds < 0 || o.seconds <= 0 || o.conns < 1 || o.collections < 2*pageSize || flag.NArg() > 0 {
		return fmt.Errorf("seconds and conns must be positive, rounds not negative, collections at least %d, and there are no arguments", 2*pageSize)
	}
	if o.before != "" && o.profile != "" {
		return errors.New("-before compares and -profile does not: use one of them")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	dir, err := os.MkdirTemp(o.dir, "octavo-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.bin == "" {
		o.bin = filepath.Join(dir, "octavo")
		if out, err := exec.CommandContext(ctx, "go", "build", "-o", o.bin, "github.com/octavo-docs/octavo/cmd/octavo").CombinedOutput(); err != nil {
			return fmt.Errorf("build octavo: %w\n%s", err, out)
		}
	}
	if o.before != "" {
		if err := o.copyBinaries(dir); err != nil {
			return err
		}
	}
	p := pinSelf(o.pin)
	var all []*results
	for _, part := range []struct {
		groups  string
		measure func(context.Context, options, pinning, string) (*results, error)
	}{{"ABC", measureRequests}, {"DE", measureContent}, {"F", measureGit}, {"W", measureEdits}, {"S", measurePublished}, {"P", measureWeb}, {"O", measureOpenAPI}} {
		if !o.wants(part.groups) {
			continue
		}
		r, err := part.measure(ctx, o, p, dir)
		if err != nil {
			return err
		}
		if r != nil { // a profile has no results
			r.print(os.Stdout)
			all = append(all, r)
		}
	}
	if o.json != "" && o.profile == "" {
		return writeResults(o.json, all)
	}
	return nil
}

// copyBinaries makes fresh copies of both binaries. How much of a file counts as
// memory of a process depends on how the file got into the page cache.
func (o *options) copyBinaries(dir string) error {
	for name, path := range map[string]*string{"octavo-now": &o.bin, "octavo-before": &o.before} {
		to := filepath.Join(dir, name)
		if out, err := exec.Command("cp", *path, to).CombinedOutput(); err != nil {
			return fmt.Errorf("copy %s: %w\n%s", *path, err, out)
		}
		*path = to
	}
	return nil
}

// pinning describes how processes are assigned to cores. Servers and references
// run on core 0 with GOMAXPROCS=1, and the load runs on core 1. So the load does
// not take time from what it measures, and both sides of a ratio have the same
// resources.
type pinning struct {
	on    bool
	all   bool // processes may use all cores; the load still runs on core 1
	notes []string
}

func (p pinning) allCores() pinning { return pinning{on: p.on, all: true} }

func pinSelf(want bool) pinning {
	note := func(why string) pinning {
		return pinning{notes: []string{"not pinned to cores (" + why + "): the ratios are less steady"}}
	}
	switch {
	case !want:
		return note("-pin=false")
	case runtime.NumCPU() < 2:
		return note("there is one core only")
	}
	if _, err := exec.LookPath("taskset"); err != nil {
		return note("there is no taskset")
	}
	if out, err := exec.Command("taskset", "-a", "-p", "-c", "1", strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
		return note(fmt.Sprintf("taskset: %v: %s", err, out))
	}
	runtime.GOMAXPROCS(1)
	return pinning{on: true}
}

// command returns the command of a process that is measured. taskset replaces
// itself with the program, so the process ID is that of the program.
func (p pinning) command(name string, args ...string) *exec.Cmd {
	var cmd *exec.Cmd
	switch {
	case p.all:
		cmd = onAllCores(context.Background(), name, args...)
		cmd.Env = os.Environ()
	case p.on:
		cmd = exec.Command("taskset", append([]string{"-c", "0", name}, args...)...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	default:
		cmd = exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	}
	cmd.Stderr = os.Stderr
	return cmd
}

// onAllCores returns a command that may use all cores, although this process is
// pinned.
func onAllCores(ctx context.Context, name string, args ...string) *exec.Cmd {
	if _, err := exec.LookPath("taskset"); err == nil {
		name, args = "taskset", append([]string{"-c", fmt.Sprintf("0-%d", runtime.NumCPU()-1), name}, args...)
	}
	return exec.CommandContext(ctx, name, args...)
}

// buildProgram returns the path of a reference program. This is the value of the
// environment variable if it is set. Otherwise buildProgram builds the version
// that the module in bench/NAME requires.
func buildProgram(ctx context.Context, dir, variable, name, pkg string) (string, error) {
	if bin := os.Getenv(variable); bin != "" {
		return bin, nil
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("%s is built from the folder of this module; run the benchmark there or set %s: %w", name, variable, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	bin := filepath.Join(dir, name+".bin")
	start := time.Now()
	cmd := onAllCores(ctx, "go", "build", "-o", bin, pkg)
	cmd.Dir = filepath.Join(strings.TrimSpace(string(root)), "bench", name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	fmt.Fprintf(os.Stderr, "built %s in %.0f s\n", name, time.Since(start).Seconds())
	return bin, nil
}
