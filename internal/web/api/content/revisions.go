package content

import (
	"context"
	"net/http"
	"strconv"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) revisions() {
	const tag = "Revisions"
	view, read := authz.Space(authz.ViewSpace), authz.Space(authz.ReadContent)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listRevisions", Route: "GET /spaces/{spaceId}/revisions", Tag: tag, Allow: view,
		Summary: "List the revisions of a space, newest first.",
	}, h.listRevisions)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getRevisionById", Route: "GET /spaces/{spaceId}/revisions/{revisionId}", Tag: tag, Allow: read,
		Summary: "Get a revision of a space.",
	}, func(ctx context.Context, in *revisionIn) (*revised[Revision], error) {
		return h.revisionOut(ctx, h.at(in.Revision), in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getRevisionSemanticChanges", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/changes", Tag: tag, Allow: read,
		Summary: "List what a revision changed, compared to the one before it.",
		About:   "The content token of a preview that shows both lists what the preview shows of it, without the differences in the documents. For other visitors there is only one revision: 404.",
	}, h.revisionChanges)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listPagesInRevisionById", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/pages", Tag: tag, Allow: read,
		Summary: "Get the page tree of a revision.",
	}, func(ctx context.Context, in *revisionIn) (*revised[pageTree], error) {
		return h.pagesOut(ctx, h.at(in.Revision), in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listFilesInRevisionById", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/files", Tag: tag, Allow: read,
		Summary: "List the files of a revision.",
	}, func(ctx context.Context, in *revisionFilesIn) (*kernel.Page[wire.File], error) {
		return h.filesOut(ctx, h.at(in.Revision), in.Paged, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getFileInRevisionById", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/files/{fileId}", Tag: tag, Allow: read,
		Summary: "Get a file of a revision.",
	}, func(ctx context.Context, in *revisionFileIn) (*kernel.Out[wire.File], error) {
		return h.fileOut(ctx, h.at(in.Revision), in.File, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getPageInRevisionById", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/page/{pageId}", Tag: tag, Allow: read,
		Summary: "Get a page of a revision.",
	}, func(ctx context.Context, in *revisionPageIn) (*pageOutput, error) {
		return h.pageOut(ctx, h.at(in.Revision), byID(in.Page), in.PageOptions)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getPageDocumentInRevisionById", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document", Tag: tag, Allow: read,
		Summary: "Get the document of a page of a revision.",
	}, h.revisionDocument)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getPageInRevisionByPath", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}", Tag: tag, Allow: read,
		Summary: "Get a page of a revision by its path.",
	}, func(ctx context.Context, in *revisionPathIn) (*pageOutput, error) {
		return h.pageOut(ctx, h.at(in.Revision), byPath(in.Path), in.PageOptions)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getReusableContentInRevisionById", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}", Tag: tag, Allow: read,
		Summary: "Get a reusable content of a revision.",
	}, func(ctx context.Context, in *revisionReusableIn) (*kernel.Out[ReusableContent], error) {
		return h.reusableOut(ctx, h.at(in.Revision), in.Reusable, in.Flags)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getReusableContentDocumentInRevisionById", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document", Tag: tag, Allow: read,
		Summary: "Get the document of a reusable content of a revision.",
	}, h.revisionReusableDocument)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "rollbackContent", Route: "POST /spaces/{spaceId}/revisions/{revisionId}/rollback", Tag: tag, Allow: authz.Space(authz.EditSpace), Status: 200,
		Also:    []int{http.StatusConflict, http.StatusPreconditionFailed},
		Summary: "Restore the content of a revision, as a new revision.",
		About:   "409 if nothing would change, 412 if the space is locked or If-Match names another revision.",
	}, h.rollback)
}

// Revision is the JSON form of a revision with its content.
type Revision struct {
	Object           string              `json:"object" enum:"revision"`
	ID               string              `json:"id"`
	Type             docs.RevisionType   `json:"type" enum:"edits,merge,update,rollback,computed"`
	Parents          []docs.RevisionID   `json:"parents"`
	Pages            []Page              `json:"pages"`
	Files            []wire.File         `json:"files"`
	ReusableContents []ReusableContent   `json:"reusableContents"`
	Tags             []RevisionTag       `json:"tags" doc:"Tags of its pages."`
	Variables        docs.Variables      `json:"variables,omitempty"`
	CreatedAt        docs.Time           `json:"createdAt"`
	Git              *gitCommit          `json:"git,omitempty"`
	MergedFrom       *wire.ChangeRequest `json:"mergedFrom,omitempty" doc:"The change request that was merged."`
	URLs             revisionURLs        `json:"urls"`
}

type revisionURLs struct {
	App string `json:"app" format:"uri"`
}

type gitCommit struct {
	OID      string `json:"oid"`
	Message  string `json:"message"`
	ByOctavo bool   `json:"createdByGitBook" doc:"Whether this server wrote the commit."`
	URL      string `json:"url,omitempty"`
	Ref      string `json:"ref,omitempty"`
}

// ReusableContent is the JSON form of a reusable content.
type ReusableContent struct {
	ID       string        `json:"id"`
	Title    string        `json:"title"`
	Document string        `json:"document,omitempty" doc:"Id of its document."`
	Git      *wire.GitBlob `json:"git,omitempty"`
}

func (s encoder) reusableContent(r docs.Reusable) ReusableContent {
	return ReusableContent{ID: string(r.ID), Title: r.Title, Document: revision.ReusableDocumentID(r), Git: s.gitBlob(s.git.Reusable(r))}
}

// at returns an opener of a revision of the space, as the caller sees it. Visitors can
// read only the newest revision; other revisions need a preview.
func (h *handlers) at(id docs.RevisionID) wire.Opener {
	return func(ctx context.Context) (*revision.View, error) {
		g := authz.FromContext(ctx)
		if err := h.Guard.ReadsRevision(ctx, g, id); err != nil {
			return nil, err
		}
		v, err := h.Content.Revision(ctx, g.Space, id)
		return wire.AsSeen(g, v), err
	}
}

// base returns an opener of the revision of the space that a change request is compared with.
// Who reads the request may know what it changes.
func (h *handlers) base(id docs.RevisionID) wire.Opener {
	return func(ctx context.Context) (*revision.View, error) {
		g := authz.FromContext(ctx)
		v, err := h.Content.Revision(ctx, g.Space, id)
		return wire.AsSeen(g, v), err
	}
}

type RevisionIn struct {
	wire.SpaceIn
	Revision docs.RevisionID `path:"revisionId"`
}

type revisionIn struct {
	RevisionIn
	Flags
}

type revisionFilesIn struct {
	RevisionIn
	kernel.Paged
	Flags
}

type revisionFileIn struct {
	RevisionIn
	File docs.FileID `path:"fileId"`
	Flags
}

type revisionPageIn struct {
	RevisionIn
	Page docs.PageID `path:"pageId"`
	PageOptions
}

type revisionPathIn struct {
	RevisionIn
	Path string `path:"pagePath"`
	PageOptions
	CachedMetadataIn
}

type revisionReusableIn struct {
	RevisionIn
	Reusable docs.ReusableID `path:"reusableContentId"`
	Flags
}

func (h *handlers) revisionOut(ctx context.Context, open wire.Opener, f Flags) (*revised[Revision], error) {
	v, err := h.opened(ctx, open, f)
	if err != nil {
		return nil, err
	}
	r := v.Rev
	w := Revision{
		Object: "revision", ID: string(r.ID), Type: r.Type, Parents: r.Parents, CreatedAt: r.CreatedAt,
		Files: []wire.File{}, ReusableContents: []ReusableContent{},
		URLs: revisionURLs{h.AppURL(v.Space, "") + "/~/revisions/" + string(r.ID)},
	}
	visited := v.Visitor() != nil
	if w.Parents == nil || visited {
		w.Parents = []docs.RevisionID{}
	}
	if visited { // the history is not published
		w.Type, f.Metadata = docs.RevisionEdits, false
	}
	if g := r.Git; g != nil && f.Metadata {
		w.Git = &gitCommit{g.OID, g.Message, g.ByOctavo, g.URL, g.Ref}
	}
	all, err := v.All(ctx)
	if err != nil {
		return nil, err
	}
	s, err := h.encoder(ctx, v, f.Metadata)
	if err != nil {
		return nil, err
	}
	w.Pages = s.pages(all)
	w.Tags = revisionTags(w.Pages)
	files, err := v.Files(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		w.Files = append(w.Files, s.file(file))
	}
	reusables, err := v.Reusables(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range reusables {
		w.ReusableContents = append(w.ReusableContents, s.reusableContent(r))
	}
	if w.MergedFrom, err = h.mergedFrom(ctx, v); err != nil {
		return nil, err
	}
	w.Variables, err = v.Variables(ctx)
	return &revised[Revision]{etag(v), w}, err
}

// mergedFrom returns the change request whose merge created a revision. It returns nil if
// there is none, and for visitors.
func (h *handlers) mergedFrom(ctx context.Context, v *revision.View) (*wire.ChangeRequest, error) {
	if v.Rev.MergedFrom == "" || v.Visitor() != nil {
		return nil, nil
	}
	cr, err := h.FindRequest(ctx, string(v.Rev.MergedFrom))
	if err != nil {
		return nil, err
	}
	w, err := h.ChangeRequest(ctx, authz.FromContext(ctx), v.Space, cr)
	return &w, err
}

// revisionEntry is the JSON form of a revision in the history, without its content.
type revisionEntry struct {
	Object    string            `json:"object" enum:"revision"`
	ID        string            `json:"id"`
	Type      docs.RevisionType `json:"type"`
	Parents   []docs.RevisionID `json:"parents"`
	Message   string            `json:"message,omitempty"`
	Author    string            `json:"author" doc:"Id of the user."`
	CreatedAt docs.Time         `json:"createdAt"`
	Git       *gitCommit        `json:"git,omitempty"`
	From      string            `json:"changeRequest,omitempty" doc:"Id of the change request that was merged."`
	URLs      wire.EntryURLs    `json:"urls"`
}

type listRevisionsIn struct {
	wire.SpaceIn
	kernel.Paged
}

func (h *handlers) listRevisions(ctx context.Context, in *listRevisionsIn) (*kernel.Page[revisionEntry], error) {
	return h.revisionsOut(ctx, "", in.Paged)
}

// revisionsOut lists the revisions of the space, or those of a change request if cr is
// not empty.
func (h *handlers) revisionsOut(ctx context.Context, cr docs.ChangeRequestID, p kernel.Paged) (*kernel.Page[revisionEntry], error) {
	sp := authz.FromContext(ctx).Space
	return kernel.ListOf(ctx, h.Kernel, p, h.Content.Revisions(sp.ID, cr), func(r docs.Revision) revisionEntry {
		w := revisionEntry{
			Object: "revision", ID: string(r.ID), Type: r.Type, Parents: r.Parents, Message: r.Message, Author: string(r.Author), CreatedAt: r.CreatedAt,
			From: string(r.MergedFrom),
			URLs: wire.EntryURLs{Location: h.Location("spaces", string(sp.ID), "revisions", string(r.ID)), App: h.AppURL(sp, "") + "/~/revisions/" + string(r.ID)},
		}
		if w.Parents == nil {
			w.Parents = []docs.RevisionID{}
		}
		if g := r.Git; g != nil {
			w.Git = &gitCommit{g.OID, g.Message, g.ByOctavo, g.URL, g.Ref}
		}
		return w
	})
}

type revisionDocumentIn struct {
	RevisionIn
	Page         docs.PageID `path:"pageId"`
	Evaluated    string      `query:"evaluated" enum:"true,false,deterministic-only" default:"false"`
	Dereferenced string      `query:"dereferenced" enum:"true,false,reusable-contents" default:"false"`
}

// documentAnswer is the output of revisionDocument, already encoded.
type documentAnswer struct {
	Length string `header:"Content-Length" hidden:"true"`
	Body   kernel.Encoded[*markup.Document]
}

func (h *handlers) revisionDocument(ctx context.Context, in *revisionDocumentIn) (*documentAnswer, error) {
	v, err := h.opened(ctx, h.at(in.Revision), Flags{Computed: true})
	if err != nil {
		return nil, err
	}
	key := keyOf(v.Space, v.Rev.ID, "document:"+string(in.Page), PageOptions{Evaluated: in.Evaluated, Dereferenced: in.Dereferenced}, v.Visitor())
	key.stamp = v.Stamp
	k, ok := h.pageCache.Get(key)
	if !ok {
		doc, err := h.documentAt(ctx, v, in)
		if err != nil {
			return nil, err
		}
		body, err := kernel.Encode(doc)
		if err != nil {
			return nil, err
		}
		k = &cachedPage{data: body.Data, length: []string{strconv.Itoa(len(body.Data))}}
		h.pageCache.Set(key, k)
	}
	return &documentAnswer{k.length[0], kernel.Encoded[*markup.Document]{Data: k.data}}, nil
}

func (h *handlers) documentAt(ctx context.Context, v *revision.View, in *revisionDocumentIn) (*markup.Document, error) {
	p, err := v.Page(ctx, in.Page)
	if err == nil && !p.HasBody() {
		err = errs.E(errs.NotFound, "a %s page has no document", p.Type)
	}
	if err != nil {
		return nil, err
	}
	return reading.Document(ctx, v.Reading(p), formOf(in.Evaluated, in.Dereferenced))
}

type revisionReusableDocumentIn struct {
	RevisionIn
	Reusable     docs.ReusableID `path:"reusableContentId"`
	Evaluated    string          `query:"evaluated" enum:"true,false,deterministic-only" default:"false"`
	Dereferenced string          `query:"dereferenced" enum:"true,false,reusable-contents" default:"false"`
}

func (h *handlers) revisionReusableDocument(ctx context.Context, in *revisionReusableDocumentIn) (*kernel.Out[*markup.Document], error) {
	v, err := h.at(in.Revision)(ctx)
	if err != nil {
		return nil, err
	}
	r, err := v.Reusable(ctx, in.Reusable)
	if err != nil {
		return nil, err
	}
	doc, err := reading.Document(ctx, v.ReadingReusable(r), formOf(in.Evaluated, in.Dereferenced))
	return kernel.OK(doc), err
}

type rollbackIn struct {
	RevisionIn
	IfMatch string `header:"If-Match" maxLength:"200"`
}

func (h *handlers) rollback(ctx context.Context, in *rollbackIn) (*revised[revisionRef], error) {
	v, err := h.Content.Rollback(ctx, authz.FromContext(ctx), in.Revision, revisionOfTag(in.IfMatch))
	if err != nil {
		return nil, err
	}
	return &revised[revisionRef]{etag(v), revisionRef{string(v.Rev.ID)}}, nil
}

type revisionRef struct {
	Revision string `json:"revision"`
}
