package content

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) content() {
	const tag = "Content"
	read := authz.Space(authz.ReadContent)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getCurrentRevision", Route: "GET /spaces/{spaceId}/content", Tag: tag, Allow: read,
		Summary: "Get the newest revision of a space: pages, files, reusable contents and variables.",
	}, func(ctx context.Context, in *readIn) (*revised[Revision], error) {
		return h.revisionOut(ctx, h.Head, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listPages", Route: "GET /spaces/{spaceId}/content/pages", Tag: tag, Allow: read,
		Summary: "Get the page tree of a space.",
	}, func(ctx context.Context, in *readIn) (*revised[pageTree], error) {
		return h.pagesOut(ctx, h.Head, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listFiles", Route: "GET /spaces/{spaceId}/content/files", Tag: tag, Allow: read,
		Summary: "List the files of a space.",
	}, func(ctx context.Context, in *filesIn) (*kernel.Page[wire.File], error) {
		return h.filesOut(ctx, h.Head, in.Paged, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getFileById", Route: "GET /spaces/{spaceId}/content/files/{fileId}", Tag: tag, Allow: read,
		Summary: "Get a file of a space.",
	}, func(ctx context.Context, in *fileIn) (*kernel.Out[wire.File], error) {
		return h.fileOut(ctx, h.Head, in.File, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getPageById", Route: "GET /spaces/{spaceId}/content/page/{pageId}", Tag: tag, Allow: read,
		Summary: "Get a page of a space.", Cached: h.cachedPage(func(r *http.Request) string { return idKey(r.PathValue("pageId")) }),
	}, func(ctx context.Context, in *pageIn) (*pageOutput, error) {
		return h.pageOut(ctx, h.Head, byID(in.Page), in.PageOptions)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getPageByPath", Route: "GET /spaces/{spaceId}/content/path/{pagePath}", Tag: tag, Allow: read,
		Summary: "Get a page of a space by its path.", Cached: h.cachedPage(func(r *http.Request) string { return pathKey(r.PathValue("pagePath")) }),
		About: "The path is one URL-encoded segment, such as guides%2Finstall. A path that a page had before it was moved leads to the page.",
	}, func(ctx context.Context, in *pathIn) (*pageOutput, error) {
		return h.pageOut(ctx, h.Head, byPath(in.Path), in.PageOptions)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getReusableContentById", Route: "GET /spaces/{spaceId}/content/reusable-contents/{reusableContentId}", Tag: tag, Allow: read,
		Summary: "Get a reusable content of a space.",
	}, func(ctx context.Context, in *reusableIn) (*kernel.Out[ReusableContent], error) {
		return h.reusableOut(ctx, h.Head, in.Reusable, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getDocumentById", Route: "GET /spaces/{spaceId}/documents/{documentId}", Tag: tag, Allow: read,
		Summary: "Get a document of a space by its id, including earlier documents of its pages.",
	}, h.getDocument)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateContent", Route: "POST /spaces/{spaceId}/content", Tag: tag, Allow: authz.Space(authz.EditSpace), Status: 200,
		Also: []int{http.StatusConflict, http.StatusPreconditionFailed}, MaxBody: maxBatch,
		Summary: "Change the content of a space in live edit mode.",
		About: "Up to 50 changes are applied in order: either all of them, in one new revision, or none. A name given as ref can be used in later changes and in links of the same batch. " +
			"With If-Match, the changes are applied only if that revision is still the newest. 412 if it is not, or if the space is locked.",
	}, h.update)
}

// maxBatch is the maximum size of the body of a batch of changes, which can contain
// files.
const maxBatch = 32 << 20

// revised is an output with the ETag of a revision.
type revised[T any] struct {
	ETag string `header:"ETag" doc:"The revision, for If-Match."`
	Body T
}

type readIn struct {
	wire.SpaceIn
	Flags
}

type filesIn struct {
	wire.SpaceIn
	kernel.Paged
	Flags
}

type fileIn struct {
	wire.SpaceIn
	File docs.FileID `path:"fileId"`
	Flags
}

type pageIn struct {
	wire.SpaceIn
	Page docs.PageID `path:"pageId"`
	PageOptions
}

// CachedMetadataIn allows an answer with older metadata.
type CachedMetadataIn struct {
	CachedMetadata string `query:"cachedMetadata" enum:"true,false" doc:"Ignored: answers are never old."`
}

type pathIn struct {
	wire.SpaceIn
	Path string `path:"pagePath"`
	PageOptions
	CachedMetadataIn
}

type reusableIn struct {
	wire.SpaceIn
	Reusable docs.ReusableID `path:"reusableContentId"`
	Flags
}

type pageTree struct {
	Pages []Page `json:"pages"`
}

func (h *handlers) pagesOut(ctx context.Context, open wire.Opener, f Flags) (*revised[pageTree], error) {
	v, err := h.opened(ctx, open, f)
	if err != nil {
		return nil, err
	}
	all, err := v.All(ctx)
	if err != nil {
		return nil, err
	}
	s, err := h.encoder(ctx, v, f.Metadata)
	return &revised[pageTree]{etag(v), pageTree{s.pages(all)}}, err
}

func etag(v *revision.View) string { return `"` + string(v.Rev.ID) + `"` }

func (h *handlers) reusableOut(ctx context.Context, open wire.Opener, id docs.ReusableID, f Flags) (*kernel.Out[ReusableContent], error) {
	v, err := open(ctx)
	if err != nil {
		return nil, err
	}
	r, err := v.Reusable(ctx, id)
	if err != nil {
		return nil, err
	}
	s, err := h.encoder(ctx, v, f.Metadata, string(id))
	return kernel.OK(s.reusableContent(r)), err
}

type documentIn struct {
	wire.SpaceIn
	Document string `path:"documentId"`
	Schema   string `query:"schema" enum:"current,next" doc:"Ignored: there is only one version of the schema."`
}

func (h *handlers) getDocument(ctx context.Context, in *documentIn) (*kernel.Out[*markup.Document], error) {
	v, err := h.Head(ctx)
	if err != nil {
		return nil, err
	}
	doc, _, err := h.Content.DocumentByID(ctx, v, in.Document)
	return kernel.OK(doc), err
}

// updateIn is the input of update.
type updateIn struct {
	wire.SpaceIn
	IfMatch string `header:"If-Match" maxLength:"200"`
	StrictIn
	Body ContentBatch
}

// StrictIn is part of the input of operations that write content.
type StrictIn struct {
	Strict bool `query:"strict" doc:"true changes nothing, with status 400, if there are mistakes in the text of the pages, which problems would report."`
}

func (h *handlers) apply(ctx context.Context, on content.LineName, tag string, strict bool, changes []content.Change) (*content.Applied, error) {
	do := h.Content.Apply
	if strict {
		do = h.Content.ApplyStrict
	}
	return do(ctx, authz.FromContext(ctx), on, revisionOfTag(tag), changes)
}

// ContentBatch is a batch of changes.
type ContentBatch struct {
	Changes []contentChange `json:"changes" minItems:"1" maxItems:"50"`
}

func (b ContentBatch) plain() ([]content.Change, error) {
	changes := make([]content.Change, len(b.Changes))
	var wrong []errs.Detail
	for i, c := range b.Changes {
		var err error
		changes[i], err = c.plain(i)
		var e *errs.Error
		switch {
		case errors.As(err, &e) && len(e.Details) > 0:
			wrong = append(wrong, e.Details...)
		case err != nil:
			return nil, err
		}
	}
	return changes, errs.Fields(wrong[:min(len(wrong), errs.MaxDetails)])
}

// contentOutcome is the result of a batch of changes.
type contentOutcome struct {
	Object        string          `json:"object" enum:"content-update"`
	Revision      string          `json:"revision" doc:"The newest revision; unchanged if nothing was changed."`
	Changes       []changeOutcome `json:"changes"`
	InsertedFiles []wire.File     `json:"insertedFiles"`
	Problems      []pageProblem   `json:"problems" doc:"Mistakes in the text of the pages that were written, as the command octavo check reports them; at most 100."`
}

type pageProblem struct {
	Page    string `json:"page" doc:"Id of the page."`
	Line    int    `json:"line" doc:"Line of its Markdown; 0 if it is not known."`
	Code    string `json:"code" doc:"Kind of the mistake, such as markup, broken-link or missing-file."`
	Message string `json:"message"`
}

type changeOutcome struct {
	Object string `json:"object" enum:"created_page,updated_page,deleted_page"`
	Page   any    `json:"page" doc:"The page; only its id when it was deleted."`
	Ref    string `json:"ref,omitempty"`
}

type outcomePage struct {
	Object string        `json:"object" enum:"page"`
	ID     string        `json:"id"`
	URLs   wire.Location `json:"urls"`
}

func (h *handlers) update(ctx context.Context, in *updateIn) (*revised[contentOutcome], error) {
	changes, err := in.Body.plain()
	if err != nil {
		return nil, err
	}
	done, err := h.apply(ctx, "", in.IfMatch, in.Strict, changes)
	if err != nil {
		return nil, err
	}
	return &revised[contentOutcome]{etag(done.View), h.outcome(authz.FromContext(ctx), done)}, nil
}

func (h *handlers) outcome(g *authz.Grant, done *content.Applied) contentOutcome {
	o := contentOutcome{Object: "content-update", Revision: string(done.View.Rev.ID), Changes: []changeOutcome{}, InsertedFiles: []wire.File{}, Problems: []pageProblem{}}
	for _, p := range done.Problems {
		o.Problems = append(o.Problems, pageProblem{string(p.Page), p.Line, p.Code, p.Message})
	}
	for _, c := range done.Outcomes {
		w := changeOutcome{Object: c.Kind + "_page", Ref: c.Ref}
		if c.Kind == "deleted" {
			w.Page = string(c.Page)
		} else {
			at := h.Location("spaces", string(done.View.Space.ID), "content", "page", string(c.Page))
			if done.Request != nil {
				at = h.Location("spaces", string(done.View.Space.ID), "change-requests", string(done.Request.ID), "content", "page", string(c.Page))
			}
			w.Page = outcomePage{"page", string(c.Page), wire.Location{Location: at}}
		}
		o.Changes = append(o.Changes, w)
	}
	for _, f := range done.Files {
		o.InsertedFiles = append(o.InsertedFiles, h.File(g, done.View.Space, f))
	}
	return o
}

// revisionOfTag returns the revision in the header If-Match, quoted or not. It returns
// the empty id for *, which matches every revision.
func revisionOfTag(tag string) docs.RevisionID {
	bare := strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "W/"), `"`)
	switch {
	case bare == "*":
		return ""
	case bare == "" && tag != "":
		return "none" // a tag that no revision has
	}
	return docs.RevisionID(bare)
}

func (h *handlers) filesOut(ctx context.Context, open wire.Opener, p kernel.Paged, f Flags) (*kernel.Page[wire.File], error) {
	v, err := open(ctx)
	if err != nil {
		return nil, err
	}
	s, err := h.encoder(ctx, v, f.Metadata)
	if err != nil {
		return nil, err
	}
	return kernel.ListOf(ctx, h.Kernel, p, store.List[docs.File]{
		Page: func(ctx context.Context, at store.Page) ([]docs.File, store.Key, error) {
			after := docs.FileID("")
			if len(at.After) == 1 {
				after = docs.FileID(at.After[0])
			}
			items, err := v.Files(ctx, after, at.Limit+1)
			var next store.Key
			if len(items) > at.Limit {
				items = items[:at.Limit]
				next = store.Key{string(items[len(items)-1].ID)}
			}
			return items, next, err
		},
		Count: v.CountFiles,
	}, s.file)
}

func (h *handlers) fileOut(ctx context.Context, open wire.Opener, id docs.FileID, f Flags) (*kernel.Out[wire.File], error) {
	v, err := open(ctx)
	if err != nil {
		return nil, err
	}
	file, err := v.File(ctx, id)
	if err != nil {
		return nil, err
	}
	s, err := h.encoder(ctx, v, f.Metadata, string(id))
	return kernel.OK(s.file(file)), err
}
