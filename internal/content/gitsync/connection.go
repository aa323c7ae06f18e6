package gitsync

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of a connection.
const (
	MinPoll       = 60             // seconds
	MaxPoll       = 24 * 60 * 60   // seconds
	DefaultPoll   = 5 * 60         // seconds
	MaxTemplate   = 4 << 10        // maximum size of a template of commit messages in bytes
	MaxPrivateKey = 32 << 10       // maximum size of a private key in bytes
	MaxKnownHosts = 32 << 10       // maximum size of known_hosts lines in bytes
	MaxSecret     = 4 << 10        // maximum size of a user name or a password in bytes
	hookPath      = "/git/webhook" // relative to the address of the space
)

// ConnectionInput describes a connection. Absent fields get their defaults, except for
// secrets: absent secrets keep their stored values.
type ConnectionInput struct {
	URL         string
	Ref         string // a branch, short or in full; or the full name of a tag if nothing is exported
	Directory   string
	Direction   docs.GitSyncDirection // empty means both
	Credentials opt.Val[CredentialsInput]
	Template    string       // of commit messages; empty means DefaultMessage
	Poll        opt.Val[int] // seconds; 0 means that the remote is not polled
	Paused      bool
	HookSecret  opt.Val[string] // null creates a new secret
	Provider    string
}

// CredentialsInput holds either a user name and a password, or a private key.
type CredentialsInput struct {
	Username   string
	Password   string
	PrivateKey string
	KnownHosts string
}

// Connect connects the space of a grant to a remote. It replaces an existing connection.
// It returns the secret for the webhook of the host if the secret is new; the secret is
// never returned again. Unless the connection is paused or unchanged, a synchronization
// is queued immediately, so that users see whether the connection works.
func (s *Service) Connect(ctx context.Context, g *authz.Grant, in ConnectionInput) (docs.GitConnection, string, error) {
	next, given, err := in.check()
	if err != nil {
		return docs.GitConnection{}, "", err
	}
	type result struct {
		docs.GitConnection
		shown string
	}
	out, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (out result, err error) {
		out.GitConnection, out.shown, err = connect(ctx, tx, g, in, next, given)
		return out, err
	})
	if err != nil {
		return out.GitConnection, "", err
	}
	return out.GitConnection, out.shown, nil
}

// connect is Connect in its transaction. c is the requested connection, and given its
// credentials, if the input has any.
func connect(ctx context.Context, tx *store.Tx, g *authz.Grant, in ConnectionInput, c docs.GitConnection, given *git.Credentials) (_ docs.GitConnection, shown string, err error) {
	c.Space, c.User, c.CreatedAt, c.UpdatedAt = g.Space.ID, g.Actor.User, tx.Now(), tx.Now()
	was, had, err := tx.GitConnection(ctx, c.Space)
	if err != nil {
		return c, "", err
	}
	if had {
		c.CreatedAt, c.LastOperation, c.HookSealed = was.CreatedAt, was.LastOperation, was.HookSealed
	}
	if c.Sealed, err = connectionSecret(ctx, tx, c, was, given, in.Credentials.IsNull()); err != nil {
		return c, "", err
	}
	c.HasCredentials = c.Sealed != ""
	if in.HookSecret.IsSet() || c.HookSealed == "" {
		if shown = in.HookSecret.Or(""); shown == "" {
			shown = seal.NewShared()
		}
		if c.HookSealed, err = seal.SealChanged(ctx, tx.Reader, seal.GitHook, string(c.Space), c.HookSealed, shown); err != nil {
			return c, "", err
		}
	}
	same := had && sameConnection(was, c)
	if same && was.HookSealed == c.HookSealed {
		return was, shown, nil
	}
	if c.PollSeconds > 0 && !c.Paused {
		c.DueAt = tx.Now() + docs.Time(c.PollSeconds)*1000
	}
	elsewhere := had && was.Remote != c.Remote
	if elsewhere {
		if err := endConnected(ctx, tx, c.Space); err != nil {
			return c, "", err
		}
	} else if !had { // the space was disconnected, and possibly connected to another remote since
		if elsewhere, err = tx.TookFromElsewhere(ctx, c.Space, c.Remote.Key()); err != nil {
			return c, "", err
		}
	}
	if elsewhere {
		// The pair is from an earlier connection. With it, content that the space
		// imported from another remote since would be exported to this one.
		if err := tx.DropGitPair(ctx, c.Space, c.Remote.Key()); err != nil {
			return c, "", err
		}
	}
	if err := tx.PutGitConnection(ctx, c); err != nil {
		return c, "", err
	}
	if !c.Paused && !same {
		if _, err := queueBoth(ctx, tx, g.Space.Org, &c); err != nil {
			return c, "", err
		}
	}
	request := docs.GitRequest{Provider: c.Provider}
	if known := g.Space.Git; known != nil && had && was.Remote == c.Remote { // set by an import from the same remote
		request.InfoURL, request.TreeURL, request.CommitURL = known.URL, known.TreeURL, known.CommitURL
	}
	if err := tx.PutGitInfo(ctx, c.Space, infoOf(c.Remote, request, tx.Now())); err != nil {
		return c, "", err
	}
	return c, shown, audit.Record(ctx, tx, g.Actor, event(g.Space, "connect", map[string]any{
		"url": c.Remote.URL, "ref": c.Remote.Ref, "directory": c.Remote.Directory, "direction": c.Direction, "paused": c.Paused,
		"credentials": in.Credentials.IsSet() || given != nil, "secret": shown != "",
	}))
}

// sameConnection reports whether two connections have the same settings, secrets and user.
func sameConnection(a, b docs.GitConnection) bool {
	return a.Remote == b.Remote && a.Direction == b.Direction && a.CommitTemplate == b.CommitTemplate && a.PollSeconds == b.PollSeconds &&
		a.Paused == b.Paused && a.Provider == b.Provider && a.User == b.User && a.Sealed == b.Sealed
}

func sameCredentials(a, b git.Credentials) bool {
	return a.Username == b.Username && a.Password == b.Password && bytes.Equal(a.PrivateKey, b.PrivateKey) && bytes.Equal(a.KnownHosts, b.KnownHosts)
}

// check validates the input. It returns the requested connection, and its credentials if
// the input has any.
func (in ConnectionInput) check() (c docs.GitConnection, given *git.Credentials, err error) {
	c = docs.GitConnection{
		Direction: in.Direction, CommitTemplate: cmp.Or(in.Template, DefaultMessage), PollSeconds: in.Poll.Or(DefaultPoll), Paused: in.Paused, Provider: in.Provider,
	}
	var inURL git.Credentials
	var wrong errs.Mistakes
	c.Remote.URL, inURL, err = checkURL("url", in.URL)
	wrong.Add(err)
	switch c.Direction {
	case "":
		c.Direction = docs.GitSyncBoth
	case docs.GitSyncImport, docs.GitSyncExport, docs.GitSyncBoth:
	default:
		wrong.Field("direction", "must be import, export or both")
	}
	c.Remote.Ref = fullRef(in.Ref)
	wrong.Add(checkRef("ref", c.Remote.Ref, c.Direction.Exports()))
	c.Remote.Directory, err = checkDirectory("directory", in.Directory)
	wrong.Add(err, checkTemplate("commitTemplate", c.CommitTemplate))
	if p := c.PollSeconds; p != 0 && (p < MinPoll || p > MaxPoll) {
		wrong.Field("pollSeconds", "must be 0, for never, or %d to %d", MinPoll, MaxPoll)
	}
	wrong.Add(checkProvider("provider", in.Provider))
	if secret, ok := in.HookSecret.Get(); ok {
		wrong.Add(seal.CheckShared("webhookSecret", secret))
	}
	if err := wrong.Err(); err != nil {
		return c, nil, err
	}
	asked, ok := in.Credentials.Get()
	switch {
	case ok && (inURL.Username != "" || inURL.Password != ""):
		return c, nil, errs.Field("credentials", "are already part of the url; send them only once")
	case ok:
		secret, err := asked.check(c.Remote.URL)
		return c, &secret, err
	case inURL.Username != "" || inURL.Password != "":
		return c, &inURL, nil
	}
	return c, nil, nil
}

// connectionSecret returns the sealed credentials of a connection. Without new
// credentials, it keeps the stored ones only if the repository is the same. Otherwise a
// user who may change the connection could have them sent to another server, or read
// other repositories with them.
func connectionSecret(ctx context.Context, tx *store.Tx, c, was docs.GitConnection, given *git.Credentials, remove bool) (docs.Sealed, error) {
	switch {
	case given != nil:
		stored, err := openCredentials(ctx, tx.Reader, seal.GitConnection, string(c.Space), was.Sealed)
		if err == nil && was.Sealed != "" && sameCredentials(stored, *given) {
			return was.Sealed, nil
		}
		return sealCredentials(ctx, tx.Reader, seal.GitConnection, string(c.Space), *given)
	case remove || was.Sealed == "" || strings.TrimSuffix(was.Remote.URL, ".git") != strings.TrimSuffix(c.Remote.URL, ".git"):
		return "", nil
	}
	return was.Sealed, nil
}

// Connection returns the connection of the space of a grant.
func (s *Service) Connection(ctx context.Context, g *authz.Grant) (docs.GitConnection, error) {
	return connectionOf(ctx, s.Store.Reader, g.Space.ID)
}

func connectionOf(ctx context.Context, r store.Reader, space docs.SpaceID) (docs.GitConnection, error) {
	c, ok, err := r.GitConnection(ctx, space)
	if err == nil && !ok {
		err = errs.Missing("git connection")
	}
	return c, err
}

// HookURL returns the address that the host of a repository calls after a push.
func (s *Service) HookURL(space docs.SpaceID) string {
	return s.BaseURL + "/v1/spaces/" + string(space) + hookPath
}

// Disconnect removes the connection of the space of a grant. It ends the queued
// operations of the connection, and the space no longer shows a repository.
func (s *Service) Disconnect(ctx context.Context, g *authz.Grant) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		c, err := connectionOf(ctx, tx.Reader, g.Space.ID)
		if err != nil {
			return err
		}
		if _, err := tx.DropGitConnection(ctx, c.Space); err != nil {
			return err
		}
		if err := endConnected(ctx, tx, c.Space); err != nil {
			return err
		}
		if _, err := tx.DropGitInfo(ctx, c.Space); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, event(g.Space, "disconnect", map[string]any{
			"url": c.Remote.URL, "ref": c.Remote.Ref, "directory": c.Remote.Directory,
		}))
	})
}

// endConnected ends the queued operations of a connection. It does not interrupt a running
// operation.
func endConnected(ctx context.Context, tx *store.Tx, space docs.SpaceID) error {
	open, err := tx.OpenGitOperations(ctx, space)
	if err != nil {
		return err
	}
	for _, o := range open {
		if !o.Request.Connected || o.State != docs.GitQueued {
			continue
		}
		if err := failOperation(ctx, tx, o, ReasonDisconnected, errDisconnected.Message); err != nil {
			return err
		}
	}
	return nil
}

// failOperation marks an operation that was not completed as failed, and removes its job.
func failOperation(ctx context.Context, tx *store.Tx, o docs.GitOperation, reason, message string) error {
	o.State, o.Reason, o.Error = docs.GitFailure, reason, message
	o.CompletedAt, o.UpdatedAt = tx.Now(), tx.Now()
	if err := tx.PutGitOperation(ctx, o); err != nil {
		return err
	}
	_, err := tx.DropJob(ctx, OperationJob, string(o.ID))
	return err
}

// SyncNow queues the operations of a connection: an import, an export, or both.
func (s *Service) SyncNow(ctx context.Context, g *authz.Grant) ([]docs.GitOperation, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) ([]docs.GitOperation, error) {
		c, err := connectionOf(ctx, tx.Reader, g.Space.ID)
		if err != nil {
			return nil, err
		}
		if c.Paused {
			return nil, errs.E(errs.Precondition, "the connection is paused; set paused to false first")
		}
		out, err := queueBoth(ctx, tx, g.Space.Org, &c)
		if err != nil {
			return nil, err
		}
		return out, audit.Record(ctx, tx, g.Actor, event(g.Space, "sync", map[string]any{"direction": c.Direction}))
	})
}

// queueBoth queues all operations of a connection on request of a user.
func queueBoth(ctx context.Context, tx *store.Tx, org docs.OrgID, c *docs.GitConnection) ([]docs.GitOperation, error) {
	var out []docs.GitOperation
	if c.Direction.Imports() {
		if err := endRetries(ctx, tx, c.Space, c.Remote); err != nil {
			return nil, err
		}
		o, err := queueAsked(ctx, tx, org, c, docs.GitImport, docs.GitRequest{})
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	if c.Direction.Exports() {
		o, err := queueAsked(ctx, tx, org, c, docs.GitExport, docs.GitRequest{})
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// queueAsked is like queueConnected, but for an operation that was requested from
// outside. A new operation counts towards the quota of the organization.
func queueAsked(ctx context.Context, tx *store.Tx, org docs.OrgID, c *docs.GitConnection, d docs.GitDirection, req docs.GitRequest) (docs.GitOperation, error) {
	o, fresh, err := queueConnected(ctx, tx, c, d, req)
	if err == nil && fresh {
		err = tx.CountGitOperation(ctx, org)
	}
	return o, err
}

// queueConnected queues an operation of a connection and stores its ID in the connection.
// The operation has the permissions of the user who created the connection. It reports
// false if such an operation is already waiting.
func queueConnected(ctx context.Context, tx *store.Tx, c *docs.GitConnection, d docs.GitDirection, req docs.GitRequest) (docs.GitOperation, bool, error) {
	req.Connected, req.Provider = true, c.Provider
	info := infoOf(c.Remote, req, tx.Now())
	req.TreeURL, req.CommitURL = info.TreeURL, info.CommitURL
	if d == docs.GitExport {
		req.Message = c.CommitTemplate
	}
	o, fresh, err := queue(ctx, tx, docs.GitOperation{Space: c.Space, Direction: d, Remote: c.Remote, Request: req, User: c.User}, git.Credentials{})
	if err != nil {
		return o, false, err
	}
	c.LastOperation = o.ID
	return o, fresh, tx.PutGitConnection(ctx, *c)
}
