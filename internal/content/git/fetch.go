package git

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/outbound"
)

// oidForm matches an object name.
var oidForm = regexp.MustCompile(`^[0-9a-f]{40}$`)

// Want specifies what Fetch fetches in addition to the ref.
type Want struct {
	// Have is a commit that the caller already has, such as the last one that it read.
	// After Fetch, IsAncestor reports whether the ref still contains Have. It may be
	// empty.
	Have string
	// Files is the maximum size of the files that the first fetch of a ref includes. It
	// is for a caller that will read most files. Zero includes no files.
	Files int64
}

// Fetch fetches the commits and trees of the ref without files, and returns the commit
// that the ref points to. If the cache already has that commit, Fetch only lists the refs
// of the remote.
//
// The first fetch transfers only the newest commit; later fetches transfer what was added
// since. After Fetch, IsAncestor(w.Have, commit) is true if the ref was advanced. It is
// false if the ref was replaced or if the remote does not provide the history.
func (p *Repo) Fetch(ctx context.Context, w Want, progress Progress) (string, error) {
	if w.Have != "" && !oidForm.MatchString(w.Have) {
		return "", badCommit()
	}
	full, tip, err := p.find(ctx)
	if err != nil {
		return "", err
	}
	p.fetched = full
	fresh, err := p.tidy(ctx)
	if err != nil {
		return "", err
	}
	commit, sure, err := p.fetch(ctx, full, tip, w, fresh, progress)
	// The cache may be damaged or too large, or it may lack the history between w.Have
	// and the ref. Fetch again into an empty entry: a lost cache must not look like a
	// replaced ref.
	if r := ReasonOf(err); !fresh && (r == TooLarge || r == Damaged || r == Internal || err == nil && !sure) {
		if err := p.restart(ctx, "it cannot be used for what the remote has now", err); err != nil {
			return "", err
		}
		commit, _, err = p.fetch(ctx, full, tip, w, true, progress)
	}
	if ReasonOf(err) != TooLarge {
		return commit, err
	}
	if werr := p.restart(ctx, "it became too large", err); werr != nil || w.Have == "" {
		return "", err
	}
	// If a push replaced the branch, searching for w.Have would fetch the whole history.
	// Fetch without it.
	commit, _, err = p.fetch(ctx, full, tip, Want{Files: w.Files}, true, progress)
	return commit, err
}

// fetch fetches once, into the current state of the entry. sure reports whether the
// result of IsAncestor(w.Have, commit) will be reliable.
func (p *Repo) fetch(ctx context.Context, full, tip string, w Want, fresh bool, progress Progress) (_ string, sure bool, _ error) {
	local, have := localRef(full), w.Have
	known, err := p.has(ctx, tip, have, local)
	if err != nil {
		return "", false, err
	}
	if known[0] && (have == "" || known[1]) {
		if _, err := p.git(ctx, call{args: []string{"update-ref", local, tip}}); err != nil {
			return "", false, err
		}
		sure, err := p.joined(ctx, have, tip)
		return tip, sure, err
	}
	shallow, gone := !known[2], false
	if have != "" && !known[1] {
		// The entry is new, or was evicted. If the remote sends the old commit first, the
		// fetch of the ref transfers only what was added since.
		err := p.get(ctx, progress, true, 0, have+":"+haveRef(have))
		switch output := detail(err); {
		case err == nil:
			shallow = false
		case notByName.MatchString(output):
			// An old server does not send commits by name. Only the whole history shows
			// whether w.Have is an ancestor.
			shallow = false
		case notThere.MatchString(output) || fresh && ReasonOf(err) == Damaged:
			gone = true // the ref was replaced
		default:
			return "", false, err
		}
	}
	err = errNo
	if shallow && w.Files > 0 {
		err = p.get(ctx, progress, shallow, w.Files, "+"+full+":"+local)
	}
	// Some servers support filters that omit all files, but no filters by size.
	if errors.Is(err, errNo) || strings.Contains(detail(err), "filter") {
		err = p.get(ctx, progress, shallow, 0, "+"+full+":"+local)
	}
	if err != nil {
		return "", false, err
	}
	// The ref may have been moved after find listed the refs.
	if known, err = p.has(ctx, local); err != nil {
		return "", false, err
	} else if !known[0] {
		return "", false, fail(RefNotFound, "the ref does not name a commit", "")
	}
	out, err := p.git(ctx, call{args: []string{"rev-parse", local + "^{commit}"}})
	if err != nil {
		return "", false, err
	}
	commit := strings.TrimSpace(string(out))
	if gone {
		return commit, true, nil
	}
	sure, err = p.joined(ctx, have, commit)
	return commit, sure, err
}

// Error messages of servers for a commit that is requested by name: notByName if the
// server does not allow it, notThere if it has no such commit. Some servers send the
// first message in both cases.
var (
	notByName = regexp.MustCompile(`not allow request for unadvertised|want \S+ not valid`)
	notThere  = regexp.MustCompile(`not our ref|couldn't find remote ref|no such remote ref`)
)

// get fetches one ref, with files up to the given size.
func (p *Repo) get(ctx context.Context, progress Progress, shallow bool, files int64, refspec string) error {
	filter := "--filter=blob:none"
	if files > 0 {
		filter = "--filter=blob:limit=" + strconv.FormatInt(files+1, 10)
	}
	args := []string{"fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-recurse-submodules", filter}
	if shallow {
		args = append(args, "--depth=1")
	}
	_, err := p.git(ctx, call{
		args: append(args, "origin", refspec), remote: true, promisor: true, progress: progress,
		config: []string{"pack.threads", strconv.Itoa(min(2, budget.Processors()))}, // for indexing the received pack, which may be large
	})
	return err
}

// localRef returns the ref in the cache for a ref of the remote. It contains a hash,
// because one ref cannot be both a name and a folder of another ref.
func localRef(full string) string {
	sum := sha256.Sum256([]byte(full))
	return "refs/octavo/" + hex.EncodeToString(sum[:16])
}

// haveRef returns the ref in the cache for the commit of Want.Have.
func haveRef(oid string) string { return "refs/octavo/have/" + oid }

// detail returns the output of git that an error contains.
func detail(err error) string {
	var f *Failure
	if errors.As(err, &f) {
		return f.Detail
	}
	return ""
}

// find returns the full name of the ref and its commit. It lists the refs of the remote.
func (p *Repo) find(ctx context.Context) (full, commit string, err error) {
	candidates := candidatesFor(p.ref)
	args := []string{"ls-remote", "--quiet", "origin"}
	for _, c := range candidates {
		args = append(args, c, c+"^{}")
	}
	out, err := p.git(ctx, call{args: args, remote: true, question: true})
	if err != nil {
		return "", "", err
	}
	found := map[string]string{}
	for line := range strings.Lines(string(out)) {
		oid, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok {
			found[name] = oid
		}
	}
	for _, c := range candidates {
		oid := found[c]
		if peeled := found[c+"^{}"]; peeled != "" {
			oid = peeled
		}
		switch {
		case len(oid) == 64:
			return "", "", fail(NotRepository, "the repository uses SHA-256 object names, which are not supported; use a repository with SHA-1", "")
		case oidForm.MatchString(oid):
			return c, oid, nil
		}
	}
	empty := true
	_, err = p.git(ctx, call{args: []string{"ls-remote", "--quiet", "origin"}, remote: true, question: true, read: func(r io.Reader) error {
		if n, _ := r.Read(make([]byte, 1)); n > 0 {
			empty = false
			return errEnough
		}
		return nil
	}})
	switch {
	case err != nil:
		return "", "", err
	case empty:
		if err := p.speaksGit(ctx); err != nil {
			return "", "", err
		}
		return "", "", fail(Empty, "the repository is empty; push a first commit to it", "")
	}
	return "", "", fail(RefNotFound, "the branch or tag does not exist in the repository", "")
}

// speaksGit returns an error if the server of a remote without refs does not serve a git
// repository. git does not distinguish the two cases.
func (p *Repo) speaksGit(ctx context.Context) error {
	if p.address.scheme == "ssh" {
		return nil
	}
	const service = "git-upload-pack"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address.String()+"/info/refs?service="+service, nil)
	if err != nil {
		return badAddress("cannot be read")
	}
	if c := p.credentials; c.Username != "" || c.Password != "" {
		req.SetBasicAuth(c.Username, c.Password)
	}
	client := p.outbound.Client(outbound.Options{NoRedirects: true})
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return fail(Unreachable, "the server cannot be reached, or the connection was interrupted", p.scrub.clean(err.Error()))
	}
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") != "application/x-"+service+"-advertisement" {
		return fail(NotRepository, "there is no git repository at this address", "the answer is a "+printable(resp.Header.Get("Content-Type")))
	}
	return nil
}

func candidatesFor(ref string) []string {
	switch {
	case ref == "" || ref == "HEAD":
		return []string{"HEAD"}
	case strings.HasPrefix(ref, "refs/"):
		return []string{ref}
	}
	return []string{"refs/heads/" + ref, "refs/tags/" + ref}
}

// has reports which of the names are commits in the cache. An empty name is never a
// commit.
func (p *Repo) has(ctx context.Context, names ...string) ([]bool, error) {
	var in bytes.Buffer
	for _, name := range names {
		if name == "" {
			name = strings.Repeat("0", 40)
		}
		in.WriteString(name + "^{commit}\n")
	}
	out, err := p.git(ctx, call{args: []string{"cat-file", "--batch-check=%(objecttype)"}, stdin: &in})
	if err != nil {
		return nil, err
	}
	var known []bool
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		known = append(known, lines.Text() == "commit")
	}
	if len(known) != len(names) {
		return nil, fail(Internal, "git failed; see the log of the server", "cat-file printed another number of lines")
	}
	return known, nil
}

// Has reports whether a commit is in the cache. An error does not mean that it is missing.
func (p *Repo) Has(ctx context.Context, commit string) (bool, error) {
	if !oidForm.MatchString(commit) {
		return false, badCommit()
	}
	known, err := p.has(ctx, commit)
	return err == nil && known[0], err
}

// IsAncestor reports whether commit a is an ancestor of commit b, or equal to it. It is
// false if a is not in the cache.
func (p *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if !oidForm.MatchString(a) || !oidForm.MatchString(b) {
		return false, badCommit()
	}
	known, err := p.has(ctx, a, b)
	if err != nil {
		return false, err
	}
	if !known[1] {
		return false, notFetched(b)
	}
	if !known[0] {
		return false, nil
	}
	_, err = p.git(ctx, call{args: []string{"merge-base", "--is-ancestor", a, b}})
	if errors.Is(err, errNo) {
		return false, nil
	}
	return err == nil, err
}

func notFetched(commit string) error {
	return fail(Internal, "the commit is not in the cache; fetch it first", commit)
}
