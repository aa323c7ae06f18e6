// Package content is the service for the content of spaces: batches of changes,
// merges, imports, templates, copies and books.
//
// Every change is prepared outside of any transaction, on the newest revision of its
// line, into a value with everything to be written. It is then committed if that
// revision is still the newest one. Package revision has the content itself, index
// the data derived from it, merge and exchange combine it with other content.
//
// Where a change goes:
//   - what a change kind does: batch.go, its fields in web/api/content/changes.go
//   - how a change is committed, and what happens if somebody else was faster: write.go,
//     queue.go, commit.go; what is independent in revision/change_set.go
//   - a template for new spaces: a folder in templates, an entry in template.go
package content

import (
	"context"
	"log/slog"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/print/typeface"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service reads and changes content.
type Service struct {
	Store    *store.Store
	Blobs    blob.Store
	Outbound outbound.Policy
	BaseURL  string // without a slash at the end
	Log      *slog.Logger
	Fonts    *typeface.Fonts // of PDFs, besides the bundled ones; nil is none
	// RevisionAdded is called for every revision that becomes the newest of a space that a
	// git connection or a translation follows (see store.Tx.MoveHead), in the
	// transaction of that revision, unless it is nil.
	RevisionAdded func(ctx context.Context, tx *store.Tx, sp docs.Space, rev docs.Revision) error
	// Specs holds the specifications that blocks show; nil: there are none.
	Specs Specs

	Source   *revision.Source
	Index    *index.Index
	Exchange *exchange.Exchange

	highlight  *highlight.Highlighter
	formulas   *formula.Typesetter
	queues     *queues
	pdfs       *budget.Pool   // PDFs that are being made
	described  *openapi.Cache // of files, by the hashes of their bytes
	expansions *cache.Cache[expandedKey, expandedView]
	plain      *cache.Cache[pathsKey, bool] // results of PlainPaths
}

// maxColored is the maximum size of the cache of highlighted code for PDFs, in bytes.
const maxColored = 8 << 20

// New returns a service over a store.
func New(s Service) *Service {
	s.highlight = highlight.New(maxColored)
	s.formulas = formula.New(0) // drawings are not cached
	s.queues = &queues{}
	s.described = openapi.NewCache()
	s.expansions = cache.New[expandedKey](maxExpanded, func(v expandedView) int { return 4<<10 + computedWeight*v.pages })
	s.plain = cache.New[pathsKey](maxPlainPaths, func(bool) int { return 1 })
	s.pdfs = budget.NewPool("PDFs", pdfMakers)
	s.Source = revision.NewSource(s.Store, s.BaseURL)
	s.Index = index.NewIndex(index.Index{Store: s.Store, Source: s.Source, Blobs: s.Blobs, Log: s.Log})
	s.Index.Prose = s.showsProse
	s.Source.Uses = s.Index
	s.Exchange = exchange.New(exchange.Exchange{Store: s.Store, Source: s.Source, Blobs: s.Blobs, Index: s.Index})
	return &s
}
