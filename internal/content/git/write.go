package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

const (
	maxMessage = 64 << 10 // maximum size of a commit message in bytes
	maxPerson  = 256      // maximum size of a name or an e-mail address in bytes
	maxArgs    = 64 << 10 // maximum size of the paths in the arguments of one command in bytes
	newRef     = "refs/octavo/new"
)

// Change is the change of one file in a commit. Files without a Change keep their content
// and mode.
type Change struct {
	Path   string
	Delete bool
	// Data is the new content if Open is nil.
	Data []byte
	// Open returns the new content and its size. It is for large files.
	Open func() (io.ReadCloser, int64, error)
}

// Person is the author or committer of a commit.
type Person struct{ Name, Email string }

// Commit is the metadata of a commit. Write removes line breaks and angle brackets from
// names, and control characters from the message. If Committer is zero, the author is the
// committer.
type Commit struct {
	Author, Committer Person
	When              time.Time
	Message           string
}

// Write creates a commit with the parent base, or without a parent if base is empty, and
// stores it in the cache for Push. It returns base if the changes have no effect.
//
// It refuses changes that would remove entries that the changes do not name: a file that
// would replace a folder, or a file below a file, link or submodule.
func (p *Repo) Write(ctx context.Context, base string, changes []Change, c Commit) (string, error) {
	if base != "" {
		if !oidForm.MatchString(base) {
			return "", badCommit()
		}
		if known, err := p.has(ctx, base); err != nil {
			return "", err
		} else if !known[0] {
			return "", notFetched(base)
		}
	}
	modes, err := p.checkChanges(ctx, base, changes)
	if err != nil {
		return "", err
	}
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(out, 64<<10)
		err := script(w, base, changes, modes, c)
		err = errors.Join(err, w.Flush())
		done <- err
		out.CloseWithError(err)
	}()
	printed, err := p.git(ctx, call{args: []string{"fast-import", "--quiet", "--done", "--force", "--date-format=raw"}, stdin: in})
	in.CloseWithError(io.ErrClosedPipe) // unblocks the writer if git ended first
	if werr := <-done; werr != nil && !errors.Is(werr, io.ErrClosedPipe) {
		return "", werr
	}
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(printed))
	if !oidForm.MatchString(commit) {
		return "", fail(Internal, "git failed; see the log of the server", commit)
	}
	if base == "" {
		return commit, nil
	}
	trees, err := p.git(ctx, call{args: []string{"rev-parse", commit + "^{tree}", base + "^{tree}"}})
	if err != nil {
		return "", err
	}
	if f := strings.Fields(string(trees)); len(f) == 2 && f[0] == f[1] {
		return base, nil
	}
	return commit, nil
}

// checkChanges checks the changes against the entries of base at the changed paths and
// their parent folders. It returns the modes of these entries.
func (p *Repo) checkChanges(ctx context.Context, base string, changes []Change) (map[string]string, error) {
	deleted := map[string]bool{}
	written := map[string]string{}
	for _, c := range changes {
		if why := names.Problem(c.Path); why != "" {
			return nil, errs.E(errs.Invalid, "the file %s cannot be written: %s", shown(c.Path), why)
		}
		if _, twice := written[c.Path]; twice || deleted[c.Path] {
			return nil, errs.E(errs.Invalid, "the file %s is changed twice", shown(c.Path))
		}
		if c.Delete {
			deleted[c.Path] = true
		} else {
			written[c.Path] = ""
		}
	}
	for file := range written {
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if _, clash := written[dir]; clash {
				return nil, errs.E(errs.Invalid, "%s would be both a file and a folder", shown(dir))
			}
		}
	}
	if base == "" {
		return nil, nil
	}
	at, err := p.modes(ctx, base, changes)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		switch mode := at[c.Path]; {
		case mode == "040000":
			return nil, errs.E(errs.Conflict, "%s is a folder in the repository", shown(c.Path))
		case mode == "120000" || mode == "160000":
			return nil, errs.E(errs.Conflict, "%s is a link or a submodule in the repository and is not replaced", shown(c.Path))
		case c.Delete:
			continue
		}
		for dir := path.Dir(c.Path); dir != "."; dir = path.Dir(dir) {
			if mode := at[dir]; mode != "" && mode != "040000" && !deleted[dir] {
				return nil, errs.E(errs.Conflict, "%s is not a folder in the repository", shown(dir))
			}
		}
	}
	return at, nil
}

// Present returns the paths, among some, at which a commit has an entry of any kind.
func (p *Repo) Present(ctx context.Context, commit string, paths []string) ([]string, error) {
	if !oidForm.MatchString(commit) {
		return nil, badCommit()
	}
	changes := make([]Change, len(paths))
	for i, name := range paths {
		if why := names.Problem(name); why != "" {
			return nil, errs.E(errs.Invalid, "the file %s cannot be in a repository: %s", shown(name), why)
		}
		changes[i].Path = name
	}
	at, err := p.modes(ctx, commit, changes)
	return slices.DeleteFunc(slices.Clone(paths), func(name string) bool { return at[name] == "" }), err
}

// modes returns the modes of the changed paths and of all their parent folders.
func (p *Repo) modes(ctx context.Context, base string, changes []Change) (map[string]string, error) {
	wanted := map[string]bool{}
	for _, c := range changes {
		for name := c.Path; name != "." && !wanted[name]; name = path.Dir(name) {
			wanted[name] = true
		}
	}
	paths := make([]string, 0, len(wanted))
	for name := range wanted {
		paths = append(paths, name)
	}
	slices.Sort(paths)
	at := map[string]string{}
	for len(paths) > 0 {
		n, room := 0, maxArgs
		for n < len(paths) && (n == 0 || room > len(paths[n])) {
			room -= len(paths[n]) + 1
			n++
		}
		args := append([]string{"ls-tree", "-t", "-z", "--full-tree", base, "--"}, paths[:n]...)
		paths = paths[n:]
		_, err := p.git(ctx, call{args: args, read: func(r io.Reader) error {
			in := bufio.NewReaderSize(r, maxRecord)
			for {
				record, err := in.ReadSlice(0)
				if err == io.EOF && len(record) == 0 {
					return nil
				}
				if err != nil {
					return err
				}
				head, name, _ := strings.Cut(string(record[:len(record)-1]), "\t")
				if mode, _, _ := strings.Cut(head, " "); wanted[name] {
					at[name] = mode
				}
			}
		}})
		if err != nil {
			return nil, err
		}
	}
	return at, nil
}

// script writes the input of git fast-import. User data is either quoted or
// preceded by its length.
func script(w *bufio.Writer, base string, changes []Change, modes map[string]string, c Commit) error {
	author := person(c.Author)
	committer := author
	if c.Committer != (Person{}) {
		committer = person(c.Committer)
	}
	when := c.When.Format("-0700")
	fmt.Fprintf(w, "feature done\ncommit %s\nmark :1\n", newRef)
	fmt.Fprintf(w, "author %s %d %s\ncommitter %s %d %s\n", author, c.When.Unix(), when, committer, c.When.Unix(), when)
	text := message(c.Message)
	fmt.Fprintf(w, "data %d\n%s\n", len(text), text)
	if base != "" {
		fmt.Fprintf(w, "from %s\n", base)
	}
	// Deletions come first, because a folder may replace a file.
	for _, ch := range changes {
		if ch.Delete {
			fmt.Fprintf(w, "D %s\n", inQuotes(ch.Path))
		}
	}
	for _, ch := range changes {
		if ch.Delete {
			continue
		}
		mode := "100644"
		if modes[ch.Path] == "100755" {
			mode = "100755"
		}
		fmt.Fprintf(w, "M %s inline %s\n", mode, inQuotes(ch.Path))
		if err := content(w, ch); err != nil {
			return err
		}
	}
	_, err := w.WriteString("\nget-mark :1\ndone\n")
	return err
}

func content(w *bufio.Writer, c Change) error {
	if c.Open == nil {
		fmt.Fprintf(w, "data %d\n", len(c.Data))
		if _, err := w.Write(c.Data); err != nil {
			return err
		}
		return w.WriteByte('\n')
	}
	r, size, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	fmt.Fprintf(w, "data %d\n", size)
	if n, err := io.CopyN(w, r, size); err != nil {
		return fmt.Errorf("%s has %d bytes instead of %d: %w", c.Path, n, size, err)
	}
	return w.WriteByte('\n')
}

func inQuotes(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// OneLine converts any text to a single line, so that a title or a name in a commit
// message cannot add lines or trailers.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || r == 0x2028 || r == 0x2029:
			return ' '
		case unicode.IsControl(r) || names.IsMark(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return strings.Join(strings.Fields(s), " ")
}

// person formats a name and an e-mail address for a commit.
func person(p Person) string {
	plain := func(s string) string {
		s = strings.Map(func(r rune) rune {
			if r == '<' || r == '>' {
				return -1
			}
			return r
		}, OneLine(s))
		return docs.FirstBytes(strings.Trim(s, " .,:;\"'"), maxPerson)
	}
	name, email := plain(p.Name), strings.ReplaceAll(plain(p.Email), " ", "")
	if name == "" {
		name = "Octavo"
	}
	return name + " <" + email + ">"
}

// message cleans and truncates a commit message.
func message(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	s = docs.FirstBytes(strings.TrimSpace(s), maxMessage)
	if s == "" {
		s = "Update"
	}
	return s + "\n"
}
