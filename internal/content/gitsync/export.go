package gitsync

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// maxCommits is the maximum number of commits of one export. If there are more revisions,
// the oldest ones are combined into one commit.
const maxCommits = 100

// maxLine is the maximum number of revisions of a space that an export follows back.
const maxLine = 10_000

// export writes the changes that the remote lacks as commits, one for each revision, and
// pushes them.
func (t *task) export(ctx context.Context) error {
	tip, err := t.fetchBranch(ctx)
	if err != nil {
		return err
	}
	if err := t.stage(ctx, docs.GitCheck); err != nil {
		return err
	}
	request, err := t.openRequest(ctx)
	if err != nil {
		return err
	}
	if request != nil {
		// This is not a failure: the change request waits for a decision.
		t.o.ChangeRequest = request.ID
		return t.end(ctx, ReasonOpenRequest, fmt.Sprintf("change request %d has changes of the repository that wait for a decision; merge or archive it, then export again", request.Number), nil)
	}
	pushed, err := t.wasPushed(ctx, tip)
	if err != nil {
		return err
	}
	sp, err := t.s.Store.Space(ctx, t.o.Space)
	if err != nil {
		return err
	}
	base, err := t.exportBase(ctx, sp.It, tip, pushed)
	if err != nil {
		return err
	}
	newest := sp.It.Revision
	if pushed {
		newest = t.o.Revision
	}
	head, err := t.s.Content.Source.At(ctx, t.s.Store.Reader, sp.It, newest)
	if err != nil {
		return err
	}
	if err := t.stage(ctx, docs.GitProcess); err != nil {
		return err
	}
	e := &exporting{task: t, head: head, now: map[string]string{}}
	// Only an import reads the files that the branch had before. If an export was
	// interrupted after its push, it is unknown whether there are any.
	e.notImported = t.paired && t.pair.NotImported || base != "" && (!t.paired || base != t.pair.Commit) || pushed
	if err := e.plan(ctx, tip); err != nil {
		return err
	}
	if err := e.mayAdd(ctx, base); err != nil {
		return err
	}
	last, err := e.write(ctx, base)
	if err != nil {
		return err
	}
	if last == "" {
		return &failed{string(git.Empty), "the space has no pages; there is nothing to export"}
	}
	switch {
	case pushed:
		return e.recordExported(ctx, t.o.Commit)
	case last == tip:
		return e.recordExported(ctx, tip)
	}
	// The commit is stored before the push. If the process is killed now, the next
	// attempt can distinguish it from a push by somebody else.
	t.o.Commit, t.o.Revision = last, head.Rev.ID
	if err := t.stage(ctx, docs.GitFinalize); err != nil {
		return err
	}
	if err := t.repo.Push(ctx, t.o.Remote.Ref, last, tip, t.o.Request.Force); err != nil {
		return err
	}
	return e.recordExported(ctx, last)
}

// fetchBranch returns the newest commit of the branch. It returns "" if the branch does
// not exist and may be created.
func (t *task) fetchBranch(ctx context.Context) (string, error) {
	w := git.Want{}
	if t.paired {
		w.Have = t.pair.Commit
	}
	tip, err := t.repo.Fetch(ctx, w, git.Progress(t.step(ctx)))
	switch git.ReasonOf(err) {
	case git.RefNotFound:
		return "", t.mayBegin(ctx, string(git.RefNotFound), "branch "+branchOf(t.o.Remote.Ref))
	case git.Empty:
		return "", nil
	}
	return tip, err
}

// wasPushed reports whether an earlier attempt of this export was interrupted after its
// push. The repository then contains the commit of that attempt, and only the outcome is
// not stored yet. Others may have pushed on top of the commit since.
func (t *task) wasPushed(ctx context.Context, tip string) (bool, error) {
	if tip == "" || t.o.Commit == "" {
		return false, nil
	}
	return t.repo.IsAncestor(ctx, t.o.Commit, tip)
}

// exportBase returns the parent of the first commit of the export. It is the last commit
// that both sides have in common, or a later one if the commits in between do not affect
// the space.
func (t *task) exportBase(ctx context.Context, sp docs.Space, tip string, pushed bool) (string, error) {
	if !t.paired || tip == t.pair.Commit {
		return tip, nil
	}
	// The cache may have lost the commit, so this does not depend on it.
	if tip == "" && !t.o.Request.Force {
		return "", &failed{string(git.RefNotFound), "the branch " + branchOf(t.o.Remote.Ref) + " was deleted from the repository; connect another branch, or use force to create this one again"}
	}
	if known, err := t.repo.Has(ctx, t.pair.Commit); err != nil {
		return "", err
	} else if !known {
		t.paired = false // the branch was deleted or replaced
		return tip, nil
	}
	if pushed || t.o.Request.Force {
		return t.pair.Commit, nil
	}
	on, err := t.repo.IsAncestor(ctx, t.pair.Commit, tip)
	if err != nil {
		return "", err
	}
	if affects, err := t.affectsSpace(ctx, sp, tip); err != nil || on && !affects {
		return tip, err
	}
	return "", &failed{string(git.NotFastForward), "the branch has commits that were not imported; import them first, or use force to remove them from the branch"}
}

// affectsSpace reports whether the commits after the last common one changed content of
// the space.
func (t *task) affectsSpace(ctx context.Context, sp docs.Space, tip string) (bool, error) {
	v, err := t.s.Content.Source.At(ctx, t.s.Store.Reader, sp, t.pair.Revision)
	if err != nil {
		return true, err
	}
	deltas, _, err := t.repo.Diff(ctx, t.pair.Commit, tip, t.o.Remote.Directory)
	if err != nil {
		return true, err
	}
	for _, d := range deltas {
		if is, err := exchange.IsContent(ctx, v, d.Path); err != nil || is {
			return true, err
		}
	}
	return false, nil
}

func branchOf(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/")
}

// recordExported stores that both sides are now equal.
func (e *exporting) recordExported(ctx context.Context, commit string) error {
	reason := ""
	if e.paired && commit == e.pair.Commit {
		reason = ReasonUnchanged
	}
	files := slices.Collect(maps.Values(e.final))
	names, err := e.s.Content.Exchange.ExportedBlobs(ctx, e.head, files)
	if err != nil {
		return err
	}
	claims, err := exchange.AddsContent(ctx, e.head, files)
	if err != nil {
		return err
	}
	e.notImported = e.notImported || claims
	head := e.head.Rev.ID
	e.o.Commit, e.o.Revision = commit, head
	return e.end(ctx, reason, "", func(tx *store.Tx, _ *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		for _, m := range e.made {
			if err := tx.PutGitCommit(ctx, o.Space, m.revision, m.commit); err != nil {
				return o, err
			}
		}
		if err := tx.PutGitBlobs(ctx, o.Space, names); err != nil {
			return o, err
		}
		if info, ok, err := tx.GitInfo(ctx, o.Space); err != nil {
			return o, err
		} else if ok { // triggers a reload for readers that have the space open
			info.UpdatedAt = tx.Now()
			if err := tx.PutGitInfo(ctx, o.Space, info); err != nil {
				return o, err
			}
		}
		return o, e.putPair(ctx, tx, docs.GitPair{Commit: commit, Revision: head, Line: head, Timestamp: e.pair.Timestamp, NotImported: e.notImported})
	})
}

// exporting holds the state of an export while it writes its commits.
type exporting struct {
	*task
	head  *revision.View
	from  *revision.View                   // the last revision that both sides have in common
	final map[string]exchange.ExportedFile // files that differ between from and head, by path
	now   map[string]string                // object names of these paths in the last commit so far
	made  []madeCommit
	// notImported is set if the commits are based on files that were never imported.
	notImported bool
}

type madeCommit struct {
	revision docs.RevisionID
	commit   docs.GitCommit
}

// plan collects the files that differ between the last common revision and the newest
// one.
func (e *exporting) plan(ctx context.Context, tip string) error {
	var all []exchange.ExportedFile
	var err error
	if e.paired {
		if e.from, err = e.s.Content.Source.At(ctx, e.s.Store.Reader, e.head.Space, e.pair.Revision); err != nil {
			return err
		}
		if all, err = e.s.Content.Exchange.ChangedFiles(ctx, e.from, e.head); err != nil {
			return err
		}
	} else {
		if all, err = e.s.Content.Exchange.AllFiles(ctx, e.head); err != nil {
			return err
		}
		if tip != "" && !e.o.Request.Force {
			if err := e.mayReplace(ctx, tip, all); err != nil {
				return err
			}
		}
	}
	e.final = make(map[string]exchange.ExportedFile, len(all))
	for _, o := range all {
		e.final[o.Path] = o
		e.now[o.Path] = o.Old
	}
	return nil
}

// mayBegin returns an error if a connection that imports first would create a branch or a
// folder. A name that does not exist is probably a typing mistake.
func (t *task) mayBegin(ctx context.Context, reason, what string) error {
	if t.paired || !t.o.Request.Connected || t.o.Request.Force {
		return nil
	}
	c, ok, err := t.s.Store.GitConnection(ctx, t.o.Space)
	if err != nil || !ok || c.Direction != docs.GitSyncBoth {
		return err
	}
	return &failed{reason, "there is no " + what + " in the repository; correct the connection, or create it with a separate export (POST …/git/export)"}
}

// mayReplace returns an error if the export would overwrite files of a branch that was
// never imported.
func (e *exporting) mayReplace(ctx context.Context, tip string, all []exchange.ExportedFile) error {
	entries, _, err := e.repo.Tree(ctx, tip, e.o.Remote.Directory)
	if errs.Is(err, errs.NotFound) {
		return e.mayBegin(ctx, "no-directory", "folder "+e.o.Remote.Directory)
	}
	if err != nil {
		return err
	}
	there := make(map[string]string, len(entries))
	for _, f := range entries {
		there[f.Path] = f.OID
	}
	differ := 0
	for _, o := range all {
		if oid, ok := there[o.Path]; ok && (o.Data == nil || git.BlobOID(o.Data) != oid) {
			differ++
		}
	}
	if differ == 0 {
		return nil
	}
	return &failed{ReasonNotEmpty, fmt.Sprintf("the branch has %d files that differ from those of the space, and nothing was imported from it; import it first, or use force to replace them", differ)}
}

// mayAdd returns an error if new files would overwrite files of the repository that
// imports left out, such as large files, links, or names that differ in case only.
func (e *exporting) mayAdd(ctx context.Context, base string) error {
	if !e.paired || base == "" || e.o.Request.Force {
		return nil
	}
	var fresh []string
	for _, o := range e.final {
		if o.Old == "" && !o.Delete() {
			fresh = append(fresh, path.Join(e.o.Remote.Directory, o.Path))
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	slices.Sort(fresh)
	there, err := e.repo.Present(ctx, base, fresh)
	if err != nil || len(there) == 0 {
		return err
	}
	return &failed{ReasonNotEmpty, fmt.Sprintf("new pages or files have the names of %d files in the repository that imports left out, such as %s; "+
		"rename the pages, or use force to replace the files", len(there), there[0])}
}

// write creates the commits on top of base and returns the last one.
func (e *exporting) write(ctx context.Context, base string) (string, error) {
	line, err := e.missingRevisions(ctx)
	if err != nil {
		return "", err
	}
	// If commits were imported in between, a revision may contain a state of a file that
	// a merge replaced later. Such a file is written only in its newest state.
	mixed := len(line) > 0 && line[0].from.Rev.Root != e.from.Rev.Root
	last := base
	for i, step := range line {
		e.step(ctx)("commits", i, len(line))
		if i == len(line)-1 { // all remaining changes, regardless of their author
			return e.commit(ctx, last, step.to, e.remaining())
		}
		changed, err := e.s.Content.Exchange.ChangedFiles(ctx, step.from, step.to)
		if err != nil {
			return "", err
		}
		if !mixed {
			if err := e.addIntermediateFiles(ctx, base, changed); err != nil {
				return "", err
			}
		}
		if last, err = e.commit(ctx, last, step.to, e.changesToWrite(changed, mixed)); err != nil {
			return "", err
		}
	}
	return e.commit(ctx, last, e.head, e.remaining())
}

// remaining returns the files that are not written in their newest state yet, and marks
// them as written.
func (e *exporting) remaining() []exchange.ExportedFile {
	var out []exchange.ExportedFile
	for _, name := range slices.Sorted(maps.Keys(e.final)) {
		if o := e.final[name]; e.now[name] != o.New {
			out = append(out, o)
			e.now[name] = o.New
		}
	}
	return out
}

// addIntermediateFiles adds files to e.final that exist in some of the commits but not in
// the last one, such as the files of a page that was renamed twice. Each commit then has
// all files that its SUMMARY.md links to. Paths that the repository uses for something
// else are left out.
func (e *exporting) addIntermediateFiles(ctx context.Context, base string, changed []exchange.ExportedFile) error {
	var names []string
	for _, o := range changed {
		if _, differs := e.final[o.Path]; !differs && o.Old == "" {
			names = append(names, path.Join(e.o.Remote.Directory, o.Path))
		}
	}
	if len(names) == 0 {
		return nil
	}
	var there []string
	if base != "" {
		var err error
		if there, err = e.repo.Present(ctx, base, names); err != nil {
			return err
		}
	}
	for _, o := range changed {
		if _, differs := e.final[o.Path]; !differs && o.Old == "" && !slices.Contains(there, path.Join(e.o.Remote.Directory, o.Path)) {
			e.final[o.Path] = exchange.ExportedFile{Path: o.Path}
			e.now[o.Path] = ""
		}
	}
	return nil
}

// changesToWrite returns the changes of a revision that have to be written, and marks
// them as written.
func (e *exporting) changesToWrite(changed []exchange.ExportedFile, mixed bool) []exchange.ExportedFile {
	var out []exchange.ExportedFile
	for _, o := range changed {
		final, differs := e.final[o.Path]
		if !differs || e.now[o.Path] == o.New { // the remote already has the newest state, or this one
			continue
		}
		if o.New != final.New && (mixed || e.now[o.Path] != o.Old) {
			continue // a later commit writes the file
		}
		e.now[o.Path] = o.New
		out = append(out, o)
	}
	return out
}

// commit writes files as the commit of a revision. It returns base if there are no
// changes.
func (e *exporting) commit(ctx context.Context, base string, v *revision.View, files []exchange.ExportedFile) (string, error) {
	if len(files) == 0 {
		return base, nil
	}
	description, err := e.describe(ctx, v.Rev)
	if err != nil {
		return "", err
	}
	changes := make([]git.Change, len(files))
	for i, o := range files {
		changes[i] = git.Change{Path: path.Join(e.o.Remote.Directory, o.Path), Delete: o.Delete(), Data: o.Data, Open: o.Open}
	}
	commit, err := e.repo.Write(ctx, base, changes, description)
	if err != nil || commit == base {
		return commit, err
	}
	e.made = append(e.made, madeCommit{v.Rev.ID, docs.GitCommit{
		OID: commit, Message: strings.TrimSpace(description.Message), ByOctavo: true, Ref: e.o.Remote.Ref, URL: commitURL(e.o.Request.CommitURL, commit),
	}})
	return commit, nil
}

// revisionRange is a range of revisions that becomes one commit: a single revision, or the
// oldest ones combined.
type revisionRange struct{ from, to *revision.View }

// missingRevisions returns the revisions that the remote lacks, oldest first. It leaves
// out imported revisions.
func (e *exporting) missingRevisions(ctx context.Context) ([]revisionRange, error) {
	if !e.paired {
		return nil, nil
	}
	var line []revisionRange
	at := e.head
	for n := 0; at.Rev.ID != e.pair.Line; n++ {
		if len(at.Rev.Parents) == 0 || n == maxLine {
			return nil, nil // everything becomes one commit
		}
		before, err := e.s.Content.Source.At(ctx, e.s.Store.Reader, e.head.Space, at.Rev.Parents[0])
		if err != nil {
			return nil, err
		}
		if c := at.Rev.Git; c == nil || c.ByOctavo {
			line = append(line, revisionRange{before, at})
		}
		at = before
	}
	slices.Reverse(line)
	if more := len(line) - maxCommits; more > 0 {
		line[more] = revisionRange{line[0].from, line[more].to}
		line = line[more:]
	}
	return line, nil
}

// describe returns the author, the date and the message for the commit of a revision.
func (e *exporting) describe(ctx context.Context, rev docs.Revision) (git.Commit, error) {
	author := rev.Author
	subject, number := rev.Message, ""
	if rev.MergedFrom != "" {
		cr, err := e.s.Store.ChangeRequest(ctx, e.o.Space, string(rev.MergedFrom))
		if err != nil && !errs.Is(err, errs.NotFound) {
			return git.Commit{}, err
		}
		if err == nil {
			subject, number, author = cr.Subject, fmt.Sprint(cr.Number), cr.CreatedBy.ID
		}
	}
	who, err := e.person(ctx, author)
	if err != nil {
		return git.Commit{}, err
	}
	by, err := e.person(ctx, rev.Author)
	if err != nil {
		return git.Commit{}, err
	}
	return git.Commit{
		Author: who, Committer: by, When: rev.CreatedAt.Std(),
		Message: messageOf(e.o.Request.Message, message{number: number, subject: subject, space: e.head.Space.Title, author: who.Name, revision: string(rev.ID)}),
	}, nil
}

// person returns the name and the e-mail address of a user for a commit.
func (e *exporting) person(ctx context.Context, id docs.UserID) (git.Person, error) {
	u, err := e.s.Store.User(ctx, id)
	if errs.Is(err, errs.NotFound) {
		return git.Person{Name: "Octavo"}, nil
	}
	return git.Person{Name: u.DisplayName, Email: string(u.Email)}, err
}

// message holds the values that a template for commit messages can use.
type message struct{ number, subject, space, author, revision string }

// messageOf fills in a template. Each value becomes a single line, so that a title cannot
// add lines or trailers. A revision without a change request has no number. If the
// template contains the number, the message is then only the subject.
func messageOf(template string, m message) string {
	subject := oneLine(m.subject)
	if m.number == "" && strings.Contains(template, "{change_request_number}") {
		if subject == "" {
			return "Update " + oneLine(m.space)
		}
		return subject
	}
	if subject == "" {
		subject = "No subject"
	}
	return strings.NewReplacer(
		"{change_request_number}", m.number,
		"{change_request_subject}", subject,
		"{space_title}", oneLine(m.space),
		"{author_name}", oneLine(m.author),
		"{revision}", m.revision,
	).Replace(template)
}

// trailer matches the start of a trailer, such as "Co-authored-by:".
var trailer = regexp.MustCompile(`^([A-Za-z0-9]+(?:-[A-Za-z0-9]+)+)\s*:`)

// oneLine converts text of a user to a single line that git does not parse as a trailer,
// even if the line contains nothing else.
func oneLine(s string) string { return trailer.ReplaceAllString(git.OneLine(s), "$1") }
