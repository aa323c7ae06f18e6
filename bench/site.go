package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// site is a running Octavo with data. One organization is read and listed.
// Another receives the writes, so that lists do not grow during the measurement.
type site struct {
	addr     string
	token    string
	readOrg  string
	writeOrg string
	top      []string // paths of collections at the top level
	nested   []string // paths of collections two levels down
	pages    []string // paths of the pages of the list
	pin      pinning
	dir      string
	server   *process
	started  []*process
}

// process is a child process that is measured.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (s *site) start(cmd *exec.Cmd) (*process, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, in, bufio.NewReader(out)}
	s.started = append(s.started, p)
	return p, nil
}

// role starts this program as one of its child roles.
func (s *site) role(name string, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return s.start(s.pin.command(self, append([]string{roleFlag, name}, args...)...))
}

// stop ends a process. Roles exit when their input ends, Octavo on a signal.
func (p *process) stop() error {
	_ = p.in.Close() // the process may have ended already
	_ = p.cmd.Process.Signal(os.Interrupt)
	kill := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == -1 { // by our signal
		return nil
	}
	return err
}

func (s *site) close() error {
	var all error
	for _, p := range s.started {
		all = errors.Join(all, p.stop())
	}
	return all
}

// ticks is the number of clock ticks per second in /proc. It is 100 on every
// Linux that Go runs on.
const ticks = 100

// cpu returns the processor time of the process, or 0 for a nil process.
func (p *process) cpu() time.Duration {
	if p == nil {
		return 0
	}
	return cpuOf(p.cmd.Process.Pid)
}

// cpuOf returns the processor time of all threads of a process, or 0 if there is
// no /proc.
func cpuOf(pid int) time.Duration {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name of the program may contain blanks, but no field after it does.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	return sumTicks(fields[11:13]) // utime and stime
}

// cpuOfAll returns the processor time of all programs.
func cpuOfAll() time.Duration {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(b), "\n")
	fields := strings.Fields(first) // cpu user nice system idle iowait irq softirq …
	return sumTicks(append(fields[1:4:4], fields[6:8]...))
}

func sumTicks(fields []string) time.Duration {
	var sum int64
	for _, f := range fields {
		n, _ := strconv.ParseInt(f, 10, 64)
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks
}

// startSite starts Octavo and fills it with data.
func startSite(ctx context.Context, o options, bin string, p pinning, dir string) (s *site, err error) {
	s = &site{pin: p, dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	data := filepath.Join(dir, "data")
	for _, org := range []struct {
		title string
		id    *string
	}{{"Read", &s.readOrg}, {"Write", &s.writeOrg}} {
		cmd := exec.CommandContext(ctx, bin, "bootstrap", "--data", data, "--email", "bench@octavo.example", "--organization", org.title)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		var created struct{ Organization, Token string }
		if err = errors.Join(err, json.Unmarshal(out, &created)); err != nil {
			return s, fmt.Errorf("octavo bootstrap: %w", err)
		}
		*org.id, s.token = created.Organization, created.Token
	}
	if s.addr, err = freeAddr(); err != nil {
		return s, err
	}
	if o.profile != "" {
		s.server, err = s.role("server", data, s.addr)
	} else {
		s.server, err = s.start(p.command(bin, "serve", "--data", data, "--listen", s.addr, "--rate-limit", "0", "--log-level", "warn"))
	}
	if err != nil {
		return s, err
	}
	if err = s.ready(ctx); err != nil {
		return s, err
	}
	return s, s.fill(ctx, o.collections)
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func (s *site) ready(ctx context.Context) error { return s.readyAt(ctx, "/readyz") }

// readyAt waits until the server responds to a path successfully.
func (s *site) readyAt(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		_, err := s.fetch(ctx, http.MethodGet, path, "")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not become ready: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// fetch sends a request to Octavo outside of a measurement.
func (s *site) fetch(ctx context.Context, method, path, body string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Accept-Encoding", "identity") // like the requests of the load
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultTransport.RoundTrip(req) // adds no headers and follows no redirects
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, res.Status, b)
	}
	return answer{res.Header, b}, err
}

// pageSize is the page size of the lists.
const pageSize = 100

// manyPaths is the number of objects that are read in turn, so that not only one
// hot row is measured.
const manyPaths = 64

// fill creates n collections: most at the top level, some two levels below.
func (s *site) fill(ctx context.Context, n int) error {
	var parent string
	for i := range n {
		title := fmt.Sprintf("Collection %d", i)
		body := map[string]string{"title": title}
		nested := i >= 2 && i < 2+manyPaths
		if i == 1 || nested {
			body["parent"] = parent
		}
		id, err := s.create(ctx, s.readOrg, body)
		if err != nil {
			return err
		}
		switch {
		case i < 2:
			parent = id
		case nested:
			s.nested = append(s.nested, "/v1/collections/"+id)
		case len(s.top) < manyPaths:
			s.top = append(s.top, "/v1/collections/"+id)
		}
	}
	path := s.collectionsPath(s.readOrg) + "?limit=" + strconv.Itoa(pageSize)
	for at := path; at != ""; {
		s.pages = append(s.pages, at)
		a, err := s.fetch(ctx, http.MethodGet, at, "")
		if err != nil {
			return err
		}
		var list struct {
			Next  struct{ Page string }
			Items []struct{ ID string }
		}
		if err := json.Unmarshal(a.Body, &list); err != nil {
			return err
		}
		at = ""
		if list.Next.Page != "" && len(list.Items) == pageSize && len(s.pages) < n {
			at = path + "&page=" + list.Next.Page
		}
	}
	return nil
}

func (s *site) collectionsPath(org string) string { return "/v1/orgs/" + org + "/collections" }

func (s *site) create(ctx context.Context, org string, body map[string]string) (id string, err error) {
	b, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	a, err := s.fetch(ctx, http.MethodPost, s.collectionsPath(org), string(b))
	if err != nil {
		return "", err
	}
	var created struct{ ID string }
	return created.ID, json.Unmarshal(a.Body, &created)
}

// deepPage returns the path of the page before the last, which is full.
func (s *site) deepPage() string { return s.pages[len(s.pages)-2] }

// references starts the bare handler with Octavo's own responses to paths.
func (s *site) references(ctx context.Context, paths []string) (*process, string, error) {
	return s.referencesWith(ctx, paths, map[string]answer{})
}

// referencesWith is references with additional responses, by their paths.
func (s *site) referencesWith(ctx context.Context, paths []string, answers map[string]answer) (*process, string, error) {
	for _, path := range paths {
		a, err := s.fetch(ctx, http.MethodGet, path, "")
		if err != nil {
			return nil, "", err
		}
		a.Header.Del("Date") // net/http sets it
		answers[path] = a
	}
	return s.bareWith(answers)
}

// bareWith starts the bare handler with responses by their paths.
func (s *site) bareWith(answers map[string]answer) (*process, string, error) {
	p, err := s.role("http")
	if err != nil {
		return nil, "", err
	}
	if err := json.NewEncoder(p.in).Encode(answers); err != nil {
		return nil, "", err
	}
	addr, err := p.out.ReadString('\n')
	return p, strings.TrimSpace(addr), err
}
