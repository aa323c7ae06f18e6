package docs

// Ids of what people say.
type (
	CommentID string
	ReplyID   string
)

// Limits of comments, each in this one place. Together they bound what a
// list of comments can hold.
const (
	MaxQuote        = 500  // characters of what a comment is about
	MaxReplies      = 1000 // to one comment
	MaxReactions    = 1000 // to one comment or reply
	MaxOwnReactions = 20   // of one person to one comment or reply
	MaxMentions     = 100  // of one body that are told of
	MaxEmoji        = 64   // bytes of one emoji; families and flags are long
)

// Discussion is where comments belong: a space itself, or a change request
// of it.
type Discussion struct {
	Space   SpaceID
	Request ChangeRequestID // empty: the space itself
}

// PostedComment is what somebody says about a space, a change request, a page, a
// block or a cell of a table.
type PostedComment struct {
	ID         CommentID
	In         Discussion
	Target     CommentTarget
	Body       string // Markdown
	PostedBy   User
	PostedAt   Time
	EditedAt   Time
	ResolvedBy User
	ResolvedAt Time // zero: open
	Repliers   []Contributor
	Reactions  []Reaction
}

// Open reports whether a comment waits to be resolved.
func (c PostedComment) Open() bool { return c.ResolvedAt.IsZero() }

// Replies counts the replies to a comment.
func (c PostedComment) Replies() int {
	n := 0
	for _, r := range c.Repliers {
		n += r.Times
	}
	return n
}

// CommentTarget is what a comment is about. What it names was there in the
// revision, and may be gone since; the quote stays.
type CommentTarget struct {
	Page     PageID // empty: the whole
	Node     string // key of a block of the page; empty: the page
	Cell     TableCell
	Review   ReviewID // that it is part of
	Revision RevisionID
	Quote    string // text of the block or cell, title of the page
}

// TableCell names a cell of a table by its row and its column.
type TableCell struct {
	Record     string
	Definition string
}

// IsZero reports whether no cell is named.
func (c TableCell) IsZero() bool { return c == TableCell{} }

// Reply is an answer to a comment.
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

// Reaction is an emoji with those who gave it, the first one first.
type Reaction struct {
	Emoji string
	Users []Reactor
}

// Reactor is somebody who reacted.
type Reactor struct {
	User User
	At   Time
}

// CommentStatus narrows a list of comments.
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
