package embeds

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Player is how the content of a page of another web site is shown in a frame.
type Player struct {
	Provider string // its name in the customization of sites
	Address  string // of the frame
	Host     string // of the frame
	Video    bool
}

// Origin returns the origin of the frame, for the security policy of a page that has it.
func (p Player) Origin() string { return "https://" + p.Host }

// provider is a web site whose pages have a form for frames.
type provider struct {
	name  string
	hosts []string // of its pages, without www.
	frame string   // host of the frame
	video bool
	// path returns the path and the query of the frame for a page, or an empty string. Parts are
	// those of the path of the page.
	path func(parts []string, query url.Values) string
}

// providers is the table of web sites whose content can be shown. A frame has nothing of an address
// but ids and numbers that were checked, and what its host needs to show less of the reader to
// others.
var providers = []provider{
	{"codepen", []string{"codepen.io"}, "codepen.io", false, func(p []string, _ url.Values) string {
		if len(p) >= 3 && slices.Contains([]string{"pen", "full", "details", "embed"}, p[1]) && ids(p[0], p[2]) {
			return "/" + p[0] + "/embed/" + p[2] + "?default-tab=result"
		}
		return ""
	}},
	{"codesandbox", []string{"codesandbox.io"}, "codesandbox.io", false, func(p []string, _ url.Values) string {
		if len(p) >= 2 && (p[0] == "s" || p[0] == "embed") && ids(p[1]) {
			return "/embed/" + p[1]
		}
		if len(p) >= 3 && p[0] == "p" && p[1] == "sandbox" && ids(p[2]) {
			return "/embed/" + p[2]
		}
		return ""
	}},
	{"figma", []string{"figma.com"}, "embed.figma.com", false, func(p []string, q url.Values) string {
		if len(p) < 2 || !slices.Contains([]string{"file", "design", "proto", "board", "slides", "deck"}, p[0]) || !ids(p[1]) {
			return ""
		}
		kind := p[0]
		if kind == "file" {
			kind = "design"
		}
		at := "/" + kind + "/" + p[1] + "?embed-host=octavo"
		if node := q.Get("node-id"); nodeForm.MatchString(node) {
			at += "&node-id=" + url.QueryEscape(node)
		}
		return at
	}},
	{"loom", []string{"loom.com"}, "www.loom.com", true, func(p []string, _ url.Values) string {
		if len(p) >= 2 && (p[0] == "share" || p[0] == "embed") && ids(p[1]) {
			return "/embed/" + p[1]
		}
		return ""
	}},
	{"stackblitz", []string{"stackblitz.com"}, "stackblitz.com", false, func(p []string, q url.Values) string {
		if len(p) < 2 || p[0] != "edit" || !ids(p[1]) {
			return ""
		}
		at := "/edit/" + p[1] + "?embed=1"
		if file := q.Get("file"); fileForm.MatchString(file) {
			at += "&file=" + url.QueryEscape(file)
		}
		return at
	}},
	{"vimeo", []string{"vimeo.com", "player.vimeo.com"}, "player.vimeo.com", true, func(p []string, q url.Values) string {
		if len(p) >= 2 && p[0] == "video" {
			p = p[1:]
		}
		if len(p) == 0 || !numberForm.MatchString(p[0]) {
			return ""
		}
		at, secret := "/video/"+p[0]+"?dnt=1", q.Get("h")
		if len(p) > 1 {
			secret = p[1]
		}
		if ids(secret) {
			at += "&h=" + secret
		}
		return at
	}},
	{"youtube", []string{"youtube.com", "m.youtube.com", "youtube-nocookie.com"}, "www.youtube-nocookie.com", true, youtube},
	{"youtube", []string{"youtu.be"}, "www.youtube-nocookie.com", true, func(p []string, q url.Values) string {
		return youtube(append([]string{"v"}, p...), q)
	}},
}

func youtube(p []string, q url.Values) string {
	id := ""
	switch {
	case len(p) == 1 && p[0] == "watch":
		id = q.Get("v")
	case len(p) == 1 && p[0] == "playlist" && ids(q.Get("list")):
		return "/embed/videoseries?list=" + q.Get("list")
	case len(p) >= 2 && slices.Contains([]string{"embed", "shorts", "live", "v"}, p[0]):
		id = p[1]
	}
	if len(id) != 11 || !ids(id) {
		return ""
	}
	at := "/embed/" + id
	for _, name := range []string{"t", "start"} {
		if n := strings.TrimSuffix(q.Get(name), "s"); numberForm.MatchString(n) {
			return at + "?start=" + n
		}
	}
	return at
}

var (
	idForm     = regexp.MustCompile(`^[A-Za-z0-9_-]{2,100}$`)
	numberForm = regexp.MustCompile(`^[0-9]{1,12}$`)
	nodeForm   = regexp.MustCompile(`^[0-9]{1,9}[:-][0-9]{1,9}$`)
	fileForm   = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,200}$`)
)

func ids(all ...string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !idForm.MatchString(s) })
}

// Providers returns the names of all web sites whose content can be shown in frames.
func Providers() []string {
	out := make([]string, len(providers))
	for i, p := range providers {
		out[i] = p.name
	}
	return slices.Compact(out)
}

// PlayerOf returns the player of a page, if it is a page of one of the providers that are named.
func PlayerOf(address string, allowed []string) (Player, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Port() != "" {
		return Player{}, false
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	parts := strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
	for _, p := range providers {
		if !slices.Contains(allowed, p.name) || !slices.Contains(p.hosts, host) {
			continue
		}
		at := p.path(parts, u.Query())
		return Player{p.name, "https://" + p.frame + at, p.frame, p.video}, at != ""
	}
	return Player{}, false
}
