package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
)

// The description that group O reads.
const (
	apiOperations = 1000
	apiFields     = 38 // of each schema
	apiRounds     = 3
	apiMemory     = 300 // MB, the target for a description of 5 MB
)

// writeAPI writes a description of about 5 MB, in which each operation has a schema of its own.
func writeAPI(file string) (size int64, err error) {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.0.3","info":{"title":"Large","version":"1"},"servers":[{"url":"https://api.example.com"}],"paths":{`)
	comma := func(i int) string { return map[bool]string{true: ","}[i > 0] }
	for i := range apiOperations {
		fmt.Fprintf(&b, `%s"/things%d/{id}":{"post":{"operationId":"thing%d","summary":"Change thing %d","tags":["tag%d"],"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],`, comma(i), i, i, i, i%40)
		fmt.Fprintf(&b, `"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing%d"}}}},"responses":{"200":{"description":"Changed","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing%d"}}}}}}}`, i, i)
	}
	b.WriteString(`},"components":{"schemas":{`)
	for i := range apiOperations {
		fmt.Fprintf(&b, `%s"Thing%d":{"type":"object","properties":{`, comma(i), i)
		for j := range apiFields {
			fmt.Fprintf(&b, `%s"field%d":{"type":"string","maxLength":%d,"description":"What field %d of things of the type %d is for, in some words."}`, comma(j), j, j+1, j, i)
		}
		b.WriteString("}}")
	}
	b.WriteString("}}}\n")
	return int64(b.Len()), os.WriteFile(file, []byte(b.String()), 0o600)
}

// processAPI is a role that reads and checks an API description. If the second argument is
// apiRender, it also renders all operations as HTML.
func processAPI(args []string) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	d, err := openapi.Load(context.Background(), openapi.Bundle{Root: "api.json", Files: map[string][]byte{"api.json": text}})
	if err != nil {
		return err
	}
	if args[1] == apiRead {
		return nil
	}
	code := highlight.New(1 << 20)
	for _, o := range d.Operations {
		page := apidoc.NewPage(func(docs.Ref) *openapi.Description { return d }, html.Options{Highlight: code})
		if _, ok := page.HTML(markup.APIBlock{Type: "openapi-operation", Method: o.Method, Path: o.Path, Level: 2}); !ok {
			return fmt.Errorf("%s %s is not shown", o.Method, o.Path)
		}
	}
	return nil
}

// Values of the second argument of processAPI.
const (
	apiRead   = "read"
	apiRender = "render"
)

// apiCost is the cost of processing a description.
type apiCost struct{ wall, cpu, memory float64 } // seconds, seconds, MB

// costOf runs a program on all cores and returns its cost.
func costOf(ctx context.Context, dir, name string, args ...string) (c apiCost, err error) {
	cmd := onAllCores(ctx, name, args...)
	cmd.Dir = dir
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &out
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return c, fmt.Errorf("%s: %w\n%s", name, err, out.String())
	}
	c.wall = time.Since(start).Seconds()
	c.cpu = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.memory = float64(used.Maxrss<<10) / mb // Linux counts kilobytes
	}
	return c, nil
}

// redocly returns the path of the Redocly program. This is the value of the environment
// variable REDOCLY if it is set. Otherwise redocly installs the version that bench/redocly
// requires with npm.
func redocly(ctx context.Context, dir string) (string, error) {
	if bin := os.Getenv("REDOCLY"); bin != "" {
		return bin, nil
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", err
	}
	at := filepath.Join(dir, "redocly")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "bench", "redocly", name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(at, name), b, 0o600); err != nil {
			return "", err
		}
	}
	cmd := onAllCores(ctx, "npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = at
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm cannot install Redocly: %w\n%s", err, out)
	}
	return filepath.Join(at, "node_modules", ".bin", "redocly"), nil
}

// measureOpenAPI measures the cost of reading a large API description and of rendering all
// of it. It compares the cost of reading with Redocly's renderer and the same file. Redocly
// writes the description into one page and leaves the rendering of operations to the
// browser, so its work corresponds to reading. There is no reference for rendering all
// operations.
func measureOpenAPI(ctx context.Context, o options, p pinning, dir string) (*results, error) {
	if o.profile != "" {
		return nil, nil
	}
	r := &results{Title: "O: a description of 1,000 operations", When: time.Now(), Rounds: min(o.roundsOr(apiRounds), apiRounds), Notes: p.notes}
	file := filepath.Join(dir, "api.json")
	size, err := writeAPI(file)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	other, err := redocly(ctx, dir)
	if err != nil {
		r.Notes = append(r.Notes, "Redocly was not measured: "+err.Error())
	}
	commands := [][]string{{self, roleFlag, "openapi", file, apiRead}, {self, roleFlag, "openapi", file, apiRender}}
	if other != "" {
		commands = append(commands, []string{other, "build-docs", file, "--output", filepath.Join(dir, "redocly.html")})
	}
	costs := make([][]apiCost, len(commands))
	for range r.Rounds {
		for i, c := range commands {
			cost, err := costOf(ctx, dir, c[0], c[1:]...)
			if err != nil {
				return nil, err
			}
			costs[i] = append(costs[i], cost)
		}
	}
	r.Facts = append(r.Facts, fact{"size of the description, MB", 1, []float64{float64(size) / mb}})
	for i, who := range []string{"octavo, read and checked", "octavo, all operations as HTML", "Redocly"}[:len(costs)] {
		r.Facts = append(r.Facts, apiFacts(who, costs[i])...)
	}
	if other != "" {
		for _, m := range apiMetrics {
			r.Ratios = append(r.Ratios, apiRatio(m.name+", octavo, read and checked / Redocly", costs[0], costs[2], m.of))
		}
	}
	within := &ratio{Name: "peak memory of octavo, all operations as HTML, MB", Target: apiMemory, AtMost: true}
	for _, c := range costs[1] {
		within.Values = append(within.Values, c.memory)
	}
	r.Ratios = append(r.Ratios, within)
	for _, x := range r.Ratios {
		x.compute()
	}
	return r, nil
}

// apiMetrics are the metrics that are compared.
var apiMetrics = []struct {
	name, each string // of one operation
	of         func(apiCost) float64
	scale      float64
}{
	{"time", "ms for an operation", func(c apiCost) float64 { return c.wall }, 1000},
	{"CPU", "CPU ms for an operation", func(c apiCost) float64 { return c.cpu }, 1000},
	{"memory", "peak memory for an operation, KB", func(c apiCost) float64 { return c.memory }, 1024},
}

func apiFacts(who string, costs []apiCost) (out []fact) {
	for _, m := range apiMetrics {
		values := make([]float64, len(costs))
		for i, c := range costs {
			values[i] = m.of(c)
		}
		out = append(out, fact{who + ": " + m.each, 2, []float64{m.scale * median(values) / apiOperations}})
	}
	return out
}

func apiRatio(name string, ours, theirs []apiCost, of func(apiCost) float64) *ratio {
	r := &ratio{Name: name, Target: 1, AtMost: true}
	for i := range ours {
		r.Values = append(r.Values, of(ours[i])/of(theirs[i]))
	}
	return r
}
