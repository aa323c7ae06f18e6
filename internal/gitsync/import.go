package gitsync

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/exchange"
	"github.com/octavo-docs/octavo/internal/git"
	"github.com/octavo-docs/octavo/internal/reviews"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
)

const (
	// smallFile is what comes along with the first fetch. Larger files are
	// fetched when it is known that they are wanted.
	smallFile = 1 << 20
	// attempts is how often an import is made again because the space moved
	// while it was made.
	attempts = 5
)

// take imports: it fetches what the remote has, makes a revision of it on top
// of the one that both sides had in common, and lands that in the space.
func (t *task) take(ctx context.Context) error {
	tip, err := t.fetch(ctx)
	if err != nil {
		return err
	}
	if err := t.stage(ctx, docs.GitCheck); err != nil {
		return err
	}
	force := t.o.Request.Force
	if t.paired && tip == t.pair.Commit && !t.pair.Unread && !force && !t.o.Request.Standalone {
		if parked, err := t.parked(ctx); err != nil {
			return err
		} else if parked != nil && !t.o.Request.Connected { // somebody asks, and it is not in the space
			t.o.Commit, t.o.Revision, t.o.ChangeRequest = t.pair.Commit, t.pair.Revision, parked.ID
			return t.end(ctx, ReasonParked, fmt.Sprintf("change request %d holds what the repository has, and nothing was added since: merge it to take it over", parked.Number), nil)
		}
		return t.end(ctx, ReasonUnchanged, "", func(tx *store.Tx, _ *authz.Grant) error {
			t.o.Commit, t.o.Revision = t.pair.Commit, t.pair.Revision
			return t.putPair(ctx, tx, t.pair)
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
		done, err := t.land(ctx, tip, replaced)
		if err != nil || done {
			return err
		}
	}
	return errs.E(errs.Internal, "the space kept changing while the import was made")
}

// fetch returns the commit that the remote has now; none is an empty repository
// that the caller insists on.
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

// land makes the import once. It is not done if the space has moved on
// meanwhile in a way that makes it worthless.
func (t *task) land(ctx context.Context, tip string, replaced bool) (done bool, err error) {
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
	taken, err := t.s.Content.Exchange.Import(ctx, base, up, t.step(ctx))
	if err != nil {
		return false, err
	}
	defer taken.Discard(ctx)
	if taken.Empty && !t.o.Request.Force {
		return false, &failed{string(git.Empty), "there are no pages at " + t.where() + ", and the space would be empty; use force if that is what you want"}
	}
	t.problems(taken.Problems)
	defer func() {
		if !done {
			t.found = known
		}
	}()
	l := &landing{task: t, tip: tip, taken: taken, replaced: replaced, base: base, up: up}
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
	return l.do(ctx)
}

// where tells people which folder is meant.
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

// upstream returns the remote as content reads it.
func (t *task) upstream(ctx context.Context, tip string) (exchange.Upstream, error) {
	dir := t.o.Remote.Directory
	paths := map[string]string{} // by object, for people
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
					t.problem(docs.GitProblem{File: file, Code: "lfs", Message: "the file is kept with Git LFS, from where nothing is fetched; it is left out"})
					return each(b.OID, b.Size, nil)
				case b.Data == nil:
					t.problem(docs.GitProblem{File: file, Code: "too-large", Message: fmt.Sprintf("the file has %d MB, which is too large; it is left out", b.Size>>20)})
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
		if known, _ := t.repo.IsAncestor(ctx, t.pair.Commit, tip); known || ctx.Err() != nil {
			return up, err
		}
		// The commit is gone from the repository and from the cache: all is
		// compared.
		return up, nil
	}
	t.gitProblems(problems)
	if up.Paired = true; t.pair.Unread {
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

// putPair remembers what both sides have in common.
func (t *task) putPair(ctx context.Context, tx *store.Tx, p docs.GitPair) error {
	p.Space, p.Remote, p.UpdatedAt = t.o.Space, t.o.Remote, tx.Now()
	p.Timestamp = max(p.Timestamp, t.o.Request.Timestamp)
	return tx.PutGitPair(ctx, p)
}

// landing brings a taken revision into the space.
type landing struct {
	*task
	tip      string
	base     *revision.View // what was taken is made on
	up       exchange.Upstream
	taken    *exchange.Imported
	commit   *docs.GitCommit
	replaced bool
}

func (l *landing) do(ctx context.Context) (bool, error) {
	switch parked, err := l.parked(ctx); {
	case err != nil:
		return false, err
	case l.o.Request.Standalone:
		return true, l.standalone(ctx)
	case parked != nil:
		return true, l.intoParked(ctx, *parked)
	case l.replaced:
		return true, l.aside(ctx, ReasonReplaced)
	}
	own, err := l.own(ctx)
	if err != nil {
		return false, err
	}
	if own {
		return true, l.aside(ctx, ReasonFirst)
	}
	done, err := l.direct(ctx)
	if err != nil || done {
		return done, err
	}
	if !l.paired {
		return false, nil // it replaces what there is, so it must be made on what there is
	}
	return true, l.merged(ctx)
}

// own reports whether a connection that has never imported anything would
// replace words that are nowhere else. Nobody looks on when it does.
func (l *landing) own(ctx context.Context) (bool, error) {
	if l.paired || !l.o.Request.Connected || l.o.Request.Force || !l.taken.Changes() {
		return false, nil
	}
	if elsewhere, err := l.s.Store.IsInGit(ctx, l.o.Space, l.base.Rev.ID); err != nil || elsewhere {
		return false, err
	}
	return l.base.HasWords(ctx)
}

// parked returns the open change request that holds what came before, if there
// is one.
func (t *task) parked(ctx context.Context) (*docs.ChangeRequest, error) {
	if !t.paired || t.pair.Parked == "" {
		return nil, nil
	}
	cr, err := t.s.Store.ChangeRequest(ctx, t.o.Space, string(t.pair.Parked))
	if errs.Is(err, errs.NotFound) || err == nil && content.Editable(cr) != nil {
		return nil, nil
	}
	return &cr, err
}

// revision says what the revision of the import is.
func (l *landing) revision() docs.Revision {
	rev := docs.Revision{Type: docs.RevisionEdits, Message: "Import from git", Git: l.commit}
	if l.commit != nil {
		if subject, _, _ := strings.Cut(l.commit.Message, "\n"); subject != "" {
			rev.Message = git.OneLine(subject)
		}
	}
	return rev
}

// standalone stores the revision and moves nothing.
func (l *landing) standalone(ctx context.Context) error {
	return l.end(ctx, "", "", func(tx *store.Tx, g *authz.Grant) error {
		rev, err := l.putAside(ctx, tx, g)
		l.o.Commit, l.o.Revision = l.tip, rev.ID
		return err
	})
}

func (l *landing) putAside(ctx context.Context, tx *store.Tx, g *authz.Grant) (docs.Revision, error) {
	rev := l.revision()
	rev.Aside = true
	return l.s.Content.CommitImported(ctx, tx, g, l.taken, rev)
}

// direct lands on a space that has not changed since both sides were the
// same.
func (l *landing) direct(ctx context.Context) (done bool, err error) {
	err = l.inTx(ctx, func(tx *store.Tx, g *authz.Grant) error {
		if done = g.Space.Revision == l.base.Rev.ID; !done { // perhaps only when it is tried again
			return nil
		}
		rev, err := l.s.Content.CommitImported(ctx, tx, g, l.taken, l.revision())
		if err != nil {
			return err
		}
		if err := l.note(ctx, tx, rev); err != nil {
			return err
		}
		l.o.Commit, l.o.Revision = l.tip, rev.ID
		if l.tip != "" {
			if err := l.putPair(ctx, tx, docs.GitPair{Commit: l.tip, Revision: rev.ID, Line: rev.ID, Timestamp: l.pair.Timestamp}); err != nil {
				return err
			}
		}
		reason := ""
		if rev.ID == l.base.Rev.ID {
			reason = ReasonUnchanged
		}
		return l.complete(ctx, tx, g, docs.GitSuccess, reason, "")
	})
	return done, err
}

// store stores the revision beside the line of the space, so that it can be
// merged.
func (l *landing) store(ctx context.Context) (fork content.Fork, err error) {
	err = l.inTx(ctx, func(tx *store.Tx, g *authz.Grant) error {
		rev, err := l.putAside(ctx, tx, g)
		if err != nil {
			return err
		}
		fork = content.Fork{Base: l.base.Rev.ID, Tip: rev.ID}
		return l.note(ctx, tx, rev)
	})
	return fork, err
}

// note notes what git has now in place of what was written to it before.
func (l *landing) note(ctx context.Context, tx *store.Tx, rev docs.Revision) error {
	if !l.up.Paired { // all that was read has its name with it
		return tx.DropGitBlobs(ctx, l.o.Space)
	}
	v, err := l.s.Content.Source.At(ctx, tx.Reader, l.base.Space, rev.ID)
	if err != nil {
		return err
	}
	names, err := l.s.Content.Exchange.NamesRead(ctx, v, l.up.Changed)
	if err != nil {
		return err
	}
	return tx.PutGitBlobs(ctx, l.o.Space, names)
}

// merged lands on a space that has changes of its own.
func (l *landing) merged(ctx context.Context) error {
	fork, err := l.store(ctx)
	if err != nil {
		return err
	}
	sp, err := l.s.Store.Space(ctx, l.o.Space)
	if err != nil {
		return err
	}
	ahead, err := l.s.Content.PrepareImported(ctx, sp.It, fork)
	if err != nil {
		return err
	}
	if len(ahead.Conflicts()) > 0 {
		return l.park(ctx, fork, ReasonConflict)
	}
	conflict := false
	err = l.inTx(ctx, func(tx *store.Tx, g *authz.Grant) error {
		before := g.Space.Revision
		rev, conflicts, err := l.s.Content.MergeImported(ctx, tx, g, fork, ahead, l.revision())
		if conflict = len(conflicts) > 0; err != nil || conflict {
			return err
		}
		pair := l.pair
		if pair.Line == before { // there is nothing to be exported
			pair.Line = rev.ID
		}
		pair.Commit, pair.Revision, pair.Parked, pair.Unread = l.tip, fork.Tip, "", false
		l.o.Commit, l.o.Revision = l.tip, rev.ID
		if err := l.putPair(ctx, tx, pair); err != nil {
			return err
		}
		return l.complete(ctx, tx, g, docs.GitSuccess, "", "")
	})
	if err == nil && conflict {
		return l.park(ctx, fork, ReasonConflict)
	}
	return err
}

// aside parks what came.
func (l *landing) aside(ctx context.Context, reason string) error {
	fork, err := l.store(ctx)
	if err != nil {
		return err
	}
	return l.park(ctx, fork, reason)
}

// park opens a change request with what came, for a person to decide.
func (l *landing) park(ctx context.Context, fork content.Fork, reason string) error {
	sp, err := l.s.Store.Space(ctx, l.o.Space)
	if err != nil {
		return err
	}
	ahead, err := l.s.Content.PrepareUpdate(ctx, sp.It, docs.ChangeRequest{Ancestor: fork.Base, Revision: fork.Tip})
	if err != nil {
		return err
	}
	branch := branchOf(l.o.Remote.Ref)
	what, message := l.parkedAs(branch, reason)
	what.Fork = fork
	return l.inTx(ctx, func(tx *store.Tx, g *authz.Grant) error {
		cr, err := l.s.Reviews.Park(ctx, tx, g, what, ahead)
		if err != nil {
			return err
		}
		pair := l.pair
		if !l.paired {
			pair.Line = l.base.Rev.ID
		}
		pair.Commit, pair.Revision, pair.Parked, pair.Unread = l.tip, fork.Tip, cr.ID, false
		l.o.Commit, l.o.Revision, l.o.ChangeRequest = l.tip, fork.Tip, cr.ID
		if err := l.putPair(ctx, tx, pair); err != nil {
			return err
		}
		return l.complete(ctx, tx, g, docs.GitSuccess, reason, fmt.Sprintf(message, cr.Number))
	})
}

// parkedAs says what a person has to decide.
func (l *landing) parkedAs(branch, reason string) (reviews.Parked, string) {
	const otherwise = " If you archive it, the content of the space stands, and the next export writes it to the repository over all commits since then."
	switch reason {
	case ReasonReplaced:
		return reviews.Parked{
			Subject:     "Git: " + branch + " was replaced",
			Description: fmt.Sprintf("`%s` was replaced: commit `%s` does not come after `%s`, which was imported last. Merge this request to take over what it has now."+otherwise, branch, l.tip, l.pair.Commit),
		}, "the branch was replaced by one that does not go on from what was imported last; change request %d has what it has now: look at it and merge it"
	case ReasonFirst:
		return reviews.Parked{
			Subject: "Git: take over " + branch,
			Description: fmt.Sprintf("The space has content of its own, and nothing was ever imported from `%s`. This request has what the branch has at commit `%s`. Merge it to replace the content of the space. If you archive it, the content of the space stands, and the next export "+
				"makes the branch what the space is: pages that only the branch has are deleted from it, and stay in its history.", branch, l.tip),
		}, "the space has content of its own, and nothing was ever imported from this branch; change request %d has what the branch has: merge it to replace the content; archive it to keep the content, which is then exported in place of what the branch has"
	}
	return reviews.Parked{
		Subject: "Git: conflicts with " + branch,
		Description: fmt.Sprintf("Commit `%s` of `%s` changed what was changed here too. Resolve the conflicts and merge this request to take it over."+
			otherwise, l.tip, branch),
	}, "both sides changed the same; change request %d has what the repository has: resolve its conflicts and merge it"
}

// intoParked adds what came to the change request that is parked.
func (l *landing) intoParked(ctx context.Context, cr docs.ChangeRequest) error {
	fork, err := l.store(ctx)
	if err != nil {
		return err
	}
	return l.inTx(ctx, func(tx *store.Tx, g *authz.Grant) error {
		was, err := content.OpenRequest(ctx, tx.Reader, l.o.Space, string(cr.ID))
		if err != nil {
			return err
		}
		if was, err = l.s.Reviews.Bring(ctx, tx, g, was, fork); err != nil {
			return err
		}
		pair := l.pair
		pair.Commit, pair.Revision, pair.Unread = l.tip, fork.Tip, false
		l.o.Commit, l.o.Revision, l.o.ChangeRequest = l.tip, fork.Tip, cr.ID
		if err := l.putPair(ctx, tx, pair); err != nil {
			return err
		}
		return l.complete(ctx, tx, g, docs.GitSuccess, ReasonParked, fmt.Sprintf("change request %d holds what the repository has; this was added to it: merge it to take it over", was.Number))
	})
}
