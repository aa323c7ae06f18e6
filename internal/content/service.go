// Package content is the service for the content of spaces: batches of changes,
// merges, imports, templates, copies and books.
//
// Content has one writer. A Work, such as a batch of changes, a Merge, an Import or a
// TemplateChoice, is worked out by Prepare on the newest revisions, outside of any
// transaction, into a value with everything to be written. Commit stores that value if those
// revisions are still the newest ones; otherwise it fails with ErrMoved, and Retry prepares the
// work again. Package revision has the content itself, index the data derived from it, merge
// and exchange combine it with other content.
//
// Edits of people take this way, with a waiting room in each of the lines that begin with a
// dash:
//
//	Apply, Rollback, Upload, ApplyTemplate
//	  |
//	  - turn: only edits that came too late once. One at a time for a space, so
//	  |       that a large one is not overtaken for ever by small ones (Retry)
//	  v
//	draft, change set, rows of the index: parsed beside all others (Service.changes)
//	  |
//	  - queue of the line: one at a time for a line. The tree is made behind the
//	  |       changes that are being committed, before they are on disk (queue.go)
//	  v
//	tree of the new revision (Service.apply)
//	  |
//	  - PostgreSQL, lock of the space: one at a time for a space on all nodes, so
//	  |       that transactions do not collide (store/engine/space_lock.go)
//	  - SQLite, queue of the writer: one at a time for all spaces. Who wrote least
//	  |       lately comes first, and a group has one flush (store/engine/write_queue.go)
//	  v
//	Commit: revisions are compared, rows are written
//
// The queue of the line is left as soon as the order in the next room is decided, so the
// next edit makes its tree meanwhile. Each room waits for something else: the turn for
// fairness, the queue for the revision before, the last one for the database. Merges, imports
// and templates of new spaces skip the queue of the line.
//
// Where a change goes:
//   - what a change kind does: batch.go, its fields in web/api/content/changes.go
//   - what starts from which revisions, and where it goes: work.go
//   - how a work is prepared and committed: prepare.go, commit.go; what happens if somebody
//     else was faster: write.go, queue.go; what is independent in revision/change_set.go
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

// Config is what a Service is made of.
type Config struct {
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
}

// Service reads and changes content.
type Service struct {
	Config

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
func New(c Config) *Service {
	s := &Service{
		Config:     c,
		Source:     revision.NewSource(c.Store, c.BaseURL),
		highlight:  highlight.New(maxColored),
		formulas:   formula.New(0), // drawings are not cached
		queues:     &queues{},
		pdfs:       budget.NewPool("PDFs", pdfMakers),
		described:  openapi.NewCache(),
		expansions: cache.New[expandedKey](maxExpanded, func(v expandedView) int { return 4<<10 + computedWeight*v.pages }),
		plain:      cache.New[pathsKey](maxPlainPaths, func(bool) int { return 1 }),
	}
	s.Index = index.NewIndex(index.Index{Store: s.Store, Source: s.Source, Blobs: s.Blobs, Log: s.Log})
	s.Index.Prose = s.showsProse
	s.Source.Uses = s.Index
	s.Exchange = exchange.New(exchange.Exchange{Store: s.Store, Source: s.Source, Blobs: s.Blobs, Index: s.Index})
	return s
}
