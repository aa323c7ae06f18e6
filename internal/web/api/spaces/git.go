package spaces

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/gitsync"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) git() {
	const (
		tag  = "Git"
		root = "/spaces/{spaceId}/git"
	)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "importGitRepository", Route: "POST " + root + "/import", Tag: tag, Allow: authz.Space(authz.SyncSpace), Status: http.StatusNoContent,
		Summary: "Import a branch of a repository into a space.",
		About: "The import runs in the background, after the git operations of the space that were requested earlier. Location is the address of the operation, which shows its progress and result. " +
			"Changes of both sides are merged; if they conflict, a change request is created. The same import is not queued twice. A space can have 20 waiting operations.",
	}, h.importGit)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "exportToGitRepository", Route: "POST " + root + "/export", Tag: tag, Allow: authz.Space(authz.SyncSpace), Status: http.StatusNoContent,
		Summary: "Export a space to a branch of a repository.",
		About: "The export runs in the background. Location is the address of the operation. Each revision since the last synchronization becomes a commit. " +
			"A branch with other commits is not changed, unless force replaces them.",
	}, h.exportGit)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSpaceGitInfo", Route: "GET " + root + "/info", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "Get the repository that a space is synchronized with.",
		About:   "404 if the space is not synchronized with a repository.",
	}, h.gitInfo)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteLegacyGitInstallation", Route: "DELETE " + root + "/legacy-installation", Tag: tag, Allow: authz.Space(authz.SyncSpace),
		Summary: "Forget the repository information that imports and exports recorded.",
		About:   "A connection is not ended by this. The next import or export records it again.",
	}, h.forgetGit)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getGitConnection", Route: "GET " + root + "/connection", Tag: tag, Allow: authz.Space(authz.SyncSpace.Within(docs.ScopeRead)),
		Summary: "Get the git connection of a space.",
	}, h.getConnection)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "connectGitRepository", Route: "PUT " + root + "/connection", Tag: tag, Allow: authz.Space(authz.SyncSpace),
		Summary: "Connect a space to a branch of a repository, and keep both synchronized.",
		About: "Replaces the existing connection; fields that are left out get their default. Unless the connection is paused or nothing has changed, the space is synchronized immediately: see lastOperation of the answer. Commits are imported when the host calls the webhook, or when the server polls; revisions are exported when a change request is merged, " +
			"and 30 seconds after the last direct edit. The connection acts with the permissions of the user who created it. If the repository stays the same, credentials that are left out are kept.",
	}, h.connectGit)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "disconnectGitRepository", Route: "DELETE " + root + "/connection", Tag: tag, Allow: authz.Space(authz.SyncSpace),
		Summary: "Delete the git connection of a space and its secrets.",
		About:   "Its waiting operations are cancelled, and the space no longer shows a repository. Neither the space nor the repository is changed.",
	}, h.disconnectGit)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "syncGitRepository", Route: "POST " + root + "/sync", Tag: tag, Allow: authz.Space(authz.SyncSpace), Status: http.StatusAccepted,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Synchronize a connected space now.",
		About:   "Queues an import, an export, or both, according to the direction of the connection, and returns them. 412 if the connection is paused.",
	}, h.syncGit)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listGitOperations", Route: "GET " + root + "/operations", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "List the imports and exports of a space, newest first.",
		About:   "The last 100 are kept. Problems are listed in single operations only.",
	}, h.listGitOperations)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getGitOperation", Route: "GET " + root + "/operations/{operationId}", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "Get an import or an export.",
	}, h.getGitOperation)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "receiveGitWebhook", Route: "POST " + root + "/webhook", Tag: tag, Allow: authz.Public(), Status: http.StatusNoContent, MaxBody: gitsync.MaxHook,
		Also:    []int{http.StatusUnauthorized},
		Summary: "Receive a push notification from the host of a repository.",
		About: "Signed with the secret of the connection: X-Hub-Signature-256 (GitHub), X-Gitea-Signature or X-Forgejo-Signature, X-Gitlab-Token, or, from a script, X-Octavo-Signature: t=SECONDS,v1=HEX, " +
			"where HEX is the HMAC-SHA256 of the seconds, a dot and the body, and the seconds are at most 5 minutes off. The body of a script is {\"ref\": \"refs/heads/main\"}, or {}. Other events and refs do nothing.",
	}, h.gitHook)
}

// GitRequestBody holds the fields that the bodies of an import and of an export have in
// common.
type GitRequestBody struct {
	URL       string    `json:"url" minLength:"1" maxLength:"2048" doc:"https or ssh. A user name and a password in it are used once and not stored."`
	Ref       string    `json:"ref" minLength:"1" maxLength:"255" doc:"A branch, such as main or refs/heads/main; an import takes tags too, such as refs/tags/v1."`
	CacheID   string    `json:"repoCacheID,omitempty" maxLength:"256" doc:"Operations of the organization with the same id and url share a cache."`
	TreeURL   string    `json:"repoTreeURL,omitempty" maxLength:"2048" doc:"Prefix of links to files."`
	CommitURL string    `json:"repoCommitURL,omitempty" maxLength:"2048" doc:"Prefix of links to commits."`
	Directory string    `json:"repoProjectDirectory,omitempty" maxLength:"1024" doc:"Folder of the repository that contains the documentation. Default: the whole repository."`
	Timestamp docs.Time `json:"timestamp,omitempty" doc:"Time of the event that causes the operation. If something newer was applied already, the operation does nothing, unless force is set."`
	Force     bool      `json:"force,omitempty" doc:"An import then accepts a branch whose history was rewritten, and one without pages. An export replaces commits that are not in the space."`
	Info      *gitAbout `json:"gitInfo,omitempty"`
}

type gitAbout struct {
	Provider string `json:"provider,omitempty" enum:"github,gitlab"`
	URL      string `json:"url,omitempty" maxLength:"2048" doc:"Address of the repository for people."`
}

func (b GitRequestBody) plain() gitsync.Input {
	in := gitsync.Input{
		URL: b.URL, Ref: b.Ref, CacheID: b.CacheID, TreeURL: b.TreeURL, CommitURL: b.CommitURL, Directory: b.Directory,
		Timestamp: b.Timestamp, Force: b.Force,
	}
	if b.Info != nil {
		in.Provider, in.InfoURL = b.Info.Provider, b.Info.URL
	}
	return in
}

// gitQueued is the output of an import or an export: the address of the queued operation.
type gitQueued struct {
	Location string `header:"Location"`
}

func (h *handlers) gitQueued(o docs.GitOperation, err error) (*gitQueued, error) {
	return &gitQueued{h.operationURL(o)}, err
}

func (h *handlers) operationURL(o docs.GitOperation) string {
	return h.Location("spaces", string(o.Space), "git", "operations", string(o.ID))
}

type importGitIn struct {
	wire.SpaceIn
	Body struct {
		GitRequestBody
		Standalone bool `json:"standalone,omitempty" doc:"Creates a revision that can be read by its id, without changing the space."`
	}
}

func (h *handlers) importGit(ctx context.Context, in *importGitIn) (*gitQueued, error) {
	return h.gitQueued(h.Git.Import(ctx, authz.FromContext(ctx), gitsync.ImportInput{Input: in.Body.plain(), Standalone: in.Body.Standalone}))
}

type exportGitIn struct {
	wire.SpaceIn
	Body struct {
		GitRequestBody
		Message    string `json:"commitMessage" minLength:"1" maxLength:"65536" doc:"Can contain {change_request_number}, {change_request_subject}, {space_title}, {author_name} and {revision}."`
		Standalone bool   `json:"standalone,omitempty" doc:"Ignored: an export depends on no other operation."`
	}
}

func (h *handlers) exportGit(ctx context.Context, in *exportGitIn) (*gitQueued, error) {
	return h.gitQueued(h.Git.Export(ctx, authz.FromContext(ctx), gitsync.ExportInput{Input: in.Body.plain(), Message: in.Body.Message}))
}

func (h *handlers) gitInfo(ctx context.Context, in *wire.SpaceIn) (*kernel.Out[wire.GitSync], error) {
	info, err := h.Git.Info(ctx, authz.FromContext(ctx))
	return kernel.OK(*wire.GitSyncOf(in.Space, &info)), err
}

func (h *handlers) forgetGit(ctx context.Context, _ *wire.SpaceIn) (*kernel.Done, error) {
	return nil, h.Git.DeleteInfo(ctx, authz.FromContext(ctx))
}

// GitConnection is the JSON form of a git connection. Credentials are never returned, and
// the secret of the webhook only when it is set.
type GitConnection struct {
	Object         string                `json:"object" enum:"git-connection"`
	Space          string                `json:"space"`
	URL            string                `json:"url" doc:"Without credentials."`
	Ref            string                `json:"ref"`
	Directory      string                `json:"directory" doc:"Empty for the whole repository."`
	Direction      docs.GitSyncDirection `json:"direction" enum:"import,export,both"`
	HasCredentials bool                  `json:"hasCredentials"`
	CommitTemplate string                `json:"commitTemplate"`
	PollSeconds    int                   `json:"pollSeconds" doc:"How often the server polls for commits; 0 for never."`
	Paused         bool                  `json:"paused"`
	Provider       string                `json:"provider,omitempty" enum:"github,gitlab"`
	ConnectedBy    string                `json:"connectedBy" doc:"Id of the user whose permissions the connection uses."`
	CreatedAt      docs.Time             `json:"createdAt"`
	UpdatedAt      docs.Time             `json:"updatedAt"`
	LastOperation  string                `json:"lastOperation,omitempty" doc:"Id of the newest operation that the connection queued. Its state, reason and error show whether the connection works."`
	URLs           connectionURLs        `json:"urls"`
	Webhook        gitWebhook            `json:"webhook" doc:"To be entered in the settings of the repository at its host."`
}

type connectionURLs struct {
	LastOperation string `json:"lastOperation,omitempty" format:"uri"`
}

type gitWebhook struct {
	URL    string `json:"url" format:"uri"`
	Secret string `json:"secret,omitempty" doc:"Returned when it is set, and never again."`
}

func (h *handlers) connection(c docs.GitConnection, secret string) GitConnection {
	v := GitConnection{
		Object: "git-connection", Space: string(c.Space), URL: c.Remote.URL, Ref: c.Remote.Ref, Directory: c.Remote.Directory,
		Direction: c.Direction, HasCredentials: c.HasCredentials, CommitTemplate: c.CommitTemplate, PollSeconds: c.PollSeconds, Paused: c.Paused,
		Provider: c.Provider, ConnectedBy: string(c.User), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, LastOperation: string(c.LastOperation),
		Webhook: gitWebhook{URL: h.Git.HookURL(c.Space), Secret: secret},
	}
	if c.LastOperation != "" {
		v.URLs.LastOperation = h.operationURL(docs.GitOperation{Space: c.Space, ID: c.LastOperation})
	}
	return v
}

func (h *handlers) getConnection(ctx context.Context, _ *wire.SpaceIn) (*kernel.Out[GitConnection], error) {
	c, err := h.Git.Connection(ctx, authz.FromContext(ctx))
	return kernel.OK(h.connection(c, "")), err
}

type connectGitIn struct {
	wire.SpaceIn
	Body struct {
		URL            string                  `json:"url" minLength:"1" maxLength:"2048" doc:"https or ssh."`
		Ref            string                  `json:"ref" minLength:"1" maxLength:"255" doc:"A branch, such as main or refs/heads/main."`
		Directory      string                  `json:"directory,omitempty" maxLength:"1024" doc:"Folder of the repository that contains the documentation. Default: the whole repository."`
		Direction      docs.GitSyncDirection   `json:"direction,omitempty" enum:"import,export,both" doc:"Default: both."`
		Credentials    opt.Val[gitCredentials] `json:"credentials,omitempty" null:"ok" doc:"Default: the stored ones are kept if the repository stays the same. null deletes them."`
		CommitTemplate string                  `json:"commitTemplate,omitempty" maxLength:"4096" doc:"Message of commits, with the placeholders of commitMessage of the export; other placeholders are refused. Default: OCTAVO-{change_request_number}: {change_request_subject}."`
		PollSeconds    opt.Val[int]            `json:"pollSeconds,omitempty" minimum:"0" maximum:"86400" doc:"0 for never, or at least 60. Default: 300."`
		Paused         bool                    `json:"paused,omitempty" doc:"The connection is kept, but nothing is imported or exported."`
		WebhookSecret  opt.Val[string]         `json:"webhookSecret,omitempty" nullable:"true" minLength:"16" maxLength:"256" doc:"Default: the existing secret, or a new one. null creates a new one."`
		Provider       string                  `json:"provider,omitempty" enum:"github,gitlab"`
	}
}

type gitCredentials struct {
	Username   string `json:"username,omitempty" maxLength:"4096"`
	Password   string `json:"password,omitempty" maxLength:"4096" doc:"A password or an access token."`
	PrivateKey string `json:"privateKey,omitempty" maxLength:"32768" doc:"For ssh; must not have a passphrase."`
	KnownHosts string `json:"knownHosts,omitempty" maxLength:"32768" doc:"Lines of a known_hosts file with the keys of the ssh server. Default: the first key that the server presents is stored, and any other is refused."`
}

func (h *handlers) connectGit(ctx context.Context, in *connectGitIn) (*kernel.Out[GitConnection], error) {
	b := in.Body
	ask := gitsync.ConnectionInput{
		URL: b.URL, Ref: b.Ref, Directory: b.Directory, Direction: b.Direction, Template: b.CommitTemplate, Poll: b.PollSeconds,
		Paused: b.Paused, HookSecret: b.WebhookSecret, Provider: b.Provider,
	}
	if c, given := b.Credentials.Get(); given {
		ask.Credentials = opt.Of(gitsync.CredentialsInput(c))
	} else if b.Credentials.IsNull() {
		ask.Credentials = opt.Null[gitsync.CredentialsInput]()
	}
	c, secret, err := h.Git.Connect(ctx, authz.FromContext(ctx), ask)
	return kernel.OK(h.connection(c, secret)), err
}

func (h *handlers) disconnectGit(ctx context.Context, _ *wire.SpaceIn) (*kernel.Done, error) {
	return nil, h.Git.Disconnect(ctx, authz.FromContext(ctx))
}

// GitOperations lists the operations that were queued.
type GitOperations struct {
	Items []GitOperation `json:"items"`
}

func (h *handlers) syncGit(ctx context.Context, _ *wire.SpaceIn) (*kernel.Out[GitOperations], error) {
	list, err := h.Git.SyncNow(ctx, authz.FromContext(ctx))
	v := GitOperations{Items: []GitOperation{}}
	for _, o := range list {
		v.Items = append(v.Items, h.gitOperation(o))
	}
	return kernel.OK(v), err
}

// GitOperation is the JSON form of an import or an export.
type GitOperation struct {
	Object        string            `json:"object" enum:"git-operation"`
	ID            string            `json:"id"`
	Direction     docs.GitDirection `json:"direction" enum:"import,export"`
	State         docs.GitState     `json:"state" enum:"queued,running,success,failure"`
	Stage         docs.GitStage     `json:"stage,omitempty" enum:"fetch,check,process,finalize" doc:"The current stage, or the last one."`
	Completed     int64             `json:"completedTasks" doc:"Progress in the current stage."`
	Dispatched    int64             `json:"dispatchedTasks" doc:"Total of the current stage, if it is known."`
	Reason        string            `json:"reason,omitempty" doc:"Code for why it failed, or did something unexpected: stale, unchanged, conflict, replaced, parked, empty, authentication, unreachable and others."`
	Error         string            `json:"error,omitempty" doc:"What went wrong, and what to do about it."`
	URL           string            `json:"url" doc:"Without credentials."`
	Ref           string            `json:"ref"`
	Directory     string            `json:"directory"`
	Force         bool              `json:"force"`
	Standalone    bool              `json:"standalone"`
	Connected     bool              `json:"connected" doc:"Whether the connection of the space queued it."`
	Timestamp     docs.Time         `json:"timestamp,omitzero"`
	Commit        string            `json:"commit,omitempty" doc:"Commit that was imported, or the last one that the export created."`
	Revision      string            `json:"revision,omitempty" doc:"Revision that the import created, or that was exported."`
	ChangeRequest string            `json:"changeRequest,omitempty" doc:"Id of the change request with what could not be merged."`
	ProblemCount  int               `json:"problemCount" doc:"Number of problems in the repository, such as files that were left out."`
	Problems      []GitProblem      `json:"problems,omitempty" doc:"The first 100; absent in lists."`
	CreatedBy     string            `json:"createdBy" doc:"Id of the user whose permissions the connection uses."`
	CreatedAt     docs.Time         `json:"createdAt"`
	StartedAt     docs.Time         `json:"startedAt,omitzero"`
	UpdatedAt     docs.Time         `json:"updatedAt"`
	CompletedAt   docs.Time         `json:"completedAt,omitzero"`
	URLs          wire.Location     `json:"urls"`
}

// GitProblem is the JSON form of a problem in a repository.
type GitProblem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (h *handlers) gitOperation(o docs.GitOperation) GitOperation {
	return GitOperation{
		Object: "git-operation", ID: string(o.ID), Direction: o.Direction, State: o.State, Stage: o.Stage, Completed: o.Done, Dispatched: o.Total,
		Reason: o.Reason, Error: o.Error, URL: o.Remote.URL, Ref: o.Remote.Ref, Directory: o.Remote.Directory,
		Force: o.Request.Force, Standalone: o.Request.Standalone, Connected: o.Request.Connected, Timestamp: o.Request.Timestamp,
		Commit: o.Commit, Revision: string(o.Revision), ChangeRequest: string(o.ChangeRequest), ProblemCount: o.ProblemCount,
		CreatedBy: string(o.User), CreatedAt: o.CreatedAt, StartedAt: o.StartedAt, UpdatedAt: o.UpdatedAt, CompletedAt: o.CompletedAt,
		URLs: wire.Location{Location: h.operationURL(o)},
	}
}

type listGitOperationsIn struct {
	wire.SpaceIn
	kernel.Paged
}

func (h *handlers) listGitOperations(ctx context.Context, in *listGitOperationsIn) (*kernel.Page[GitOperation], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Git.Operations(authz.FromContext(ctx)), h.gitOperation)
}

type gitOperationIn struct {
	wire.SpaceIn
	Operation docs.GitOperationID `path:"operationId"`
}

func (h *handlers) getGitOperation(ctx context.Context, in *gitOperationIn) (*kernel.Out[GitOperation], error) {
	o, err := h.Git.Operation(ctx, authz.FromContext(ctx), in.Operation)
	v := h.gitOperation(o)
	for _, p := range o.Problems {
		v.Problems = append(v.Problems, GitProblem(p))
	}
	return kernel.OK(v), err
}

type gitHookIn struct {
	wire.SpaceIn
	RawBody []byte
	header  func(string) string
}

// Resolve stores the headers of the request: hosts send their signatures in different
// ones.
func (in *gitHookIn) Resolve(ctx huma.Context) []error {
	in.header = ctx.Header
	return nil
}

func (h *handlers) gitHook(ctx context.Context, in *gitHookIn) (*kernel.Done, error) {
	return nil, h.Git.Hook(ctx, in.Space, gitsync.Call{Header: in.header, Body: in.RawBody})
}

var _ huma.Resolver = (*gitHookIn)(nil)
