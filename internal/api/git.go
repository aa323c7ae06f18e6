package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/gitsync"
	"github.com/octavo-docs/octavo/internal/opt"
)

func (a *API) git() {
	const (
		tag  = "Git"
		root = "/spaces/{spaceId}/git"
	)
	register(a, op{
		ID: "importGitRepository", Route: "POST " + root + "/import", Tag: tag, Allow: authz.Space(authz.SyncSpace), Status: http.StatusNoContent,
		Summary: "Import what a branch of a repository has into a space.",
		About: "It is done in the background, after the git operations of the space that were asked for before; Location names the operation, which tells how far it is and what came of it. " +
			"Changes of both sides are merged; where they conflict, a change request is opened. The same import is not queued twice. A space has at most 20 operations that wait.",
	}, a.importGit)
	register(a, op{
		ID: "exportToGitRepository", Route: "POST " + root + "/export", Tag: tag, Allow: authz.Space(authz.SyncSpace), Status: http.StatusNoContent,
		Summary: "Export what a space has to a branch of a repository.",
		About: "It is done in the background; Location names the operation. Each revision since the last synchronization becomes a commit. " +
			"A branch that has other commits is left alone, unless force replaces them.",
	}, a.exportGit)
	register(a, op{
		ID: "getSpaceGitInfo", Route: "GET " + root + "/info", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "The repository that a space is synchronized with.",
		About:   "404 if it is synchronized with none.",
	}, a.gitInfo)
	register(a, op{
		ID: "deleteLegacyGitInstallation", Route: "DELETE " + root + "/legacy-installation", Tag: tag, Allow: authz.Space(authz.SyncSpace),
		Summary: "Forget what imports and exports have told of the repository.",
		About:   "It ends no connection, and the next import or export tells again.",
	}, a.forgetGit)
	register(a, op{
		ID: "getGitConnection", Route: "GET " + root + "/connection", Tag: tag, Allow: authz.Space(authz.SyncSpace.Within(docs.ScopeRead)),
		Summary: "What a space is connected to.",
	}, a.getConnection)
	register(a, op{
		ID: "connectGitRepository", Route: "PUT " + root + "/connection", Tag: tag, Allow: authz.Space(authz.SyncSpace),
		Summary: "Keep a space and a branch of a repository synchronized.",
		About: "Replaces the connection that the space has; what is left out gets its default. Unless it is paused, or nothing has changed, it is synchronized at once: lastOperation of the answer tells whether it works. Commits are imported when the host calls the webhook, or when the server looks; revisions are exported when a change request is merged, " +
			"and 30 seconds after the last direct edit. It acts with the rights of who connected it. Credentials that are left out stay as they are, if the repository stays the same.",
	}, a.connectGit)
	register(a, op{
		ID: "disconnectGitRepository", Route: "DELETE " + root + "/connection", Tag: tag, Allow: authz.Space(authz.SyncSpace),
		Summary: "End the connection of a space and forget its secrets.",
		About:   "What waits to be done for it is not done, and the space tells of no repository any more. Neither the space nor the repository changes.",
	}, a.disconnectGit)
	register(a, op{
		ID: "syncGitRepository", Route: "POST " + root + "/sync", Tag: tag, Allow: authz.Space(authz.SyncSpace), Status: http.StatusAccepted,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Synchronize a connected space now.",
		About:   "Queues an import, an export, or both, as the connection does, and answers with them. 412 if the connection is paused.",
	}, a.syncGit)
	register(a, op{
		ID: "listGitOperations", Route: "GET " + root + "/operations", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "Imports and exports of a space, newest first.",
		About:   "The last 100 are kept. What was left out of a repository is told of one operation at a time.",
	}, a.listGitOperations)
	register(a, op{
		ID: "getGitOperation", Route: "GET " + root + "/operations/{operationId}", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "An import or an export.",
	}, a.getGitOperation)
	register(a, op{
		ID: "receiveGitWebhook", Route: "POST " + root + "/webhook", Tag: tag, Allow: authz.Public(), Status: http.StatusNoContent, MaxBody: gitsync.MaxHook,
		Also:    []int{http.StatusUnauthorized},
		Summary: "For the host of a repository, to tell of a push.",
		About: "Signed with the secret of the connection: X-Hub-Signature-256 (GitHub), X-Gitea-Signature or X-Forgejo-Signature, X-Gitlab-Token, or, from a script, X-Octavo-Signature: t=SECONDS,v1=HEX, " +
			"where HEX is the HMAC-SHA256 of the seconds, a dot and the body, and the seconds are at most 5 minutes off. The body of a script is {\"ref\": \"refs/heads/main\"}, or {}. Other events and refs do nothing.",
	}, a.gitHook)
}

// GitSync is what a space tells of its repository.
type GitSync struct {
	RepoName     string    `json:"repoName,omitempty"`
	Installation string    `json:"installationProvider,omitempty" enum:"github,gitlab,github-legacy"`
	Integration  string    `json:"integration,omitempty"`
	URL          string    `json:"url,omitempty" doc:"Never has credentials."`
	UpdatedAt    docs.Time `json:"updatedAt,omitzero"`
}

func gitSync(i *docs.GitInfo) *GitSync {
	if i == nil {
		return nil
	}
	return &GitSync{RepoName: i.RepoName, Installation: i.Provider, URL: i.URL, UpdatedAt: i.UpdatedAt}
}

// GitRequestBody is what the bodies of an import and an export share.
type GitRequestBody struct {
	URL       string    `json:"url" minLength:"1" maxLength:"2048" doc:"https or ssh. A user name and a password in it are used once and not kept."`
	Ref       string    `json:"ref" minLength:"1" maxLength:"255" doc:"A branch, such as main or refs/heads/main; an import takes tags too, such as refs/tags/v1."`
	CacheID   string    `json:"repoCacheID,omitempty" maxLength:"256" doc:"Operations of the organization with the same id and url share what was fetched."`
	TreeURL   string    `json:"repoTreeURL,omitempty" maxLength:"2048" doc:"Goes in front of paths of files, for people."`
	CommitURL string    `json:"repoCommitURL,omitempty" maxLength:"2048" doc:"Goes in front of names of commits, for people."`
	Directory string    `json:"repoProjectDirectory,omitempty" maxLength:"1024" doc:"Folder of the repository that the documentation is in. Left out: all of it."`
	Timestamp docs.Time `json:"timestamp,omitempty" doc:"When what is asked for happened. Ignored if something newer was applied already, unless force is set."`
	Force     bool      `json:"force,omitempty" doc:"An import takes over a branch that was replaced, and one without pages. An export replaces commits that the space has not."`
	Info      *gitAbout `json:"gitInfo,omitempty"`
}

type gitAbout struct {
	Provider string `json:"provider,omitempty" enum:"github,gitlab"`
	URL      string `json:"url,omitempty" maxLength:"2048" doc:"Of the repository, for people."`
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

// gitQueued tells where the operation is that was queued.
type gitQueued struct {
	Location string `header:"Location"`
}

func (a *API) gitQueued(o docs.GitOperation, err error) (*gitQueued, error) {
	return &gitQueued{a.operationURL(o)}, err
}

func (a *API) operationURL(o docs.GitOperation) string {
	return a.location("spaces", string(o.Space), "git", "operations", string(o.ID))
}

type importGitIn struct {
	SpaceIn
	Body struct {
		GitRequestBody
		Standalone bool `json:"standalone,omitempty" doc:"Makes a revision that can be read by its id, and leaves the space as it is."`
	}
}

func (a *API) importGit(ctx context.Context, in *importGitIn) (*gitQueued, error) {
	return a.gitQueued(a.Git.Import(ctx, authz.Of(ctx), gitsync.ImportInput{Input: in.Body.plain(), Standalone: in.Body.Standalone}))
}

type exportGitIn struct {
	SpaceIn
	Body struct {
		GitRequestBody
		Message string `json:"commitMessage" minLength:"1" maxLength:"65536" doc:"Can name {change_request_number}, {change_request_subject}, {space_title}, {author_name} and {revision}."`
	}
}

func (a *API) exportGit(ctx context.Context, in *exportGitIn) (*gitQueued, error) {
	return a.gitQueued(a.Git.Export(ctx, authz.Of(ctx), gitsync.ExportInput{Input: in.Body.plain(), Message: in.Body.Message}))
}

func (a *API) gitInfo(ctx context.Context, _ *SpaceIn) (*out[GitSync], error) {
	info, err := a.Git.Info(ctx, authz.Of(ctx))
	return ok(*gitSync(&info)), err
}

func (a *API) forgetGit(ctx context.Context, _ *SpaceIn) (*done, error) {
	return nil, a.Git.Forget(ctx, authz.Of(ctx))
}

// GitConnection on the wire. Secrets go in and never come out.
type GitConnection struct {
	Object         string                `json:"object" enum:"git-connection"`
	Space          string                `json:"space"`
	URL            string                `json:"url" doc:"Without credentials."`
	Ref            string                `json:"ref"`
	Directory      string                `json:"directory" doc:"Empty: all of the repository."`
	Direction      docs.GitSyncDirection `json:"direction" enum:"import,export,both"`
	HasCredentials bool                  `json:"hasCredentials"`
	CommitTemplate string                `json:"commitTemplate"`
	PollSeconds    int                   `json:"pollSeconds" doc:"How often the server looks for commits by itself; 0: never."`
	Paused         bool                  `json:"paused"`
	Provider       string                `json:"provider,omitempty" enum:"github,gitlab"`
	ConnectedBy    string                `json:"connectedBy" doc:"Id of the user whose rights it acts with."`
	CreatedAt      docs.Time             `json:"createdAt"`
	UpdatedAt      docs.Time             `json:"updatedAt"`
	LastOperation  string                `json:"lastOperation,omitempty" doc:"Id of the newest operation that it queued. Its state, reason and error tell whether the connection works."`
	URLs           connectionURLs        `json:"urls"`
	Webhook        gitWebhook            `json:"webhook" doc:"For the settings of the repository at its host."`
}

type connectionURLs struct {
	LastOperation string `json:"lastOperation,omitempty" format:"uri"`
}

type gitWebhook struct {
	URL    string `json:"url" format:"uri"`
	Secret string `json:"secret,omitempty" doc:"Given when it was set, and not shown again."`
}

func (a *API) connection(c docs.GitConnection, secret string) GitConnection {
	v := GitConnection{
		Object: "git-connection", Space: string(c.Space), URL: c.Remote.URL, Ref: c.Remote.Ref, Directory: c.Remote.Directory,
		Direction: c.Direction, HasCredentials: c.HasCredentials, CommitTemplate: c.CommitTemplate, PollSeconds: c.PollSeconds, Paused: c.Paused,
		Provider: c.Provider, ConnectedBy: string(c.User), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, LastOperation: string(c.LastOperation),
		Webhook: gitWebhook{URL: a.Git.HookURL(c.Space), Secret: secret},
	}
	if c.LastOperation != "" {
		v.URLs.LastOperation = a.operationURL(docs.GitOperation{Space: c.Space, ID: c.LastOperation})
	}
	return v
}

func (a *API) getConnection(ctx context.Context, _ *SpaceIn) (*out[GitConnection], error) {
	c, err := a.Git.Connection(ctx, authz.Of(ctx))
	return ok(a.connection(c, "")), err
}

type connectGitIn struct {
	SpaceIn
	Body struct {
		URL            string                  `json:"url" minLength:"1" maxLength:"2048" doc:"https or ssh."`
		Ref            string                  `json:"ref" minLength:"1" maxLength:"255" doc:"A branch, such as main or refs/heads/main."`
		Directory      string                  `json:"directory,omitempty" maxLength:"1024" doc:"Folder of the repository that the documentation is in. Left out: all of it."`
		Direction      docs.GitSyncDirection   `json:"direction,omitempty" enum:"import,export,both" doc:"Left out: both."`
		Credentials    opt.Val[gitCredentials] `json:"credentials,omitempty" null:"ok" doc:"Left out, those that are stored stay, if the repository stays the same; null forgets them."`
		CommitTemplate string                  `json:"commitTemplate,omitempty" maxLength:"4096" doc:"Message of commits; see commitMessage of the export for what it can name. A name that is none of those is refused. Left out: OCTAVO-{change_request_number}: {change_request_subject}."`
		PollSeconds    opt.Val[int]            `json:"pollSeconds,omitempty" minimum:"0" maximum:"86400" doc:"0 for never, or at least 60. Left out: 300."`
		Paused         bool                    `json:"paused,omitempty" doc:"It stays, and nothing is imported or exported for it."`
		WebhookSecret  opt.Val[string]         `json:"webhookSecret,omitempty" nullable:"true" minLength:"16" maxLength:"256" doc:"Left out, it stays, or one is made; null has another one made."`
		Provider       string                  `json:"provider,omitempty" enum:"github,gitlab"`
	}
}

type gitCredentials struct {
	Username   string `json:"username,omitempty" maxLength:"4096"`
	Password   string `json:"password,omitempty" maxLength:"4096" doc:"Or a token."`
	PrivateKey string `json:"privateKey,omitempty" maxLength:"32768" doc:"For ssh, without a passphrase."`
	KnownHosts string `json:"knownHosts,omitempty" maxLength:"32768" doc:"Lines of a known_hosts file with the keys of the ssh server. Left out, its first key is kept, and any other refused."`
}

func (a *API) connectGit(ctx context.Context, in *connectGitIn) (*out[GitConnection], error) {
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
	c, secret, err := a.Git.Connect(ctx, authz.Of(ctx), ask)
	return ok(a.connection(c, secret)), err
}

func (a *API) disconnectGit(ctx context.Context, _ *SpaceIn) (*done, error) {
	return nil, a.Git.Disconnect(ctx, authz.Of(ctx))
}

// GitOperations are those that were queued.
type GitOperations struct {
	Items []GitOperation `json:"items"`
}

func (a *API) syncGit(ctx context.Context, _ *SpaceIn) (*out[GitOperations], error) {
	list, err := a.Git.SyncNow(ctx, authz.Of(ctx))
	v := GitOperations{Items: []GitOperation{}}
	for _, o := range list {
		v.Items = append(v.Items, a.gitOperation(o))
	}
	return ok(v), err
}

// GitOperation on the wire.
type GitOperation struct {
	Object        string            `json:"object" enum:"git-operation"`
	ID            string            `json:"id"`
	Direction     docs.GitDirection `json:"direction" enum:"import,export"`
	State         docs.GitState     `json:"state" enum:"queued,running,success,failure"`
	Stage         docs.GitStage     `json:"stage,omitempty" enum:"fetch,check,process,finalize" doc:"What it is at, or was when it ended."`
	Completed     int64             `json:"completedTasks" doc:"Of the stage."`
	Dispatched    int64             `json:"dispatchedTasks" doc:"Of the stage, as far as is known."`
	Reason        string            `json:"reason,omitempty" doc:"Code of why it failed, or why it did something else than one may have expected: stale, unchanged, conflict, replaced, parked, empty, authentication, unreachable and others."`
	Error         string            `json:"error,omitempty" doc:"The same for people, and what to do about it."`
	URL           string            `json:"url" doc:"Without credentials."`
	Ref           string            `json:"ref"`
	Directory     string            `json:"directory"`
	Force         bool              `json:"force"`
	Standalone    bool              `json:"standalone"`
	Connected     bool              `json:"connected" doc:"Done for the connection of the space."`
	Timestamp     docs.Time         `json:"timestamp,omitzero"`
	Commit        string            `json:"commit,omitempty" doc:"That was imported, or that the export made last."`
	Revision      string            `json:"revision,omitempty" doc:"That the import made, or that was exported."`
	ChangeRequest string            `json:"changeRequest,omitempty" doc:"Id of the one that holds what could not be merged."`
	ProblemCount  int               `json:"problemCount" doc:"How much of the repository was left out, or is doubtful."`
	Problems      []GitProblem      `json:"problems,omitempty" doc:"The first 100; not in lists."`
	CreatedBy     string            `json:"createdBy" doc:"Id of the user whose rights it acts with."`
	CreatedAt     docs.Time         `json:"createdAt"`
	StartedAt     docs.Time         `json:"startedAt,omitzero"`
	UpdatedAt     docs.Time         `json:"updatedAt"`
	CompletedAt   docs.Time         `json:"completedAt,omitzero"`
	URLs          location          `json:"urls"`
}

// GitProblem on the wire.
type GitProblem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (a *API) gitOperation(o docs.GitOperation) GitOperation {
	return GitOperation{
		Object: "git-operation", ID: string(o.ID), Direction: o.Direction, State: o.State, Stage: o.Stage, Completed: o.Done, Dispatched: o.Total,
		Reason: o.Reason, Error: o.Error, URL: o.Remote.URL, Ref: o.Remote.Ref, Directory: o.Remote.Directory,
		Force: o.Request.Force, Standalone: o.Request.Standalone, Connected: o.Request.Connected, Timestamp: o.Request.Timestamp,
		Commit: o.Commit, Revision: string(o.Revision), ChangeRequest: string(o.ChangeRequest), ProblemCount: o.ProblemCount,
		CreatedBy: string(o.User), CreatedAt: o.CreatedAt, StartedAt: o.StartedAt, UpdatedAt: o.UpdatedAt, CompletedAt: o.CompletedAt,
		URLs: location{a.operationURL(o)},
	}
}

type listGitOperationsIn struct {
	SpaceIn
	Paged
}

func (a *API) listGitOperations(ctx context.Context, in *listGitOperationsIn) (*page[GitOperation], error) {
	return listOf(ctx, a, in.Paged, a.Git.Operations(authz.Of(ctx)), a.gitOperation)
}

type gitOperationIn struct {
	SpaceIn
	Operation docs.GitOperationID `path:"operationId"`
}

func (a *API) getGitOperation(ctx context.Context, in *gitOperationIn) (*out[GitOperation], error) {
	o, err := a.Git.Operation(ctx, authz.Of(ctx), in.Operation)
	v := a.gitOperation(o)
	for _, p := range o.Problems {
		v.Problems = append(v.Problems, GitProblem(p))
	}
	return ok(v), err
}

type gitHookIn struct {
	SpaceIn
	RawBody []byte
	header  func(string) string
}

// Resolve keeps the headers: hosts have different ones.
func (in *gitHookIn) Resolve(ctx huma.Context) []error {
	in.header = ctx.Header
	return nil
}

func (a *API) gitHook(ctx context.Context, in *gitHookIn) (*done, error) {
	return nil, a.Git.Hook(ctx, in.Space, gitsync.Call{Header: in.header, Body: in.RawBody})
}

var _ huma.Resolver = (*gitHookIn)(nil)
