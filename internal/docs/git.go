package docs

import (
	"crypto/sha256"
	"encoding/hex"
)

// GitOperationID identifies an operation. IDs sort by creation time, which is the order
// in which the operations of a space run.
type GitOperationID string

// GitRemote is a directory of a ref in a remote repository.
type GitRemote struct {
	URL       string // without credentials
	Ref       string // full name, such as refs/heads/main
	Directory string // folder of the documentation, cleaned; empty for the root
}

// Key returns a short text that is unique for each remote.
func (r GitRemote) Key() string {
	h := sha256.New()
	for _, part := range []string{r.URL, r.Ref, r.Directory} {
		h.Write([]byte(part))
		h.Write([]byte{0}) // no part contains a NUL
	}
	return hex.EncodeToString(h.Sum(nil)[:20])
}

// GitDirection is the direction of an operation.
type GitDirection string

// An import changes the space; an export changes the repository.
const (
	GitImport GitDirection = "import"
	GitExport GitDirection = "export"
)

// GitStage is a stage of an operation.
type GitStage string

// Stages, in order.
const (
	GitFetch    GitStage = "fetch"    // objects are transferred
	GitCheck    GitStage = "check"    // whether there are changes, and whether they may be applied
	GitProcess  GitStage = "process"  // content is read or written
	GitFinalize GitStage = "finalize" // the result is committed to the space or pushed
)

// GitState is the state of an operation.
type GitState string

// States. The last two are final.
const (
	GitQueued  GitState = "queued"
	GitRunning GitState = "running"
	GitSuccess GitState = "success"
	GitFailure GitState = "failure"
)

// MaxGitProblems is the maximum number of problems of an operation that are stored.
// Further problems are only counted.
const MaxGitProblems = 100

// GitOperation is a requested import or export. A job runs it with the permissions of the
// requesting user.
type GitOperation struct {
	ID            GitOperationID
	Space         SpaceID
	Direction     GitDirection
	State         GitState
	Stage         GitStage
	Remote        GitRemote
	Request       GitRequest
	Sealed        Sealed // encrypted credentials; empty after the operation ended
	Done          int64  // completed tasks of the stage
	Total         int64
	Commit        string // result
	Revision      RevisionID
	ChangeRequest ChangeRequestID
	Reason        string // code for programs; empty for plain success
	Error         string // message for people
	Problems      []GitProblem
	ProblemCount  int
	User          UserID // the requesting user
	CreatedAt     Time
	StartedAt     Time
	UpdatedAt     Time
	CompletedAt   Time
}

// Ended reports whether the operation has ended, successfully or not.
func (o GitOperation) Ended() bool { return !o.CompletedAt.IsZero() }

// GitRequest holds the options of a request. It contains no secrets.
type GitRequest struct {
	Force      bool   `json:"force,omitempty"`
	Standalone bool   `json:"standalone,omitempty"`
	Timestamp  Time   `json:"timestamp,omitzero"`
	CacheID    string `json:"cache,omitempty"`
	TreeURL    string `json:"tree,omitempty"`
	CommitURL  string `json:"commit,omitempty"`
	Message    string `json:"message,omitempty"`
	Provider   string `json:"provider,omitempty"`
	InfoURL    string `json:"info,omitempty"`
	Connected  bool   `json:"connected,omitempty"` // made by the connection of the space, which has the credentials
	Operator   bool   `json:"operator,omitempty"`  // made on the command line, where permissions are not checked
	Polled     bool   `json:"polled,omitempty"`    // made by the poll timer of the connection
	Again      bool   `json:"again,omitempty"`     // retry after the remote changed during an export; not retried again
}

// GitProblem is a problem in a repository: a file that was left out, or content that may
// have been misread.
type GitProblem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// GitPair is a commit of a remote and a revision of a space with the same content.
// Changes of both sides since then have to be synchronized.
type GitPair struct {
	Space       SpaceID
	Remote      GitRemote
	Commit      string
	Revision    RevisionID
	Line        RevisionID      // newest revision of the space that the commit contains; later revisions have to be exported
	Request     ChangeRequestID // change request with an import that could not be merged; may be empty
	Timestamp   Time            // newest timestamp of a requested import
	NotImported bool            // the commit has files that were never read, because an export was based on commits that did not change pages
	UpdatedAt   Time
}

// GitInfo describes the repository that a space is synchronized with.
type GitInfo struct {
	Provider  string `json:"provider,omitempty"` // github or gitlab; empty for others
	RepoName  string `json:"name,omitempty"`
	URL       string `json:"url,omitempty"`
	TreeURL   string `json:"tree,omitempty"` // prefix of the web addresses of files
	Directory string `json:"dir,omitempty"`  // folder of the space in the repository
	CommitURL string `json:"commit,omitempty"`
	UpdatedAt Time   `json:"at"`
}

// GitSyncDirection is the direction, or both directions, of a connection.
type GitSyncDirection string

// Directions of a connection.
const (
	GitSyncImport GitSyncDirection = "import"
	GitSyncExport GitSyncDirection = "export"
	GitSyncBoth   GitSyncDirection = "both"
)

// Imports reports whether commits become revisions.
func (d GitSyncDirection) Imports() bool { return d == GitSyncImport || d == GitSyncBoth }

// Exports reports whether revisions become commits.
func (d GitSyncDirection) Exports() bool { return d == GitSyncExport || d == GitSyncBoth }

// GitConnection keeps a space and a remote synchronized.
type GitConnection struct {
	Space          SpaceID
	Remote         GitRemote
	Direction      GitSyncDirection
	Sealed         Sealed // encrypted credentials; may be empty
	HasCredentials bool
	CommitTemplate string
	PollSeconds    int // 0 disables polling
	Paused         bool
	HookSealed     Sealed // encrypted webhook secret
	Provider       string
	User           UserID // the user who created the connection; operations have the permissions of that user
	CreatedAt      Time
	UpdatedAt      Time
	DueAt          Time // time of the next poll, or 0
	LastOperation  GitOperationID
}

// GitBlob is the object name of the file that a page, a file or a reusable content was
// last exported to. The revision does not contain it, because the page was changed in the
// space after it was imported.
type GitBlob struct {
	ID   string // ID of the page, the file or the reusable content
	Body string // hash of its source, or its blob
	OID  string
	Path string
}
