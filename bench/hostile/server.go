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

type options struct {
	bin, database, memory string
	nodes                 int
}

// servers holds the nodes of one Octavo instance.
type servers struct {
	dir    string
	nodes  []*node
	place  []string // flags for the location of the data
	bin    string
	memory string // memory limit of each node
}

type node struct {
	address string
	cmd     *exec.Cmd
}

func start(ctx context.Context, o options) (s *servers, err error) {
	dir, err := os.MkdirTemp("", "octavo-hostile-")
	if err != nil {
		return nil, err
	}
	s = &servers{dir: dir, bin: o.bin, memory: o.memory, place: []string{"--data", filepath.Join(dir, "data")}}
	made := s
	defer func() {
		if err != nil {
			made.close()
		}
	}()
	if o.database != "" {
		s.place = append(s.place, "--database", o.database)
	}
	if _, _, err = s.bootstrap(ctx, "First"); err != nil {
		return nil, err
	}
	for range o.nodes {
		if err := s.add(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// bootstrap creates an organization with its own administrator.
func (s *servers) bootstrap(ctx context.Context, title string) (org, token string, err error) {
	mail := strings.ToLower(strings.ReplaceAll(title, " ", "")) + "@octavo.example"
	cmd := exec.CommandContext(ctx, s.bin, append([]string{"bootstrap", "--email", mail, "--organization", title}, s.place...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var made struct{ Organization, Token string }
	if err = errors.Join(err, json.Unmarshal(out, &made)); err != nil {
		return "", "", fmt.Errorf("octavo bootstrap: %w", err)
	}
	return made.Organization, made.Token, nil
}

// add starts a node.
func (s *servers) add(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	n := &node{address: l.Addr().String()}
	if err := l.Close(); err != nil {
		return err
	}
	n.cmd = exec.CommandContext(ctx, s.bin, append([]string{"serve", "--listen", n.address, "--outbound-allow", "127.0.0.1/32", "--log-level", "warn"}, s.place...)...)
	n.cmd.Stderr = os.Stderr
	if s.memory != "" {
		n.cmd.Args = append(n.cmd.Args, "--memory-limit", s.memory)
	}
	if err := n.cmd.Start(); err != nil {
		return err
	}
	s.nodes = append(s.nodes, n)
	for range 600 {
		res, err := http.Get("http://" + n.address + "/readyz")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("the server does not become ready")
}

// restart restarts all nodes, so that their memory is that of a new process.
func (s *servers) restart(ctx context.Context) error {
	n := len(s.nodes)
	s.stop()
	for range n {
		if err := s.add(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *servers) stop() {
	for _, n := range s.nodes {
		_ = n.cmd.Process.Signal(os.Interrupt) // the process may have ended already
		kill := time.AfterFunc(10*time.Second, func() { _ = n.cmd.Process.Kill() })
		_ = n.cmd.Wait()
		kill.Stop()
	}
	s.nodes = nil
}

func (s *servers) close() {
	s.stop()
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// alive reports whether every node still runs.
func (s *servers) alive() bool {
	for _, n := range s.nodes {
		if _, err := os.Stat("/proc/" + strconv.Itoa(n.cmd.Process.Pid) + "/status"); err != nil {
			return false
		}
	}
	return true
}

// resetPeaks resets the peak memory of all nodes, a feature of Linux.
func (s *servers) resetPeaks() {
	for _, n := range s.nodes {
		_ = os.WriteFile("/proc/"+strconv.Itoa(n.cmd.Process.Pid)+"/clear_refs", []byte("5"), 0) // on failure, the peak is that since the start
	}
}

// peak returns the highest peak memory of the nodes, in bytes.
func (s *servers) peak() (most int64) {
	for _, n := range s.nodes {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(n.cmd.Process.Pid) + "/status")
		if err != nil {
			continue
		}
		for sc := bufio.NewScanner(bytes.NewReader(b)); sc.Scan(); {
			if rest, ok := strings.CutPrefix(sc.Text(), "VmHWM:"); ok {
				kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				most = max(most, kb<<10)
			}
		}
	}
	return most
}

// cpu returns the processor time of all nodes.
func (s *servers) cpu() (sum time.Duration) {
	for _, n := range s.nodes {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(n.cmd.Process.Pid) + "/stat")
		if err != nil {
			continue
		}
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		for _, f := range fields[11:13] { // utime and stime, in hundredths of a second
			n, _ := strconv.ParseInt(f, 10, 64)
			sum += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return sum
}

// diskUsed returns the size of all files in the temporary folder, in bytes.
func (s *servers) diskUsed() (sum int64) {
	_ = filepath.Walk(s.dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// ask sends one request to a node and returns the status and the body.
func ask(ctx context.Context, address, token, method, path string, body io.Reader) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, body)
	if err != nil {
		return 0, nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, b, err
}
