package docs

import (
	"crypto/sha256"
	"encoding/hex"
)

// GitOperationID names an operation. Ids of a space sort by creation, which
// is the order in which its operations run.
type GitOperationID string

// GitRemote is a place in a repository elsewhere.
type GitRemote struct {
	URL       string // without credentials
	Ref       string // in full, such as refs/heads/main
	Directory string // of the documentation in the repository, cleaned; empty is the root
}

// Key is short and different for every remote.
func (r GitRemote) Key() string {
	h := sha256.New()
	for _, part := range []string{r.URL, r.Ref, r.Directory} {
		h.Write([]byte(part))
		h.Write([]byte{0}) // no part can have one
	}
	return hex.EncodeToString(h.Sum(nil)[:20])
}

// GitDirection tells which side an operation changes.
type GitDirection string

// An import changes the space, an export the repository.
const (
	GitImport GitDirection = "import"
	GitExport GitDirection = "export"
)

// GitStage is what an operation is at.
type GitStage string

// The stages, in their order.
const (
	GitFetch    GitStage = "fetch"    // objects come over
	GitCheck    GitStage = "check"    // whether there is something to do, and whether it may be done
	GitProcess  GitStage = "process"  // content is read or written
	GitFinalize GitStage = "finalize" // the result becomes that of the space or the repository
)

// GitState is how far an operation has come.
type GitState string

// The states. The last two are final.
const (
	GitQueued  GitState = "queued"
	GitRunning GitState = "running"
	GitSuccess GitState = "success"
	GitFailure GitState = "failure"
)

// MaxGitProblems of an operation are kept; the rest is counted.
const MaxGitProblems = 100

// GitOperation is one import or export, from the moment that somebody asks
// for it. A job does it with the rights of that user.
type GitOperation struct {
	ID            GitOperationID
	Space         SpaceID
	Direction     GitDirection
	State         GitState
	Stage         GitStage
	Remote        GitRemote
	Request       GitRequest
	Sealed        string // credentials, encrypted; empty when the operation has ended
	Done          int64  // tasks of the stage
	Total         int64
	Commit        string // outcome
	Revision      RevisionID
	ChangeRequest ChangeRequestID
	Reason        string // code for programs; empty: done as asked
	Error         string // for people
	Problems      []GitProblem
	ProblemCount  int
	User          UserID // who asked
	CreatedAt     Time
	StartedAt     Time
	UpdatedAt     Time
	CompletedAt   Time
}

// Ended reports whether nothing more happens to the operation.
func (o GitOperation) Ended() bool { return !o.CompletedAt.IsZero() }

// GitRequest is what was asked besides the remote. It never holds a secret.
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
	Connected  bool   `json:"connected,omitempty"` // asked by the connection of the space, which has the credentials
	Operator   bool   `json:"operator,omitempty"`  // asked at the command line, where nobody's rights matter
	Polled     bool   `json:"polled,omitempty"`    // nobody asked: its time had come
	Again      bool   `json:"again,omitempty"`     // one before it found that the remote had moved on; it is the last of its kind
}

// GitProblem is something in a repository that was left out or understood
// with doubt.
type GitProblem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// GitPair is what a space and a remote have in common: a commit and a
// revision with equal content.
type GitPair struct {
	Space     SpaceID
	Remote    GitRemote
	Commit    string
	Revision  RevisionID
	Line      RevisionID      // last one of the space's own line that is in both; what comes after it is to be exported
	Parked    ChangeRequestID // holds what could not be merged; empty: none
	Timestamp Time            // newest one that an import was asked with
	Unread    bool            // the commit has files that nobody looked at, because an export went on from commits that do not concern the pages
	UpdatedAt Time
}

// GitInfo is what a space tells of the repository that it is synchronized
// with.
type GitInfo struct {
	Provider  string `json:"provider,omitempty"` // github, gitlab; empty: another one
	RepoName  string `json:"name,omitempty"`
	URL       string `json:"url,omitempty"`
	TreeURL   string `json:"tree,omitempty"` // goes in front of paths of the repository
	Directory string `json:"dir,omitempty"`  // of the repository, that the space is in
	CommitURL string `json:"commit,omitempty"`
	UpdatedAt Time   `json:"at"`
}

// GitSyncDirection tells which sides a connection changes.
type GitSyncDirection string

// The directions of a connection.
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
	PollSeconds    int // 0: not looked at without being told
	Paused         bool
	HookSealed     string // secret of the address that hosts call, encrypted
	Provider       string
	User           UserID // who connected it; operations act with that user's rights
	CreatedAt      Time
	UpdatedAt      Time
	DueAt          Time // when the remote is looked at next; 0: not by itself
	LastOperation  GitOperationID
}

// GitBlob is git's name of the file that a page, a file or a reusable content
// was written to last, where the revision does not have it: it was changed
// here after it was read.
type GitBlob struct {
	ID   string // of what was written
	Body string // its source, or its blob
	OID  string
	Path string
}
