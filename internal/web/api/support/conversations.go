package support

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// maxConversations is the maximum size of the body of ingestConversation, in bytes.
const maxConversations = 8 << 20

func (h *handlers) conversations() {
	const (
		tag  = "Conversations"
		org  = "/orgs/{organizationId}"
		list = org + "/conversations"
		one  = list + "/{conversationId}"
	)
	see, send := authz.Org(authz.ReadConvo), authz.Org(authz.IngestConvo)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listConversations", Route: "GET " + list, Tag: tag, Allow: see,
		Summary: "List the conversations of an organization, newest first.",
	}, h.listConversations)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "ingestConversation", Route: "POST " + list, Tag: tag, Allow: send, MaxBody: maxConversations, Time: kernel.TransferTime,
		Summary: "Ingest one conversation or up to 500.",
		About: "A conversation is known by its id within its source: sending the same one again changes nothing, sending a longer one replaces it. " +
			"A conversation has at most 1 MB of text. The analysis follows after the answer: processedAt is set when it is done.",
	}, h.ingestConversations)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getConversationById", Route: "GET " + one, Tag: tag, Allow: see,
		Summary: "Get a conversation with its messages.",
		About:   "Bodies are as they were sent: Markdown or HTML of people outside. Escape them where you show them.",
	}, h.getConversation)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteConversationById", Route: "DELETE " + one, Tag: tag, Allow: send,
		Summary: "Delete a conversation with its issues.",
	}, h.deleteConversation)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "redactConversationById", Route: "POST " + one + "/redact", Tag: tag, Allow: send, Status: 200,
		Summary: "Mask personal data in a conversation.",
		About: "E-mail addresses and numbers of phones and cards in its texts are replaced, attributes and the address at the source are removed. " +
			"What is sent of the conversation later is masked as well.",
	}, h.redactConversation)
	h.hooks(tag)
	h.issues(tag, see)
}

func (h *handlers) issues(tag string, see authz.Rule) {
	const (
		issues   = "/orgs/{organizationId}/conversations-issues"
		clusters = "/orgs/{organizationId}/conversations-clusters"
	)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listConversationsIssues", Route: "GET " + issues, Tag: tag, Allow: see,
		Summary: "List what users ask and report in conversations, newest first.",
	}, h.listIssues)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getConversationIssueById", Route: "GET " + issues + "/{issueId}", Tag: tag, Allow: see,
		Summary: "Get an issue with its conversation.",
	}, h.getIssue)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listConversationsIssuesClusters", Route: "GET " + clusters, Tag: tag, Allow: see,
		Summary: "List groups of issues about the same thing.",
		About:   "An issue that arrives later never changes the cluster of others, except that clusters merge and split; that is recorded.",
	}, h.listClusters)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getConversationsIssuesCluster", Route: "GET " + clusters + "/{clusterId}", Tag: tag, Allow: see,
		Summary: "Get a cluster of issues.",
		About:   "The id of a cluster that was merged into another one gets that one.",
	}, h.getCluster)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listConversationsIssuesClusterMoves", Route: "GET " + clusters + "-moves", Tag: tag, Allow: see,
		Summary: "List which clusters merged and split, newest first.",
	}, h.listClusterMoves)
	h.clusterAnswers(tag, see)
}

// Conversation is the JSON form of a conversation, without its messages.
type Conversation struct {
	Object      string           `json:"object" enum:"conversation"`
	ID          string           `json:"id"`
	Subject     string           `json:"subject,omitempty"`
	CreatedAt   docs.Time        `json:"createdAt"`
	ProcessedAt docs.Time        `json:"processedAt,omitzero" doc:"Absent as long as it waits for the analysis."`
	Source      string           `json:"source" doc:"email, or integration:NAME:INSTALLATION."`
	URLs        conversationURLs `json:"urls"`
}

type conversationURLs struct {
	Location string `json:"location" format:"uri"`
	Source   string `json:"source,omitempty" format:"uri" doc:"Address of the conversation at its source."`
}

func (h *handlers) conversation(v docs.Conversation) Conversation {
	return Conversation{
		Object: "conversation", ID: string(v.ID), Subject: v.Subject, CreatedAt: v.CreatedAt, ProcessedAt: v.ProcessedAt, Source: v.Source,
		URLs: conversationURLs{h.Location("orgs", string(v.Org), "conversations", url.PathEscape(string(v.ID))), v.URL},
	}
}

type listConversationsIn struct {
	wire.OrgIn
	kernel.Paged
	Source string `query:"source" maxLength:"255" doc:"Only conversations of this source."`
}

func (h *handlers) listConversations(ctx context.Context, in *listConversationsIn) (*kernel.Page[Conversation], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Conversations.Conversations(in.Org, in.Source), h.conversation)
}

// conversationPart is the JSON form of a message of a conversation.
type conversationPart struct {
	Type string                `json:"type" enum:"message"`
	Role docs.ConversationRole `json:"role" enum:"user,assistant,team-member"`
	Body string                `json:"body" doc:"Markdown or HTML."`
}

// conversationMetadata is the JSON form of the metadata of a conversation at its source.
type conversationMetadata struct {
	URL        string            `json:"url,omitempty" maxLength:"2048" doc:"Address of the conversation at its source."`
	Attributes map[string]string `json:"attributes,omitempty" maxProperties:"100"`
	CreatedAt  docs.Time         `json:"createdAt,omitzero"`
}

// ConversationInput is the JSON form of a conversation to ingest.
type ConversationInput struct {
	ID       string                `json:"id" minLength:"1" maxLength:"255" doc:"Of the conversation within its source."`
	Metadata *conversationMetadata `json:"metadata,omitempty"`
	Subject  string                `json:"subject,omitempty" maxLength:"512"`
	Parts    []conversationPart    `json:"parts" maxItems:"1000"`
}

// conversationInputs holds the conversations of a body, which is one object or an array
// of them.
type conversationInputs []ConversationInput

// Schema implements huma.SchemaProvider.
func (conversationInputs) Schema(r huma.Registry) *huma.Schema {
	one := r.Schema(reflect.TypeFor[ConversationInput](), true, "ConversationInput")
	return &huma.Schema{OneOf: []*huma.Schema{one, {Type: huma.TypeArray, Items: one, MinItems: new(1), MaxItems: new(conversations.MaxBatch)}}}
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *conversationInputs) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		return json.Unmarshal(b, (*[]ConversationInput)(c))
	}
	*c = make([]ConversationInput, 1)
	return json.Unmarshal(b, &(*c)[0])
}

type ingestConversationsIn struct {
	wire.OrgIn
	Source string             `query:"source" maxLength:"255" pattern:"^(email|integration:[^:]+:[^:]+)$" patternDescription:"email or integration:NAME:INSTALLATION" doc:"Where the conversations come from. Default: the caller."`
	Body   conversationInputs `doc:"One conversation or several."`
}

func (h *handlers) ingestConversations(ctx context.Context, in *ingestConversationsIn) (*kernel.Done, error) {
	all := make([]conversations.Input, len(in.Body))
	for i, c := range in.Body {
		one := conversations.Input{ID: c.ID, Subject: c.Subject}
		if strings.TrimSpace(c.ID) == "" || c.ID == "." || c.ID == ".." {
			return nil, errs.Field("id", "must be a name")
		}
		if m := c.Metadata; m != nil {
			one.URL, one.Attributes, one.CreatedAt = m.URL, m.Attributes, m.CreatedAt
		}
		for _, p := range c.Parts {
			one.Parts = append(one.Parts, docs.ConversationPart{Role: p.Role, Body: p.Body})
		}
		all[i] = one
	}
	return nil, h.Conversations.Ingest(ctx, authz.FromContext(ctx), in.Source, all)
}

// ConversationIn is part of the input of operations on a conversation.
type ConversationIn struct {
	wire.OrgIn
	ID docs.ConversationID `path:"conversationId" maxLength:"255"`
}

// conversationDetail is the JSON form of a conversation with its messages.
type conversationDetail struct {
	Conversation Conversation         `json:"conversation"`
	Parts        []conversationPart   `json:"parts"`
	Metadata     conversationMetadata `json:"metadata"`
}

func (h *handlers) getConversation(ctx context.Context, in *ConversationIn) (*kernel.Out[conversationDetail], error) {
	v, parts, err := h.Conversations.Conversation(ctx, in.Org, in.ID)
	w := conversationDetail{Conversation: h.conversation(v), Parts: []conversationPart{}, Metadata: conversationMetadata{URL: v.URL, Attributes: v.Attributes}}
	if v.HasCreated {
		w.Metadata.CreatedAt = v.CreatedAt
	}
	for _, p := range parts {
		w.Parts = append(w.Parts, conversationPart{"message", p.Role, p.Body})
	}
	return kernel.OK(w), err
}

func (h *handlers) deleteConversation(ctx context.Context, in *ConversationIn) (*kernel.Done, error) {
	return nil, h.Conversations.Delete(ctx, authz.FromContext(ctx), in.ID)
}

func (h *handlers) redactConversation(ctx context.Context, in *ConversationIn) (*kernel.Out[Conversation], error) {
	v, err := h.Conversations.Redact(ctx, authz.FromContext(ctx), in.ID)
	return kernel.OK(h.conversation(v)), err
}

// ConversationIssue is the JSON form of an issue in a conversation.
type ConversationIssue struct {
	Object       string       `json:"object" enum:"conversation-issue"`
	ID           string       `json:"id"`
	Title        string       `json:"title" doc:"A sentence of the user, as text."`
	Summary      string       `json:"summary" doc:"In the words of the user, as text."`
	CreatedAt    docs.Time    `json:"createdAt" doc:"When the conversation was created."`
	IngestedAt   docs.Time    `json:"ingestedAt"`
	Conversation string       `json:"conversation" doc:"Id of the conversation."`
	Cluster      string       `json:"cluster,omitempty" doc:"Id of the cluster; absent until the issue is in one."`
	URLs         locationOnly `json:"urls"`
}

type locationOnly struct {
	Location string `json:"location" format:"uri"`
}

// issueItem is the JSON form of an issue together with its conversation.
type issueItem struct {
	Issue        ConversationIssue `json:"issue"`
	Conversation Conversation      `json:"conversation"`
}

func (h *handlers) issueItem(v store.IssueIn) issueItem {
	i := v.Issue
	return issueItem{ConversationIssue{
		Object: "conversation-issue", ID: string(i.ID), Title: i.Title, Summary: i.Summary, CreatedAt: i.CreatedAt, IngestedAt: i.IngestedAt,
		Conversation: string(i.Conversation), Cluster: string(i.Cluster),
		URLs: locationOnly{h.Location("orgs", string(i.Org), "conversations-issues", string(i.ID))},
	}, h.conversation(v.Conversation)}
}

type listIssuesIn struct {
	wire.OrgIn
	kernel.Paged
	Cluster      docs.ClusterID      `query:"cluster" maxLength:"255" doc:"Only issues of this cluster."`
	Conversation docs.ConversationID `query:"conversation" maxLength:"255" doc:"Only issues of this conversation."`
}

func (h *handlers) listIssues(ctx context.Context, in *listIssuesIn) (*kernel.Page[issueItem], error) {
	f := store.IssueFilter{Cluster: in.Cluster, Conversation: in.Conversation}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Conversations.Issues(in.Org, f), h.issueItem)
}

type getIssueIn struct {
	wire.OrgIn
	ID docs.IssueID `path:"issueId" maxLength:"255"`
}

func (h *handlers) getIssue(ctx context.Context, in *getIssueIn) (*kernel.Out[issueItem], error) {
	v, err := h.Conversations.Issue(ctx, in.Org, in.ID)
	return kernel.OK(h.issueItem(v)), err
}
