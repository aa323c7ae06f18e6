// Package content is the service for what is in a space: batches of changes,
// merges, imports, templates, copies and books.
//
// Every change goes the same way. It is prepared outside of any transaction,
// against the newest revision of its line, into a value that says what will be
// written; then it is committed by comparing the line with what was prepared.
// Package revision has the content itself, index what is derived from it, merge
// and exchange the ways in which content meets other content.
package content

import (
	"context"
	"log/slog"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/exchange"
	"github.com/octavo-docs/octavo/internal/formula"
	"github.com/octavo-docs/octavo/internal/index"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/typeface"
)

// Service reads and changes content.
type Service struct {
	Store    *store.Store
	Blobs    blob.Store
	Outbound outbound.Policy
	BaseURL  string // without a slash at the end
	Log      *slog.Logger
	Fonts    *typeface.Fonts // of PDFs, besides the bundled ones; nil is none
	// Moved is called for every revision that becomes the newest of a space that a
	// git connection or a translation follows (see store.Tx.MoveHead), in the
	// transaction that makes it so; nil is nobody.
	Moved func(ctx context.Context, tx *store.Tx, sp docs.Space, rev docs.Revision) error
	// Specs are shown by the blocks that refer to them; nil: none is known.
	Specs Specs

	Source   *revision.Source
	Index    *index.Index
	Exchange *exchange.Exchange

	highlight *markup.Highlighter
	formulas  *formula.Typesetter
	queues    *queues
	pdfs      *budget.Pool   // how many are made at a time
	described *openapi.Cache // of files, by the hashes of their bytes
	expanded  *cache.Cache[expandedKey, expandedView]
}

// maxColored bounds, in bytes, the highlighted code of PDFs that is kept.
const maxColored = 8 << 20

// New returns a service over a store.
func New(s Service) *Service {
	s.highlight = markup.NewHighlighter(maxColored)
	s.formulas = formula.New(0) // drawings are not kept
	s.queues = &queues{}
	s.described = openapi.NewCache()
	s.expanded = cache.New[expandedKey](maxExpanded, func(v expandedView) int { return 4<<10 + computedWeight*v.pages })
	s.pdfs = budget.NewPool("PDFs", pdfMakers)
	s.Source = revision.NewSource(s.Store, s.BaseURL)
	s.Index = index.NewIndex(index.Index{Store: s.Store, Source: s.Source, Blobs: s.Blobs, Log: s.Log})
	s.Source.Uses = s.Index
	s.Exchange = exchange.New(exchange.Exchange{Store: s.Store, Source: s.Source, Blobs: s.Blobs, Index: s.Index})
	return &s
}
