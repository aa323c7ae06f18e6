package docs

import "time"

// MaxDepth of nested collections. It keeps every walk up the tree short.
const MaxDepth = 32

// TrashRetention is how long a deleted space can be restored.
const TrashRetention = 7 * 24 * time.Hour

// Collection groups spaces and other collections.
type Collection struct {
	ID          CollectionID
	Org         OrgID
	Parent      CollectionID
	Title       string
	Description string
	Level       Level
	Rank        Rank
	CreatedBy   UserID
	CreatedAt   Time
	UpdatedAt   Time
}

// Node returns what the access rule needs of a collection.
func (c Collection) Node() Node {
	return Node{Kind: NodeCollection, ID: string(c.ID), Level: c.Level, CreatedBy: c.CreatedBy}
}

// EditMode reports whether the content of a space can be changed directly.
type EditMode string

// A locked space is changed by change requests only.
const (
	EditLive   EditMode = "live"
	EditLocked EditMode = "locked"
)

// Space holds the pages of one body of documentation.
type Space struct {
	ID         SpaceID
	Org        OrgID
	Parent     CollectionID
	Title      string
	Emoji      string
	IconURL    string
	EditMode   EditMode
	Level      Level
	Language   string
	MergeRules MergeRules
	Revision   RevisionID
	Layer      string // of the index, see store.Layer
	Rank       Rank
	CreatedBy  UserID
	CreatedAt  Time
	UpdatedAt  Time
	DeletedAt  Time
	Git        *GitInfo // nil: no repository
	Counters   SpaceCounters
}

// SpaceCounters are kept in step by the store.
type SpaceCounters struct {
	OpenComments        int
	ChangeRequests      int
	OpenChangeRequests  int
	DraftChangeRequests int
}

// Node returns what the access rule needs of a space.
func (s Space) Node() Node {
	return Node{Kind: NodeSpace, ID: string(s.ID), Level: s.Level, CreatedBy: s.CreatedBy}
}

// Visibility tells who can read the space besides those with a role on it.
// Sites will widen it; without one, a space that inherits from a collection
// is open to whoever can open the collection.
func (s Space) Visibility() string {
	if s.Parent != "" && s.Level == LevelInherit {
		return "in-collection"
	}
	return "private"
}

// Languages are the codes that a space can be written in.
var Languages = []string{
	"en", "fr", "de", "es", "it", "pt", "pt-br", "ru", "ja", "zh", "zh-tw", "yue", "ko", "ar", "hi", "nl", "pl", "tr",
	"sv", "no", "da", "fi", "el", "cs", "hu", "ro", "th", "vi", "id", "ms", "he", "uk", "sk", "bg", "hr", "lt", "lv", "et", "sl",
}

// Grant is a direct grant on a space or a collection.
type Grant struct {
	Node Node
	User UserID // either a user
	Team TeamID // or a team
	Role Role
}

// Place is where a move puts a thing: at most one of Before and After is
// set; neither means behind everything else.
type Place struct {
	Before Pointer
	After  Pointer
}

// Pointer names a sibling, which is a space or a collection.
type Pointer struct {
	Kind NodeKind
	ID   string
}

// IsZero reports whether nothing is named.
func (p Pointer) IsZero() bool { return p.ID == "" }
