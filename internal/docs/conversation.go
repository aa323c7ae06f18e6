package docs

import "cmp"

// ConversationID, IssueID and ClusterID identify a conversation, something that a user
// asks in one, and a group of such issues within an organization. Those of issues and
// clusters follow from what they are made of, so that they are the same in whichever order
// conversations arrive.
type (
	ConversationID string
	IssueID        string
	ClusterID      string
)

// ConversationRole is who wrote a message.
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
	Body string           `json:"body"` // Markdown or HTML, as it was sent
	// Key distinguishes messages of a conversation at its source; empty if the source does not name them.
	Key string `json:"key,omitempty"`
}

// Conversation is a conversation without its messages.
type Conversation struct {
	Org         OrgID
	ID          ConversationID
	Source      string
	External    string // the id that the source knows
	Subject     string
	URL         string // at the source; empty: unknown
	Attributes  map[string]string
	HasCreated  bool // the source knows when it was created
	CreatedAt   Time
	IngestedAt  Time
	Hash        string // of everything that was sent
	Version     int64  // goes up when something else is sent
	Redacted    bool   // personal data is masked, also in what is sent later
	ProcessedAt Time   // zero: it waits for the analysis
}

// ConversationIssue is something that a user asks or reports in a conversation.
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
	Cluster      ClusterID // empty: not in one yet
}

// ConversationCluster is a group of issues about the same thing.
type ConversationCluster struct {
	Org           OrgID
	ID            ClusterID
	Label         string
	Icon          string
	Summary       string
	Sources       map[string]int64 // issues by source
	Issues        int64
	Conversations int64
	CreatedAt     Time // of its first issue
	UpdatedAt     Time
	Improved      ImprovedCluster
}

// ImprovedCluster is what a language model made of the label and the summary of a cluster. Where it
// is empty, the model had nothing better.
type ImprovedCluster struct {
	Of      string `json:"of"` // identifies what was improved
	Label   string `json:"label"`
	Summary string `json:"summary"`
}

// Shown returns the label and the summary that people see.
func (c ConversationCluster) Shown() (label, summary string) {
	return cmp.Or(c.Improved.Label, c.Label), cmp.Or(c.Improved.Summary, c.Summary)
}

// ClusterTasks counts the change requests that answer a cluster.
type ClusterTasks struct {
	Backlog   int64 // drafts
	Started   int64 // open
	Completed int64 // merged
	Cancelled int64 // archived
}

// Total returns how many change requests there are.
func (t ClusterTasks) Total() int64 { return t.Backlog + t.Started + t.Completed + t.Cancelled }

// ClusterMove says that issues of a cluster went into another one.
type ClusterMove struct {
	Org    OrgID
	ID     string
	Kind   ClusterMoveKind
	From   ClusterID
	Into   ClusterID
	Issues int64
	At     Time
}

// ClusterMoveKind is why issues moved.
type ClusterMoveKind string

// A cluster that merged is gone, one that split is still there.
const (
	ClusterMerged ClusterMoveKind = "merged"
	ClusterSplit  ClusterMoveKind = "split"
)
