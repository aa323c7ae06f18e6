// Package gitsync synchronizes spaces and git repositories. It imports commits as
// revisions and exports revisions as commits.
//
// A request is checked and queued as an operation (requests.go). A job runs the operation
// with the permissions of the requesting user (run.go, import.go, export.go). A space can
// be connected to a branch (connection.go). The branch is then imported when its host
// reports a push (hook.go) or when it is polled (continuous.go), and exported when the
// content changes.
package gitsync

import (
	"log/slog"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service imports and exports spaces.
type Service struct {
	Store   *store.Store
	Content *content.Service
	Reviews *reviews.Service
	Git     *git.Runner
	Log     *slog.Logger
	BaseURL string // address of the server, without a trailing slash
	// Ended is called for each operation that ended on this node. It may be nil.
	Ended func(docs.GitDirection, docs.GitState, string)

	running lanes
}

// OperationJob is the kind of job that runs an operation. Its key is the ID of the
// operation.
const OperationJob = "git.operation"
