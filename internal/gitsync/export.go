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
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/exchange"
	"github.com/octavo-docs/octavo/internal/git"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
)

// maxCommits is how many commits one export makes. Of more revisions the
// oldest become one commit together.
const maxCommits = 100

// maxLine is how far back the line of a space is followed.
const maxLine = 10_000

// export writes what the space has and the remote does not as commits, one
// for each revision, and pushes them.
func (t *task) export(ctx context.Context) error {
	w := git.Want{}
	if t.paired {
		w.Have = t.pair.Commit
	}
	tip, err := t.repo.Fetch(ctx, w, git.Progress(t.step(ctx)))
	switch git.ReasonOf(err) {
	case git.RefNotFound:
		if err := t.mayBegin(ctx, string(git.RefNotFound), "branch "+branchOf(t.o.Remote.Ref)); err != nil {
			return err
		}
		tip, err = "", nil
	case git.Empty:
		tip, err = "", nil
	}
	if err != nil {
		return err
	}
	if err := t.stage(ctx, docs.GitCheck); err != nil {
		return err
	}
	parked, err := t.parked(ctx)
	if err != nil {
		return err
	}
	if parked != nil {
		// Nothing is wrong: it waits for a person, who was asked already.
		t.o.ChangeRequest = parked.ID
		return t.end(ctx, ReasonParked, fmt.Sprintf("change request %d holds what the repository has; merge or archive it, then export again", parked.Number), nil)
	}
	// An export that was ended behind its push finds its own commit: all is
	// there but our word. Others may have pushed on top of it meanwhile.
	pushed := false
	if tip != "" && t.o.Commit != "" {
		if pushed, err = t.repo.IsAncestor(ctx, t.o.Commit, tip); err != nil && git.ReasonOf(err) == "" {
			return err
		}
	}
	sp, err := t.s.Store.Space(ctx, t.o.Space)
	if err != nil {
		return err
	}
	base, err := t.onto(ctx, sp.It, tip, pushed)
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
	// Of what was there before, only an import tells. Whether that was so of
	// an export that was ended behind its push, nobody knows.
	e.unread = t.paired && t.pair.Unread || base != "" && (!t.paired || base != t.pair.Commit) || pushed
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
		return e.exported(ctx, t.o.Commit)
	case last == tip:
		return e.exported(ctx, tip)
	}
	// Noted before the push, so that it can be told from a push of somebody
	// else if we do not live to see its end.
	t.o.Commit, t.o.Revision = last, head.Rev.ID
	if err := t.stage(ctx, docs.GitFinalize); err != nil {
		return err
	}
	if err := t.repo.Push(ctx, t.o.Remote.Ref, last, tip, t.o.Request.Force); err != nil {
		return err
	}
	return e.exported(ctx, last)
}

// onto returns the commit that the export goes on top of: what both sides had
// in common, or what came after it if that does not concern the space.
func (t *task) onto(ctx context.Context, sp docs.Space, tip string, pushed bool) (string, error) {
	if !t.paired || tip == t.pair.Commit {
		return tip, nil
	}
	if _, err := t.repo.IsAncestor(ctx, t.pair.Commit, t.pair.Commit); git.ReasonOf(err) != "" {
		t.paired = false // it is nowhere any more
		return tip, nil
	} else if err != nil {
		return "", err
	}
	switch {
	case pushed || t.o.Request.Force:
		return t.pair.Commit, nil
	case tip == "":
		return "", &failed{string(git.RefNotFound), "the branch " + branchOf(t.o.Remote.Ref) + " is not in the repository any more; connect the one that is used now, or use force to make it again"}
	}
	on, err := t.repo.IsAncestor(ctx, t.pair.Commit, tip)
	if err != nil {
		return "", err
	}
	if concerns, err := t.concerns(ctx, sp, tip); err != nil || on && !concerns {
		return tip, err
	}
	return "", &failed{string(git.NotFastForward), "the branch has commits that the space has not; import them first; force would remove them from the branch"}
}

// concerns reports whether commits that came after what both sides had in
// common have changed anything of the space.
func (t *task) concerns(ctx context.Context, sp docs.Space, tip string) (bool, error) {
	v, err := t.s.Content.Source.At(ctx, t.s.Store.Reader, sp, t.pair.Revision)
	if err != nil {
		return true, err
	}
	deltas, _, err := t.repo.Diff(ctx, t.pair.Commit, tip, t.o.Remote.Directory)
	if err != nil {
		return true, err
	}
	for _, d := range deltas {
		if is, err := exchange.Holds(ctx, v, d.Path); err != nil || is {
			return true, err
		}
	}
	return false, nil
}

func branchOf(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/")
}

// exported notes that both sides are the same.
func (e *exporting) exported(ctx context.Context, commit string) error {
	reason := ""
	if e.paired && commit == e.pair.Commit {
		reason = ReasonUnchanged
	}
	files := slices.Collect(maps.Values(e.final))
	names, err := e.s.Content.Exchange.NamesWritten(ctx, e.head, files)
	if err != nil {
		return err
	}
	claims, err := exchange.Claims(ctx, e.head, files)
	if err != nil {
		return err
	}
	e.unread = e.unread || claims
	head := e.head.Rev.ID
	e.o.Commit, e.o.Revision = commit, head
	return e.end(ctx, reason, "", func(tx *store.Tx, _ *authz.Grant) error {
		for _, m := range e.made {
			if err := tx.PutGitCommit(ctx, e.o.Space, m.revision, m.commit); err != nil {
				return err
			}
		}
		if err := tx.PutGitBlobs(ctx, e.o.Space, names); err != nil {
			return err
		}
		if info, ok, err := tx.GitInfo(ctx, e.o.Space); err != nil {
			return err
		} else if ok { // whoever keeps what he read looks again
			info.UpdatedAt = tx.Now()
			if err := tx.PutGitInfo(ctx, e.o.Space, info); err != nil {
				return err
			}
		}
		return e.putPair(ctx, tx, docs.GitPair{Commit: commit, Revision: head, Line: head, Timestamp: e.pair.Timestamp, Unread: e.unread})
	})
}

// exporting makes the commits of an export.
type exporting struct {
	*task
	head  *revision.View
	from  *revision.View               // what both sides had in common
	final map[string]exchange.Outgoing // what differs at the end, by path
	now   map[string]string            // what the commits have so far, of those paths
	made  []madeCommit
	// unread says that the commits go on from files that nobody looked at.
	unread bool
}

type madeCommit struct {
	revision docs.RevisionID
	commit   docs.GitCommit
}

// plan finds out which files differ between what both sides had in common
// and the newest revision.
func (e *exporting) plan(ctx context.Context, tip string) error {
	var all []exchange.Outgoing
	var err error
	if e.paired {
		if e.from, err = e.s.Content.Source.At(ctx, e.s.Store.Reader, e.head.Space, e.pair.Revision); err != nil {
			return err
		}
		if all, err = e.s.Content.Exchange.Outgoing(ctx, e.from, e.head); err != nil {
			return err
		}
	} else {
		if all, err = e.s.Content.Exchange.Outputs(ctx, e.head); err != nil {
			return err
		}
		if tip != "" && !e.o.Request.Force {
			if err := e.mayReplace(ctx, tip, all); err != nil {
				return err
			}
		}
	}
	e.final = make(map[string]exchange.Outgoing, len(all))
	for _, o := range all {
		e.final[o.Path] = o
		e.now[o.Path] = o.Old
	}
	return nil
}

// mayBegin refuses to make a branch or a folder for a connection that was to
// import first: it is rather a typing mistake than a new place.
func (t *task) mayBegin(ctx context.Context, reason, what string) error {
	if t.paired || !t.o.Request.Connected || t.o.Request.Force {
		return nil
	}
	c, ok, err := t.s.Store.GitConnection(ctx, t.o.Space)
	if err != nil || !ok || c.Direction != docs.GitSyncBoth {
		return err
	}
	return &failed{reason, "there is no " + what + " in the repository; correct the connection, or make it by an export of your own (POST …/git/export)"}
}

// mayReplace refuses to write over a branch that the space knows nothing of.
func (e *exporting) mayReplace(ctx context.Context, tip string, all []exchange.Outgoing) error {
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

// mayAdd refuses to write over files that the repository has and the space
// has not, because an import left them out: large ones, links, twins in case.
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
	return &failed{ReasonNotEmpty, fmt.Sprintf("the repository has %d files under names of new pages or files, which imports left out, such as %s; "+
		"give the pages other addresses, or use force to replace the files", len(there), there[0])}
}

// write makes the commits on top of one and returns the last.
func (e *exporting) write(ctx context.Context, base string) (string, error) {
	line, err := e.line(ctx)
	if err != nil {
		return "", err
	}
	// Where something was imported in between, a revision may have what was
	// not the whole truth later: of such a file only the end is written.
	mixed := len(line) > 0 && line[0].from.Rev.Root != e.from.Rev.Root
	last := base
	for i, step := range line {
		e.step(ctx)("commits", i, len(line))
		if i == len(line)-1 { // all that is left, whoever brought it
			return e.commit(ctx, last, step.to, e.left())
		}
		changed, err := e.s.Content.Exchange.Outgoing(ctx, step.from, step.to)
		if err != nil {
			return "", err
		}
		if !mixed {
			if err := e.between(ctx, base, changed); err != nil {
				return "", err
			}
		}
		if last, err = e.commit(ctx, last, step.to, e.of(changed, mixed)); err != nil {
			return "", err
		}
	}
	return e.commit(ctx, last, e.head, e.left())
}

// left returns what is not written yet.
func (e *exporting) left() []exchange.Outgoing {
	var out []exchange.Outgoing
	for _, name := range slices.Sorted(maps.Keys(e.final)) {
		if o := e.final[name]; e.now[name] != o.New {
			out = append(out, o)
			e.now[name] = o.New
		}
	}
	return out
}

// between takes files in that are there for a while and gone at the end, as
// those of a page that was renamed twice: each commit has all that its
// SUMMARY.md names. It leaves out what the repository has under such a name.
func (e *exporting) between(ctx context.Context, base string, changed []exchange.Outgoing) error {
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
			e.final[o.Path] = exchange.Outgoing{Path: o.Path}
			e.now[o.Path] = ""
		}
	}
	return nil
}

// of returns those of the changes of a revision that are to be written.
func (e *exporting) of(changed []exchange.Outgoing, mixed bool) []exchange.Outgoing {
	var out []exchange.Outgoing
	for _, o := range changed {
		final, differs := e.final[o.Path]
		if !differs || e.now[o.Path] == o.New { // the end is what the remote has, or this is
			continue
		}
		if o.New != final.New && (mixed || e.now[o.Path] != o.Old) {
			continue // a later revision has it
		}
		e.now[o.Path] = o.New
		out = append(out, o)
	}
	return out
}

// commit writes files as a commit of a revision.
func (e *exporting) commit(ctx context.Context, base string, v *revision.View, files []exchange.Outgoing) (string, error) {
	if len(files) == 0 {
		return base, nil
	}
	said, err := e.says(ctx, v.Rev)
	if err != nil {
		return "", err
	}
	changes := make([]git.Change, len(files))
	for i, o := range files {
		changes[i] = git.Change{Path: path.Join(e.o.Remote.Directory, o.Path), Delete: o.Delete(), Data: o.Data, Open: o.Open}
	}
	commit, err := e.repo.Write(ctx, base, changes, said)
	if err != nil || commit == base {
		return commit, err
	}
	e.made = append(e.made, madeCommit{v.Rev.ID, docs.GitCommit{
		OID: commit, Message: strings.TrimSpace(said.Message), ByOctavo: true, Ref: e.o.Remote.Ref, URL: commitURL(e.o.Request.CommitURL, commit),
	}})
	return commit, nil
}

// stretch is what one commit is made of: one revision, or the oldest ones
// together.
type stretch struct{ from, to *revision.View }

// line returns the revisions that the remote has not seen, oldest first. What
// was imported comes from there.
func (e *exporting) line(ctx context.Context) ([]stretch, error) {
	if !e.paired {
		return nil, nil
	}
	var line []stretch
	at := e.head
	for n := 0; at.Rev.ID != e.pair.Line; n++ {
		if len(at.Rev.Parents) == 0 || n == maxLine {
			return nil, nil // all of it is one commit
		}
		before, err := e.s.Content.Source.At(ctx, e.s.Store.Reader, e.head.Space, at.Rev.Parents[0])
		if err != nil {
			return nil, err
		}
		if c := at.Rev.Git; c == nil || c.ByOctavo {
			line = append(line, stretch{before, at})
		}
		at = before
	}
	slices.Reverse(line)
	if more := len(line) - maxCommits; more > 0 {
		line[more] = stretch{line[0].from, line[more].to}
		line = line[more:]
	}
	return line, nil
}

// says returns what a commit says of a revision: who changed it and why.
func (e *exporting) says(ctx context.Context, rev docs.Revision) (git.Commit, error) {
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

// person returns how somebody is named in a commit.
func (e *exporting) person(ctx context.Context, id docs.UserID) (git.Person, error) {
	u, err := e.s.Store.User(ctx, id)
	if errs.Is(err, errs.NotFound) {
		return git.Person{Name: "Octavo"}, nil
	}
	return git.Person{Name: u.DisplayName, Email: string(u.Email)}, err
}

// message is what a template for commit messages can name.
type message struct{ number, subject, space, author, revision string }

// messageOf fills a template. What is put in is one line, so that a title
// adds neither lines nor trailers. A revision that was made without a change
// request has no number: where the template asks for one, it stays out.
func messageOf(template string, m message) string {
	subject := said(m.subject)
	if m.number == "" && strings.Contains(template, "{change_request_number}") {
		if subject == "" {
			return "Update " + said(m.space)
		}
		return subject
	}
	if subject == "" {
		subject = "No subject"
	}
	return strings.NewReplacer(
		"{change_request_number}", m.number,
		"{change_request_subject}", subject,
		"{space_title}", said(m.space),
		"{author_name}", said(m.author),
		"{revision}", m.revision,
	).Replace(template)
}

// trailer is how a line begins that says more of a commit than its message.
var trailer = regexp.MustCompile(`^([A-Za-z0-9]+(?:-[A-Za-z0-9]+)+)\s*:`)

// said makes one line of a text of somebody, which is not a trailer also where
// the template has a line for it alone.
func said(s string) string { return trailer.ReplaceAllString(git.OneLine(s), "$1") }
