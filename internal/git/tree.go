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

// maxListing is the length of all of them. A few folders with long names in
// each other are half a million long paths.
const maxListing = 100 << 20

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
		return t.entries, t.reported(), nil
	}
	if ReasonOf(err) != "" && !t.any && dir != "" {
		known, hasErr := p.has(ctx, commit)
		if hasErr == nil && known[0] {
			return nil, nil, errs.Missing("the folder " + shown(dir) + " in the repository was")
		}
	}
	return nil, nil, err
}

// Delta is a file that differs between two commits. The old or the new OID
// is empty if the file is in one of them only.
type Delta struct {
	Path       string // relative to the folder that was compared
	Old, New   string
	Executable bool // in the new commit
}

// emptyTree is a folder without files, which every repository has.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Diff lists the files below a folder that differ between two commits. It
// costs what differs, not what there is. A folder that is in one commit only
// is empty in the other. Problems are those of the new commit, as Tree has
// them, except that a file is compared in case with other files of the list
// only.
func (p *Repo) Diff(ctx context.Context, from, to, dir string) ([]Delta, []Problem, error) {
	trees := [2]string{from, to}
	for i, commit := range trees {
		if !oidForm.MatchString(commit) {
			return nil, nil, badAddress("has no commit with the name that was asked for")
		}
		trees[i] = commit + "^{tree}"
	}
	if dir != "" {
		if why := names.Bad(dir); why != "" {
			return nil, nil, errs.E(errs.Invalid, "the folder %s cannot be read: %s", shown(dir), why)
		}
		modes, err := p.folders(ctx, dir, from, to)
		if err != nil {
			return nil, nil, err
		}
		for i, commit := range []string{from, to} {
			trees[i] = emptyTree
			if modes[i] {
				trees[i] = commit + ":" + dir
			}
		}
	}
	t := &lister{limits: p.limits, folded: map[string]string{}}
	if _, err := p.git(ctx, call{args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", trees[0], trees[1]}, read: t.readDiff}); err != nil {
		return nil, nil, err
	}
	return t.deltas, t.reported(), nil
}

// folders tells in which commits a path is a folder.
func (p *Repo) folders(ctx context.Context, dir string, commits ...string) ([]bool, error) {
	known, err := p.has(ctx, commits...)
	if err != nil {
		return nil, err
	}
	var in strings.Builder
	for i, commit := range commits {
		if !known[i] {
			return nil, notFetched(commit)
		}
		in.WriteString(commit + ":" + dir + "\n")
	}
	out, err := p.git(ctx, call{args: []string{"cat-file", "--batch-check=%(objecttype)"}, stdin: strings.NewReader(in.String())})
	if err != nil {
		return nil, err
	}
	var is []bool
	for line := range strings.Lines(string(out)) {
		is = append(is, line == "tree\n")
	}
	if len(is) != len(commits) {
		return nil, fail(Internal, "git did not work; see the log of the server", "cat-file gave another number of lines")
	}
	return is, nil
}

type lister struct {
	limits   Limits
	any      bool
	seen     int
	bytes    int
	entries  []Entry
	deltas   []Delta
	problems []Problem
	left     int
	folded   map[string]string
}

// reported gives the problems, and how many there are besides.
func (t *lister) reported() []Problem {
	if t.left > 0 {
		t.problems = append(t.problems, Problem{Code: CodeTooMany, Message: fmt.Sprintf("%d further problems are not listed", t.left)})
	}
	return t.problems
}

// record reads up to the next NUL, or gives io.EOF.
func (t *lister) record(in *bufio.Reader) (string, error) {
	record, err := in.ReadSlice(0)
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fail(TooLarge, "the repository has folders that are nested too deeply", "")
	case err == io.EOF && len(record) > 0:
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	t.any = true
	if t.seen++; t.seen > t.limits.Entries {
		return "", fail(TooLarge, fmt.Sprintf("the folder has more than %d files and folders", t.limits.Entries), "")
	}
	if t.bytes += len(record); t.bytes > maxListing {
		return "", fail(TooLarge, fmt.Sprintf("the paths of the folder have more than %d MB together", maxListing>>20), "")
	}
	return string(record[:len(record)-1]), nil
}

var errListing = fail(Damaged, "the repository has a folder that cannot be read", "")

func (t *lister) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, maxRecord)
	for {
		record, err := t.record(in)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		head, path, ok := strings.Cut(record, "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 3 {
			return errListing
		}
		t.add(fields[0], path, fields[2])
	}
}

// readDiff reads pairs of records: modes, names of objects and a letter, then
// the path.
func (t *lister) readDiff(r io.Reader) error {
	in := bufio.NewReaderSize(r, maxRecord)
	for {
		head, err := t.record(in)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		fields := strings.Fields(strings.TrimPrefix(head, ":"))
		path, err := t.record(in)
		if err != nil || len(fields) != 5 {
			return errListing
		}
		t.seen-- // two records are one file
		d := Delta{Path: path}
		if plain(fields[0]) && names.Bad(path) == "" {
			d.Old = fields[2]
		}
		if fields[1] != "000000" {
			before := len(t.entries)
			t.add(fields[1], path, fields[3])
			if len(t.entries) > before {
				d.New, d.Executable = fields[3], t.entries[before].Executable
			}
		}
		if d.Old != "" || d.New != "" {
			t.deltas = append(t.deltas, d)
		}
	}
}

// plain tells whether a mode is that of a file. The third is how very old
// programs wrote the first.
func plain(mode string) bool {
	return mode == "100644" || mode == "100755" || mode == "100664"
}

func (t *lister) add(mode, path, oid string) {
	if why := names.Bad(path); why != "" {
		if mode != "040000" { // what is in the folder is reported
			t.problem(path, CodeBadPath, "the file is left out: "+why)
		}
		return
	}
	switch {
	case mode == "040000":
		return
	case mode == "120000":
		t.problem(path, CodeSymlink, "symbolic links are not followed; put the file there instead")
		return
	case mode == "160000":
		t.problem(path, CodeSubmodule, "submodules are not fetched; put the files there instead")
		return
	case !plain(mode):
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
