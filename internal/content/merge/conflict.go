package merge

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// ConflictKind is the kind of object that a conflict is about.
type ConflictKind string

// Kinds of conflicts.
const (
	ConflictPage     ConflictKind = "page"
	ConflictFile     ConflictKind = "file"
	ConflictReusable ConflictKind = "reusable-content"
	ConflictVariable ConflictKind = "variable"
)

// Parts of the subject of a conflict, besides the names of fields.
const (
	PartDeleted  = "deleted"  // one side deleted the subject, the other side changed it
	PartDocument = "document" // a block of its text
	PartLocation = "location" // the position of a page in the tree
)

// Resolutions of conflicts.
const (
	ByMain     = "main"     // the state in the space
	ByMine     = "mine"     // the state in the change request
	ByDocument = "document" // a text that a user wrote
)

// Conflict is an object, or a part of one, that two lines of revisions changed in different ways.
// It names the revisions that contain the versions, so nothing is copied.
type Conflict struct {
	Kind  ConflictKind    `json:"kind"`
	ID    string          `json:"id"`               // id of the page, file or content; name of the variable
	Part  string          `json:"part,omitempty"`   // empty: the whole object
	Block string          `json:"block,omitempty"`  // key; empty if the text was empty in the base
	After string          `json:"behind,omitempty"` // key of the preceding block; empty at the start
	Base  docs.RevisionID `json:"base"`
	Main  docs.RevisionID `json:"main"` // of the space
	Mine  docs.RevisionID `json:"mine"` // of the change request

	// Blocks has the keys of the blocks in all three revisions if both sides wrote other blocks in
	// place of Block. Each revision has some of them.
	Blocks []string `json:"blocks,omitempty"`
}

// keys returns the keys of the blocks that the conflict is about.
func (c Conflict) keys() []string {
	if len(c.Blocks) > 0 {
		return c.Blocks
	}
	return []string{c.Block}
}

// Name returns a name of the subject of a conflict. It is the same in every merge.
func (c Conflict) Name() string {
	return string(chunk.Sum([]byte(strings.Join([]string{string(c.Kind), c.ID, c.Part, c.Block}, "\x00"))))[:20]
}

// Form is the subject of a conflict in one of its revisions.
type Form struct {
	Exists   bool
	Document *markup.Document // the blocks of a text; all of them if one side deleted the page
	Value    any              // value of any other part
}

// form reads the subject of a conflict from a tree.
func (c Conflict) form(ctx context.Context, t *revision.Tree) (Form, error) {
	return c.formBy(ctx, t, readText)
}

// formBy is form with another function for reading texts.
func (c Conflict) formBy(ctx context.Context, t *revision.Tree, read textReader) (f Form, err error) {
	switch c.Kind {
	case ConflictVariable:
		b, ok, err := t.Get(ctx, revision.KeyVariable+c.ID)
		if err == nil && ok {
			f.Exists = true
			err = json.Unmarshal(b, &f.Value)
		}
		return f, err
	case ConflictFile:
		file, err := t.File(ctx, docs.FileID(c.ID))
		if errs.Is(err, errs.NotFound) {
			return f, nil
		}
		return Form{Exists: err == nil, Value: file}, err
	case ConflictReusable:
		r, err := t.Reusable(ctx, docs.ReusableID(c.ID))
		if errs.Is(err, errs.NotFound) {
			return f, nil
		}
		if err != nil {
			return f, err
		}
		if c.Part == "title" {
			return Form{Exists: true, Value: r.Title}, nil
		}
		return c.blocks(ctx, t, revision.ReusableText(r), read)
	}
	p, ok, err := t.Lookup(ctx, docs.PageID(c.ID))
	if err != nil || !ok {
		return f, err
	}
	switch c.Part {
	case PartDeleted, PartDocument:
		x, err := t.PageText(ctx, p)
		if err != nil {
			return f, err
		}
		return c.blocks(ctx, t, x, read)
	case PartLocation:
		path, err := t.Path(ctx, p)
		return Form{Exists: true, Value: path}, err
	case "slug":
		return Form{Exists: true, Value: p.Slug}, nil
	}
	if name, is := strings.CutPrefix(c.Part, "variables."); is {
		v, has := p.Variables[name]
		return Form{Exists: has, Value: v}, nil
	}
	f.Value, f.Exists, err = docs.FieldValue(p, c.Part)
	return f, err
}
