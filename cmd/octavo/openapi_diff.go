package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/openapi"
)

type openapiDiffCmd struct {
	URL          string `help:"Address of the server, for what is published." name:"url" default:"http://127.0.0.1:8080" env:"OCTAVO_URL" placeholder:"URL"`
	Token        string `help:"Token of the API, for what is published; better given in the environment." env:"OCTAVO_TOKEN"`
	Organization string `help:"Id or title of the organization; needed only if there are several." env:"OCTAVO_ORGANIZATION"`

	Old  string `arg:"" help:"File, with those that it refers to, or @SLUG or @SLUG/VERSION of what is published."`
	New  string `arg:"" help:"The same of the new version."`
	Fail bool   `help:"End with an error if a change breaks clients." name:"fail-on-breaking"`

	Markdown bool `help:"Print Markdown instead of plain text."`
}

func (c *openapiDiffCmd) Run(ctx context.Context, s streams) error {
	before, err := c.spec(ctx, c.Old)
	if err != nil {
		return err
	}
	after, err := c.spec(ctx, c.New)
	if err != nil {
		return err
	}
	changes := openapi.Diff(before, after)
	text := openapi.PlainChangelog(changes)
	if c.Markdown {
		text = openapi.Changelog(changes)
	}
	if text == "" {
		text = "Nothing differs.\n"
	}
	if _, err := fmt.Fprint(s.out, text); err != nil {
		return err
	}
	if c.Fail && changes.Breaking > 0 {
		return errors.New("there are changes that break clients")
	}
	return nil
}

// spec reads a specification from files, or downloads a published one.
func (c *openapiDiffCmd) spec(ctx context.Context, name string) (*openapi.Description, error) {
	slug, published := strings.CutPrefix(name, "@")
	if !published {
		b, err := specFiles(name)
		if err != nil {
			return nil, explainSpec(err)
		}
		d, err := openapi.Load(ctx, b)
		return d, explainSpec(err)
	}
	if c.Token == "" {
		return nil, fmt.Errorf("%s is published, so --token is needed", name)
	}
	server, err := apiFlags{c.URL, c.Token, c.Organization}.connect(ctx)
	if err != nil {
		return nil, err
	}
	slug, version, found := strings.Cut(slug, "/")
	if !found {
		version = "latest"
	}
	body, err := server.specVersion(ctx, slug, version)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := readSpec(body, name)
	if err != nil {
		return nil, err
	}
	d, err := openapi.Load(ctx, openapi.Bundle{Root: name, Files: map[string][]byte{name: text}})
	return d, explainSpec(err)
}
