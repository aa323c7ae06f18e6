package gitsync

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
)

const (
	// smallFile is the maximum size of files that the first fetch includes. Larger files
	// are fetched when an import needs them.
	smallFile = 1 << 20
	// attempts is the maximum number of attempts of an import. An attempt fails if the
	// space changes concurrently.
	attempts = 5
)

// runImport fetches the branch, creates a revision from it on top of the last common
// revision, and commits that revision to the space.
func (t *task) runImport(ctx context.Context) error {
	tip, err := t.fetch(ctx)
	if err != nil {
		return err
	}
	if err := t.stage(ctx, docs.GitCheck); err != nil {
		return err
	}
	force := t.o.Request.Force
	if t.paired && tip == t.pair.Commit && !t.pair.NotImported && !force && !t.o.Request.Standalone {
		if request, err := t.openRequest(ctx); err != nil {
			return err
		} else if request != nil && !t.o.Request.Connected { // a user requested it, and the space does not have the change yet
			t.o.Commit, t.o.Revision, t.o.ChangeRequest = t.pair.Commit, t.pair.Revision, request.ID
			return t.end(ctx, ReasonOpenRequest, fmt.Sprintf("nothing new in the repository; change request %d has what was imported last: merge it to accept that", request.Number), nil)
		}
		return t.end(ctx, ReasonUnchanged, "", func(tx *store.Tx, _ *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
			o.Commit, o.Revision = t.pair.Commit, t.pair.Revision
			return o, t.putPair(ctx, tx, t.pair)
		})
	}
	replaced := false
	if t.paired && tip != "" {
		on, err := t.repo.IsAncestor(ctx, t.pair.Commit, tip)
		if err != nil {
			return err
		}
		replaced = !on && !force
	}
	for range attempts {
		done, err := t.tryImport(ctx, tip, replaced)
		if err != nil || done {
			return err
		}
	}
	return errs.E(errs.Internal, "the space was changed during each attempt to import; try again")
}

// fetch returns the newest commit of the branch. For an empty repository it returns "" if
// the request forces the import.
func (t *task) fetch(ctx context.Context) (string, error) {
	w := git.Want{Files: smallFile}
	if t.paired {
		w = git.Want{Have: t.pair.Commit}
	}
	tip, err := t.repo.Fetch(ctx, w, git.Progress(t.step(ctx)))
	if git.ReasonOf(err) == git.Empty && t.o.Request.Force {
		return "", nil
	}
	return tip, err
}

// tryImport makes one attempt of the import. It returns false if the space changed
// concurrently and the import has to be repeated.
func (t *task) tryImport(ctx context.Context, tip string, replaced bool) (done bool, err error) {
	if err := t.stage(ctx, docs.GitProcess); err != nil {
		return false, err
	}
	sp, err := t.s.Store.Space(ctx, t.o.Space)
	if err != nil {
		return false, err
	}
	from := sp.It.Revision
	if t.paired {
		from = t.pair.Revision
	}
	base, err := t.s.Content.Source.At(ctx, t.s.Store.Reader, sp.It, from)
	if err != nil {
		return false, err
	}
	up, err := t.upstream(ctx, tip)
	if err != nil {
		return false, err
	}
	known := t.found
	imported, err := t.s.Content.Exchange.Import(ctx, base, up, t.step(ctx))
	if err != nil {
		return false, err
	}
	defer imported.Discard(ctx)
	if imported.Empty && !t.o.Request.Force {
		return false, &failed{string(git.Empty), "there are no pages at " + t.where() + ", so the import would empty the space; use force to do that"}
	}
	if err := t.s.Content.CheckSpecs(ctx, t.g, imported.Draft); errs.Is(err, errs.Forbidden) {
		return false, &failed{ReasonForbidden, errs.Message(err)}
	} else if err != nil {
		return false, err
	}
	t.problems(imported.Problems)
	defer func() {
		if !done {
			t.found = known
		}
	}()
	l := &incoming{task: t, tip: tip, imported: imported, replaced: replaced, base: base, up: up}
	if tip != "" {
		c, err := t.repo.Describe(ctx, tip)
		if err != nil {
			return false, err
		}
		l.commit = &docs.GitCommit{OID: tip, Message: c.Message, Ref: t.o.Remote.Ref, URL: commitURL(t.o.Request.CommitURL, tip)}
	}
	if err := t.stage(ctx, docs.GitFinalize); err != nil {
		return false, err
	}
	return l.apply(ctx)
}

// where describes the imported folder in messages.
func (t *task) where() string {
	if t.o.Remote.Directory == "" {
		return "the top of the repository"
	}
	return t.o.Remote.Directory + " in the repository"
}

func commitURL(prefix, oid string) string {
	if prefix == "" {
		return ""
	}
	return strings.TrimSuffix(prefix, "/") + "/" + oid
}

// upstream returns the remote in the form that package exchange imports from.
func (t *task) upstream(ctx context.Context, tip string) (exchange.Upstream, error) {
	dir := t.o.Remote.Directory
	paths := map[string]string{} // by object name, for messages
	up := exchange.Upstream{
		List: func(ctx context.Context) ([]exchange.UpstreamFile, error) {
			if tip == "" {
				return nil, nil
			}
			entries, problems, err := t.repo.Tree(ctx, tip, dir)
			if err != nil {
				if errs.Is(err, errs.NotFound) {
					err = &failed{"no-directory", "there is no folder " + dir + " in the repository"}
				}
				return nil, err
			}
			t.gitProblems(problems)
			out := make([]exchange.UpstreamFile, len(entries))
			for i, e := range entries {
				out[i] = exchange.UpstreamFile{Path: e.Path, OID: e.OID}
				paths[e.OID] = e.Path
			}
			return out, nil
		},
		Read: func(ctx context.Context, oids []string, each func(string, int64, io.Reader) error) error {
			return t.repo.Blobs(ctx, oids, git.Progress(t.step(ctx)), func(b git.Blob) error {
				file := path.Join(dir, paths[b.OID])
				switch {
				case b.LFS != nil:
					t.problem(docs.GitProblem{File: file, Code: "lfs", Message: "the file is stored with Git LFS, which is not supported; it is left out"})
					return each(b.OID, b.Size, nil)
				case b.Data == nil:
					t.problem(docs.GitProblem{File: file, Code: "too-large", Message: "the file is too large (" + markup.BytesText(b.Size) + "); it is left out"})
				}
				return each(b.OID, b.Size, b.Data)
			})
		},
	}
	if !t.paired || tip == "" {
		return up, nil
	}
	deltas, problems, err := t.repo.Diff(ctx, t.pair.Commit, tip, dir)
	if err != nil {
		known, failed := t.repo.IsAncestor(ctx, t.pair.Commit, tip)
		if failed != nil {
			return up, failed
		}
		if known {
			return up, err
		}
		// The commit is no longer in the repository or in the cache, so all files are
		// compared.
		return up, nil
	}
	t.gitProblems(problems)
	if up.Paired = true; t.pair.NotImported {
		up.AtLeast = exchange.WholeFolder
	}
	for _, d := range deltas {
		up.Changed = append(up.Changed, exchange.UpstreamChange{Path: d.Path, Old: d.Old, New: d.New})
		paths[d.New] = d.Path
	}
	return up, nil
}

func (t *task) gitProblems(list []git.Problem) {
	for _, p := range list {
		t.problem(docs.GitProblem{File: path.Join(t.o.Remote.Directory, p.Path), Code: p.Code, Message: p.Message})
	}
}

// putPair stores the last commit and revision that both sides have in common.
func (t *task) putPair(ctx context.Context, tx *store.Tx, p docs.GitPair) error {
	p.Space, p.Remote, p.UpdatedAt = t.o.Space, t.o.Remote, tx.Now()
	p.Timestamp = max(p.Timestamp, t.o.Request.Timestamp)
	return tx.PutGitPair(ctx, p)
}

// incoming is an imported revision that has to be committed to the space.
type incoming struct {
	*task
	tip      string
	base     *revision.View // the revision that the import is based on
	up       exchange.Upstream
	imported *exchange.Imported
	commit   *docs.GitCommit
	replaced bool
}

func (l *incoming) apply(ctx context.Context) (bool, error) {
	switch request, err := l.openRequest(ctx); {
	case err != nil:
		return false, err
	case l.o.Request.Standalone:
		return true, l.standalone(ctx)
	case request != nil:
		return true, l.addToRequest(ctx, *request)
	case l.replaced:
		return true, l.storeForReview(ctx, ReasonReplaced)
	}
	replaces, err := l.replacesUniqueText(ctx)
	if err != nil {
		return false, err
	}
	if replaces {
		return true, l.storeForReview(ctx, ReasonFirst)
	}
	done, err := l.commitToSpace(ctx)
	if err != nil || done {
		return done, err
	}
	if !l.paired {
		return false, nil // it replaces all content, so it must be based on the newest revision
	}
	return true, l.mergeIntoSpace(ctx)
}

// replacesUniqueText reports whether the first import of a connection would replace text
// that exists nowhere else. This needs a decision of a person, because connections run
// unattended.
func (l *incoming) replacesUniqueText(ctx context.Context) (bool, error) {
	if l.paired || !l.o.Request.Connected || l.o.Request.Force || !l.imported.Changes() {
		return false, nil
	}
	if elsewhere, err := l.s.Store.IsInGit(ctx, l.o.Space, l.base.Rev.ID); err != nil || elsewhere {
		return false, err
	}
	return l.base.HasText(ctx)
}

// openRequest returns the open change request with an earlier import that could not be
// merged, or nil.
func (t *task) openRequest(ctx context.Context) (*docs.ChangeRequest, error) {
	if !t.paired || t.pair.Request == "" {
		return nil, nil
	}
	cr, err := t.s.Store.ChangeRequest(ctx, t.o.Space, string(t.pair.Request))
	if errs.Is(err, errs.NotFound) || err == nil && content.Editable(cr) != nil {
		return nil, nil
	}
	return &cr, err
}

// revision returns the metadata of the imported revision.
func (l *incoming) revision() docs.Revision {
	rev := docs.Revision{Type: docs.RevisionEdits, Message: "Import from git", Git: l.commit}
	if l.commit != nil {
		if subject, _, _ := strings.Cut(l.commit.Message, "\n"); subject != "" {
			rev.Message = git.OneLine(subject)
		}
	}
	return rev
}

// beside prepares the revision outside of the history of the space.
func (l *incoming) beside(ctx context.Context) (*content.Prepared, error) {
	return l.s.Content.Prepare(ctx, l.g, content.Heads{Space: l.g.Space}, content.Beside{Draft: l.imported.Draft, Revision: l.revision()})
}

// standalone stores the revision without changing the space.
func (l *incoming) standalone(ctx context.Context) error {
	p, err := l.beside(ctx)
	if err != nil {
		return err
	}
	return l.end(ctx, "", "", func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		done, err := l.s.Content.Commit(ctx, tx, g, content.Heads{Space: g.Space}, p)
		o.Commit, o.Revision = l.tip, done.Revision.ID
		return o, err
	})
}

// commitToSpace makes the import the newest revision of the space. It returns false if
// the space has changed since the base of the import.
func (l *incoming) commitToSpace(ctx context.Context) (done bool, err error) {
	sp, err := l.s.Store.Space(ctx, l.o.Space)
	if err != nil || sp.It.Revision != l.base.Rev.ID {
		return false, err
	}
	p, err := l.s.Content.Prepare(ctx, l.g, content.Heads{Space: sp.It}, content.Import{Taken: l.imported, Revision: l.revision()})
	if err != nil {
		return false, err
	}
	names, err := l.changedBlobNames(ctx, p)
	if err != nil {
		return false, err
	}
	err = l.inTx(ctx, func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		made, err := l.s.Content.Commit(ctx, tx, g, content.Heads{Space: g.Space}, p)
		if err != nil {
			return o, err
		}
		if err := l.storeBlobNames(ctx, tx, names); err != nil {
			return o, err
		}
		rev := made.Revision.ID
		o.Commit, o.Revision = l.tip, rev
		if l.tip != "" {
			if err := l.putPair(ctx, tx, docs.GitPair{Commit: l.tip, Revision: rev, Line: rev, Timestamp: l.pair.Timestamp}); err != nil {
				return o, err
			}
		}
		reason := ""
		if rev == l.base.Rev.ID {
			reason = ReasonUnchanged
		}
		return l.complete(ctx, tx, g, o, docs.GitSuccess, reason, "")
	})
	if errors.Is(err, content.ErrMoved) {
		return false, nil
	}
	return err == nil, err
}

// storeFork stores the revision outside of the history of the space, so that it can be
// merged.
func (l *incoming) storeFork(ctx context.Context) (content.Fork, error) {
	p, err := l.beside(ctx)
	if err != nil {
		return content.Fork{}, err
	}
	names, err := l.changedBlobNames(ctx, p)
	if err != nil {
		return content.Fork{}, err
	}
	return authz.InTx(ctx, l.s.Store, l.g, func(tx *store.Tx, g *authz.Grant) (content.Fork, error) {
		done, err := l.s.Content.Commit(ctx, tx, g, content.Heads{Space: g.Space}, p)
		if err != nil {
			return content.Fork{}, err
		}
		return content.Fork{Base: l.base.Rev.ID, Tip: done.Revision.ID}, l.storeBlobNames(ctx, tx, names)
	})
}

// changedBlobNames returns the git objects of pages and files that the import changed.
// They replace the objects that exports stored.
func (l *incoming) changedBlobNames(ctx context.Context, p *content.Prepared) ([]docs.GitBlob, error) {
	if !l.up.Paired {
		return nil, nil
	}
	defer p.Hold()()
	return l.s.Content.Exchange.ImportedBlobs(ctx, p.Tree(), l.up.Changed)
}

// storeBlobNames stores the git objects of pages and files.
func (l *incoming) storeBlobNames(ctx context.Context, tx *store.Tx, names []docs.GitBlob) error {
	if !l.up.Paired { // all files were read, and their object names are in the revision
		return tx.DropGitBlobs(ctx, l.o.Space)
	}
	return tx.PutGitBlobs(ctx, l.o.Space, names)
}

// mergeIntoSpace merges the import into a space that has changes of its own. It opens a
// change request if there are conflicts.
func (l *incoming) mergeIntoSpace(ctx context.Context) error {
	fork, err := l.storeFork(ctx)
	if err != nil {
		return err
	}
	conflict, err := retry(ctx, l, func(sp docs.Space) (bool, error) {
		p, err := l.s.Content.Prepare(ctx, l.g, content.Heads{Space: sp}, content.Merge{Direction: merge.FromRepository, Fork: fork, Revision: l.revision()})
		if err != nil || len(p.Conflicts()) > 0 {
			return true, err
		}
		return false, l.mergeFork(ctx, fork, p)
	})
	if err == nil && conflict {
		return l.openConflictRequest(ctx, fork, ReasonConflict)
	}
	return err
}

// retry calls try again as long as the space changes concurrently.
func retry[T any](ctx context.Context, l *incoming, try func(sp docs.Space) (T, error)) (T, error) {
	sp, err := l.s.Store.Space(ctx, l.o.Space)
	if err != nil {
		var zero T
		return zero, err
	}
	g := *l.g
	g.Space = sp.It
	return content.Retry(ctx, l.s.Content, &g, try)
}

// mergeFork merges the stored revision into the space.
func (l *incoming) mergeFork(ctx context.Context, fork content.Fork, p *content.Prepared) error {
	return l.inTx(ctx, func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		done, err := l.s.Content.Commit(ctx, tx, g, content.Heads{Space: g.Space}, p)
		if err != nil {
			return o, err
		}
		pair, rev := l.pair, done.Revision.ID
		if pair.Line == g.Space.Revision { // nothing is left to export
			pair.Line = rev
		}
		pair.Commit, pair.Revision, pair.Request, pair.NotImported = l.tip, fork.Tip, "", false
		o.Commit, o.Revision = l.tip, rev
		if err := l.putPair(ctx, tx, pair); err != nil {
			return o, err
		}
		return l.complete(ctx, tx, g, o, docs.GitSuccess, "", "")
	})
}

// storeForReview stores the revision and opens a change request for it.
func (l *incoming) storeForReview(ctx context.Context, reason string) error {
	fork, err := l.storeFork(ctx)
	if err != nil {
		return err
	}
	return l.openConflictRequest(ctx, fork, reason)
}

// openConflictRequest opens a change request with the revision. A person has to decide
// about it.
func (l *incoming) openConflictRequest(ctx context.Context, fork content.Fork, reason string) error {
	what, message := l.describeConflict(branchOf(l.o.Remote.Ref), reason)
	what.Fork = fork
	_, err := retry(ctx, l, func(sp docs.Space) (struct{}, error) {
		update, err := l.s.Reviews.PrepareFork(ctx, l.g, sp, fork)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, l.putConflictRequest(ctx, what, update, reason, message)
	})
	return err
}

func (l *incoming) putConflictRequest(ctx context.Context, what reviews.ForkRequest, update *content.Prepared, reason, message string) error {
	fork := what.Fork
	return l.inTx(ctx, func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		cr, err := l.s.Reviews.OpenFork(ctx, tx, g, what, update)
		if err != nil {
			return o, err
		}
		pair := l.pair
		if !l.paired {
			pair.Line = l.base.Rev.ID
		}
		pair.Commit, pair.Revision, pair.Request, pair.NotImported = l.tip, fork.Tip, cr.ID, false
		o.Commit, o.Revision, o.ChangeRequest = l.tip, fork.Tip, cr.ID
		if err := l.putPair(ctx, tx, pair); err != nil {
			return o, err
		}
		return l.complete(ctx, tx, g, o, docs.GitSuccess, reason, fmt.Sprintf(message, cr.Number))
	})
}

// describeConflict returns the texts of the change request, and the format of the message
// of the operation.
func (l *incoming) describeConflict(branch, reason string) (reviews.ForkRequest, string) {
	const otherwise = " If you archive it, the content of the space stays as it is, and the next export overwrites those commits' changes in the repository."
	switch reason {
	case ReasonReplaced:
		return reviews.ForkRequest{
			Subject:     "Git: " + branch + " was replaced",
			Description: fmt.Sprintf("`%s` was replaced: commit `%s` does not come after `%s`, which was imported last. Merge this request to accept the new state of the branch."+otherwise, branch, l.tip, l.pair.Commit),
		}, "the history of the branch was rewritten, and no longer contains the commit that was imported last; change request %d has the new state: review and merge it"
	case ReasonFirst:
		return reviews.ForkRequest{
			Subject: "Git: take over " + branch,
			Description: fmt.Sprintf("The space has content of its own, and nothing was ever imported from `%s`. This request has the content of the branch at commit `%s`. Merge it to replace the content of the space. If you archive it, the content of the space stays as it is, and the next export "+
				"makes the branch equal to the space: pages that only the branch has are deleted, and remain in its history.", branch, l.tip),
		}, "the space has content of its own, and nothing was ever imported from this branch; change request %d has the content of the branch: merge it to replace the content of the space, or archive it to keep that and export it over the branch"
	}
	return reviews.ForkRequest{
		Subject: "Git: conflicts with " + branch,
		Description: fmt.Sprintf("Commit `%s` of `%s` changed something that was changed in the space too. Resolve the conflicts and merge this request to accept the commit."+
			otherwise, l.tip, branch),
	}, "both sides changed the same content; change request %d has the repository's changes: resolve its conflicts and merge it"
}

// addToRequest merges the revision into the open change request of an earlier import.
func (l *incoming) addToRequest(ctx context.Context, cr docs.ChangeRequest) error {
	fork, err := l.storeFork(ctx)
	if err != nil {
		return err
	}
	_, err = retry(ctx, l, func(sp docs.Space) (struct{}, error) {
		now, err := content.OpenRequest(ctx, l.s.Store.Reader, sp.ID, string(cr.ID))
		if err != nil {
			return struct{}{}, err
		}
		p, err := l.s.Content.Prepare(ctx, l.g, content.Heads{Space: sp, Request: &now}, content.Merge{Direction: merge.IntoRequest, Fork: fork})
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, l.mergeIntoRequest(ctx, now.ID, fork, p)
	})
	return err
}

func (l *incoming) mergeIntoRequest(ctx context.Context, id docs.ChangeRequestID, fork content.Fork, p *content.Prepared) error {
	return l.inTx(ctx, func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		was, err := content.OpenRequest(ctx, tx.Reader, o.Space, string(id))
		if err != nil {
			return o, err
		}
		if was, err = l.s.Reviews.MergeFork(ctx, tx, g, was, p); err != nil {
			return o, err
		}
		pair := l.pair
		pair.Commit, pair.Revision, pair.NotImported = l.tip, fork.Tip, false
		o.Commit, o.Revision, o.ChangeRequest = l.tip, fork.Tip, id
		if err := l.putPair(ctx, tx, pair); err != nil {
			return o, err
		}
		return l.complete(ctx, tx, g, o, docs.GitSuccess, ReasonOpenRequest, fmt.Sprintf("the import was added to change request %d, which has earlier changes of the repository: merge it to accept them", was.Number))
	})
}
