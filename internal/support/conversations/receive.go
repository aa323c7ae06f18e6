package conversations

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/helpdesk"
)

// Hook is a webhook to which a help desk sends conversations. It is not stored: all its
// data is in a URL that the server has signed. It works as long as its user may ingest
// conversations.
type Hook struct {
	Org    docs.OrgID
	Format string // of package helpdesk
	Source string
	User   docs.UserID
	Sealed docs.Sealed // the encrypted secret for signatures of bodies; empty: no signature needed
}

// NewHook returns a new webhook that acts on behalf of the caller.
func (s *Service) NewHook(ctx context.Context, g *authz.Grant, format, source, secret string) (Hook, error) {
	begun := Hook{Org: g.Access.Org, Format: format, Source: source, User: g.Actor.User}
	if begun.Source == "" {
		begun.Source = "integration:" + format + ":webhook"
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (_ Hook, err error) {
		h := begun
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

var errHook = errs.E(errs.Unauthenticated, "the signature of the body is missing, wrong or older than 5 minutes, or the webhook ended; whoever made it must be able to ingest conversations")

// Receive ingests the body of a webhook request. It checks the signature before it parses
// the body. It ignores events that are not about a conversation.
func (s *Service) Receive(ctx context.Context, h Hook, by authz.Actor, header func(string) string, body []byte) error {
	if h.Sealed != "" {
		secret, err := seal.Open(ctx, s.Store.Reader, seal.ConversationHook, h.sealedFor(), h.Sealed)
		if err != nil {
			return err
		}
		if !helpdesk.VerifySignature(h.Format, secret, header, body, s.Store.Clock()) {
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
	if why := jsontext.TextProblem(body); why != "" {
		return errs.Field("", "%s", why)
	}
	c, ok, err := helpdesk.Event(h.Format, body)
	if err != nil {
		return errs.Field("", "is not an event of %s: %v", h.Format, err)
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
		in.Parts = append(in.Parts, docs.ConversationPart{Role: docs.ConversationRole(p.Role), Body: p.Body, Key: p.Key})
	}
	return in
}

// extend returns in combined with the stored conversation, because an event has only some
// of the messages and less metadata than an import. gone reports whether the conversation
// was deleted. An event does not restore it; only Ingest of the whole conversation does.
func extend(ctx context.Context, tx *store.Tx, org docs.OrgID, source string, in Input) (out Input, gone bool, err error) {
	v, exists, err := store.Maybe(tx.ExternalConversation(ctx, org, source, in.ID))
	if err != nil {
		return in, false, err
	}
	if !exists {
		gone, err = tx.ConversationDeleted(ctx, org, digest(source, in.ID), tx.Now().Add(-deletedFor))
		return in, gone, err
	}
	stored, err := tx.ConversationParts(ctx, org, v.ID)
	if err != nil {
		return in, false, err
	}
	more := in.Parts
	if v.Redacted {
		more = masked(in).Parts
	}
	in.Parts = merged(stored, more)
	in.Subject, in.URL = cmp.Or(in.Subject, v.Subject), cmp.Or(in.URL, v.URL)
	if in.CreatedAt.IsZero() && v.HasCreated {
		in.CreatedAt = v.CreatedAt
	}
	attributes := maps.Clone(v.Attributes)
	if attributes == nil {
		attributes = in.Attributes
	} else {
		maps.Copy(attributes, in.Attributes)
	}
	in.Attributes = attributes
	return in, false, check("", in)
}

// merged returns the stored messages followed by the messages of an event that are not
// stored yet. Messages are identified by their keys. A stored message may lack its key,
// if it comes from an import; then role and body are compared. Messages without a key and
// with the same text are kept as often as the side with more of them has them.
func merged(stored, event []docs.ConversationPart) []docs.ConversationPart {
	out := slices.Clone(stored)
	seen := make([]bool, len(stored)) // stored messages that match one of the event
	for _, p := range event {
		if p.Key != "" && slices.ContainsFunc(out, func(s docs.ConversationPart) bool { return s.Key == p.Key }) {
			continue
		}
		at := -1
		for i, s := range stored {
			if at < 0 && !seen[i] && s.Role == p.Role && s.Body == p.Body && (s.Key == "" || p.Key == "") {
				at = i
			}
		}
		if at < 0 {
			out = append(out, p)
			continue
		}
		seen[at] = true
		out[at].Key = cmp.Or(out[at].Key, p.Key)
	}
	return out
}
