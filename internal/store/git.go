package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Maybe turns the error NotFound into false.
func Maybe[T any](v T, err error) (T, bool, error) {
	if errs.Is(err, errs.NotFound) {
		return v, false, nil
	}
	return v, err == nil, err
}

const gitOperationColumns = `o.space_id, o.id, o.direction, o.state, o.stage, o.url, o.ref, o.directory, o.request, o.sealed, o.done, o.total,
	o.commit_id, o.revision_id, o.change_request_id, o.reason, o.error, o.problems, o.problem_count, o.user_id,
	o.created_at, o.started_at, o.updated_at, o.completed_at`

func scanGitOperation(s engine.Scanner) (o docs.GitOperation, err error) {
	var request, problems string
	if err = s.Scan(&o.Space, &o.ID, &o.Direction, &o.State, &o.Stage, &o.Remote.URL, &o.Remote.Ref, &o.Remote.Directory,
		&request, &o.Sealed, &o.Done, &o.Total, &o.Commit, &o.Revision, &o.ChangeRequest, &o.Reason, &o.Error, &problems, &o.ProblemCount,
		&o.User, &o.CreatedAt, &o.StartedAt, &o.UpdatedAt, &o.CompletedAt); err != nil {
		return o, err
	}
	if err = fromJSON(request, &o.Request); err == nil && problems != "" {
		err = fromJSON(problems, &o.Problems)
	}
	return o, err
}

func gitOperationArgs(o docs.GitOperation) []any {
	if o.Ended() {
		o.Sealed = "" // the credentials are not needed any more
	}
	problems := ""
	if len(o.Problems) > docs.MaxGitProblems {
		o.Problems = o.Problems[:docs.MaxGitProblems]
	}
	if len(o.Problems) > 0 {
		problems = toJSON(o.Problems)
	}
	return []any{
		o.Space, o.ID, o.Direction, o.State, o.Stage, o.Remote.URL, o.Remote.Ref, o.Remote.Directory,
		toJSON(o.Request), o.Sealed, o.Done, o.Total, o.Commit, o.Revision, o.ChangeRequest, o.Reason, o.Error, problems, o.ProblemCount,
		o.User, o.CreatedAt, o.StartedAt, o.UpdatedAt, o.CompletedAt,
	}
}

// GitOperation returns an operation of a space.
func (r integrationReads) GitOperation(ctx context.Context, space docs.SpaceID, id docs.GitOperationID) (docs.GitOperation, error) {
	return engine.One(ctx, r, "git operation", scanGitOperation, `
		SELECT `+gitOperationColumns+` FROM git_operations o WHERE o.space_id = $1 AND o.id = $2`, space, id)
}

// GitOperations lists the git operations of a space, newest first.
func (r integrationReads) GitOperations(ctx context.Context, space docs.SpaceID, p Page) ([]docs.GitOperation, Key, error) {
	if len(p.After) == 0 {
		p.After = Key{engine.LastText}
	}
	items, err := engine.Many(ctx, r, scanGitOperation, `
		SELECT `+gitOperationColumns+` FROM git_operations o WHERE o.space_id = $1 AND o.id < $2 ORDER BY o.id DESC LIMIT $3 + 0`,
		space, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(o docs.GitOperation) Key { return Key{string(o.ID)} })
	return items, next, err
}

// CountGitOperations counts what GitOperations lists.
func (r integrationReads) CountGitOperations(ctx context.Context, space docs.SpaceID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM git_operations WHERE space_id = $1`, space)
}

// OpenGitOperations returns the operations of a space that have not ended, in the
// order in which they run: oldest first. There are few of them.
func (r integrationReads) OpenGitOperations(ctx context.Context, space docs.SpaceID) ([]docs.GitOperation, error) {
	return engine.Many(ctx, r, scanGitOperation, `
		SELECT `+gitOperationColumns+` FROM git_operations o WHERE o.space_id = $1 AND o.completed_at = 0 ORDER BY o.id`, space)
}

// FirstGitOperation returns the oldest operation of a space that has not ended, if
// there is one.
func (r integrationReads) FirstGitOperation(ctx context.Context, space docs.SpaceID) (docs.GitOperation, bool, error) {
	return Maybe(engine.One(ctx, r, "git operation", scanGitOperation, `
		SELECT `+gitOperationColumns+` FROM git_operations o WHERE o.space_id = $1 AND o.completed_at = 0 ORDER BY o.id LIMIT 1`, space))
}

// GitFinalizing reports whether the result of an operation is about to become
// that of the space.
func (r integrationReads) GitFinalizing(ctx context.Context, space docs.SpaceID) (bool, error) {
	n, err := engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM git_operations WHERE space_id = $1 AND completed_at = 0 AND state = 'running' AND stage = 'finalize'`, space)
	return n > 0, err
}

// AddGitOperation stores a new one.
func (tx integrationWrites) AddGitOperation(ctx context.Context, o docs.GitOperation) error {
	return engine.InsertAll(ctx, tx, `
		INSERT INTO git_operations (space_id, id, direction, state, stage, url, ref, directory, request, sealed, done, total,
			commit_id, revision_id, change_request_id, reason, error, problems, problem_count, user_id,
			created_at, started_at, updated_at, completed_at)`, ``, []docs.GitOperation{o}, gitOperationArgs)
}

// PutGitOperation stores a changed operation. If it has ended, its credentials are
// not stored.
func (tx integrationWrites) PutGitOperation(ctx context.Context, o docs.GitOperation) error {
	n, err := engine.Exec(ctx, tx, `
		UPDATE git_operations
		SET direction = $3, state = $4, stage = $5, url = $6, ref = $7, directory = $8, request = $9, sealed = $10, done = $11, total = $12,
			commit_id = $13, revision_id = $14, change_request_id = $15, reason = $16, error = $17, problems = $18, problem_count = $19,
			user_id = $20, created_at = $21, started_at = $22, updated_at = $23, completed_at = $24
		WHERE space_id = $1 AND id = $2`, gitOperationArgs(o)...)
	if err == nil && n == 0 {
		return errs.Missing("git operation")
	}
	return err
}

// LostGitOperations returns operations that have not ended although there is no job
// for them.
func (r integrationReads) LostGitOperations(ctx context.Context, job string, limit int) ([]docs.GitOperation, error) {
	return engine.Many(ctx, r, scanGitOperation, `
		SELECT `+gitOperationColumns+` FROM git_operations o
		WHERE o.completed_at = 0 AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.key = o.id AND j.state <> 'failed')
		ORDER BY o.space_id, o.id LIMIT $2 + 0`, job, limit)
}

// DropGitOperation forgets an operation.
func (tx integrationWrites) DropGitOperation(ctx context.Context, space docs.SpaceID, id docs.GitOperationID) error {
	return engine.Put(ctx, tx, `DELETE FROM git_operations WHERE space_id = $1 AND id = $2`, space, id)
}

// keptGitOperations is the number of operations of a space that are kept.
const keptGitOperations = 100

// TidyGitOperations deletes old operations of a space that have ended.
func (tx integrationWrites) TidyGitOperations(ctx context.Context, space docs.SpaceID) error {
	return engine.Put(ctx, tx, `
		DELETE FROM git_operations
		WHERE space_id = $1 AND completed_at > 0 AND id <= COALESCE((
			SELECT o.id FROM git_operations o WHERE o.space_id = $1 ORDER BY o.id DESC LIMIT 1 OFFSET $2 + 0), '')`,
		space, keptGitOperations)
}

// GitPair returns the last common state of a space and a remote, by the key of the
// remote, if there is one.
func (r integrationReads) GitPair(ctx context.Context, space docs.SpaceID, key string) (docs.GitPair, bool, error) {
	return Maybe(engine.One(ctx, r, "git pair", func(s engine.Scanner) (p docs.GitPair, err error) {
		err = s.Scan(&p.Space, &p.Remote.URL, &p.Remote.Ref, &p.Remote.Directory, &p.Commit, &p.Revision, &p.Line, &p.Request,
			&p.Timestamp, &p.UpdatedAt, &p.NotImported)
		return p, err
	}, `SELECT space_id, url, ref, directory, commit_id, revision_id, line_id, parked_id, told_at, updated_at, unread
		FROM git_pairs WHERE space_id = $1 AND remote = $2`, space, key))
}

// IsInGit reports whether some remote has a revision of a space.
func (r integrationReads) IsInGit(ctx context.Context, space docs.SpaceID, id docs.RevisionID) (bool, error) {
	n, err := engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM git_pairs WHERE space_id = $1 AND line_id = $2`, space, id)
	return n > 0, err
}

// TookFromElsewhere reports whether a space has imported anything from another
// remote since it was last compared with this one, or has an import from another
// remote that is not merged. If a person merged an import, its remote is not known,
// and it counts as another one: starting over asks which side to keep, continuing
// could delete content.
func (r integrationReads) TookFromElsewhere(ctx context.Context, space docs.SpaceID, key string) (bool, error) {
	n, err := engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM git_pairs p WHERE p.space_id = $1 AND p.remote = $2 AND (
			EXISTS (SELECT 1 FROM revisions r WHERE r.space_id = p.space_id AND r.change_request_id = '' AND r.id > p.line_id
				AND r.git <> '' AND NOT r.aside AND r.created_at > p.updated_at)
			OR EXISTS (SELECT 1 FROM revisions a WHERE a.space_id = p.space_id AND a.id > p.line_id
				AND a.git <> '' AND a.aside AND a.created_at > p.updated_at
				AND EXISTS (SELECT 1 FROM revisions r WHERE r.space_id = p.space_id AND r.change_request_id = '' AND r.id > a.id AND r.merged_from <> ''))
			OR EXISTS (SELECT 1 FROM git_pairs o WHERE o.space_id = p.space_id AND o.remote <> p.remote
				AND o.parked_id <> '' AND o.updated_at > p.updated_at))`, space, key)
	return n > 0, err
}

// PutGitPair stores the last common state of a space and a remote.
func (tx integrationWrites) PutGitPair(ctx context.Context, p docs.GitPair) error {
	return engine.Put(ctx, tx, `
		INSERT INTO git_pairs (space_id, remote, url, ref, directory, commit_id, revision_id, line_id, parked_id, told_at, updated_at, unread)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (space_id, remote) DO UPDATE SET commit_id = excluded.commit_id, revision_id = excluded.revision_id,
			line_id = excluded.line_id, parked_id = excluded.parked_id, told_at = excluded.told_at, updated_at = excluded.updated_at,
			unread = excluded.unread`,
		p.Space, p.Remote.Key(), p.Remote.URL, p.Remote.Ref, p.Remote.Directory, p.Commit, p.Revision, p.Line, p.Request, p.Timestamp, p.UpdatedAt, p.NotImported)
}

// DropGitPair deletes the last common state of a space and a remote.
func (tx integrationWrites) DropGitPair(ctx context.Context, space docs.SpaceID, key string) error {
	return engine.Put(ctx, tx, `DELETE FROM git_pairs WHERE space_id = $1 AND remote = $2`, space, key)
}

// GitInfo returns the repository of a space, if there is one.
func (r integrationReads) GitInfo(ctx context.Context, space docs.SpaceID) (docs.GitInfo, bool, error) {
	text, err := engine.One(ctx, r, "space", engine.ScanText[string], `SELECT git_info FROM spaces WHERE id = $1`, space)
	if err != nil || text == "" {
		return docs.GitInfo{}, false, err
	}
	var info docs.GitInfo
	return info, true, fromJSON(text, &info)
}

// PutGitInfo stores the repository of a space.
func (tx integrationWrites) PutGitInfo(ctx context.Context, space docs.SpaceID, info docs.GitInfo) error {
	return engine.Put(ctx, tx, `UPDATE spaces SET git_info = $2 WHERE id = $1`, space, toJSON(info))
}

// DropGitInfo deletes the repository of a space; it reports whether there was one.
func (tx integrationWrites) DropGitInfo(ctx context.Context, space docs.SpaceID) (bool, error) {
	n, err := engine.Exec(ctx, tx, `UPDATE spaces SET git_info = '' WHERE id = $1 AND git_info <> ''`, space)
	return n > 0, err
}

const gitConnectionColumns = `c.space_id, c.url, c.ref, c.directory, c.direction, c.sealed, c.commit_template, c.poll_seconds, c.paused,
	c.hook_sealed, c.provider, c.user_id, c.created_at, c.updated_at, c.due_at, c.last_operation`

func scanGitConnection(s engine.Scanner) (c docs.GitConnection, err error) {
	err = s.Scan(&c.Space, &c.Remote.URL, &c.Remote.Ref, &c.Remote.Directory, &c.Direction, &c.Sealed, &c.CommitTemplate, &c.PollSeconds, &c.Paused,
		&c.HookSealed, &c.Provider, &c.User, &c.CreatedAt, &c.UpdatedAt, &c.DueAt, &c.LastOperation)
	c.HasCredentials = c.Sealed != ""
	return c, err
}

// GitConnection returns the connection of a space, if it has one.
func (r integrationReads) GitConnection(ctx context.Context, space docs.SpaceID) (docs.GitConnection, bool, error) {
	return Maybe(engine.One(ctx, r, "git connection", scanGitConnection,
		`SELECT `+gitConnectionColumns+` FROM git_connections c WHERE c.space_id = $1`, space))
}

// DueGitConnections returns connections whose remote is due to be polled, the most
// overdue first. Spaces in the trash are left out.
func (r integrationReads) DueGitConnections(ctx context.Context, now docs.Time, limit int) ([]docs.GitConnection, error) {
	return engine.Many(ctx, r, scanGitConnection, `
		SELECT `+gitConnectionColumns+` FROM git_connections c JOIN spaces s ON s.id = c.space_id
		WHERE c.due_at > 0 AND c.due_at <= $1 AND s.deleted_at = 0 AND `+inPresentOrg("s")+` ORDER BY c.due_at, c.space_id LIMIT $2 + 0`, now, limit)
}

// PutGitConnection stores the connection of a space in place of the one
// that it had.
func (tx integrationWrites) PutGitConnection(ctx context.Context, c docs.GitConnection) error {
	return engine.Put(ctx, tx, `
		INSERT INTO git_connections (space_id, url, ref, directory, direction, sealed, commit_template, poll_seconds, paused,
			hook_sealed, provider, user_id, created_at, updated_at, due_at, last_operation)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
		ON CONFLICT (space_id) DO UPDATE SET url = excluded.url, ref = excluded.ref, directory = excluded.directory,
			direction = excluded.direction, sealed = excluded.sealed, commit_template = excluded.commit_template,
			poll_seconds = excluded.poll_seconds, paused = excluded.paused, hook_sealed = excluded.hook_sealed,
			provider = excluded.provider, user_id = excluded.user_id, created_at = excluded.created_at,
			updated_at = excluded.updated_at, due_at = excluded.due_at, last_operation = excluded.last_operation`,
		c.Space, c.Remote.URL, c.Remote.Ref, c.Remote.Directory, c.Direction, c.Sealed, c.CommitTemplate, c.PollSeconds, c.Paused,
		c.HookSealed, c.Provider, c.User, c.CreatedAt, c.UpdatedAt, c.DueAt, c.LastOperation)
}

// DropGitConnection ends the connection of a space; it reports whether there
// was one.
func (tx integrationWrites) DropGitConnection(ctx context.Context, space docs.SpaceID) (bool, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM git_connections WHERE space_id = $1`, space)
	return n > 0, err
}

// PutGitCommit notes the commit that a revision was written to.
func (tx integrationWrites) PutGitCommit(ctx context.Context, space docs.SpaceID, revision docs.RevisionID, c docs.GitCommit) error {
	return engine.Put(ctx, tx, `
		INSERT INTO git_commits (space_id, revision_id, data) VALUES ($1, $2, $3)
		ON CONFLICT (space_id, revision_id) DO UPDATE SET data = excluded.data`, space, revision, toJSON(c))
}

// PutGitBlobs stores the object ids and paths of exported contents.
func (tx integrationWrites) PutGitBlobs(ctx context.Context, space docs.SpaceID, all []docs.GitBlob) error {
	return engine.InsertAll(ctx, tx, `INSERT INTO git_blobs (space_id, id, body, oid, path)`,
		`ON CONFLICT (space_id, id) DO UPDATE SET body = excluded.body, oid = excluded.oid, path = excluded.path`, all,
		func(b docs.GitBlob) []any { return []any{space, b.ID, b.Body, b.OID, b.Path} })
}

// DropGitBlobs deletes the object ids and paths of a space.
func (tx integrationWrites) DropGitBlobs(ctx context.Context, space docs.SpaceID) error {
	return engine.Put(ctx, tx, `DELETE FROM git_blobs WHERE space_id = $1`, space)
}

// GitBlobs returns the object ids and paths of the contents of a space.
func (r integrationReads) GitBlobs(ctx context.Context, space docs.SpaceID) ([]docs.GitBlob, error) {
	return engine.Many(ctx, r, scanGitBlob, `SELECT id, body, oid, path FROM git_blobs WHERE space_id = $1 ORDER BY id`, space)
}

// GitBlob returns the object id and path of a page, a file or a reusable content, if
// they are stored.
func (r integrationReads) GitBlob(ctx context.Context, space docs.SpaceID, id string) (docs.GitBlob, bool, error) {
	return Maybe(engine.One(ctx, r, "git blob", scanGitBlob, `SELECT id, body, oid, path FROM git_blobs WHERE space_id = $1 AND id = $2`, space, id))
}

func scanGitBlob(s engine.Scanner) (b docs.GitBlob, err error) {
	err = s.Scan(&b.ID, &b.Body, &b.OID, &b.Path)
	return b, err
}
