// Package conversations stores the support conversations of an organization's users,
// extracts the issues that users ask about, and relates issues to the documentation.
//
// Conversations are stored in the form in which they are sent (this file). A job extracts
// their issues and groups issues into clusters (analyse.go), with package topics. The text
// of conversations is only counted: nothing in it is executed, rendered or followed as an
// instruction. For a cluster, the service finds pages that may answer it, and creates
// change requests (answer.go).
package conversations

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/topics"
)

const (
	// MaxBatch is the maximum number of conversations in one request.
	MaxBatch = 500
	// MaxText is the maximum number of bytes of the texts of one conversation.
	MaxText = 1 << 20

	maxParts = 1000 // per conversation
	maxID    = 255  // bytes of the ID at the source

	// A help desk can send events of a deleted conversation. Tombstones let the service
	// ignore these events. deletedFor and maxDeleted limit the age of tombstones and
	// their number per organization.
	deletedFor = 365 * 24 * time.Hour
	maxDeleted = 100_000
)

// Service stores and analyses conversations.
type Service struct {
	Store   *store.Store
	Content *content.Service
	Reviews *reviews.Service
	Model   Model // writes labels and summaries; nil: those of the analysis are used

	clusterers clusterers
}

// Input is a conversation in the form in which clients send it.
type Input struct {
	ID         string                  `json:"id"`
	Subject    string                  `json:"subject"`
	URL        string                  `json:"url"`
	Attributes map[string]string       `json:"attributes"`
	CreatedAt  docs.Time               `json:"createdAt"` // zero: the time of ingestion
	Parts      []docs.ConversationPart `json:"parts"`
}

// SourceOf returns the source of conversations that a user sends without naming a source.
func SourceOf(user docs.UserID) string { return "integration:api:" + string(user) }

// Ingest stores conversations and queues their analysis. A conversation that is already
// stored under its ID and source is replaced if it differs.
func (s *Service) Ingest(ctx context.Context, g *authz.Grant, source string, in []Input) error {
	if source == "" {
		source = SourceOf(g.Actor.User)
	}
	return s.ingestAll(ctx, g, source, in, false)
}

// ingestAll is Ingest for a given source. If parts is set, the messages of in are added to
// the stored ones instead of replacing them.
func (s *Service) ingestAll(ctx context.Context, g *authz.Grant, source string, in []Input, parts bool) error {
	var wrong errs.Mistakes
	for i, one := range in {
		at := ""
		if len(in) > 1 {
			at = fmt.Sprintf("[%d].", i)
		}
		wrong.Add(check(at, one))
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		changed := 0
		for _, one := range in {
			if parts {
				var gone bool
				var err error
				if one, gone, err = extend(ctx, tx, g.Access.Org, source, one); err != nil {
					return err
				}
				if gone {
					continue
				}
			}
			stored, err := ingest(ctx, tx, g.Access.Org, source, one)
			if err != nil {
				return err
			}
			if stored {
				changed++
			}
		}
		if changed == 0 {
			return nil
		}
		if err := queue(ctx, tx, g.Access.Org); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{
			Org: g.Access.Org, Action: "conversation.ingest", Kind: "organization", ID: string(g.Access.Org),
			Data: map[string]any{"source": source, "conversations": changed},
		})
	})
}

// check returns an error if a conversation cannot be stored. at is what the paths of its
// fields begin with.
func check(at string, in Input) error {
	var wrong errs.Mistakes
	if n := utf8.RuneCountInString(in.ID); n == 0 || n > maxID || strings.ContainsRune(in.ID, 0) {
		wrong.Field(at+"id", "must have 1 to %d characters, and no NUL", maxID)
	}
	if len(in.Parts) > maxParts {
		wrong.Field(at+"parts", "are more than %d", maxParts)
	}
	size := len(in.Subject)
	for _, p := range in.Parts {
		size += len(p.Body)
	}
	for k, v := range in.Attributes {
		size += len(k) + len(v)
	}
	if size > MaxText {
		wrong.Field(at+"parts", "have more than %s of text together", errs.Size(MaxText))
	}
	u, err := url.Parse(in.URL)
	if in.URL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		wrong.Field(at+"metadata.url", "must be an address that begins with https:// or http://")
	}
	return wrong.Err()
}

// ingest stores a conversation and reports whether that changed anything.
func ingest(ctx context.Context, tx *store.Tx, org docs.OrgID, source string, in Input) (bool, error) {
	v, exists, err := store.Maybe(tx.ExternalConversation(ctx, org, source, in.ID))
	if err != nil {
		return false, err
	}
	hash := hashOf(in)
	if exists && v.Hash == hash {
		return false, nil
	}
	if exists {
		// An earlier copy that arrives late must not remove messages.
		older, err := isOlder(ctx, tx, v, in)
		if err != nil || older {
			return false, err
		}
	} else {
		v = docs.Conversation{Org: org, Source: source, External: in.ID, CreatedAt: tx.Now(), IngestedAt: tx.Now()}
		if v.ID, err = freeID(ctx, tx, v); err != nil {
			return false, err
		}
	}
	if v.Redacted {
		in = masked(in)
	}
	v.Subject, v.URL, v.Attributes = in.Subject, in.URL, in.Attributes
	if v.HasCreated = in.CreatedAt != 0; v.HasCreated {
		v.CreatedAt = in.CreatedAt
	}
	v.Hash, v.ProcessedAt = hash, 0
	v.Version++
	return true, tx.PutConversation(ctx, v, in.Parts)
}

func hashOf(in Input) string {
	b, err := json.Marshal(in)
	if err != nil {
		panic(err) // impossible: Input has only texts and numbers
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// isOlder reports whether the messages of in are a proper prefix of the stored messages.
func isOlder(ctx context.Context, tx *store.Tx, v docs.Conversation, in Input) (bool, error) {
	stored, err := tx.ConversationParts(ctx, v.Org, v.ID)
	if err != nil || len(in.Parts) >= len(stored) {
		return false, err
	}
	sent := in
	if v.Redacted {
		sent = masked(in)
	}
	return slices.EqualFunc(sent.Parts, stored[:len(in.Parts)], func(a, b docs.ConversationPart) bool { return a.Role == b.Role && a.Body == b.Body }), nil
}

// derivedID matches the IDs that freeID derives. If a source uses this form for its own
// IDs, freeID derives others, so that a source cannot claim the ID of a conversation of
// another source.
var derivedID = regexp.MustCompile(`^c_[0-9a-f]{32}$`)

// freeID returns the ID of a new conversation: the ID that its source uses, or a derived
// one if that is taken or has the form of derivedID.
func freeID(ctx context.Context, tx *store.Tx, v docs.Conversation) (docs.ConversationID, error) {
	id := docs.ConversationID(v.External)
	_, taken, err := store.Maybe(tx.Conversation(ctx, v.Org, id))
	if taken || derivedID.MatchString(v.External) {
		id = docs.ConversationID("c_" + digest(v.Source, v.External))
	}
	return id, err
}

// digest returns an ID that is derived from texts.
func digest(of ...string) string {
	h := sha256.New()
	for _, s := range of {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// masked returns a copy of a conversation with personal data masked, and without
// attributes and URL.
func masked(in Input) Input {
	in.Subject = topics.Mask(in.Subject)
	in.Parts = slices.Clone(in.Parts)
	for i := range in.Parts {
		in.Parts[i].Body = topics.Mask(in.Parts[i].Body)
	}
	in.Attributes, in.URL = nil, ""
	return in
}

// queue enqueues a job that analyses the waiting conversations of an organization. A job
// that is already running runs again.
func queue(ctx context.Context, tx *store.Tx, org docs.OrgID) error {
	return jobs.EnqueueDebounced(ctx, tx, jobs.Job{Kind: AnalyseJob, Key: string(org), Payload: task{org}, RunAt: tx.Now()}, 0)
}

// Conversations lists the conversations of an organization, or of one source.
func (s *Service) Conversations(org docs.OrgID, source string) store.List[docs.Conversation] {
	return store.List[docs.Conversation]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Conversation, store.Key, error) {
			return s.Store.Conversations(ctx, org, source, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountConversations(ctx, org, source) },
	}
}

// Conversation returns a conversation with its messages.
func (s *Service) Conversation(ctx context.Context, org docs.OrgID, id docs.ConversationID) (docs.Conversation, []docs.ConversationPart, error) {
	v, err := s.Store.Conversation(ctx, org, id)
	if err != nil {
		return v, nil, err
	}
	parts, err := s.Store.ConversationParts(ctx, org, id)
	return v, parts, err
}

// Delete deletes a conversation with its issues.
func (s *Service) Delete(ctx context.Context, g *authz.Grant, id docs.ConversationID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		v, err := tx.Conversation(ctx, g.Access.Org, id)
		if err != nil {
			return err
		}
		if err := tx.DropConversation(ctx, v.Org, v.ID); err != nil {
			return err
		}
		if err := tx.AddConversationTombstone(ctx, v.Org, digest(v.Source, v.External), tx.Now().Add(-deletedFor), maxDeleted); err != nil {
			return err
		}
		if err := queue(ctx, tx, v.Org); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, event(v, "delete"))
	})
}

// Redact masks e-mail addresses, phone numbers and card numbers in the texts of a
// conversation, and removes its attributes and its URL at the source. Messages of the
// conversation that are sent later are redacted too.
func (s *Service) Redact(ctx context.Context, g *authz.Grant, id docs.ConversationID) (docs.Conversation, error) {
	org := g.Access.Org
	for {
		v, parts, err := s.Conversation(ctx, org, id)
		if err != nil || v.Redacted {
			return v, err
		}
		clean := masked(Input{Subject: v.Subject, Parts: parts})
		done, changed, err := s.redact(ctx, g, v, clean)
		if err != nil || !changed {
			return done, err
		}
	}
}

// redact stores a masked conversation. changed reports whether the conversation has a newer
// version than was, which the caller must mask instead.
func (s *Service) redact(ctx context.Context, g *authz.Grant, was docs.Conversation, clean Input) (v docs.Conversation, changed bool, err error) {
	done, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Conversation, error) {
		v, err := tx.Conversation(ctx, g.Access.Org, was.ID)
		if err != nil || v.Version != was.Version {
			return v, err
		}
		v.Subject, v.URL, v.Attributes, v.Redacted, v.ProcessedAt = clean.Subject, "", nil, true, 0
		v.Version++
		if err := tx.PutConversation(ctx, v, clean.Parts); err != nil {
			return v, err
		}
		if err := queue(ctx, tx, v.Org); err != nil {
			return v, err
		}
		return v, audit.Record(ctx, tx, g.Actor, event(v, "redact"))
	})
	return done, err == nil && !done.Redacted, err
}

func event(v docs.Conversation, verb string) audit.Event {
	return audit.Event{Org: v.Org, Action: "conversation." + verb, Kind: "conversation", ID: string(v.ID), Data: map[string]any{"source": v.Source}}
}

// Issues lists the issues of an organization.
func (s *Service) Issues(org docs.OrgID, f store.IssueFilter) store.List[store.IssueIn] {
	return store.List[store.IssueIn]{
		Page: func(ctx context.Context, p store.Page) ([]store.IssueIn, store.Key, error) {
			return s.Store.Issues(ctx, org, f, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountIssues(ctx, org, f) },
	}
}

// Issue returns an issue with its conversation.
func (s *Service) Issue(ctx context.Context, org docs.OrgID, id docs.IssueID) (store.IssueIn, error) {
	return s.Store.Issue(ctx, org, id)
}
