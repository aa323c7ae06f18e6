package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// changeKinds is the number of subjects that changes returns.
const changeKinds = 3

// changes returns the subjects of single changes. Their times start at the end of
// the fetch, because the time of the fetch depends on the remote.
func (d *gitServer) changes() []*subject {
	of := func(kind int, what, direction string, more map[string]any, prepare func(context.Context) error) *subject {
		return &subject{Name: d.name(what), process: d.server, once: func(ctx context.Context, length time.Duration) (out sample, err error) {
			var used time.Duration
			for end := time.Now().Add(length); time.Now().Before(end) || out.count == 0; out.count++ {
				if err := prepare(ctx); err != nil {
					return out, err
				}
				did, err := d.do(ctx, direction, more)
				if err != nil {
					return out, err
				}
				out.took += did.rest
				used += did.cpu
				out.sorted = append(out.sorted, did.rest)
				d.wholes[kind] = append(d.wholes[kind], micros(did.whole)/1000)
			}
			out.cpu = &used
			slices.Sort(out.sorted)
			return out, nil
		}}
	}
	return []*subject{
		of(0, importOne, "import", nil, d.remote.pushOne),
		of(1, importPage, "import", nil, d.remote.pushPage),
		of(2, exportOne, "export", map[string]any{"commitMessage": "Edit"}, d.edit),
	}
}

// edit changes a paragraph of one page, another page each time.
func (d *gitServer) edit(ctx context.Context) error {
	d.edits++
	i := d.edits * 6151 % d.remote.pages
	body, err := json.Marshal(map[string]any{"changes": []any{map[string]any{
		"operation": "update_page", "page": d.ids[i], "document": map[string]any{"markdown": d.remote.source(i, fmt.Sprintf("Edit %d.", d.edits))},
	}}})
	if err != nil {
		return err
	}
	_, err = d.fetch(ctx, http.MethodPost, "/v1/spaces/"+d.space+"/content", string(body))
	return err
}

// operationTimes holds the duration of a whole operation, the duration of the
// part after the fetch, and the processor time of the server in this part.
type operationTimes struct{ whole, rest, cpu time.Duration }

// do runs an operation. It polls the database for the state of the operation, because
// polling the server would use processor time of the server.
func (d *gitServer) do(ctx context.Context, direction string, more map[string]any) (out operationTimes, err error) {
	start := time.Now()
	id, err := d.ask(ctx, direction, more)
	if err != nil {
		return out, err
	}
	look, err := d.db.PrepareContext(ctx, `SELECT stage, state, reason, error FROM git_operations WHERE space_id = ? AND id = ?`)
	if err != nil {
		return out, err
	}
	defer look.Close()
	var fetched time.Time
	var before time.Duration
	for {
		var stage, state, reason, message string
		if err := look.QueryRowContext(ctx, d.space, id).Scan(&stage, &state, &reason, &message); err != nil {
			return out, err
		}
		done, err := ended(state, reason, message)
		if fetched.IsZero() && (done || state == "running" && stage != "fetch") {
			fetched, before = time.Now(), d.server.cpuExact()
		}
		if done {
			out.cpu = d.server.cpuExact() - before
			out.whole, out.rest = time.Since(start), time.Since(fetched)
			return out, err
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// cpuExact returns the processor time of a process in nanoseconds. It is exact only as
// long as no thread of the process ends.
func (p *process) cpuExact() (sum time.Duration) {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/task/*/schedstat")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		n, _, _ := strings.Cut(string(b), " ")
		v, _ := strconv.ParseInt(n, 10, 64)
		sum += time.Duration(v)
	}
	return sum
}

// profileGit writes a CPU profile of the server under each kind of change.
func (d *gitServer) profileGit(ctx context.Context, o options) error {
	if err := d.begin(ctx, o); err != nil {
		return err
	}
	defer d.db.Close()
	var list []profiled
	for _, v := range d.changes() {
		name, _, _ := strings.Cut(v.Name, ",")
		list = append(list, profiled{strings.ReplaceAll(name, " ", "-"), v.once})
	}
	return d.profiles(ctx, o, list)
}
