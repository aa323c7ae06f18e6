package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
)

type openapiCmd struct {
	Publish openapiPublishCmd `cmd:"" help:"Set an OpenAPI specification from a file or a URL, wait until it is processed, and say what is wrong with it."`
	List    openapiListCmd    `cmd:"" help:"List the OpenAPI specifications of an organization."`
	Show    openapiShowCmd    `cmd:"" help:"Print the newest version of an OpenAPI specification, or another one."`
	Delete  openapiDeleteCmd  `cmd:"" help:"Delete an OpenAPI specification with its versions."`
	Diff    openapiDiffCmd    `cmd:"" help:"Print what differs between two OpenAPI specifications, those changes first that break clients."`
}

// specJSON holds the fields of a specification that the commands use.
type specJSON struct {
	Slug                 string
	SourceURL            string
	ProcessingState      string
	Visibility           string
	LastVersion          string
	LastProcessErrorCode string
	LastProcessedErrors  []struct{ Message string }
}

type openapiPublishCmd struct {
	apiFlags
	Source string        `arg:"" help:"File, with those that it refers to, - for the standard input, or URL that the server fetches now and every six hours." placeholder:"FILE|URL"`
	Slug   string        `help:"Name of the specification in pages and addresses." required:"" placeholder:"SLUG"`
	Wait   time.Duration `help:"How long to wait until the specification is processed." default:"5m"`
}

func (c *openapiPublishCmd) Run(ctx context.Context, s streams) error {
	source, err := openapiSource(ctx, c.Source)
	if err != nil {
		return err
	}
	server, err := c.connect(ctx)
	if err != nil {
		return err
	}
	at := apiPath("orgs", server.org, "openapi", c.Slug)
	var before specJSON
	if err := server.do(ctx, "PUT", at, map[string]any{"source": source}, &before); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	spec, err := server.processed(ctx, at)
	if err != nil {
		return err
	}
	if spec.LastProcessErrorCode != "" {
		var out strings.Builder
		fmt.Fprintf(&out, "%s could not be processed (%s)", spec.Slug, spec.LastProcessErrorCode)
		for _, p := range spec.LastProcessedErrors {
			out.WriteString("\n" + p.Message)
		}
		return errors.New(out.String())
	}
	text := "did not change; its version is "
	if spec.LastVersion != before.LastVersion {
		text = "has the new version "
	}
	_, err = fmt.Fprintf(s.out, "%s %s%s\n", spec.Slug, text, spec.LastVersion)
	return err
}

// openapiSource returns the source of a specification in the form of the API.
func openapiSource(ctx context.Context, name string) (map[string]string, error) {
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return map[string]string{"url": name}, nil
	}
	b, err := readFiles(name)
	if err != nil {
		return nil, explainSpec(err)
	}
	// Validate here, where the errors have the original file names and lines: the server
	// receives a single file.
	if _, err := openapi.Load(ctx, b); err != nil {
		return nil, explainSpec(err)
	}
	if len(b.Files) == 1 {
		return map[string]string{"text": string(b.Files[b.Root])}, nil
	}
	text, err := openapi.Join(b, apispec.MaxText)
	return map[string]string{"text": string(text)}, explainSpec(err)
}

// readFiles returns a file and the files that it refers to, or the standard input.
func readFiles(name string) (openapi.Bundle, error) {
	if name != "-" {
		return specFiles(name)
	}
	const input = "standard input"
	text, err := readSpec(os.Stdin, input)
	return openapi.Bundle{Root: input, Files: map[string][]byte{input: text}}, err
}

func readSpec(in io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, apispec.MaxText+1))
	if err == nil && len(text) > apispec.MaxText {
		err = fmt.Errorf("%s is larger than %s", name, errs.Size(apispec.MaxText))
	}
	return text, err
}

// specFiles returns a file and the files that it refers to. The files must be in its
// folder or below. If name is a local path, they may be anywhere below the working
// directory.
func specFiles(name string) (openapi.Bundle, error) {
	dir, root := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	if filepath.IsLocal(name) {
		dir, root = ".", filepath.ToSlash(filepath.Clean(name))
	}
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return openapi.Bundle{}, err
	}
	defer folder.Close()
	return openapi.Gather(root, func(file string) ([]byte, error) {
		f, err := folder.Open(filepath.FromSlash(file))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readSpec(f, file)
	})
}

// explainSpec returns an error with all problems of an invalid description.
func explainSpec(err error) error {
	var bad *openapi.Invalid
	if !errors.As(err, &bad) {
		return err
	}
	var out strings.Builder
	out.WriteString("the description cannot be used")
	for _, p := range bad.Problems {
		out.WriteString("\n" + p.String())
	}
	return errors.New(out.String())
}

// pollPause is the delay between two requests for the state of a specification.
const pollPause = 250 * time.Millisecond

// processed waits until the server has processed a specification.
func (s *orgClient) processed(ctx context.Context, at string) (spec specJSON, err error) {
	for {
		if err := s.do(ctx, "GET", at, nil, &spec); err != nil {
			return spec, err
		}
		if spec.ProcessingState == "complete" {
			return spec, nil
		}
		select {
		case <-ctx.Done():
			return spec, fmt.Errorf("%s is still processed by the server; ask later with octavo openapi list: %w", spec.Slug, ctx.Err())
		case <-time.After(pollPause):
		}
		spec = specJSON{}
	}
}

type openapiListCmd struct{ apiFlags }

func (c *openapiListCmd) Run(ctx context.Context, s streams) error {
	server, err := c.connect(ctx)
	if err != nil {
		return err
	}
	all, err := listAll[specJSON](ctx, server.client, apiPath("orgs", server.org, "openapi"))
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SLUG\tSTATE\tVISIBILITY\tVERSION\tSOURCE")
	for _, spec := range all {
		state, from := spec.ProcessingState, spec.SourceURL
		if spec.LastProcessErrorCode != "" {
			state = spec.LastProcessErrorCode
		}
		if from == "" {
			from = "text"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", spec.Slug, state, spec.Visibility, spec.LastVersion, from)
	}
	return w.Flush()
}

type openapiShowCmd struct {
	apiFlags
	Slug    string `arg:"" help:"Name of the specification."`
	Version string `arg:"" optional:"" help:"Id of a version." default:"latest"`
}

func (c *openapiShowCmd) Run(ctx context.Context, s streams) error {
	server, err := c.connect(ctx)
	if err != nil {
		return err
	}
	body, err := server.specVersion(ctx, c.Slug, c.Version)
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(s.out, body)
	return err
}

// specVersion downloads a version of a specification.
func (s *orgClient) specVersion(ctx context.Context, slug, id string) (io.ReadCloser, error) {
	var version struct{ URL string }
	if err := s.do(ctx, "GET", apiPath("orgs", s.org, "openapi", slug, "versions", id), nil, &version); err != nil {
		return nil, err
	}
	_, signed, found := strings.Cut(version.URL, "/v1/")
	if !found {
		return nil, errors.New("the version has no address; is the server older than this program?")
	}
	return s.download(ctx, "/"+signed)
}

type openapiDeleteCmd struct {
	apiFlags
	Slug string `arg:"" help:"Name of the specification."`
}

func (c *openapiDeleteCmd) Run(ctx context.Context, s streams) error {
	server, err := c.connect(ctx)
	if err != nil {
		return err
	}
	at := apiPath("orgs", server.org, "openapi", c.Slug)
	if err := server.do(ctx, "GET", at, nil, nil); err != nil { // deleting a specification that does not exist succeeds
		return err
	}
	if err := server.do(ctx, "DELETE", at, nil, nil); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, c.Slug, "is deleted")
	return err
}
