package docs

import "time"

// MaxDepth is the depth of nested collections. It bounds the steps from a space
// to its organization.
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

// EditMode says whether the content of a space can be changed directly.
type EditMode string

// A locked space is changed by change requests only.
const (
	EditLive   EditMode = "live"
	EditLocked EditMode = "locked"
)

// Space is one documentation: a tree of pages with its history.
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
	Git        *GitInfo     // nil: no repository
	Published  *Publication // nil: on no published site
	Counters   SpaceCounters
	Limited    bool // it or its organization has quotas; set by Reader.Space alone
}

// SpaceCounters are numbers that the store keeps up to date.
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

// Visibility returns who can read the space besides users with a role on it:
// the audience of the site where it is published, or for a space that inherits
// from a collection everybody who can read the collection.
func (s Space) Visibility() string {
	if s.Published != nil {
		return string(s.Published.Visibility)
	}
	if s.Parent != "" && s.Level == LevelInherit {
		return "in-collection"
	}
	return "private"
}

// Languages are the codes of the languages that a space can have.
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

// Place is the destination of a move among its siblings. At most one of Before
// and After is set; neither means after all siblings.
type Place struct {
	Before Pointer
	After  Pointer
}

// Pointer identifies a space or a collection.
type Pointer struct {
	Kind NodeKind
	ID   string
}

// IsZero reports whether p identifies nothing.
func (p Pointer) IsZero() bool { return p.ID == "" }
