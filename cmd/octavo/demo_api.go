package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	demodocs "github.com/octavo-docs/octavo/docs/demo"
	"github.com/octavo-docs/octavo/docs/manual"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/web/server"
)

// describeAPIs publishes the descriptions of the APIs in the references: that of this server, and
// that of the made-up product, with the sandbox of this server. Both have the address of the server,
// so they are published again when it has changed.
func (f *filling) describeAPIs(ctx context.Context) error {
	product, err := demodocs.Files.ReadFile(demodocs.API)
	if err != nil {
		return err
	}
	sandbox := f.URL() + sandboxPath
	for slug, text := range map[string]string{
		demodocs.APISlug: strings.Replace(string(product), demodocs.Sandbox, sandbox, 1),
		manual.APISlug:   string(f.API.Description()),
	} {
		if err := f.describeAPI(ctx, slug, text); err != nil {
			return fmt.Errorf("the description %s: %w", slug, err)
		}
	}
	return nil
}

// describeAPI publishes a description, unless the server has it.
func (f *filling) describeAPI(ctx context.Context, slug, text string) error {
	spec, err := f.APISpecs.Spec(ctx, f.org, docs.OpenAPISlug(slug))
	switch {
	case err == nil:
		if same, err := f.hasText(ctx, spec.SourceBlob, text); same || err != nil {
			return err
		}
	case !errs.Is(err, errs.NotFound):
		return err
	}
	at := apiPath("orgs", f.api.org, "openapi", slug)
	if err := f.api.do(ctx, "PUT", at, map[string]any{"source": map[string]any{"text": text}}, nil); err != nil {
		return err
	}
	return f.api.do(ctx, "PATCH", at, map[string]any{"visibility": docs.OpenAPIPublic}, nil)
}

// hasText reports whether a stored source is a text.
func (f *filling) hasText(ctx context.Context, source, text string) (bool, error) {
	if source == "" {
		return false, nil
	}
	o, err := blob.OpenNamed(ctx, f.Blobs, source)
	if err != nil {
		return false, err
	}
	defer o.Close()
	b, err := io.ReadAll(io.LimitReader(o, int64(len(text))+1))
	return string(b) == text, err
}

// processTime is how long a description is waited for. After a start that was interrupted, the job that
// processes it is not run again for a while.
const processTime = 5 * time.Second

// awaitAPIs waits until the descriptions are processed.
func (f *filling) awaitAPIs(ctx context.Context) error {
	for _, slug := range []docs.OpenAPISlug{demodocs.APISlug, manual.APISlug} {
		if err := f.awaitAPI(ctx, slug); err != nil {
			return fmt.Errorf("the description %s: %w", slug, err)
		}
	}
	return nil
}

func (f *filling) awaitAPI(ctx context.Context, slug docs.OpenAPISlug) error {
	for until := time.Now().Add(processTime); ; time.Sleep(50 * time.Millisecond) {
		spec, err := f.APISpecs.Spec(ctx, f.org, slug)
		if err == nil && spec.Error != "" {
			err = errors.New(string(spec.Error))
		}
		if err != nil || spec.LastVersion != "" {
			return err
		}
		if time.Now().After(until) {
			return f.APISpecs.Process(ctx, []byte(`{"spec": "`+string(spec.ID)+`"}`))
		}
	}
}

// sandboxPath is the path of the sandbox of the made-up product.
const sandboxPath = server.SandboxPath + "carillon/v1"

// newSandbox returns a handler that answers each operation of the made-up product with the example of
// its description. It stores nothing and reads nothing of a request but its address.
func newSandbox(ctx context.Context) (http.Handler, error) {
	text, err := demodocs.Files.ReadFile(demodocs.API)
	if err != nil {
		return nil, err
	}
	d, err := openapi.Load(ctx, openapi.Bundle{Root: demodocs.API, Files: map[string][]byte{demodocs.API: text}})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for _, o := range d.Operations {
		mux.HandleFunc(o.Method+" "+sandboxPath+o.Path, exampleOf(o))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		sendExample(w, http.StatusNotFound, `{"error": {"code": "unknown_operation", "message": "The sandbox has no such operation."}}`)
	})
	return mux, nil
}

const exampleType = "application/json"

// exampleOf returns a handler that sends the first response of an operation.
func exampleOf(o *openapi.Operation) http.HandlerFunc {
	status, body := http.StatusNoContent, ""
	for _, r := range o.Responses() {
		n, err := strconv.Atoi(r.Status)
		if err != nil || n < http.StatusOK || n >= http.StatusMultipleChoices {
			continue
		}
		status = n
		for _, m := range r.Content {
			if examples := m.Examples(openapi.InResponse); len(examples) > 0 {
				body = examples[0].Body(m.Type)
			}
		}
		break
	}
	return func(w http.ResponseWriter, _ *http.Request) { sendExample(w, status, body) }
}

func sendExample(w http.ResponseWriter, status int, body string) {
	if body != "" {
		w.Header().Set("Content-Type", exampleType)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // an error means that the client closed the connection
}
