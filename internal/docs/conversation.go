package docs

import "cmp"

// ConversationID, IssueID and ClusterID identify a conversation, an issue that a user
// raises in a conversation, and a group of issues in an organization. The IDs of issues
// and clusters are derived from their content, so that they do not depend on the order in
// which conversations arrive.
type (
	ConversationID string
	IssueID        string
	ClusterID      string
)

// ConversationRole is the role of the author of a message.
type ConversationRole string

// Roles in a conversation.
const (
	ConversationUser       ConversationRole = "user"
	ConversationAssistant  ConversationRole = "assistant"
	ConversationTeamMember ConversationRole = "team-member"
)

// ConversationPart is a message of a conversation.
type ConversationPart struct {
	Role ConversationRole `json:"role"`
	Body string           `json:"body"` // Markdown or HTML, as sent
	// Key distinguishes the messages of a conversation at its source. It is empty if the
	// source has no message IDs.
	Key string `json:"key,omitempty"`
}

// Conversation is a conversation without its messages.
type Conversation struct {
	Org         OrgID
	ID          ConversationID
	Source      string
	External    string // ID at the source
	Subject     string
	URL         string // at the source; empty if unknown
	Attributes  map[string]string
	HasCreated  bool // the source provided the creation time
	CreatedAt   Time
	IngestedAt  Time
	Hash        string // hash of everything that was sent
	Version     int64  // increases when the content changes
	Redacted    bool   // personal data is masked, also in later updates
	ProcessedAt Time   // zero until the conversation is analyzed
}

// ConversationIssue is a question or a problem that a user raises in a conversation.
type ConversationIssue struct {
	Org          OrgID
	ID           IssueID
	Conversation ConversationID
	Source       string
	Title        string
	Summary      string
	Language     string
	CreatedAt    Time // of the conversation
	IngestedAt   Time
	Cluster      ClusterID // empty if it is not in a cluster yet
}

// ConversationCluster is a group of issues about the same thing.
type ConversationCluster struct {
	Org           OrgID
	ID            ClusterID
	Label         string
	Icon          string
	Summary       string
	Sources       map[string]int64 // number of issues by source
	Issues        int64
	Conversations int64
	CreatedAt     Time // time of its first issue
	UpdatedAt     Time
	Improved      ImprovedCluster
}

// ImprovedCluster is the label and the summary of a cluster as rewritten by a language
// model. A field is empty if the model had no improvement.
type ImprovedCluster struct {
	Of      string `json:"of"` // identifies the input of the model
	Label   string `json:"label"`
	Summary string `json:"summary"`
}

// Shown returns the label and the summary that are displayed.
func (c ConversationCluster) Shown() (label, summary string) {
	return cmp.Or(c.Improved.Label, c.Label), cmp.Or(c.Improved.Summary, c.Summary)
}

// ClusterTasks counts the change requests that address a cluster.
type ClusterTasks struct {
	Backlog   int64 // drafts
	Started   int64 // open
	Completed int64 // merged
	Cancelled int64 // archived
}

// Total returns the total number of change requests.
func (t ClusterTasks) Total() int64 { return t.Backlog + t.Started + t.Completed + t.Cancelled }

// ClusterMove records that issues moved from one cluster to another.
type ClusterMove struct {
	Org    OrgID
	ID     string
	Kind   ClusterMoveKind
	From   ClusterID
	Into   ClusterID
	Issues int64
	At     Time
}

// ClusterMoveKind is the reason why issues moved.
type ClusterMoveKind string

// After a merge the source cluster no longer exists; after a split it does.
const (
	ClusterMerged ClusterMoveKind = "merged"
	ClusterSplit  ClusterMoveKind = "split"
)
