package docs

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/names"
)

// IDs of content. A page keeps its ID when it is moved. The copy of a space has the same
// IDs as the original.
type (
	PageID     string
	FileID     string
	ReusableID string
)

// PageType is the type of a page.
type PageType string

// Types of pages.
const (
	PageDocument PageType = "document"
	PageGroup    PageType = "group"
	PageLink     PageType = "link"
	PageComputed PageType = "computed"
)

// Page is a page of a revision, see EncodePage. The JSON names are short, because
// revisions store many versions of a page.
type Page struct {
	ID            PageID          `json:"-"`
	Type          PageType        `json:"t"`
	Parent        PageID          `json:"p,omitempty"`
	Rank          Rank            `json:"r"`
	Title         string          `json:"n"`
	Slug          string          `json:"s,omitempty"`
	Pinned        bool            `json:"sp,omitempty"` // the slug was set explicitly and no longer follows the title
	Emoji         string          `json:"e,omitempty"`
	Icon          string          `json:"i,omitempty"`
	Description   string          `json:"d,omitempty"`
	LinkTitle     string          `json:"lt,omitempty"`
	Hidden        bool            `json:"h,omitempty"`
	NoIndex       bool            `json:"ni,omitempty"`
	NoRobotsIndex bool            `json:"nr,omitempty"`
	Condition     string          `json:"if,omitempty"`
	Body          chunk.Hash      `json:"b,omitempty"`  // hash of the source; may be empty
	Sidecar       chunk.Hash      `json:"bs,omitempty"` // hash of the sidecar: resolved links and keys of blocks
	File          string          `json:"f,omitempty"`  // path of the source in a folder
	OID           string          `json:"go,omitempty"` // git object name of the source
	Layout        *Layout         `json:"l,omitempty"`
	Cover         *PageCover      `json:"c,omitempty"`
	Variables     Variables       `json:"v,omitempty"`
	Tags          []PageTag       `json:"tg,omitempty"`
	MetaLinks     *MetaLinks      `json:"ml,omitempty"`
	Target        *Ref            `json:"to,omitempty"` // target of a link
	Computed      json.RawMessage `json:"cs,omitempty"` // description of generated pages
	Method        string          `json:"op,omitempty"` // of the operation that a generated page shows; such pages are in no revision
	CreatedAt     Time            `json:"ca,omitempty"`
	UpdatedAt     Time            `json:"ua,omitempty"`
}

// HasBody reports whether a page can have a source.
func (p Page) HasBody() bool { return p.Type == PageDocument }

// HasPath reports whether a page has its own address.
func (p Page) HasPath() bool { return p.Type == PageDocument || p.Type == PageGroup }

// Variables are values by name. A value is a string, a float64 or a bool.
type Variables map[string]any

// PageCover is the image above a page.
type PageCover struct {
	Ref     *Ref    `json:"ref,omitempty"`
	RefDark *Ref    `json:"refDark,omitempty"`
	YPos    float64 `json:"yPos"`
	Height  float64 `json:"height,omitempty"`
}

// File is a file of a revision. Its content is in the blob store.
type File struct {
	ID          FileID `json:"-"`
	Name        string `json:"n"`
	ContentType string `json:"t"`
	Size        int64  `json:"s"`
	Width       int    `json:"w,omitempty"`
	Height      int    `json:"h,omitempty"`
	Blob        string `json:"b"`
	Path        string `json:"f,omitempty"` // path in a folder
	OID         string `json:"go,omitempty"`
}

// Reusable is a reusable content, which pages include.
type Reusable struct {
	ID      ReusableID `json:"-"`
	Title   string     `json:"n"`
	Body    chunk.Hash `json:"b,omitempty"`
	Sidecar chunk.Hash `json:"bs,omitempty"`
	File    string     `json:"f,omitempty"`
	OID     string     `json:"go,omitempty"`
}

// RevisionType is the kind of change that created a revision.
type RevisionType string

// Types of revisions.
const (
	RevisionEdits         RevisionType = "edits"
	RevisionMerge         RevisionType = "merge"  // a change request was merged into its space
	RevisionBringUpToDate RevisionType = "update" // the space, or a fork of it, was merged into a change request
	RevisionRollback      RevisionType = "rollback"
)

// Revision is one immutable state of a space.
type Revision struct {
	ID        RevisionID
	Space     SpaceID
	Type      RevisionType
	Parents   []RevisionID
	Root      chunk.Hash
	Author    UserID
	Message   string
	Git       *GitCommit
	CreatedAt Time

	ChangeRequest ChangeRequestID // change request of the revision; empty for the space itself
	MergedFrom    ChangeRequestID // change request that the revision merged into the space
	Aside         bool            // imported from a repository, and not part of the history
}

// GitCommit is the commit that a revision was imported from or exported to.
type GitCommit struct {
	OID      string `json:"oid"`
	Message  string `json:"message"`
	ByOctavo bool   `json:"createdByGitBook"`
	URL      string `json:"url,omitempty"`
	Ref      string `json:"ref,omitempty"`
}

// Limits of content.
const (
	MaxPageTitle   = 250 // characters, of a change; markup/frontmatter has the limit of titles in files
	MaxSlug        = 100
	MaxDescription = 1000
	MaxPageDepth   = 32
	MaxSource      = 2 << 20 // maximum size of one page in bytes
)

// SlugOf derives a slug, the last element of an address, from a title. It consists of
// letters and digits of any script in lower case, joined by single dashes.
func SlugOf(title string) string {
	var b strings.Builder
	dash := false
	for _, r := range names.Key(title) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
		case r == '\'' || r == '’': // don't becomes dont
		default:
			dash = true
		}
		if b.Len() >= MaxSlug-4 { // leaves room for a number that makes the slug unique
			break
		}
	}
	if b.Len() == 0 {
		return "page"
	}
	return b.String()
}

// CheckSlug reports whether a text is a valid slug.
func CheckSlug(s string) bool {
	if s == "" || len(s) > MaxSlug || s == "." || s == ".." {
		return false
	}
	for _, r := range s {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`/\?#%"<>|`+"`", r) || unicode.IsSpace(r) || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) {
			return false
		}
	}
	return true
}

// SlugKey returns the form in which slugs are compared, see names.Key.
func SlugKey(s string) string { return names.Key(s) }
