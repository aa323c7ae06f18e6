package folder

import (
	"net/url"
	"path"
	"strings"
)

// SummaryChanges compares two versions of the SUMMARY.md at the path name. changed
// reports whether the entry of a file differs: it has another title, or only one version
// lists the file. It may report too many files, never too few. parsed is the second
// version, for Source.Parsed. ok is false if one of the versions cannot be parsed, or if
// a differing entry leaves the root.
func SummaryChanges(name string, before, after []byte, l Limits) (changed func(file string) bool, parsed *Summary, ok bool) {
	l = l.orDefault()
	was, err := parseSummary(before, l, func(int, string, string, ...any) {})
	if err != nil {
		return nil, nil, false
	}
	parsed = &Summary{}
	now, err := parseSummary(after, l, func(line int, code, format string, args ...any) {
		parsed.problems = append(parsed.problems, func(report reporter) { report(line, code, format, args...) })
	})
	if err != nil {
		return nil, nil, false
	}
	parsed.entries = now
	// Only equal entries at the start and at the end are skipped, not those in between.
	// The first of several entries for one file counts, so their order matters.
	for len(was) > 0 && len(now) > 0 && was[0].equal(now[0]) {
		was, now = was[1:], now[1:]
	}
	for len(was) > 0 && len(now) > 0 && was[len(was)-1].equal(now[len(now)-1]) {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	files := map[string]bool{} // keys are canonical paths
	for _, list := range [][]entry{was, now} {
		for _, e := range list {
			target, ok := e.target(path.Dir(name))
			switch {
			case e.kind != entryLink:
			case ok:
				files[canonical(target)] = true
			case OutsideRoot(target):
				return nil, nil, false // the entry may be for the landing page
			}
		}
	}
	return func(file string) bool { return len(files) > 0 && files[canonical(file)] }, parsed, true
}

// Summary is a parsed SUMMARY.md.
type Summary struct {
	entries  []entry
	problems []func(reporter) // each function reports one problem
}

type reporter = func(line int, code, format string, args ...any)

// entries returns the entries of SUMMARY.md. It uses Source.Parsed if that is set.
func (r *folderReader) entries(src []byte, report reporter) ([]entry, error) {
	if l, ok := r.fsys.(listing); ok {
		if done := l[r.full(r.tree.Summary)].src.Parsed; done != nil {
			for _, problem := range done.problems {
				problem(report)
			}
			return done.entries, nil
		}
	}
	return parseSummary(src, r.limits, report)
}

// equal reports whether two entries have the same title and target.
func (e entry) equal(o entry) bool {
	return e.kind == o.kind && e.dest == o.dest && e.text == o.text && e.label == o.label
}

// target returns the path that an entry of a SUMMARY.md in dir links to. ok is false for
// an address, for a link to a part of a page, and for a path that leaves the root.
func (e entry) target(dir string) (string, bool) {
	if _, ok := schemeOf(e.dest); ok {
		return "", false
	}
	name, fragment, _ := strings.Cut(e.dest, "#")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	target, ok := (Place{}).fromRoot(dir, name)
	if !ok {
		return path.Join(dir, name), false
	}
	return target, fragment == ""
}

// canonical returns a key that is equal for all paths that may refer to the same file.
func canonical(name string) string {
	for {
		rest := strings.TrimSuffix(name, ".md")
		if dir, landing := FolderOf(rest); landing {
			rest = dir
		}
		if rest == name {
			return name
		}
		name = rest
	}
}
