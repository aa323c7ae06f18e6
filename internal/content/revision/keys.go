package revision

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// The keys of a revision. Everything that has to be found quickly is a key:
// a page by id, the children of a page in order, a child by its slug.
const (
	KeyPage      = "p" // + id -> docs.Page
	KeyOrder     = "o" // + parent 0 rank 0 id -> nothing
	KeySlug      = "s" // + parent 0 slug -> id
	KeyFile      = "f" // + id -> docs.File
	KeyReusable  = "r" // + id -> docs.Reusable
	KeyName      = "n" // + path in the folder -> Owner
	KeyRedirect  = "d" // + path that a page had -> id
	KeyVariable  = "v" // + name -> JSON value
	KeySetting   = "g" // + name of a setting (see SettingSummary) -> bytes
	KeyComputed  = "c" // + id of a page that asks for computed pages -> nothing
	KeyTombstone = "x" // + id -> Tombstone
)

const Sep = "\x00"

func OrderKey(p docs.Page) string {
	return KeyOrder + string(p.Parent) + Sep + string(p.Rank) + Sep + string(p.ID)
}

// SlugKey returns the key of a slug as a page has it. What people ask for is looked up with
// BySlug, because pages that were written before names had one normal form keep their keys.
func SlugKey(parent docs.PageID, slug string) string {
	return KeySlug + string(parent) + Sep + strings.ToLower(slug)
}

// RedirectKey returns the key of a path that a page had. What people ask for is looked up with
// ByFormerPath.
func RedirectKey(path string) string { return KeyRedirect + strings.ToLower(path) }

// PageKey returns the key of a page.
func PageKey[ID ~string](id ID) string { return KeyPage + string(id) }

// FileKey returns the key of a file.
func FileKey[ID ~string](id ID) string { return KeyFile + string(id) }

// ReusableKey returns the key of a reusable content.
func ReusableKey[ID ~string](id ID) string { return KeyReusable + string(id) }

// NameKey returns the key of a path in the folder.
func NameKey(path string) string { return KeyName + path }

// SplitKey returns the kind of a key, which is one of the constants above, and what follows it:
// mostly an id.
func SplitKey(key string) (kind, rest string) { return key[:1], key[1:] }

// Owner returns the value of the key of a path: what is there, by its kind and id.
func Owner[ID ~string](kind string, id ID) string { return kind + ":" + string(id) }

func splitOwner(b []byte) (kind, id string) {
	kind, id, _ = strings.Cut(string(b), ":")
	return kind, id
}
