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

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/git"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/outbound"
)

// Limits of what a request can ask with.
const (
	MaxMessage = 64 << 10 // bytes of a commit message
	MaxCacheID = 256      // bytes
	MaxOpen    = 20       // operations of a space that somebody asked for and that have not ended

	maxAhead = 24 * time.Hour // by which a timestamp may be in the future: clocks differ, and so do zones that were mixed up
)

// Prefixes of refs.
const (
	branches = "refs/heads/"
	tags     = "refs/tags/"
)

// checkURL returns an address without the credentials in it, and those. The
// error never repeats the address.
func checkURL(field, raw string) (string, git.Credentials, error) {
	clean, c, err := git.ParseURL(raw)
	if err != nil {
		return "", git.Credentials{}, errs.Field(field, "%s", strings.TrimPrefix(errs.Message(err), "the address of the repository "))
	}
	return clean, c, nil
}

// fullRef returns the full name of a ref: a short one is a branch.
func fullRef(ref string) string {
	if strings.HasPrefix(ref, "refs/") {
		return ref
	}
	return branches + ref
}

// checkRef asks for the full name of a branch, or of a tag where nothing is
// written to it.
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

// checkDirectory returns a folder of a repository as it is kept: without
// slashes at the ends, and nothing for the root.
func checkDirectory(field, dir string) (string, error) {
	clean := strings.TrimSuffix(strings.TrimPrefix(dir, "/"), "/")
	clean = strings.TrimPrefix(clean, "./")
	if clean == "" || clean == "." {
		return "", nil
	}
	if why := names.Bad(clean); why != "" || path.Clean(clean) != clean {
		if why == "" {
			why = "its path is not in its shortest form"
		}
		return "", errs.Field(field, "cannot be a folder of a repository: %s", why)
	}
	return clean, nil
}

// checkLink returns an address that is shown to people and put in front of the
// name of a commit or a file. Nobody calls it.
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

// checkTime refuses a moment that cannot have been.
func checkTime(field string, t docs.Time, now docs.Time) error {
	if t < 0 || t > now.Add(maxAhead) {
		return errs.Field(field, "must be the time of what has happened; this one is in the future, or before 1970")
	}
	return nil
}

func checkMessage(field, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errs.Field(field, "must not be empty")
	case len(text) > MaxMessage:
		return errs.Field(field, "is longer than %d KB", MaxMessage>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return errs.Field(field, "must be text in UTF-8 without NUL characters")
	}
	return nil
}

// DefaultMessage is the commit message where nobody has chosen one.
const DefaultMessage = "OCTAVO-{change_request_number}: {change_request_subject}"

// messageNames are what messageOf fills in.
var messageNames = []string{"{change_request_number}", "{change_request_subject}", "{space_title}", "{author_name}", "{revision}"}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// checkTemplate refuses names that nothing stands for: nobody reads the
// commits of a connection before they are pushed.
func checkTemplate(field, text string) error {
	if err := checkMessage(field, text); err != nil {
		return err
	}
	if len(text) > MaxTemplate {
		return errs.Field(field, "is longer than %d KB", MaxTemplate>>10)
	}
	for _, name := range placeholder.FindAllString(text, -1) {
		if !slices.Contains(messageNames, name) {
			return errs.Field(field, "names %s, which nothing stands for; there are %s", name, strings.Join(messageNames, ", "))
		}
	}
	return nil
}

func checkCacheID(field, id string) error {
	if len(id) > MaxCacheID || !utf8.ValidString(id) || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errs.Field(field, "must have at most %d characters, none of which is a control character", MaxCacheID)
	}
	return nil
}

// Providers that the contract has names for.
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

// hostAndPath takes an address apart that ParseURL has given.
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

// infoOf tells people of a repository. What a request says of it comes
// first.
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
	// Where the two that everybody knows show commits and files.
	between, known := map[string]string{GitHub: "/", GitLab: "/-/"}[info.Provider]
	if base, web := strings.TrimSuffix(remote.URL, ".git"), strings.HasPrefix(remote.URL, "http"); known && web {
		branch := strings.TrimPrefix(strings.TrimPrefix(remote.Ref, branches), tags)
		info.CommitURL = cmp.Or(info.CommitURL, base+between+"commit")
		info.TreeURL = cmp.Or(info.TreeURL, base+between+"blob/"+(&url.URL{Path: branch}).EscapedPath())
	}
	return info
}

// guessProvider knows the two hosts that everybody knows.
func guessProvider(host string) string {
	switch host {
	case "github.com", "www.github.com", "ssh.github.com":
		return GitHub
	case "gitlab.com", "altssh.gitlab.com":
		return GitLab
	}
	return ""
}

// repoName returns the last two parts of a path, which most hosts call a
// repository by.
func repoName(where string) string {
	parts := strings.Split(strings.TrimSuffix(strings.Trim(where, "/"), ".git"), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}
