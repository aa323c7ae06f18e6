// Package topics finds in conversations what people ask, and which of these issues are
// about the same thing. It is pure and deterministic: no database, no clock, no
// network, no model. What a conversation says is text to be counted; nothing in it is
// ever executed or obeyed.
//
// Extract cleans the messages of a conversation, masks personal data and returns its
// issues in the words of the user. A Clusterer takes issues in the order of their keys
// and puts each into a cluster. It looks only at what came before, so that issues
// which come later never move those before them, apart from clusters that merge or
// split. The same issues end in the same clusters in whichever order they arrived,
// because they are always read in the order of their keys.
package topics

import "unicode/utf8"

const (
	// MaxIssues is how many issues a conversation has.
	MaxIssues = 5
	// MaxTitle and MaxSummary bound the characters of an issue.
	MaxTitle   = 120
	MaxSummary = 600

	maxMessage  = 64 << 10 // bytes of a message that are read
	maxMessages = 200      // of a conversation that are read
)

// Role is who wrote a message.
type Role string

// Roles of messages. Only what users write makes issues.
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

// Issue is something that a user asks or reports.
type Issue struct {
	Title    string // one sentence
	Summary  string // what belongs to it
	Language string // a code such as "en"; empty: unknown
}

// Text returns what an issue is compared by.
func (i Issue) Text() string { return i.Title + "\n" + i.Summary }

// clip bounds a text to so many characters, at the end of a word if one is near.
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
