package folder

import (
	"net/url"
	"path"
	"strings"
)

// Retold tells of which files one SUMMARY.md, which is at name, says something
// else than another one: what they are called, or that they are pages at all.
// Rather of too many: of all others the same is said, whatever else has
// changed. ok is false where the two cannot be compared. What was parsed of the
// second one can be given to Read.
func Retold(name string, before, after []byte, l Limits) (is func(file string) bool, parsed *Summary, ok bool) {
	l = l.orDefault()
	was, err := parseSummary(before, l, func(int, string, string, ...any) {})
	if err != nil {
		return nil, nil, false
	}
	parsed = &Summary{}
	now, err := parseSummary(after, l, func(line int, code, format string, args ...any) {
		parsed.said = append(parsed.said, func(report reporter) { report(line, code, format, args...) })
	})
	if err != nil {
		return nil, nil, false
	}
	parsed.entries = now
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
	return func(file string) bool { return len(files) > 0 && files[unspelled(file)] }, parsed, true
}

// Summary is a SUMMARY.md that was parsed.
type Summary struct {
	entries []entry
	said    []func(reporter) // what is wrong with it
}

type reporter = func(line int, code, format string, args ...any)

// entries gives the entries of the SUMMARY.md, which may have been parsed
// already.
func (r *folderReader) entries(src []byte, report reporter) ([]entry, error) {
	if l, ok := r.fsys.(listing); ok {
		if done := l[r.full(r.tree.Summary)].src.Parsed; done != nil {
			for _, say := range done.said {
				say(report)
			}
			return done.entries, nil
		}
	}
	return parseSummary(src, r.limits, report)
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
