package gitsync

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/outbound"
)

// Limits of the fields of requests.
const (
	MaxMessage = 64 << 10 // maximum size of a commit message in bytes
	MaxCacheID = 256      // maximum size of a cache ID in bytes
	MaxOpen    = 20       // maximum number of operations of a space that users requested and that have not ended

	maxFuture = 24 * time.Hour // maximum offset of a timestamp into the future, because clocks and time zones differ
)

// Prefixes of full ref names.
const (
	branches = "refs/heads/"
	tags     = "refs/tags/"
)

// checkURL returns an address without its credentials, and the credentials. The error
// never repeats the address, which may contain a secret.
func checkURL(field, raw string) (string, git.Credentials, error) {
	clean, c, err := git.ParseURL(raw)
	if err != nil {
		return "", git.Credentials{}, errs.Field(field, "%s", strings.TrimPrefix(errs.Message(err), "the address of the repository "))
	}
	return clean, c, nil
}

// fullRef returns the full name of a ref. A short name is a branch.
func fullRef(ref string) string {
	if strings.HasPrefix(ref, "refs/") {
		return ref
	}
	return branches + ref
}

// checkRef returns an error unless ref is the full name of a branch. If writes is false,
// the full name of a tag is valid too.
func checkRef(field, ref string, writes bool) error {
	name, ok := strings.CutPrefix(ref, branches)
	if !ok && !writes {
		name, ok = strings.CutPrefix(ref, tags)
	}
	switch {
	case !ok && writes:
		return errs.Field(field, "must be a branch, such as main or refs/heads/main")
	case !ok:
		return errs.Field(field, "must be a branch, such as main or refs/heads/main, or the full name of a tag, such as refs/tags/v1")
	}
	err := git.CheckRef(ref)
	if err == nil {
		err = git.CheckRef(name)
	}
	if err != nil {
		return errs.Field(field, "%s", strings.TrimPrefix(errs.Message(err), "the ref "))
	}
	return nil
}

// checkDirectory returns a folder of a repository in its stored form: without leading and
// trailing slashes, and "" for the root.
func checkDirectory(field, dir string) (string, error) {
	clean := strings.TrimSuffix(strings.TrimPrefix(dir, "/"), "/")
	clean = strings.TrimPrefix(clean, "./")
	if clean == "" || clean == "." {
		return "", nil
	}
	if why := names.Problem(clean); why != "" || path.Clean(clean) != clean {
		if why == "" {
			why = "its path is not in its shortest form"
		}
		return "", errs.Field(field, "cannot be a folder of a repository: %s", why)
	}
	return clean, nil
}

// checkLink returns the address of a web page to which the name of a commit or a file is
// appended. Only people open the address; the server never requests it.
func checkLink(field, raw string) (string, error) {
	if raw == "" {
		return "", nil
	}
	u, err := outbound.CheckURL(raw)
	if err != nil {
		return "", errs.Field(field, "%s", strings.TrimPrefix(errs.Message(err), "the URL "))
	}
	return u.String(), nil
}

// checkTime returns an error if a time is before 1970 or more than maxFuture after now.
func checkTime(field string, t docs.Time, now docs.Time) error {
	if t < 0 || t > now.Add(maxFuture) {
		return errs.Field(field, "must be a time in the past, and after 1970")
	}
	return nil
}

func checkMessage(field, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errs.Field(field, "must not be empty")
	case len(text) > MaxMessage:
		return errs.Field(field, "is longer than %s", errs.Size(MaxMessage))
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return errs.Field(field, "must be text in UTF-8 without NUL characters")
	}
	return nil
}

// DefaultMessage is the template of commit messages if no other template is set.
const DefaultMessage = "OCTAVO-{change_request_number}: {change_request_subject}"

// messageNames are the placeholders that messageOf replaces.
var messageNames = []string{"{change_request_number}", "{change_request_subject}", "{space_title}", "{author_name}", "{revision}"}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// checkTemplate returns an error for unknown placeholders, because nobody reviews the
// commits of a connection before they are pushed.
func checkTemplate(field, text string) error {
	if err := checkMessage(field, text); err != nil {
		return err
	}
	if len(text) > MaxTemplate {
		return errs.Field(field, "is longer than %s", errs.Size(MaxTemplate))
	}
	for _, name := range placeholder.FindAllString(text, -1) {
		if !slices.Contains(messageNames, name) {
			return errs.Field(field, "contains %s, which is unknown; use %s", name, strings.Join(messageNames, ", "))
		}
	}
	return nil
}

func checkCacheID(field, id string) error {
	if len(id) > MaxCacheID || !utf8.ValidString(id) || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errs.Field(field, "must have at most %d characters and no control characters", MaxCacheID)
	}
	return nil
}

// Providers that the API contract names.
const (
	GitHub = "github"
	GitLab = "gitlab"
)

func checkProvider(field, p string) error {
	if p != "" && p != GitHub && p != GitLab {
		return errs.Field(field, "must be %s or %s; leave it out for others", GitHub, GitLab)
	}
	return nil
}

// hostAndPath splits an address that git.ParseURL returned.
func hostAndPath(clean string) (host, where string) {
	if !strings.Contains(clean, "://") { // git@host:path
		host, where, _ = strings.Cut(clean, ":")
		_, host, _ = strings.Cut(host, "@")
		return host, where
	}
	u, err := url.Parse(clean)
	if err != nil {
		return "", ""
	}
	return u.Hostname(), u.Path
}

// infoOf returns the information about the repository that the space shows. Values of the
// request take precedence over derived ones.
func infoOf(remote docs.GitRemote, req docs.GitRequest, now docs.Time) docs.GitInfo {
	host, where := hostAndPath(remote.URL)
	info := docs.GitInfo{
		Provider: req.Provider, RepoName: repoName(where), URL: req.InfoURL, TreeURL: req.TreeURL, Directory: remote.Directory, CommitURL: req.CommitURL, UpdatedAt: now,
	}
	if info.Provider == "" {
		info.Provider = guessProvider(host)
	}
	if info.URL == "" && strings.HasPrefix(remote.URL, "http") {
		info.URL = strings.TrimSuffix(remote.URL, ".git")
	}
	// The web addresses of commits and files on the two best-known hosts can be derived.
	between, known := map[string]string{GitHub: "/", GitLab: "/-/"}[info.Provider]
	if base, web := strings.TrimSuffix(remote.URL, ".git"), strings.HasPrefix(remote.URL, "http"); known && web {
		branch := strings.TrimPrefix(strings.TrimPrefix(remote.Ref, branches), tags)
		info.CommitURL = cmp.Or(info.CommitURL, base+between+"commit")
		info.TreeURL = cmp.Or(info.TreeURL, base+between+"blob/"+(&url.URL{Path: branch}).EscapedPath())
	}
	return info
}

// withKnownInfo fills empty fields of a request with the provider and the web address
// from an earlier request, if both are about the same repository.
func withKnownInfo(req docs.GitRequest, known *docs.GitInfo, remote docs.GitRemote) docs.GitRequest {
	if _, where := hostAndPath(remote.URL); known != nil && known.RepoName == repoName(where) {
		req.Provider = cmp.Or(req.Provider, known.Provider)
		req.InfoURL = cmp.Or(req.InfoURL, known.URL)
	}
	return req
}

// guessProvider returns the provider of a well-known host, or "".
func guessProvider(host string) string {
	switch host {
	case "github.com", "www.github.com", "ssh.github.com":
		return GitHub
	case "gitlab.com", "altssh.gitlab.com":
		return GitLab
	}
	return ""
}

// repoName returns the last two elements of a path, which most hosts use as the name of a
// repository.
func repoName(where string) string {
	parts := strings.Split(strings.TrimSuffix(strings.Trim(where, "/"), ".git"), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}
