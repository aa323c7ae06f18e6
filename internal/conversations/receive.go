package conversations

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/helpdesk"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// Hook is where a program of a support team sends conversations. It is not stored: all of it is
// in an address that the server has signed, and it works as long as its user may
// ingest conversations.
type Hook struct {
	Org    docs.OrgID
	Format string // of package helpdesk
	Source string
	User   docs.UserID
	Sealed string // the secret by which bodies are signed; empty: they need not be
}

// NewHook makes a webhook in the name of the caller.
func (s *Service) NewHook(ctx context.Context, g *authz.Grant, format, source, secret string) (Hook, error) {
	h := Hook{Org: g.Access.Org, Format: format, Source: source, User: g.Actor.User}
	if h.Source == "" {
		h.Source = "integration:" + format + ":webhook"
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (_ Hook, err error) {
		if secret != "" {
			if h.Sealed, err = seal.Seal(ctx, tx.Reader, seal.ConversationHook, h.sealedFor(), secret); err != nil {
				return h, err
			}
		}
		return h, audit.Record(ctx, tx, g.Actor, audit.Event{
			Org: h.Org, Action: "conversation.webhook", Kind: "organization", ID: string(h.Org), Data: map[string]any{"format": format, "source": h.Source, "signed": secret != ""},
		})
	})
}

func (h Hook) sealedFor() string { return string(h.Org) + " " + h.Format }

var errHook = errs.E(errs.Unauthenticated, "the signature of the body is missing or wrong, or the webhook ended; whoever made it must be able to ingest conversations")

// Receive ingests what a webhook sends. The signature is checked before anything is read. Events
// about something else than a conversation do nothing.
func (s *Service) Receive(ctx context.Context, h Hook, by authz.Actor, header func(string) string, body []byte) error {
	if h.Sealed != "" {
		secret, err := seal.Open(ctx, s.Store.Reader, seal.ConversationHook, h.sealedFor(), h.Sealed)
		if err != nil {
			return err
		}
		if !helpdesk.Signed(h.Format, secret, header, body) {
			return errHook
		}
	}
	by.User = h.User
	g, err := authz.OnBehalfInOrg(ctx, s.Store, by, authz.IngestConvo, h.Org)
	if authz.Denied(err) {
		return errHook
	}
	if err != nil {
		return err
	}
	c, ok, err := helpdesk.Event(h.Format, body)
	if err != nil {
		return errs.Field("body", "is not an event of %s: %v", h.Format, err)
	}
	if !ok {
		return nil
	}
	return s.ingestAll(ctx, g, h.Source, []Input{inputOf(c)}, true)
}

func inputOf(c helpdesk.Conversation) Input {
	in := Input{ID: c.ID, Subject: c.Subject, URL: c.Metadata.URL, Attributes: c.Metadata.Attributes}
	if c.Metadata.CreatedAt != nil {
		in.CreatedAt = docs.TimeOf(*c.Metadata.CreatedAt)
	}
	for _, p := range c.Parts {
		in.Parts = append(in.Parts, docs.ConversationPart{Role: docs.ConversationRole(p.Role), Body: p.Body})
	}
	return in
}

// extend returns a conversation with the messages that are stored of it: an event has only some
// of them.
func extend(ctx context.Context, tx *store.Tx, org docs.OrgID, source string, in Input) (Input, error) {
	v, exists, err := store.Maybe(tx.ExternalConversation(ctx, org, source, in.ID))
	if err != nil || !exists {
		return in, err
	}
	stored, err := tx.ConversationParts(ctx, org, v.ID)
	if err != nil {
		return in, err
	}
	more := in.Parts
	if v.Redacted {
		more = masked(in).Parts
	}
	known := make(map[docs.ConversationPart]bool, len(stored))
	for _, p := range stored {
		known[p] = true
	}
	in.Parts = stored
	for _, p := range more {
		if !known[p] {
			known[p] = true
			in.Parts = append(in.Parts, p)
		}
	}
	if in.Subject == "" {
		in.Subject = v.Subject
	}
	return in, check("body", in)
}
