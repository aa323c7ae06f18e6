package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

// maxRecord is the length of a line of a listing, of which the path is most.
// A folder that is deeper than this has no file that could be read.
const maxRecord = 16 << 10

// Entry is a file of a commit.
type Entry struct {
	Path       string // relative to the folder that was listed
	OID        string // of its bytes
	Executable bool
}

// Codes of problems. They are those of documentation folders where those
// have one.
const (
	CodeBadPath   = "bad-path"
	CodeSymlink   = "symlink"
	CodeSubmodule = "submodule"
	CodeCaseTwin  = "case-twin"
	CodeTooMany   = "too-many"
)

// Problem is an entry of a commit that is left out.
type Problem struct {
	Path    string // fit to be shown: shortened, without control characters
	Code    string
	Message string
}

// Tree lists the files below a folder of a commit; "" is all of them, in the
// order of their paths' bytes. What is not a plain file under a plain name is
// not in the list but in the problems: links, submodules, names that some
// system or git itself takes for something else, and files whose names
// differ in case only from one before them.
//
// The sizes of files are not known before Blobs fetched them.
func (p *Repo) Tree(ctx context.Context, commit, dir string) ([]Entry, []Problem, error) {
	if !oidForm.MatchString(commit) {
		return nil, nil, badAddress("has no commit with the name that was asked for")
	}
	object := commit + "^{tree}"
	if dir != "" {
		if why := names.Bad(dir); why != "" {
			return nil, nil, errs.E(errs.Invalid, "the folder %s cannot be read: %s", shown(dir), why)
		}
		object = commit + ":" + dir
	}
	t := &lister{limits: p.limits, folded: map[string]string{}}
	// Folders are listed too: a few that name each other often enough make
	// a listing without end, in which there need not be a single file.
	_, err := p.git(ctx, call{args: []string{"ls-tree", "-r", "-t", "-z", "--full-tree", object}, read: t.read})
	if err == nil {
		if t.left > 0 {
			t.problems = append(t.problems, Problem{Code: CodeTooMany, Message: fmt.Sprintf("%d further problems are not listed", t.left)})
		}
		return t.entries, t.problems, nil
	}
	if ReasonOf(err) != "" && !t.any && dir != "" {
		known, hasErr := p.has(ctx, commit)
		if hasErr == nil && known[0] {
			return nil, nil, errs.Missing("the folder " + shown(dir) + " in the repository was")
		}
	}
	return nil, nil, err
}

type lister struct {
	limits   Limits
	any      bool
	seen     int
	entries  []Entry
	problems []Problem
	left     int
	folded   map[string]string
}

func (t *lister) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, maxRecord)
	for {
		record, err := in.ReadSlice(0)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return fail(TooLarge, "the repository has folders that are nested too deeply", "")
		case err == io.EOF && len(record) == 0:
			return nil
		case err != nil:
			return err
		}
		t.any = true
		if t.seen++; t.seen > t.limits.Entries {
			return fail(TooLarge, fmt.Sprintf("the folder has more than %d files and folders", t.limits.Entries), "")
		}
		head, path, ok := strings.Cut(string(record[:len(record)-1]), "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 3 {
			return fail(Damaged, "the repository has a folder that cannot be read", "")
		}
		t.add(fields[0], path, fields[2])
	}
}

func (t *lister) add(mode, path, oid string) {
	if why := names.Bad(path); why != "" {
		if mode != "040000" { // what is in the folder is reported
			t.problem(path, CodeBadPath, "the file is left out: "+why)
		}
		return
	}
	switch mode {
	case "040000":
		return
	case "120000":
		t.problem(path, CodeSymlink, "symbolic links are not followed; put the file there instead")
		return
	case "160000":
		t.problem(path, CodeSubmodule, "submodules are not fetched; put the files there instead")
		return
	case "100644", "100755", "100664":
	default:
		t.problem(path, CodeBadPath, "the file is left out: it has a mode that is not known")
		return
	}
	folded := names.Fold(path)
	if twin, ok := t.folded[folded]; ok {
		message := "the file is left out: its name differs from " + shown(twin) + " in case only; rename one"
		if twin == path {
			message = "the file is left out: it is there twice"
		}
		t.problem(path, CodeCaseTwin, message)
		return
	}
	t.folded[folded] = path
	t.entries = append(t.entries, Entry{Path: path, OID: oid, Executable: mode == "100755"})
}

func (t *lister) problem(path, code, message string) {
	if len(t.problems) >= t.limits.Problems {
		t.left++
		return
	}
	t.problems = append(t.problems, Problem{Path: shown(path), Code: code, Message: message})
}

// shown makes a path fit for messages.
func shown(path string) string {
	path = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || names.IsMark(r) {
			return '?'
		}
		return r
	}, printable(path))
	if len(path) > names.MaxName {
		path = strings.ToValidUTF8(path[:names.MaxName], "") + "…"
	}
	return path
}
