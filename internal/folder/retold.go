package folder

import (
	"net/url"
	"path"
	"strings"
)

// Retold gives the files of which one SUMMARY.md, which is at name, says
// something else than another one: what they are called, or that they are
// pages at all. It rather gives too many, also such that are not there: what
// it does not give is told as before, whatever else has changed. ok is false
// where the two cannot be compared.
func Retold(name string, before, after []byte, l Limits) (files map[string]bool, ok bool) {
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
	files = map[string]bool{}
	retell := func(target string) {
		for _, file := range spelled(target) {
			files[file] = true
		}
	}
	type telling struct{ dest, text, label string }
	told := make(map[telling]int, len(was))
	for i, list := range [][]entry{was, now} {
		by := make(map[string]string, len(list)) // what names the same file, however it is written
		for _, e := range list {
			if e.kind != entryLink {
				continue
			}
			target, ok := e.target(path.Dir(name))
			if !ok {
				continue
			}
			told[telling{e.dest, e.text, e.label}] += 1 - 2*i
			key := unspelled(target)
			if other, twice := by[key]; twice { // the first one counts
				retell(target)
				retell(other)
			}
			by[key] = target
		}
	}
	for t, n := range told {
		if n != 0 {
			target, _ := entry{dest: t.dest}.target(path.Dir(name))
			retell(target)
		}
	}
	return files, true
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
