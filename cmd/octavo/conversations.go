package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/support/helpdesk"
)

type conversationsCmd struct {
	Import conversationsImportCmd `cmd:"" help:"Send the conversations of a file to a server, which finds out what users ask."`
}

type conversationsImportCmd struct {
	apiFlags
	File   string `arg:"" help:"File to read, - for the standard input." placeholder:"FILE"`
	Format string `help:"What the file is: an export of Intercom or Zendesk as JSON, CSV with a header, or JSON lines as the API takes them." enum:"intercom,zendesk,csv,jsonl" required:""`
	Source string `help:"Where the conversations come from: email, or integration:NAME:INSTALLATION. Default: integration:FORMAT:import." placeholder:"SOURCE"`
}

// Limits of one request. They are below the limits of the API.
const (
	importBatch = 100
	importBytes = 4 << 20
)

func (c *conversationsImportCmd) Run(ctx context.Context, s streams) error {
	in := io.Reader(os.Stdin)
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	server, err := c.connect(ctx)
	if err != nil {
		return err
	}
	source := c.Source
	if source == "" {
		source = "integration:" + c.Format + ":import"
	}
	out := &conversationSender{ctx: ctx, server: server, at: apiPath("orgs", server.org, "conversations") + "?source=" + url.QueryEscape(source), log: s.err}
	err = helpdesk.Read(in, c.Format, out.add)
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		err = fmt.Errorf("%s cannot be read as --format %s: %w", c.File, c.Format, err)
	}
	if err == nil {
		err = out.flush()
	}
	fmt.Fprintf(s.out, "%d conversations were sent, %d were left out\n", out.sent, out.skipped)
	return err
}

// conversationSender sends conversations in batches.
type conversationSender struct {
	ctx     context.Context
	server  *orgClient
	at      string
	log     io.Writer
	waiting []json.RawMessage
	bytes   int
	sent    int
	skipped int
}

// add queues a conversation for sending. A conversation that the API would refuse is
// skipped with a message, so that it does not block the others.
func (o *conversationSender) add(c helpdesk.Conversation) error {
	size := len(c.Subject)
	for _, p := range c.Parts {
		size += len(p.Body)
	}
	if why := skipReason(c, size); why != "" {
		o.skipped++
		fmt.Fprintf(o.log, "conversation %q: %s\n", c.ID, why)
		return nil
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if len(o.waiting) == importBatch || len(o.waiting) > 0 && o.bytes+len(b) > importBytes {
		if err := o.flush(); err != nil {
			return err
		}
	}
	o.waiting, o.bytes = append(o.waiting, b), o.bytes+len(b)
	return nil
}

func (o *conversationSender) flush() error {
	if len(o.waiting) == 0 {
		return nil
	}
	if err := o.server.do(o.ctx, "POST", o.at, o.waiting, nil); err != nil {
		return err
	}
	o.sent += len(o.waiting)
	o.waiting, o.bytes = nil, 0
	return nil
}

// skipReason returns why a conversation cannot be sent, or "".
func skipReason(c helpdesk.Conversation, size int) string {
	switch {
	case c.ID == "":
		return "it has no id"
	case len(c.Parts) == 0:
		return "it has no messages"
	case size > conversations.MaxText:
		return "it has more than " + errs.Size(conversations.MaxText) + " of text"
	}
	return ""
}
