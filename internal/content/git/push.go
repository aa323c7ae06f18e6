package git

import (
	"context"
	"errors"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// maxRemoteText is the maximum size in bytes of a message of the remote that users see.
const maxRemoteText = 500

// Push sets a ref of the remote to a commit of Write if the ref still points to
// expectedOld. An empty expectedOld means that the ref must not exist. The remote
// compares and sets atomically, so a concurrent push is not lost. Unless force is set,
// expectedOld must be an ancestor of the commit. A short ref is a branch.
func (p *Repo) Push(ctx context.Context, ref, commit, expectedOld string, force bool) error {
	if err := CheckRef(ref); err != nil {
		return err
	}
	if !strings.HasPrefix(ref, "refs/") {
		ref = "refs/heads/" + ref
	}
	if !oidForm.MatchString(commit) || expectedOld != "" && !oidForm.MatchString(expectedOld) {
		return badCommit()
	}
	if known, err := p.has(ctx, commit); err != nil {
		return err
	} else if !known[0] {
		return notFetched(commit)
	}
	if expectedOld != "" && !force {
		after, err := p.IsAncestor(ctx, expectedOld, commit)
		if err != nil {
			return err
		}
		if !after {
			return moved("the commit does not come after the one of the remote")
		}
	}
	out, err := p.git(ctx, call{remote: true, args: []string{
		"push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no",
		"--force-with-lease=" + ref + ":" + expectedOld, "origin", commit + ":" + ref,
	}})
	if err == nil {
		_, err = p.git(ctx, call{args: []string{"update-ref", localRef(ref), commit}})
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return rejection(p.scrub.clean(string(out)), err)
}

func moved(detail string) error {
	return fail(NotFastForward, "the branch was changed on the remote meanwhile; fetch it and try again", detail)
}

// rejection returns the error for the status line that git push --porcelain prints for
// the ref.
func rejection(out string, err error) error {
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "!\t") {
			continue
		}
		fields := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		if len(fields) < 3 {
			break
		}
		why := fields[2]
		switch {
		case strings.HasPrefix(why, "[rejected]"),
			strings.Contains(why, "cannot lock ref"), strings.Contains(why, "failed to lock"),
			strings.Contains(why, "failed to update ref"), strings.Contains(why, "non-fast-forward"),
			strings.Contains(why, "incorrect old value"):
			return moved(why)
		case strings.HasPrefix(why, "[remote rejected]"):
			return fail(Rejected, "the remote rejected the commit: "+remoteText(why, err), detail(err))
		}
	}
	if err == nil || errors.Is(err, errNo) {
		return fail(Internal, "git failed; see the log of the server", out)
	}
	return err
}

// remoteText returns the message of the remote as a single line for users.
func remoteText(why string, err error) string {
	output := []string{strings.TrimSpace(strings.TrimPrefix(why, "[remote rejected]"))}
	for line := range strings.Lines(detail(err)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "remote:"); ok {
			if text = strings.TrimSpace(text); text != "" {
				output = append(output, text)
			}
		}
	}
	return docs.FirstBytes(OneLine(strings.Join(output, " ")), maxRemoteText)
}
