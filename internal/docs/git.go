package docs

import (
	"crypto/sha256"
	"encoding/hex"
)

// GitOperationID identifies an operation. Ids sort by time of creation, which is
// the order in which the operations of a space run.
type GitOperationID string

// GitRemote is a directory of a ref in a remote repository.
type GitRemote struct {
	URL       string // without credentials
	Ref       string // in full, such as refs/heads/main
	Directory string // of the documentation in the repository, cleaned; empty is the root
}

// Key returns a short text that is different for every remote.
func (r GitRemote) Key() string {
	h := sha256.New()
	for _, part := range []string{r.URL, r.Ref, r.Directory} {
		h.Write([]byte(part))
		h.Write([]byte{0}) // no part contains it
	}
	return hex.EncodeToString(h.Sum(nil)[:20])
}

// GitDirection is the side that an operation changes.
type GitDirection string

// An import changes the space, an export the repository.
const (
	GitImport GitDirection = "import"
	GitExport GitDirection = "export"
)

// GitStage is a part of the work of an operation.
type GitStage string

// Stages, in their order.
const (
	GitFetch    GitStage = "fetch"    // objects are transferred
	GitCheck    GitStage = "check"    // whether there is something to do, and whether it may be done
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

// MaxGitProblems is the number of problems of an operation that are stored;
// further ones are counted.
const MaxGitProblems = 100

// GitOperation is an import or an export that somebody asked for. A job runs it
// with the rights of that user.
type GitOperation struct {
	ID            GitOperationID
	Space         SpaceID
	Direction     GitDirection
	State         GitState
	Stage         GitStage
	Remote        GitRemote
	Request       GitRequest
	Sealed        string // encrypted credentials; empty after the end
	Done          int64  // tasks of the stage that are done
	Total         int64
	Commit        string // result
	Revision      RevisionID
	ChangeRequest ChangeRequestID
	Reason        string // code for programs; empty: succeeded
	Error         string // message for people
	Problems      []GitProblem
	ProblemCount  int
	User          UserID // who asked
	CreatedAt     Time
	StartedAt     Time
	UpdatedAt     Time
	CompletedAt   Time
}

// Ended reports whether the operation has ended, with success or not.
func (o GitOperation) Ended() bool { return !o.CompletedAt.IsZero() }

// GitRequest is what a user asked for besides the remote. It contains no secret.
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
	Connected  bool   `json:"connected,omitempty"` // by the connection of the space, which has the credentials
	Operator   bool   `json:"operator,omitempty"`  // on the command line, where no rights are checked
	Polled     bool   `json:"polled,omitempty"`    // by the timer of the connection
	Again      bool   `json:"again,omitempty"`     // a retry after the remote changed during an export; it is not retried again
}

// GitProblem is something in a repository that was left out or may have been
// misread.
type GitProblem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// GitPair is a commit of a remote and a revision of a space with the same
// content. What changed since on each side is to be synchronized.
type GitPair struct {
	Space       SpaceID
	Remote      GitRemote
	Commit      string
	Revision    RevisionID
	Line        RevisionID      // newest revision of the space that the commit contains; later ones are to be exported
	Request     ChangeRequestID // the request with an import that could not be merged; empty: none
	Timestamp   Time            // newest timestamp that an import was requested with
	NotImported bool            // the commit has files that were never read: an export continued from commits that did not touch pages
	UpdatedAt   Time
}

// GitInfo describes the repository that a space is synchronized with.
type GitInfo struct {
	Provider  string `json:"provider,omitempty"` // github, gitlab; empty: another one
	RepoName  string `json:"name,omitempty"`
	URL       string `json:"url,omitempty"`
	TreeURL   string `json:"tree,omitempty"` // prefix of the addresses of files
	Directory string `json:"dir,omitempty"`  // of the space in the repository
	CommitURL string `json:"commit,omitempty"`
	UpdatedAt Time   `json:"at"`
}

// GitSyncDirection is the side or the sides that a connection changes.
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
	Sealed         string // credentials, encrypted; empty: none
	HasCredentials bool
	CommitTemplate string
	PollSeconds    int // 0: no polling
	Paused         bool
	HookSealed     string // encrypted secret of the address that hosts call
	Provider       string
	User           UserID // who connected it; operations run with that user's rights
	CreatedAt      Time
	UpdatedAt      Time
	DueAt          Time // time of the next poll; 0: none
	LastOperation  GitOperationID
}

// GitBlob is the object id of the file that a page, a file or a reusable content
// was exported to last. The revision does not have it, because the page was
// changed here after it was imported.
type GitBlob struct {
	ID   string // of the page, the file or the reusable content
	Body string // hash of its source, or its blob
	OID  string
	Path string
}
