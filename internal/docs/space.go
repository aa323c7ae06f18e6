package docs

import "time"

// MaxDepth is the maximum depth of nested collections. It limits the number of steps from
// a space to its organization.
const MaxDepth = 32

// TrashRetention is the time during which a deleted space can be restored.
const TrashRetention = 7 * 24 * time.Hour

// MaxSpaceTitle is the maximum length of the title of a space in characters.
const MaxSpaceTitle = 50

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
	UpdatedAt   Time `audit:"-"`
}

// Node returns the collection as a node of the access rule.
func (c Collection) Node() Node {
	return Node{Kind: NodeCollection, ID: string(c.ID), Level: c.Level, CreatedBy: c.CreatedBy}
}

// EditMode determines whether the content of a space can be changed directly.
type EditMode string

// A locked space can only be changed by merging change requests.
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
	Revision   RevisionID `audit:"-"`
	Layer      string     `audit:"-"` // layer of the index, see store.Layer
	Rank       Rank
	CreatedBy  UserID
	CreatedAt  Time
	UpdatedAt  Time `audit:"-"`
	DeletedAt  Time
	Git        *GitInfo      // nil if the space has no repository
	Published  *Publication  // nil if the space is on no published site
	Counters   SpaceCounters `audit:"-"`
	Limited    bool          // the space or its organization has quotas; set only by Reader.Space
}

// SpaceCounters are counters that the store maintains.
type SpaceCounters struct {
	OpenComments        int
	ChangeRequests      int
	OpenChangeRequests  int
	DraftChangeRequests int
}

// Node returns the space as a node of the access rule.
func (s Space) Node() Node {
	return Node{Kind: NodeSpace, ID: string(s.ID), Level: s.Level, CreatedBy: s.CreatedBy}
}

// Visibility returns who can read the space in addition to users with a role on it. This
// is the audience of the site where it is published. For a space that inherits from a
// collection, it is everybody who can read the collection.
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

// Place is a position among siblings. At most one of Before and After is set. If neither
// is set, the position is after all siblings.
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
