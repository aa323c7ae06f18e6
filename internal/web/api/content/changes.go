package content

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup/merge"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// contentChange is one change of a batch.
type contentChange struct {
	Operation     string            `json:"operation" enum:"insert_page,update_page,delete_page,revert_page,insert_files"`
	Page          string            `json:"page,omitempty" maxLength:"100" doc:"The page to change: its id, or a ref of the batch."`
	Into          opt.Val[string]   `json:"into,omitempty" nullable:"true" minLength:"1" maxLength:"100" doc:"The parent page; null is the top level."`
	At            *int              `json:"at,omitempty" minimum:"0" doc:"Position among its siblings. Default: last."`
	Ref           string            `json:"ref,omitempty" maxLength:"256" doc:"Name of the inserted page within the batch."`
	Document      *wire.ContentBody `json:"document,omitempty"`
	Title         opt.Val[string]   `json:"title,omitempty" minLength:"1" maxLength:"250"`
	Slug          opt.Val[string]   `json:"slug,omitempty" maxLength:"100" doc:"Last part of the address; if empty, it follows the title."`
	Emoji         opt.Val[string]   `json:"emoji,omitempty" maxLength:"50" format:"emoji"`
	Icon          opt.Val[string]   `json:"icon,omitempty" maxLength:"50"`
	Description   opt.Val[string]   `json:"description,omitempty" maxLength:"1000"`
	Hidden        opt.Val[bool]     `json:"hidden,omitempty"`
	NoIndex       opt.Val[bool]     `json:"noIndex,omitempty"`
	NoRobotsIndex opt.Val[bool]     `json:"noRobotsIndex,omitempty"`
	Condition     opt.Val[string]   `json:"condition,omitempty" maxLength:"1024"`
	Revision      docs.RevisionID   `json:"revision,omitempty" maxLength:"100" doc:"The revision that revert_page restores from. Default: the newest revision."`
	Block         []string          `json:"block,omitempty" maxItems:"1000" doc:"Keys of the blocks that revert_page restores. Default: the whole page."`
	Files         []newContentFile  `json:"files,omitempty" maxItems:"20"`
}

type newContentFile struct {
	Name        string `json:"name" minLength:"1" maxLength:"256"`
	Ref         string `json:"ref,omitempty" maxLength:"256" doc:"Name of the file within the batch."`
	ContentType string `json:"contentType,omitempty" maxLength:"200"`
	URL         string `json:"url,omitempty" maxLength:"2048" doc:"Public http or https address."`
	Base64      string `json:"base64,omitempty" doc:"At most 1 MB; needs contentType."`
}

// changeFields lists the fields that each operation accepts.
var changeFields = map[string][]string{
	content.InsertPage:  {"document", "into", "at", "ref", "metadata"},
	content.UpdatePage:  {"page", "document", "into", "at", "metadata"},
	content.DeletePage:  {"page"},
	content.RevertPage:  {"page", "revision", "block"},
	content.InsertFiles: {"files"},
}

// plain converts a change to the type of the content service. i is its index in the
// batch, for error messages.
func (c contentChange) plain(i int) (content.Change, error) {
	at := fmt.Sprintf("changes[%d]", i)
	out := content.Change{
		Operation: c.Operation, Page: c.Page, Into: c.Into, At: c.At, Ref: c.Ref, Revision: c.Revision, Blocks: c.Block,
		Meta: content.PageMeta{
			Title: c.Title, Slug: c.Slug, Emoji: c.Emoji, Icon: c.Icon, Description: c.Description,
			Hidden: c.Hidden, NoIndex: c.NoIndex, NoRobotsIndex: c.NoRobotsIndex, Condition: c.Condition,
		},
	}
	if err := c.fits(at); err != nil {
		return out, err
	}
	for _, f := range c.Files {
		out.Files = append(out.Files, content.NewFile(f))
	}
	if c.Document != nil {
		var err error
		if out.Body, err = c.Document.RevisionBody(at + ".document"); err != nil {
			return out, err
		}
	}
	return out, nil
}

// fits returns an error if a field is set that does not belong to the operation, or if a
// required field is missing. Otherwise a mistake would look like
// success.
func (c contentChange) fits(at string) error {
	meta := c.Title.IsSet() || c.Slug.IsSet() || c.Emoji.IsSet() || c.Icon.IsSet() || c.Description.IsSet() || c.Hidden.IsSet() ||
		c.NoIndex.IsSet() || c.NoRobotsIndex.IsSet() || c.Condition.IsSet()
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"page", c.Page != ""}, {"document", c.Document != nil}, {"into", c.Into.IsSet()}, {"at", c.At != nil}, {"ref", c.Ref != ""},
		{"metadata", meta}, {"revision", c.Revision != ""}, {"block", c.Block != nil}, {"files", c.Files != nil},
	} {
		if f.set && !slices.Contains(changeFields[c.Operation], f.name) {
			if f.name == "metadata" {
				return errs.Field(at, "has fields of a page that %s does not take", c.Operation)
			}
			return errs.Field(at+"."+f.name, "is not a field of %s; leave it out", c.Operation)
		}
	}
	if c.Operation == content.InsertPage && c.Document == nil {
		return errs.Field(at+".document", "is required by %s", c.Operation)
	}
	return nil
}

// semanticChanges is the JSON form of the differences between two revisions.
type semanticChanges struct {
	MergedFrom *wire.ChangeRequest `json:"mergedFrom,omitempty" doc:"The change request that was merged."`
	Changes    []semanticChange    `json:"changes"`
	More       int                 `json:"more,omitempty" doc:"Number of changes beyond limit."`
	Next       *kernel.Next        `json:"next,omitempty" doc:"Cursor of the next page; absent if there are no more changes."`
}

type semanticChange struct {
	Type            string                 `json:"type" enum:"page_created,page_edited,page_deleted,page_moved,file_created,file_edited,file_deleted,variables_edited,reusable_content_created,reusable_content_edited,reusable_content_deleted"`
	Page            *changedPage           `json:"page,omitempty"`
	File            *changedFile           `json:"file,omitempty"`
	ReusableContent *changedReusable       `json:"reusableContent,omitempty"`
	Variables       map[string]beforeAfter `json:"variables,omitempty"`
	Attributes      map[string]beforeAfter `json:"attributes,omitempty"`
	Parent          *changedParent         `json:"parent,omitempty"`
	Blocks          *[]blockChange         `json:"blocks,omitempty" doc:"Differences in the document, block by block; absent if there are none, or if the documents are too large to compare."`
	MoreBlocks      int                    `json:"moreBlocks,omitempty" doc:"Number of blocks that are not listed."`

	texts compared
}

type changedPage struct {
	ID    string        `json:"id"`
	Type  docs.PageType `json:"type"`
	Title string        `json:"title"`
	Path  string        `json:"path,omitempty"`
}

type changedFile struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	DownloadURL string `json:"downloadURL"`
}

type changedReusable struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Document string `json:"document,omitempty"`
}

type changedParent struct {
	Before *changedPage `json:"before,omitempty"`
	After  *changedPage `json:"after,omitempty"`
}

// beforeAfter holds the two values of an attribute that differs. A side without a value
// is absent.
type beforeAfter struct {
	Before any `json:"before,omitempty"`
	After  any `json:"after,omitempty"`
}

type revisionChangesIn struct {
	RevisionIn
	Flags
	kernel.ChangesPaged
}

func (h *handlers) revisionChanges(ctx context.Context, in *revisionChangesIn) (*kernel.Out[semanticChanges], error) {
	v, err := h.at(in.Revision)(ctx)
	if err != nil {
		return nil, err
	}
	before := docs.RevisionID("")
	if len(v.Rev.Parents) > 0 {
		before = v.Rev.Parents[0]
	}
	w, err := h.changesOut(ctx, before, v.Rev.ID, in.ChangesPaged, h.at)
	if err != nil {
		return nil, err
	}
	w.MergedFrom, err = h.mergedFrom(ctx, v)
	return kernel.OK(w), err
}

func (h *handlers) changesBetween(ctx context.Context, from, to *revision.View, skip, limit int) (semanticChanges, error) {
	w := semanticChanges{Changes: []semanticChange{}}
	d, err := h.Content.Compare(ctx, from, to)
	if err != nil {
		return w, err
	}
	var all []semanticChange
	for _, p := range d.Pages {
		changes, err := h.pageChanges(ctx, from, to, p)
		if err != nil {
			return w, err
		}
		all = append(all, changes...)
	}
	for _, f := range d.Files {
		all = append(all, h.fileChange(authz.FromContext(ctx), to.Space, f))
	}
	for _, r := range d.Reusables {
		all = append(all, reusableChange(r))
	}
	if len(d.Variables) > 0 {
		c := semanticChange{Type: "variables_edited", Variables: map[string]beforeAfter{}}
		for name, v := range d.Variables {
			c.Variables[name] = beforeAfter{value(v.Before), value(v.After)}
		}
		all = append(all, c)
	}
	all = all[min(skip, len(all)):]
	w.Changes = append(w.Changes, all[:min(limit, len(all))]...)
	w.More = len(all) - len(w.Changes)
	if to.Visitor() != nil { // the documents are compared with the blocks that conditions hide
		return w, nil
	}
	return w, addBlockChanges(ctx, from, to, w.Changes)
}

func value(v *any) any {
	if v == nil {
		return nil
	}
	return *v
}

func (h *handlers) pageChanges(ctx context.Context, from, to *revision.View, p content.PageDiff) ([]semanticChange, error) {
	switch {
	case p.Before == nil:
		return []semanticChange{{Type: "page_created", Page: &changedPage{string(p.After.ID), p.After.Type, p.After.Title, p.PathAfter}}}, nil
	case p.After == nil:
		return []semanticChange{{Type: "page_deleted", Page: &changedPage{string(p.Before.ID), p.Before.Type, p.Before.Title, p.PathBefore}}}, nil
	}
	now := &changedPage{string(p.After.ID), p.After.Type, p.After.Title, p.PathAfter}
	var out []semanticChange
	if attributes := pageAttributes(*p.Before, *p.After); len(attributes) > 0 {
		out = append(out, semanticChange{
			Type: "page_edited", Page: now, Attributes: attributes,
			texts: func(ctx context.Context, x *content.TextComparer) ([]merge.BlockChange, bool, error) {
				return x.Page(ctx, p)
			},
		})
	}
	if p.Moved {
		up := &changedParent{}
		var err error
		if up.Before, err = parentOf(ctx, from, p.Before.Parent); err != nil {
			return nil, err
		}
		if up.After, err = parentOf(ctx, to, p.After.Parent); err != nil {
			return nil, err
		}
		out = append(out, semanticChange{Type: "page_moved", Page: now, Parent: up})
	}
	return out, nil
}

func parentOf(ctx context.Context, v *revision.View, id docs.PageID) (*changedPage, error) {
	if id == "" {
		return nil, nil
	}
	p, err := v.Page(ctx, id)
	if err != nil {
		return nil, err
	}
	path, err := v.Path(ctx, p)
	return &changedPage{string(p.ID), p.Type, p.Title, path}, err
}

// pageAttributes returns the attributes that differ between two versions of a page.
func pageAttributes(a, b docs.Page) map[string]beforeAfter {
	out := map[string]beforeAfter{}
	text := func(name, x, y string) {
		if x != y {
			out[name] = beforeAfter{orNil(x), orNil(y)}
		}
	}
	other := func(name string, x, y any) {
		p, _ := json.Marshal(x)
		q, _ := json.Marshal(y)
		if string(p) != string(q) {
			out[name] = beforeAfter{x, y}
		}
	}
	text("title", a.Title, b.Title)
	text("emoji", a.Emoji, b.Emoji)
	text("slug", a.Slug, b.Slug)
	text("icon", a.Icon, b.Icon)
	text("linkTitle", a.LinkTitle, b.LinkTitle)
	text("description", a.Description, b.Description)
	text("condition", a.Condition, b.Condition)
	if a.Body != b.Body {
		text("document", revision.DocumentID(a), revision.DocumentID(b))
	}
	other("hidden", a.Hidden, b.Hidden)
	other("noIndex", a.NoIndex, b.NoIndex)
	other("noRobotsIndex", a.NoRobotsIndex, b.NoRobotsIndex)
	if a.Type == docs.PageDocument && b.Type == docs.PageDocument {
		other("layout", layoutOf(a.Layout), layoutOf(b.Layout))
		other("cover", coverOrNil(a.Cover), coverOrNil(b.Cover))
		other("variables", variablesOrNil(a.Variables), variablesOrNil(b.Variables))
	}
	if a.Target != nil && b.Target != nil {
		other("target", inert(a.Target), inert(b.Target))
	}
	return out
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func coverOrNil(c *docs.PageCover) any {
	if c == nil {
		return nil
	}
	return coverOf(c)
}

func variablesOrNil(v docs.Variables) any {
	if len(v) == 0 {
		return nil
	}
	return v
}

func (h *handlers) fileChange(g *authz.Grant, sp docs.Space, p content.Pair[docs.File]) semanticChange {
	show := func(f docs.File) *changedFile {
		return &changedFile{string(f.ID), f.Name, f.ContentType, h.DownloadURL(wire.BearerOf(g), sp, f)}
	}
	switch {
	case p.Before == nil:
		return semanticChange{Type: "file_created", File: show(*p.After)}
	case p.After == nil:
		return semanticChange{Type: "file_deleted", File: show(*p.Before)}
	}
	at := map[string]beforeAfter{}
	x, y := p.Before, p.After
	if x.Name != y.Name {
		at["name"] = beforeAfter{x.Name, y.Name}
	}
	if x.ContentType != y.ContentType {
		at["contentType"] = beforeAfter{x.ContentType, y.ContentType}
	}
	if x.Size != y.Size {
		at["size"] = beforeAfter{x.Size, y.Size}
	}
	if x.Blob != y.Blob || len(at) == 0 {
		at["downloadURL"] = beforeAfter{h.DownloadURL(wire.BearerOf(g), sp, *x), h.DownloadURL(wire.BearerOf(g), sp, *y)}
	}
	if x.Width != y.Width || x.Height != y.Height {
		at["dimensions"] = beforeAfter{wire.DimensionsOf(*x), wire.DimensionsOf(*y)}
	}
	return semanticChange{Type: "file_edited", File: show(*y), Attributes: at}
}

func reusableChange(p content.Pair[docs.Reusable]) semanticChange {
	show := func(r docs.Reusable) *changedReusable {
		return &changedReusable{string(r.ID), r.Title, revision.ReusableDocumentID(r)}
	}
	switch {
	case p.Before == nil:
		return semanticChange{Type: "reusable_content_created", ReusableContent: show(*p.After)}
	case p.After == nil:
		return semanticChange{Type: "reusable_content_deleted", ReusableContent: show(*p.Before)}
	}
	at := map[string]beforeAfter{}
	if p.Before.Title != p.After.Title {
		at["title"] = beforeAfter{p.Before.Title, p.After.Title}
	}
	if x, y := revision.ReusableDocumentID(*p.Before), revision.ReusableDocumentID(*p.After); x != y || len(at) == 0 {
		at["document"] = beforeAfter{orNil(x), orNil(y)}
	}
	return semanticChange{
		Type: "reusable_content_edited", ReusableContent: show(*p.After), Attributes: at,
		texts: func(ctx context.Context, x *content.TextComparer) ([]merge.BlockChange, bool, error) {
			return x.Reusable(ctx, p)
		},
	}
}
