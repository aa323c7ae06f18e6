package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const conversationColumns = `c.org_id, c.id, c.source, c.external_id, c.subject, c.url, c.attributes, c.has_created, c.created_at, c.ingested_at,
	c.hash, c.version, c.redacted, c.processed_at`

func scanConversation(s engine.Scanner) (v docs.Conversation, err error) {
	var created, redacted int64
	err = s.Scan(&v.Org, &v.ID, &v.Source, &v.External, &v.Subject, &v.URL, inJSON{&v.Attributes}, &created, &v.CreatedAt, &v.IngestedAt,
		&v.Hash, &v.Version, &redacted, &v.ProcessedAt)
	v.HasCreated, v.Redacted = created == 1, redacted == 1
	return v, err
}

// Conversation returns a conversation of an organization.
func (r conversationReads) Conversation(ctx context.Context, org docs.OrgID, id docs.ConversationID) (docs.Conversation, error) {
	return engine.One(ctx, r, "conversation", scanConversation, `
		SELECT `+conversationColumns+` FROM conversations c WHERE c.org_id = $1 AND c.id = $2`, org, id)
}

// ExternalConversation returns a conversation by the id that its source knows.
func (r conversationReads) ExternalConversation(ctx context.Context, org docs.OrgID, source, external string) (docs.Conversation, error) {
	return engine.One(ctx, r, "conversation", scanConversation, `
		SELECT `+conversationColumns+` FROM conversations c WHERE c.org_id = $1 AND c.source = $2 AND c.external_id = $3`, org, source, external)
}

// Conversations lists the conversations of an organization, or of one source, newest first.
func (r conversationReads) Conversations(ctx context.Context, org docs.OrgID, source string, p Page) ([]docs.Conversation, Key, error) {
	at, id, err := p.Down()
	if err != nil {
		return nil, nil, err
	}
	of, args := ``, []any{org, at, id, p.Ask()}
	if source != "" {
		of, args = ` AND c.source = $5`, append(args, source)
	}
	items, err := engine.Many(ctx, r, scanConversation, `
		SELECT `+conversationColumns+` FROM conversations c
		WHERE c.org_id = $1 AND (c.created_at < $2 OR c.created_at = $2 AND c.id < $3)`+of+`
		ORDER BY c.created_at DESC, c.id DESC LIMIT $4 + 0`, args...)
	items, next := engine.Cut(p, items, func(v docs.Conversation) Key { return Key{itoa(int64(v.CreatedAt)), string(v.ID)} })
	return items, next, err
}

// CountConversations counts what Conversations lists.
func (r conversationReads) CountConversations(ctx context.Context, org docs.OrgID, source string) (int64, error) {
	if source != "" {
		return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM conversations WHERE org_id = $1 AND source = $2`, org, source)
	}
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM conversations WHERE org_id = $1`, org)
}

// ConversationParts returns the messages of a conversation.
func (r conversationReads) ConversationParts(ctx context.Context, org docs.OrgID, id docs.ConversationID) ([]docs.ConversationPart, error) {
	return engine.One(ctx, r, "conversation", func(s engine.Scanner) (v []docs.ConversationPart, err error) {
		err = s.Scan(inJSON{&v})
		return v, err
	}, `SELECT p.parts FROM conversation_parts p WHERE p.org_id = $1 AND p.conversation_id = $2`, org, id)
}

// ConversationText is a conversation with its messages.
type ConversationText struct {
	docs.Conversation
	Parts []docs.ConversationPart
}

// WaitingConversations returns some conversations that wait for the analysis.
func (r conversationReads) WaitingConversations(ctx context.Context, org docs.OrgID, limit int) ([]ConversationText, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (v ConversationText, err error) {
		err = s.Scan(&v.Org, &v.ID, &v.Source, &v.External, &v.Subject, &v.Version, &v.CreatedAt, &v.IngestedAt, inJSON{&v.Parts})
		return v, err
	}, `SELECT c.org_id, c.id, c.source, c.external_id, c.subject, c.version, c.created_at, c.ingested_at, p.parts
		FROM conversations c JOIN conversation_parts p ON p.org_id = c.org_id AND p.conversation_id = c.id
		WHERE c.org_id = $1 AND c.processed_at = 0 AND `+inPresentOrg("c")+` ORDER BY c.id LIMIT $2 + 0`, org, limit)
}

// PutConversation stores a conversation with its messages, a new one or another version.
func (tx conversationWrites) PutConversation(ctx context.Context, v docs.Conversation, parts []docs.ConversationPart) error {
	err := engine.Put(ctx, tx, `
		INSERT INTO conversations (org_id, id, source, external_id, subject, url, attributes, has_created, created_at, ingested_at, hash, version, redacted, processed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
		ON CONFLICT (org_id, id) DO UPDATE SET subject = excluded.subject, url = excluded.url, attributes = excluded.attributes, has_created = excluded.has_created,
			created_at = excluded.created_at, hash = excluded.hash, version = excluded.version, redacted = excluded.redacted, processed_at = excluded.processed_at`,
		v.Org, v.ID, v.Source, v.External, v.Subject, v.URL, toJSON(v.Attributes), flag(v.HasCreated), v.CreatedAt, v.IngestedAt,
		v.Hash, v.Version, flag(v.Redacted), v.ProcessedAt)
	if err != nil {
		return err
	}
	return engine.Put(ctx, tx, `
		INSERT INTO conversation_parts (org_id, conversation_id, parts) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, conversation_id) DO UPDATE SET parts = excluded.parts`, v.Org, v.ID, toJSON(parts))
}

// DropConversation deletes a conversation with its issues.
func (tx conversationWrites) DropConversation(ctx context.Context, org docs.OrgID, id docs.ConversationID) error {
	for _, text := range []string{
		`DELETE FROM conversation_issues WHERE org_id = $1 AND conversation_id = $2`,
		`DELETE FROM conversation_parts WHERE org_id = $1 AND conversation_id = $2`,
	} {
		if err := engine.Put(ctx, tx, text, org, id); err != nil {
			return err
		}
	}
	return dropOne(ctx, tx, "conversation", `DELETE FROM conversations WHERE org_id = $1 AND id = $2`, org, id)
}

// AddConversationTombstone notes that a conversation was deleted. Of an organization, the newest
// ones are kept that are not older than a time.
func (tx conversationWrites) AddConversationTombstone(ctx context.Context, org docs.OrgID, hash string, since docs.Time, keep int) error {
	if err := engine.Put(ctx, tx, `
		INSERT INTO conversation_tombstones (org_id, hash, deleted_at) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, hash) DO UPDATE SET deleted_at = excluded.deleted_at`, org, hash, tx.Now()); err != nil {
		return err
	}
	_, err := engine.Exec(ctx, tx, `
		DELETE FROM conversation_tombstones WHERE org_id = $1 AND (deleted_at < $2 OR deleted_at <= (
			SELECT t.deleted_at FROM conversation_tombstones t WHERE t.org_id = $1 ORDER BY t.deleted_at DESC LIMIT 1 OFFSET $3 + 0))`, org, since, keep)
	return err
}

// ConversationDeleted reports whether there is a tombstone that is not older than a time.
func (r conversationReads) ConversationDeleted(ctx context.Context, org docs.OrgID, hash string, since docs.Time) (bool, error) {
	n, err := engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM conversation_tombstones WHERE org_id = $1 AND hash = $2 AND deleted_at >= $3`, org, hash, since)
	return n > 0, err
}

// ProcessedConversation notes that a version of a conversation was analysed, and replaces its
// issues. It reports false, and does nothing, if there is another version meanwhile.
func (tx conversationWrites) ProcessedConversation(ctx context.Context, v docs.Conversation, issues []docs.ConversationIssue) (bool, error) {
	n, err := engine.Exec(ctx, tx, `UPDATE conversations SET processed_at = $4 WHERE org_id = $1 AND id = $2 AND version = $3`, v.Org, v.ID, v.Version, tx.Now())
	if err != nil || n == 0 {
		return false, err
	}
	// An issue keeps its cluster until the next clustering, which may move it. Without an order
	// SQLite would read all issues of the organization by their primary key.
	old := map[docs.IssueID]docs.ClusterID{}
	err = engine.Each(ctx, tx, scanIssue, func(i docs.ConversationIssue) { old[i.ID] = i.Cluster }, `
		SELECT `+issueColumns+` FROM conversation_issues i WHERE i.org_id = $1 AND i.conversation_id = $2 ORDER BY i.created_at, i.id`, v.Org, v.ID)
	if err != nil {
		return false, err
	}
	if len(old) > 0 {
		if err := engine.Put(ctx, tx, `DELETE FROM conversation_issues WHERE org_id = $1 AND conversation_id = $2`, v.Org, v.ID); err != nil {
			return false, err
		}
	}
	return true, engine.InsertAll(ctx, tx, `INSERT INTO conversation_issues (org_id, id, conversation_id, source, title, summary, language, created_at, ingested_at, cluster_id)`, ``,
		issues, func(i docs.ConversationIssue) []any {
			return []any{i.Org, i.ID, i.Conversation, i.Source, i.Title, i.Summary, i.Language, i.CreatedAt, i.IngestedAt, old[i.ID]}
		})
}
