// Package gitsync keeps spaces and git repositories the same: it imports
// commits as revisions and exports revisions as commits.
//
// A request is checked and queued as an operation (requests.go); a job does
// it with the rights of who asked (run.go, import.go, export.go). A space can
// be connected to a remote (connection.go), which is then imported when its
// host tells of a push (hook.go) or when its time has come, and exported
// when the content changes.
package gitsync

import (
	"log/slog"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/git"
	"github.com/octavo-docs/octavo/internal/reviews"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service imports and exports.
type Service struct {
	Store   *store.Store
	Content *content.Service
	Reviews *reviews.Service
	Git     *git.Runner
	Log     *slog.Logger
	BaseURL string // of the server, without a slash at the end
	// Ended, if it is set, is told of each operation that was done here.
	Ended func(docs.GitDirection, docs.GitState, string)

	running lanes
}

// OperationJob is the kind of job that does an operation. Its key is the id
// of the operation.
const OperationJob = "git.operation"
