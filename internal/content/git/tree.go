package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

// maxRecord is the maximum length of a record of a listing, which consists mainly of the
// path. A listing with a longer path is an error.
const maxRecord = 16 << 10

// maxListing is the maximum size of a whole listing. A few nested folders with long names
// can produce half a million long paths.
const maxListing = 100 << 20

// Entry is a file of a commit.
type Entry struct {
	Path       string // relative to the folder that was listed
	OID        string // of the blob
	Executable bool
}

// Codes of problems. Codes that package folder also has mean the same there.
const (
	CodeBadPath   = "bad-path"
	CodeSymlink   = "symlink"
	CodeSubmodule = "submodule"
	CodeCaseTwin  = "case-twin"
	CodeTooMany   = "too-many"
)

// Problem is a problem with an entry of a commit. Entries with problems are left out,
// except for files whose names differ in case only.
type Problem struct {
	Path    string // for display: truncated, without control characters
	Code    string
	Message string
}

// Tree lists the files below a folder of a commit, sorted by the bytes of their paths. An
// empty dir is the root. Entries that are not plain files with plain names are left out
// and reported as problems: links, submodules, and names with a special meaning for git
// or some systems. Files whose names differ in case only are listed and reported.
//
// The sizes of files are unknown until Blobs has fetched them.
func (p *Repo) Tree(ctx context.Context, commit, dir string) ([]Entry, []Problem, error) {
	if !oidForm.MatchString(commit) {
		return nil, nil, badCommit()
	}
	object := commit + "^{tree}"
	if dir != "" {
		if why := names.Problem(dir); why != "" {
			return nil, nil, errs.E(errs.Invalid, "the folder %s cannot be read: %s", shown(dir), why)
		}
		object = commit + ":" + dir
	}
	t := &lister{limits: p.limits, folded: map[string][]string{}}
	// Folders are listed and counted too. A few folders that contain each other many
	// times produce an endless listing, even without a single file.
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

// Delta is a file that differs between two commits. Old or New is empty if the file
// exists in only one of them.
type Delta struct {
	Path       string // relative to the folder that was compared
	Old, New   string
	Executable bool // in the new commit
}

// emptyTree is the object name of the empty tree, which exists in every repository.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Diff lists the files below a folder that differ between two commits. Its cost depends
// on the number of differences, not on the size of the commits. A folder that exists in
// only one commit is treated as empty in the other. The problems are those of the new
// commit, as in Tree. Names that differ in case only are found only among the listed
// files.
func (p *Repo) Diff(ctx context.Context, from, to, dir string) ([]Delta, []Problem, error) {
	trees := [2]string{from, to}
	for i, commit := range trees {
		if !oidForm.MatchString(commit) {
			return nil, nil, badCommit()
		}
		trees[i] = commit + "^{tree}"
	}
	if dir != "" {
		if why := names.Problem(dir); why != "" {
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
	t := &lister{limits: p.limits, folded: map[string][]string{}}
	if _, err := p.git(ctx, call{args: []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", trees[0], trees[1]}, read: t.readDiff}); err != nil {
		return nil, nil, err
	}
	return t.deltas, t.reported(), nil
}

// folders reports, for each commit, whether a path is a folder.
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
		return nil, fail(Internal, "git failed; see the log of the server", "cat-file printed another number of lines")
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
	folded   map[string][]string
}

// reported returns the problems, followed by one for the number of problems that are not
// listed.
func (t *lister) reported() []Problem {
	if t.left > 0 {
		t.problems = append(t.problems, Problem{Code: CodeTooMany, Message: fmt.Sprintf("%d further problems are not listed", t.left)})
	}
	return t.problems
}

// record reads up to the next NUL. It returns io.EOF at the end of the listing.
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
		return "", fail(TooLarge, "the paths of the folder have more than "+errs.Size(maxListing)+" together", "")
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

// readDiff reads pairs of records: modes, object names and a status letter, then the
// path.
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
		t.seen-- // each file has two records
		d := Delta{Path: path}
		if plain(fields[0]) && names.Problem(path) == "" {
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

// plain reports whether a mode is that of a regular file. 100664 is an old form of
// 100644.
func plain(mode string) bool {
	return mode == "100644" || mode == "100755" || mode == "100664"
}

func (t *lister) add(mode, path, oid string) {
	if why := names.Problem(path); why != "" {
		if mode != "040000" { // the entries of the folder are reported instead
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
	twins := t.folded[folded]
	if slices.Contains(twins, path) {
		t.problem(path, CodeCaseTwin, "the file is left out: it is there twice")
		return
	}
	if len(twins) > 0 {
		t.problem(path, CodeCaseTwin, "the name differs from "+shown(twins[0])+" in case only: both are kept, but systems that ignore case have one of them; rename one")
	}
	t.folded[folded] = append(twins, path)
	t.entries = append(t.entries, Entry{Path: path, OID: oid, Executable: mode == "100755"})
}

func (t *lister) problem(path, code, message string) {
	if len(t.problems) >= t.limits.Problems {
		t.left++
		return
	}
	t.problems = append(t.problems, Problem{Path: shown(path), Code: code, Message: message})
}

// shown returns a path for display: truncated, and without control characters.
func shown(path string) string {
	path = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || names.IsMark(r) {
			return '?'
		}
		return r
	}, printable(path))
	return docs.ClipBytes(path, names.MaxName)
}
