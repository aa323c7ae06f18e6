package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Local is a read-only repository on this machine. None of its files are written, none of
// its remotes are called, and no program of its configuration is run. It is safe for
// concurrent use and must be closed.
type Local struct {
	repo *Repo
	// prefix is the path of the opened folder in the repository.
	prefix string
}

// OpenLocal opens the repository that contains a folder. The folder is a checkout, a
// subfolder of a checkout, or a bare repository.
func OpenLocal(ctx context.Context, dir string) (*Local, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	private, err := os.MkdirTemp("", "octavo-git-")
	if err != nil {
		return nil, err
	}
	l := &Local{repo: &Repo{program: path, limits: DefaultLimits, dir: private}}
	if err := l.open(ctx, dir); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Local) open(ctx context.Context, dir string) error {
	if err := os.MkdirAll(l.repo.private("home"), 0o700); err != nil {
		return err
	}
	out, err := l.repo.git(ctx, call{args: []string{"rev-parse", "--absolute-git-dir", "--show-prefix"}, dir: dir})
	switch {
	case strings.Contains(detail(err), "dubious ownership"):
		return fail(Refused, dir+" belongs to another user; run the command as its owner", detail(err))
	case ReasonOf(err) == NotRepository:
		return fail(NotRepository, dir+" is not in a git repository", detail(err))
	case err != nil:
		return err
	}
	gitDir, prefix, ok := strings.Cut(string(out), "\n")
	if !ok || !filepath.IsAbs(gitDir) {
		return fail(NotRepository, dir+" is in a git repository that cannot be read", string(out))
	}
	l.repo.gitDir, l.prefix = gitDir, strings.Trim(prefix, "/\n")
	return nil
}

// Close removes the temporary files of the git program.
func (l *Local) Close() error { return os.RemoveAll(l.repo.dir) }

// Commit returns the commit that a branch, a tag or an abbreviated object name refers to.
func (l *Local) Commit(ctx context.Context, ref string) (string, error) {
	if err := CheckRef(ref); err != nil {
		return "", err
	}
	out, err := l.repo.git(ctx, call{args: []string{"rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"}})
	if errors.Is(err, errNo) || strings.Contains(detail(err), "expected commit type") {
		return "", fail(RefNotFound, fmt.Sprintf("there is no branch, tag or commit %q in the repository", ref), "")
	}
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(out))
	if !oidForm.MatchString(commit) {
		return "", errs.E(errs.Invalid, "the repository uses SHA-256 object names, which are not supported; use a repository with SHA-1")
	}
	return commit, nil
}

// Tree lists the files of a commit below the opened folder; see Repo.Tree.
func (l *Local) Tree(ctx context.Context, commit string) ([]Entry, []Problem, error) {
	return l.repo.Tree(ctx, commit, l.prefix)
}

// Sizes returns the sizes of files in bytes, by object name.
func (l *Local) Sizes(ctx context.Context, oids []string) (map[string]int64, error) {
	for _, oid := range oids {
		if !oidForm.MatchString(oid) {
			return nil, fail(Damaged, "the repository has an object name that is not valid; check it with git fsck", "")
		}
	}
	if len(oids) == 0 {
		return nil, nil
	}
	return l.repo.sizes(ctx, oids)
}

// Blobs reads files; see Repo.Blobs. It does not fetch files that are missing in a
// partial clone.
func (l *Local) Blobs(ctx context.Context, oids []string, each func(Blob) error) error {
	return l.repo.Blobs(ctx, oids, nil, each)
}

// missingLocally returns the error for files that are missing in a local repository.
func missingLocally(files int) error {
	return fail(Damaged, fmt.Sprintf("%d files of the commit are not in the repository; if it is a partial clone, check the commit out once", files), "")
}
