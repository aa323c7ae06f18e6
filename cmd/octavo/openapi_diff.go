package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/octavo-docs/octavo/internal/openapi"
)

type openapiDiffCmd struct {
	Old  string `arg:"" help:"File, with those that it refers to." type:"path"`
	New  string `arg:"" help:"The same of the new version." type:"path"`
	Fail bool   `help:"End with an error if a change breaks clients." name:"fail-on-breaking"`
}

func (c *openapiDiffCmd) Run(ctx context.Context, s streams) error {
	before, err := localSpec(ctx, c.Old)
	if err != nil {
		return err
	}
	after, err := localSpec(ctx, c.New)
	if err != nil {
		return err
	}
	changes := openapi.Diff(before, after)
	text := openapi.Changelog(changes)
	if text == "" {
		text = "Nothing differs.\n"
	}
	if _, err := fmt.Fprint(s.out, text); err != nil {
		return err
	}
	if c.Fail && slices.ContainsFunc(changes, func(ch openapi.Change) bool { return ch.Breaking }) {
		return errors.New("there are changes that break clients")
	}
	return nil
}

// localSpec reads a specification of files.
func localSpec(ctx context.Context, name string) (*openapi.Description, error) {
	b, err := specFiles(name)
	if err != nil {
		return nil, explainSpec(err)
	}
	d, err := openapi.Load(ctx, b)
	return d, explainSpec(err)
}
