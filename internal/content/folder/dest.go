package folder

import (
	"iter"
	"net/url"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/inline"
)

// attributes are the attributes of HTML elements and of tags whose value is a
// destination.
var attributes = map[string]bool{"src": true, "href": true, "srcset": true, "url": true, "page": true, "poster": true}

// destinations yields everything in a source that looks like the destination of a link or
// an image, with its offset. The escapes of Markdown and HTML are resolved.
func destinations(src string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for at := 0; ; {
			i := strings.Index(src[at:], "](")
			if i < 0 {
				break
			}
			at += i + len("](")
			line, _, _ := strings.Cut(src[at:min(len(src), at+maxLine)], "\n")
			if dest, _, end := linkTarget(line); end >= 0 && dest != "" && !yield(inline.Unescape(dest), at) {
				return
			}
		}
		for at := 0; ; {
			i := strings.IndexByte(src[at:], '=')
			if i < 0 {
				break
			}
			at += i + 1
			name := src[max(0, at-1-len("srcset")) : at-1]
			if dest, ok := quoted(src[at:]); ok && attributes[name[strings.LastIndexAny(name, " \t\n-<")+1:]] && !yield(inline.Unescape(dest), at) {
				return
			}
		}
		for at := 0; at < len(src); {
			line, _, _ := strings.Cut(src[at:], "\n")
			if dest, ok := lineDestination(strings.TrimSpace(line)); ok && !yield(inline.Unescape(dest), at) {
				return
			}
			at += len(line) + 1
		}
	}
}

// quoted returns the text between the quotes at the start of s. It reports false if s
// does not start with a complete quoted text.
func quoted(s string) (string, bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", false
	}
	end := strings.IndexByte(s[1:min(len(s), maxLine)], s[0])
	if end < 0 {
		return "", false
	}
	return s[1 : end+1], true
}

// lineDestination returns the destination of a line that is a link reference definition
// or an include tag.
func lineDestination(line string) (string, bool) {
	if rest, ok := strings.CutPrefix(line, "{%"); ok {
		rest, ok = strings.CutPrefix(strings.TrimSpace(rest), "include")
		if !ok {
			return "", false
		}
		return quoted(strings.TrimSpace(rest))
	}
	if !strings.HasPrefix(line, "[") {
		return "", false
	}
	_, dest, ok := strings.Cut(line, "]:")
	if dest = strings.TrimSpace(dest); !ok || dest == "" || len(dest) > maxLine {
		return "", false
	}
	if dest[0] == '<' {
		dest, _, ok = strings.Cut(dest[1:], ">")
		return dest, ok
	}
	return strings.Fields(dest)[0], true
}

// resolve returns the path that a destination in the file from refers to, without its
// anchor. ok is false for addresses and for paths outside of the folder.
func (p Place) resolve(from, dest string) (string, bool) {
	if _, ok := schemeOf(dest); ok || dest == "" || strings.HasPrefix(dest, "//") {
		return "", false
	}
	dir, dest := destPath(path.Dir(from), dest)
	if dest == "" {
		return from, true
	}
	if !OutsideRoot(from) {
		if name, ok := inside(dir, dest); ok {
			return name, true
		}
	}
	return p.inside(dir, dest)
}

// destPath returns the path of a destination without query and anchor, and the folder
// that the path is relative to: dir, or the root for a path with a leading slash.
func destPath(dir, dest string) (from, name string) {
	dest, _, _ = strings.Cut(dest, "#")
	dest, _, _ = strings.Cut(dest, "?")
	if plain, err := url.PathUnescape(dest); err == nil {
		dest = plain
	}
	if strings.HasPrefix(dest, "/") {
		return ".", strings.TrimLeft(dest, "/") // relative to the root of the folder
	}
	return dir, dest
}

// outside returns a message about a destination in dir that is not content. The message
// distinguishes files of the folder that are not below the root from paths outside of the
// folder.
func (p Place) outside(dir, dest string) string {
	from, name := destPath(dir, dest)
	shown, full := printable(dest), p.Full(path.Join(from, name))
	switch {
	case strings.ContainsAny(name, "\\\x00"):
		return shown + " leaves the folder"
	case !OutsideRoot(full):
		return shown + " leads to " + printable(full) + ", which is not imported: only what is in " + printable(path.Clean(p.Root)) + " is"
	case full == dest:
		return shown + " leaves the folder"
	}
	return shown + " leads to " + printable(full) + ", outside of the folder"
}
