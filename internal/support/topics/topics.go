// Package topics extracts issues from conversations, and groups issues about the same
// topic. It is pure and deterministic: no database, no clock, no network, no model. The
// text of a conversation is only counted; nothing in it is executed or followed as an
// instruction.
//
// Extract cleans the messages of a conversation, masks personal data and returns its
// issues in the words of the user. A Clusterer takes issues one by one and puts each into
// a cluster, based on earlier issues only. So a later issue never moves an earlier one,
// except when clusters merge or split. The caller adds issues in the order of their
// keys. Then the same issues result in the same clusters, no matter in which order they
// arrived.
//
// Where a change goes:
//   - what is found in conversations, and how issues are grouped: sentences in extract.go,
//     concepts in lexicon.go, clusters in cluster.go; what is stored in
//     support/conversations
package topics

import "unicode/utf8"

const (
	// MaxIssues is the maximum number of issues of a conversation.
	MaxIssues = 5
	// MaxTitle and MaxSummary limit the characters of an issue's title and summary.
	MaxTitle   = 120
	MaxSummary = 600

	maxMessage  = 64 << 10 // bytes of a message that are read
	maxMessages = 200      // of a conversation that are read
)

// Role is the role of the author of a message.
type Role string

// The roles. Issues are extracted from messages of users only.
const (
	User       Role = "user"
	Assistant  Role = "assistant"
	TeamMember Role = "team-member"
)

// Message is a part of a conversation. Its body is Markdown, HTML or plain text.
type Message struct {
	Role Role
	Body string
}

// Issue is a question or a problem report of a user.
type Issue struct {
	Title    string // one sentence
	Summary  string // the sentences that state the issue
	Language string // a code such as "en"; empty: unknown
}

// Text returns the text by which issues are compared.
func (i Issue) Text() string { return i.Title + "\n" + i.Summary }

// clip shortens a text to limit characters, at the end of a word if one is near.
func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	n, end, blank := 0, 0, 0
	for i, r := range s {
		if n++; n == limit {
			end = i
			break
		}
		if r == ' ' {
			blank = i
		}
	}
	if blank > end*2/3 {
		end = blank
	}
	return s[:end] + "…"
}
