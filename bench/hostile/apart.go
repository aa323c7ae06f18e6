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

// Attackers are somewhere else in reality. Here they share the processors with the server, so they
// work with a lower priority, and the tenant, whose waiting is measured, is a process of its own.

// tenantRole is the argument of that process.
const tenantRole = "-tenant"

// place is what the process of a tenant must know.
type place struct{ Address, Token, Space, Page string }

// apart starts the process of the tenant, which works until the function that is returned asks what it saw.
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

// tenantProcess is the tenant, until its input ends.
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

// yieldToOthers lowers the priority of all threads of this process; new ones inherit it.
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
