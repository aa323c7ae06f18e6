package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// In reality, attackers run on other machines. Here they share the processors with the
// server, so they run with a lower priority. The tenant, whose latency is measured, runs in
// a separate process.

// tenantRole is the argument of the tenant process.
const tenantRole = "-tenant"

// place is the input of the tenant process.
type place struct{ Address, Token, Space, Page string }

// apart starts the tenant process. The returned function ends the process and returns what
// it observed.
func (t *tenant) apart(ctx context.Context) (end func() (observed, error), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, tenantRole)
	cmd.Stderr = os.Stderr
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
	if err := json.NewEncoder(in).Encode(place{t.at(), t.token, t.space, t.page}); err != nil {
		return nil, err
	}
	return func() (o observed, err error) {
		if err := in.Close(); err != nil {
			return o, err
		}
		err = json.NewDecoder(out).Decode(&o)
		return o, errors.Join(err, cmd.Wait())
	}, nil
}

// tenantProcess is the main function of the tenant process. It runs until its input ends.
func tenantProcess(ctx context.Context) error {
	var p place
	in := json.NewDecoder(os.Stdin)
	if err := in.Decode(&p); err != nil {
		return err
	}
	t := &tenant{address: p.Address, token: p.Token, space: p.Space, page: p.Page}
	t.begin(ctx)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(t.end())
}

// yieldToOthers lowers the priority of all threads of this process. New threads inherit the
// priority.
func yieldToOthers() error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return err
		}
		if err := syscall.Setpriority(syscall.PRIO_PROCESS, id, 10); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}
