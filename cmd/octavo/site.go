package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/site/sitefile"
)

type siteCmd struct {
	Plan   sitePlanCmd   `cmd:"" help:"Print what apply would change."`
	Apply  siteApplyCmd  `cmd:"" help:"Make a site what a file says; a second time changes nothing."`
	File   siteFileCmd   `cmd:"" help:"Print the file that describes a site, for plan and apply."`
	Export siteExportCmd `cmd:"" help:"Write a site as static files into a folder, for any web server or the disk."`
}

type sitePlanCmd struct {
	apiFlags
	File string `arg:"" optional:"" help:"File that describes the site." default:"octavo.site.yaml" placeholder:"FILE"`
}

func (c *sitePlanCmd) Run(ctx context.Context, s streams) error {
	_, steps, err := c.plan(ctx, c.File)
	if err != nil {
		return err
	}
	return printPlan(s.out, steps)
}

type siteApplyCmd struct {
	apiFlags
	File string `arg:"" optional:"" help:"File that describes the site." default:"octavo.site.yaml" placeholder:"FILE"`
	Yes  bool   `help:"Do not ask before changes are made."`
}

func (c *siteApplyCmd) Run(ctx context.Context, s streams) error {
	server, steps, err := c.plan(ctx, c.File)
	if err != nil {
		return err
	}
	if err := printPlan(s.out, steps); err != nil {
		return err
	}
	if len(steps) == 0 {
		return server.printAddress(ctx, s.out)
	}
	if !c.Yes && isTerminal(os.Stdin) && !confirmed(s.out, os.Stdin) {
		return errors.New("nothing was changed")
	}
	if err := server.apply(ctx, s.out, steps); err != nil {
		return err
	}
	return server.printAddress(ctx, s.out)
}

type siteFileCmd struct {
	apiFlags
	Site string `arg:"" help:"Basename or id of the site." placeholder:"SITE"`
}

func (c *siteFileCmd) Run(ctx context.Context, s streams) error {
	server, err := c.connect(ctx)
	if err != nil {
		return err
	}
	current, spaces, err := server.read(ctx, c.Site, false)
	if err != nil {
		return err
	}
	if current.ID == "" {
		return noSite(c.Site)
	}
	file, warnings, err := sitefile.Export(current, spaces)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintln(s.err, "octavo:", w)
	}
	_, err = s.out.Write(file)
	return err
}

func noSite(name string) error {
	return fmt.Errorf("there is no site %q; name one by its basename or its id", name)
}

// plan reads a file and the site that it describes, and returns the steps to update the
// site.
func (f apiFlags) plan(ctx context.Context, name string) (*orgClient, []sitefile.Step, error) {
	file, err := readSiteFile(name)
	if err != nil {
		return nil, nil, err
	}
	server, err := f.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	current, spaces, err := server.read(ctx, file.Site, file.Folders())
	if err != nil {
		return nil, nil, err
	}
	var steps []sitefile.Step
	if err = file.Resolve(spaces); err == nil {
		steps, err = sitefile.Plan(current, file)
	}
	if err != nil {
		return nil, nil, inFile(name, err)
	}
	server.site = file.Site
	return server, steps, nil
}

func readSiteFile(name string) (*sitefile.File, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	src, err := io.ReadAll(io.LimitReader(in, sitefile.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	file, err := sitefile.Parse(src)
	if err != nil {
		return nil, inFile(name, err)
	}
	return file, nil
}

// inFile prepends the name of the file to each line of an error.
func inFile(name string, err error) error {
	lines := strings.Split(err.Error(), "\n")
	return errors.New(name + ": " + strings.Join(lines, "\n"+name+": "))
}

func printPlan(w io.Writer, steps []sitefile.Step) error {
	if len(steps) == 0 {
		_, err := fmt.Fprintln(w, "nothing to change")
		return err
	}
	for _, step := range steps {
		if _, err := fmt.Fprintln(w, step); err != nil {
			return err
		}
	}
	return nil
}

// isTerminal reports whether a file is a terminal, so that a user can answer a question.
// The null device is a character device too, but not a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

func confirmed(w io.Writer, r io.Reader) bool {
	fmt.Fprint(w, "Apply these changes? [y/N] ")
	answer, err := bufio.NewReader(r).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return err == nil && (answer == "y" || answer == "yes")
}

// apply sends the calls of the steps. If a step fails, the earlier steps remain applied.
func (s *orgClient) apply(ctx context.Context, w io.Writer, steps []sitefile.Step) error {
	ids := boundIDs{}
	for i, step := range steps {
		if err := s.step(ctx, ids, step); err != nil {
			return fmt.Errorf("step %d of %d failed: %s\n%w\nThe %d steps before it are done. Correct the cause, then run octavo site apply again: it continues with what is missing",
				i+1, len(steps), firstLine(step), err, i)
		}
		if _, err := fmt.Fprintf(w, "%d of %d done: %s\n", i+1, len(steps), firstLine(step)); err != nil {
			return err
		}
	}
	return nil
}

// printAddress prints the address of the published site.
func (s *orgClient) printAddress(ctx context.Context, w io.Writer) error {
	site, err := s.find(ctx, s.site)
	if err != nil {
		return err
	}
	text := "The site is at " + site.URLs.Published
	if site.URLs.Published == "" {
		text = "The site is not published; publish: true in the file publishes it"
	}
	_, err = fmt.Fprintln(w, text)
	return err
}

func firstLine(step sitefile.Step) string {
	line, _, _ := strings.Cut(step.String(), "\n")
	return line
}

func (s *orgClient) step(ctx context.Context, ids boundIDs, step sitefile.Step) error {
	for i, call := range step.Calls {
		err := s.call(ctx, ids, call)
		if err != nil && i > 0 && step.Undo != nil {
			err = errors.Join(err, s.call(ctx, ids, *step.Undo))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *orgClient) call(ctx context.Context, ids boundIDs, call sitefile.Call) error {
	parts := []string{"orgs", s.org}
	for _, p := range call.Path {
		parts = append(parts, ids.of(p))
	}
	var body any
	if call.Body != nil {
		body = ids.value(call.Body)
	}
	var answer map[string]any
	if err := s.do(ctx, call.Method, apiPath(parts...), body, &answer); err != nil {
		return err
	}
	if err := resultErrors(answer); err != nil {
		return err
	}
	for where, ref := range call.Bind {
		id, ok := lookup(answer, where).(string)
		if !ok {
			return fmt.Errorf("%s %s: the answer has no %s; is the server older than this program?", call.Method, apiPath(parts...), where)
		}
		ids[ref] = id
	}
	return nil
}

// resultErrors returns the errors in the response to a batch request.
func resultErrors(answer map[string]any) error {
	results, _ := answer["results"].([]any)
	var out []error
	for _, r := range results {
		if r, _ := r.(map[string]any); r["status"] == "error" {
			out = append(out, fmt.Errorf("%v: %v", r["source"], r["error"]))
		}
	}
	return errors.Join(out...)
}

// lookup returns the value at a path such as items.0.id, or nil.
func lookup(v any, where string) any {
	for _, key := range strings.Split(where, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// boundIDs maps references to the IDs of the objects that the plan has created.
type boundIDs map[sitefile.Ref]string

func (ids boundIDs) of(r sitefile.Ref) string {
	if id, ok := ids[r]; ok {
		return id
	}
	return string(r)
}

// value returns a value of a request body with all references replaced with IDs.
func (ids boundIDs) value(v any) any {
	switch v := v.(type) {
	case sitefile.Ref:
		return ids.of(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[key] = ids.value(inner)
		}
		return out
	case []map[string]any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = ids.value(inner)
		}
		return out
	}
	return v
}
