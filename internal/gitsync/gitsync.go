// Package gitsync synchronizes spaces and git repositories: it imports commits as revisions and
// exports revisions as commits.
//
// A request is checked and queued as an operation (requests.go); a job runs it with the rights of
// the user who asked (run.go, import.go, export.go). A space can be connected to a branch
// (connection.go). The branch is then imported when its host reports a push (hook.go) or when it is
// polled (continuous.go), and exported when the content changes.
package gitsync

import (
	"log/slog"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/git"
	"github.com/octavo-docs/octavo/internal/reviews"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service imports and exports spaces.
type Service struct {
	Store   *store.Store
	Content *content.Service
	Reviews *reviews.Service
	Git     *git.Runner
	Log     *slog.Logger
	BaseURL string // of the server, without a slash at the end
	// Ended, if set, is called for each operation that ended on this node.
	Ended func(docs.GitDirection, docs.GitState, string)

	running lanes
}

// OperationJob is the kind of job that runs an operation. Its key is the operation's id.
const OperationJob = "git.operation"
