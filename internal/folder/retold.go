package folder

import (
	"net/url"
	"path"
	"strings"
)

// Retold tells of which files one SUMMARY.md, which is at name, says something
// else than another one: what they are called, or that they are pages at all.
// Rather of too many: of all others the same is said, whatever else has
// changed. ok is false where the two cannot be compared.
func Retold(name string, before, after []byte, l Limits) (is func(file string) bool, ok bool) {
	l = l.orDefault()
	silent := func(int, string, string, ...any) {}
	was, err := parseSummary(before, l, silent)
	if err != nil {
		return nil, false
	}
	now, err := parseSummary(after, l, silent)
	if err != nil {
		return nil, false
	}
	// Of what both begin and end with, the order is the same: of two entries
	// for one file, the first counts.
	for len(was) > 0 && len(now) > 0 && was[0].tells(now[0]) {
		was, now = was[1:], now[1:]
	}
	for len(was) > 0 && len(now) > 0 && was[len(was)-1].tells(now[len(now)-1]) {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	files := map[string]bool{} // however they are written
	for _, list := range [][]entry{was, now} {
		for _, e := range list {
			if target, ok := e.target(path.Dir(name)); ok && e.kind == entryLink {
				files[unspelled(target)] = true
			}
		}
	}
	return func(file string) bool { return len(files) > 0 && files[unspelled(file)] }, true
}

// tells tells whether two entries say the same of the same file.
func (e entry) tells(o entry) bool {
	return e.kind == o.kind && e.dest == o.dest && e.text == o.text && e.label == o.label
}

// target gives the path that an entry of a SUMMARY.md in dir leads to, if it
// can be a page.
func (e entry) target(dir string) (string, bool) {
	if _, ok := schemeOf(e.dest); ok {
		return "", false
	}
	name, fragment, _ := strings.Cut(e.dest, "#")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	target, ok := inside(dir, name)
	return target, ok && fragment == ""
}

// spelled gives the files that a path may stand for, the first that is there.
func spelled(name string) []string {
	name = path.Clean(name)
	return []string{name, name + ".md", path.Join(name, readmeName), path.Join(name, strings.ToLower(readmeName))}
}

// unspelled gives what all spellings of a path have in common.
func unspelled(name string) string {
	for {
		rest := strings.TrimSuffix(name, ".md")
		if dir, last := path.Split(rest); strings.EqualFold(last, "readme") {
			rest = path.Clean(dir)
		}
		if rest == name {
			return name
		}
		name = rest
	}
}
