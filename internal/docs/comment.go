package docs

// IDs of comments and replies.
type (
	CommentID string
	ReplyID   string
)

// Limits of comments. Together they limit the size of a list of comments.
const (
	MaxQuote        = 500  // maximum length of the quoted text in characters
	MaxReplies      = 1000 // maximum number of replies to one comment
	MaxReactions    = 1000 // maximum number of reactions to one comment or reply
	MaxOwnReactions = 20   // maximum number of reactions of one user to one comment or reply
	MaxMentions     = 100  // maximum number of mentions in one body that cause notifications
	MaxEmoji        = 64   // maximum size of one emoji in bytes; families and flags are long
)

// Discussion is the object that comments belong to: a space, or a change request of the
// space.
type Discussion struct {
	Space   SpaceID
	Request ChangeRequestID // empty for the space itself
}

// PostedComment is a comment on a space, a change request, a page, a block or a
// cell of a table.
type PostedComment struct {
	ID         CommentID
	In         Discussion
	Target     CommentTarget
	Body       string // Markdown
	PostedBy   User
	PostedAt   Time
	EditedAt   Time
	ResolvedBy User
	ResolvedAt Time // zero if open
	Repliers   []Contributor
	Reactions  []Reaction
}

// Open reports whether a comment is not resolved.
func (c PostedComment) Open() bool { return c.ResolvedAt.IsZero() }

// Replies returns the number of replies to a comment.
func (c PostedComment) Replies() int {
	n := 0
	for _, r := range c.Repliers {
		n += r.Times
	}
	return n
}

// CommentTarget is the target of a comment. It existed in Revision and may have been
// deleted since. The quote is kept.
type CommentTarget struct {
	Page     PageID // empty for the space or the change request
	Node     string // key of a block of the page; empty for the whole page
	Cell     TableCell
	Review   ReviewID // review that the comment is part of
	Revision RevisionID
	Quote    string // text of the block or cell, or title of the page
}

// TableCell identifies a cell of a table by its row and its column.
type TableCell struct {
	Record     string
	Definition string
}

// IsZero reports whether c identifies no cell.
func (c TableCell) IsZero() bool { return c == TableCell{} }

// Reply is a reply to a comment.
type Reply struct {
	ID        ReplyID
	Comment   CommentID
	In        Discussion
	Body      string // Markdown
	PostedBy  User
	PostedAt  Time
	EditedAt  Time
	Reactions []Reaction
}

// Reaction is an emoji with the users who reacted with it, in chronological order.
type Reaction struct {
	Emoji string
	Users []Reactor
}

// Reactor is a user who reacted.
type Reactor struct {
	User User
	At   Time
}

// CommentStatus is the status of a comment.
type CommentStatus string

// Statuses of comments.
const (
	CommentOpen     CommentStatus = "open"
	CommentResolved CommentStatus = "resolved"
)

// Status reports whether a comment is open or resolved.
func (c PostedComment) Status() CommentStatus {
	if c.Open() {
		return CommentOpen
	}
	return CommentResolved
}
