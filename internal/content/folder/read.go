package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/names"
)

// Read reads a folder. Problems of single files are in Tree.Problems. The error is of
// kind errs.Invalid if the folder cannot be read at all, for example because it exceeds a
// limit.
//
// The tree opens files that are not Markdown from fsys on demand.
func Read(fsys fs.FS, l Limits) (*Tree, error) { return Reread(fsys, l, nil, nil) }

// Reread reads a folder again. It reuses the pages and reusable contents of before, an
// earlier state, for files that did not change. same reports whether a file did not
// change; its argument is a path in the folder, including the root.
func Reread(fsys fs.FS, l Limits, before *Tree, same func(name string) bool) (*Tree, error) {
	l = l.orDefault()
	r := &folderReader{
		fsys: fsys, limits: l, tree: &Tree{}, out: problems{limit: l.Problems},
		files: map[string]int64{}, folded: map[string]string{}, docs: map[string]*Page{}, refers: map[string][]string{}, listed: map[string]bool{},
		same: same,
	}
	if err := r.config(); err != nil {
		return nil, err
	}
	r.named = r.namedBySummary()
	if err := r.walk(); err != nil {
		return nil, err
	}
	if OutsideRoot(r.tree.Readme) {
		if err := r.landing(); err != nil {
			return nil, err
		}
	}
	if before != nil && before.place() == r.tree.place() {
		r.known = before.markdown()
	}
	for _, name := range []*string{&r.tree.Readme, &r.tree.Summary} {
		if found := r.inAnyCase(*name); found != "" && !r.has(*name) {
			*name = found
		}
	}
	if index := indexFor(r.tree.Readme); index != "" && !r.has(r.tree.Readme) {
		r.tree.Readme = cmp.Or(r.inAnyCase(index), r.tree.Readme)
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	if err := r.navigation(); err != nil {
		return nil, err
	}
	r.rest()
	r.tree.Problems = r.out.sorted(r.tree.Root)
	return r.tree, nil
}

type folderReader struct {
	fsys   fs.FS
	limits Limits
	tree   *Tree
	out    problems
	// files holds the sizes of readable files by their path below the root. folded maps
	// the case-folded form of a path to the path.
	files  map[string]int64
	names  []string // keys of files, sorted
	folded map[string]string
	docs   map[string]*Page    // by Markdown file
	refers map[string][]string // the paths that each Markdown file refers to, by file
	listed map[string]bool
	named  Named

	known map[string]markdown // Markdown files of the earlier state
	same  func(name string) bool
}

// markdown is a Markdown file whose head is parsed.
type markdown struct {
	source []byte
	head   frontmatter.Head
}

// markdown returns the Markdown files of a tree.
func (t *Tree) markdown() map[string]markdown {
	out := map[string]markdown{}
	for _, list := range [][]*Page{t.All(), t.Unlisted} {
		for _, p := range list {
			if p.Source != nil {
				out[p.File] = markdown{p.Source, p.Head}
			}
		}
	}
	for _, in := range t.Includes {
		out[in.File] = markdown{in.Source, in.Head}
	}
	return out
}

// config reads .gitbook.yaml and checks that the root is a folder.
func (r *folderReader) config() error {
	c := config{root: ".", readme: readmeName, summary: summaryName}
	info, err := fs.Lstat(r.fsys, configName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("read %s: %w", configName, err)
	case !info.Mode().IsRegular():
		return errs.E(errs.Invalid, "%s is not a plain file", configName)
	default:
		src, err := r.read(configName, maxConfig)
		if err != nil {
			return err
		}
		r.tree.ConfigSource = src
		if c, err = parseConfig(src, &r.out); err != nil {
			return err
		}
	}
	r.tree.Root, r.tree.Readme, r.tree.Summary, r.tree.Redirects = c.root, c.readme, c.summary, c.redirects
	if c.root == "." {
		return nil
	}
	if ok, err := r.isFolder(c.root); err != nil {
		return err
	} else if !ok {
		return errs.E(errs.Invalid, "%s says that the content is in %q, which is not a folder", configName, c.root)
	}
	return nil
}

// isFolder reports whether a path is a folder. It checks every element of the path,
// because a symbolic link could lead anywhere.
func (r *folderReader) isFolder(dir string) (bool, error) {
	for i := range dir + "/" {
		if i < len(dir) && dir[i] != '/' {
			continue
		}
		info, err := fs.Lstat(r.fsys, dir[:i])
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("read %s: %w", dir[:i], err)
		}
		if err != nil || !info.IsDir() {
			return false, nil
		}
	}
	return true, nil
}

// landing adds the landing page above the root to the files. No other file above the root
// is read.
func (r *folderReader) landing() error {
	name := r.tree.Readme
	full := r.full(name)
	if dir := path.Dir(full); dir != "." {
		if ok, err := r.isFolder(dir); err != nil || !ok {
			return err
		}
	}
	info, err := fs.Lstat(r.fsys, full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read %s: %w", full, err)
	case !info.Mode().IsRegular():
		r.out.add(name, 0, CodeSymlink, "the file is left out: it is a symbolic link or a special file")
		return nil
	}
	r.files[name] = info.Size()
	return nil
}

// read returns the content of a file. It returns an error if the file is larger than
// limit.
func (r *folderReader) read(name string, limit int64) ([]byte, error) {
	if l, ok := r.fsys.(listing); ok && l[name] != nil {
		switch src := l[name].src; {
		case src.Size > limit:
			return nil, tooLarge(name, limit)
		case src.Data != nil:
			return src.Data, nil
		}
	}
	f, err := r.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(b)) > limit {
		return nil, tooLarge(name, limit)
	}
	return b, nil
}

func tooLarge(name string, limit int64) error {
	return errs.E(errs.Invalid, "%s is larger than %s; make it smaller", name, errs.Size(limit))
}

// full returns the path in the folder of a file below the root.
func (r *folderReader) full(name string) string {
	if r.tree.Root == "." {
		return name
	}
	return path.Join(r.tree.Root, name)
}

// walk collects the files below the root.
func (r *folderReader) walk() error {
	return fs.WalkDir(r.fsys, r.tree.Root, func(p string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(p, r.tree.Root+"/")
		if p == r.tree.Root {
			return err
		}
		skip := func() error {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err != nil {
			r.out.add(name, 0, CodeUnreadable, "the file cannot be opened")
			return skip()
		}
		if inner := path.Join(name, "x"); r.named.Ignored(name) && !d.IsDir() || d.IsDir() && r.named.Ignored(inner) {
			if d.IsDir() {
				name += "/"
			}
			if name != configName {
				r.tree.Hidden = append(r.tree.Hidden, name) // a file of git, an editor or a package manager
			}
			return skip()
		}
		if why := r.bad(name); why != "" {
			r.out.add(printable(name), 0, CodeBadPath, "the file is left out: %s", why)
			return skip()
		}
		if strings.Count(name, "/") >= r.limits.Depth {
			r.out.add(name, 0, CodeBadPath, "the file is left out: it is in more than %d folders", r.limits.Depth)
			return skip()
		}
		if d.IsDir() {
			return nil
		}
		if !d.Type().IsRegular() {
			r.out.add(name, 0, CodeSymlink, "the file is left out: it is a symbolic link or a special file")
			return nil
		}
		if len(r.files) >= r.limits.Files {
			return errs.E(errs.Invalid, "the folder has more than %d files", r.limits.Files)
		}
		info, err := d.Info()
		if err != nil {
			r.out.add(name, 0, CodeUnreadable, "the file cannot be opened")
			return nil
		}
		if twin, ok := r.folded[names.Fold(name)]; ok {
			r.out.add(name, 0, CodeCaseTwin, "the name differs from %s in case only: both are kept, but systems that ignore case have one of them; rename one", twin)
		} else {
			r.folded[names.Fold(name)] = name
		}
		r.files[name] = info.Size()
		return nil
	})
}

// has reports whether there is a file with exactly this name.
func (r *folderReader) has(name string) bool {
	_, ok := r.files[name]
	return ok
}

// printable returns a name with all characters escaped that are not printable ASCII. It
// truncates long names.
func printable(name string) string {
	return strings.Trim(fmt.Sprintf("%+q", docs.ClipBytes(name, names.MaxName)), `"`)
}

// readable is like printable, but for text: it keeps the letters of all scripts and
// decodes percent escapes.
func readable(text string) string {
	if plain, err := url.PathUnescape(text); err == nil && utf8.ValidString(plain) {
		text = plain
	}
	return strings.Trim(strconv.Quote(docs.ClipBytes(text, names.MaxName)), `"`)
}

// load reads all Markdown files. It parses them in parallel, because there may be tens of
// thousands.
func (r *folderReader) load() error {
	var total int64
	var all []*Page
	fresh := map[*Page]bool{}
	r.names = sortedKeys(r.files)
	for _, name := range r.names {
		if !isMarkdown(name) || IsAsset(name) || name == r.tree.Summary {
			continue
		}
		if r.files[name] > r.limits.Markdown {
			r.out.add(name, 0, CodeTooLarge, "the page is left out: it is larger than %s", errs.Size(r.limits.Markdown))
			continue
		}
		if r.unchanged(name) {
			r.docs[name] = &Page{Type: Document, File: name, Same: true}
			continue
		}
		p := &Page{Type: Document, File: name, Slug: slugOf(name, r.isLanding(name))}
		if m, ok := r.known[name]; ok && r.same(r.full(name)) {
			p.Source, p.Head = m.source, m.head
		} else {
			var err error
			if p.Source, err = r.read(r.full(name), r.limits.Markdown); err != nil {
				return err
			}
			fresh[p] = true
		}
		if total += int64(len(p.Source)); total > r.limits.Memory {
			return errs.E(errs.Invalid, "the pages have more than %s together", errs.Size(r.limits.Memory))
		}
		all = append(all, p)
	}
	refers := make([][]string, len(all))
	inParallel(len(all), func(i int) {
		p := all[i]
		if fresh[p] {
			p.Head = markup.ParseHead(p.Source)
		}
		refers[i] = referred(r.tree.place(), p.File, p.Head, p.Source)
	})
	for i, p := range all {
		for _, problem := range p.Head.Problems {
			r.out.add(p.File, problem.Line, CodeFrontMatter, "%s", problem.Message)
		}
		p.Title, p.Emoji, p.LinkTitle = p.Head.Title, p.Head.Emoji, p.Head.Meta.LinkTitle
		r.docs[p.File], r.refers[p.File] = p, refers[i]
	}
	return nil
}

// bad returns why a path cannot be read, or an empty string. The path of a file that did
// not change since an earlier call is always valid.
func (r *folderReader) bad(name string) string {
	if r.unchanged(name) {
		return ""
	}
	return names.Problem(name)
}

// unchanged reports whether Source.Same is set for a file.
func (r *folderReader) unchanged(name string) bool {
	l, ok := r.fsys.(listing)
	if !ok {
		return false
	}
	f := l[r.full(name)]
	return f != nil && f.src.Same
}

// inParallel calls fn for 0 to n-1, distributed over all processors.
func inParallel(n int, fn func(i int)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(n, budget.Processors()) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	wg.Wait()
}

// navigation builds the tree of pages from SUMMARY.md, or from the folders if there is no
// SUMMARY.md.
func (r *folderReader) navigation() error {
	t := r.tree
	if _, ok := r.files[t.Summary]; !ok {
		t.Inferred = true
		t.Pages = infer(r.docs, t.Readme)
		for _, p := range t.All() {
			r.listed[p.File] = true
		}
	} else {
		src, err := r.read(r.full(t.Summary), r.limits.Markdown)
		if err != nil {
			return err
		}
		t.SummarySource = src
		report := func(line int, code, format string, args ...any) {
			r.out.add(t.Summary, line, code, format, args...)
		}
		entries, err := r.entries(src, report)
		if err != nil {
			return err
		}
		s := &structure{lookup: r, at: t.place(), dir: path.Dir(t.Summary), depth: r.limits.Depth, report: report}
		s.skipped = func(_ entry, file string) { t.Skipped = append(t.Skipped, file) }
		t.Pages = nest(s.items(entries))
		if home := r.docs[t.Readme]; home != nil && !r.listed[t.Readme] {
			// The landing page is part of the navigation even if it is not listed.
			p := r.document(t.Readme)
			if p.Title == "" {
				p.Title = titleOf(p.File, true)
			}
			t.Pages = slices.Insert(t.Pages, 0, p)
		}
	}
	if r.docs[t.Readme] == nil {
		r.out.add(t.Readme, 0, CodeNoReadme, "the landing page does not exist; add the file")
	}
	return nil
}

func (r *folderReader) find(name string) (string, bool) {
	return finder(r.has, name)
}

func (r *folderReader) similar(name string) string {
	file, _ := finder(func(file string) bool { return r.inAnyCase(file) != "" }, name)
	return r.inAnyCase(file)
}

// inAnyCase returns the file whose path differs from name at most in case, or "".
func (r *folderReader) inAnyCase(name string) string { return r.folded[names.Fold(name)] }

func (r *folderReader) isLanding(file string) bool {
	return isLanding(file, r.tree.Readme, r.inAnyCase)
}

func (r *folderReader) document(file string) *Page {
	doc := r.docs[file]
	if doc == nil || IsInclude(file) {
		return nil
	}
	r.listed[file] = true
	if doc.Same {
		return doc
	}
	p := *doc
	return &p
}

// rest assigns the files that are not in the navigation to the fields of the tree.
func (r *folderReader) rest() {
	t := r.tree
	t.VariablesFile, t.TagsFile = r.settingsFile(variablesName), r.settingsFile(tagsName)
	used := r.references()
	for _, name := range r.names {
		if why := notPageReason(name, t.Summary); why != "" && !r.listed[name] {
			r.out.add(name, 0, CodePassedOver, "the file is kept, but it is no page: %s", why)
		}
		switch doc := r.docs[name]; {
		case name == t.Summary, r.listed[name]:
		case doc != nil && IsInclude(name):
			title := doc.Title
			if title == "" {
				title = titleOf(name, false)
			}
			t.Includes = append(t.Includes, &Include{name, title, doc.Source, doc.Head})
		case doc != nil:
			if doc.Title == "" {
				doc.Title = titleOf(name, r.isLanding(name))
			}
			t.Unlisted = append(t.Unlisted, doc)
			if !t.Inferred {
				r.out.add(name, 0, CodeNotInSummary, "the page is not in %s, so it is not shown", t.Summary)
			}
		case name == t.variablesFile() || name == t.tagsFile():
			r.settings(name)
		case r.files[name] > r.limits.Asset:
			r.out.add(name, 0, CodeTooLarge, "the file is left out: it is larger than %s", errs.Size(r.limits.Asset))
		case IsAsset(name) || used[name]:
			t.Files = append(t.Files, r.file(name))
		default:
			t.Others = append(t.Others, r.file(name))
		}
	}
}

// settingsFile returns the path of a settings file that is not at its usual path, or an
// empty string. It is the file in the topmost folder that has one. Further ones belong to
// other folders and are treated as ordinary files.
func (r *folderReader) settingsFile(usual string) string {
	if r.has(usual) {
		return ""
	}
	first := ""
	for _, name := range r.names {
		if strings.HasSuffix(name, "/"+usual) && (first == "" || strings.Count(name, "/") < strings.Count(first, "/")) {
			first = name
		}
	}
	return first
}

// settings reads the file of variables or of tags.
func (r *folderReader) settings(name string) {
	t := r.tree
	src, err := r.read(r.full(name), maxConfig)
	switch {
	case err != nil:
		r.out.add(name, 0, CodeTooLarge, "the file is left out: it is larger than %s or cannot be opened", errs.Size(maxConfig))
		t.Others = append(t.Others, r.file(name))
	case name == t.variablesFile():
		t.VariablesSource, t.Variables = src, parseVariables(name, src, &r.out)
	default:
		t.TagsSource, t.Tags = src, parseTags(name, src, &r.out)
	}
}

func (r *folderReader) file(name string) *File {
	full, fsys := r.full(name), r.fsys
	return &File{Path: name, Size: r.files[name], Open: func() (io.ReadCloser, error) { return fsys.Open(full) }}
}

// references returns the set of files that pages, reusable contents or links refer to.
func (r *folderReader) references() map[string]bool {
	used := map[string]bool{}
	mark := func(file string) {
		if _, ok := r.files[file]; ok {
			used[file] = true
		}
	}
	for _, files := range r.refers {
		for _, file := range files {
			mark(file)
		}
	}
	for _, p := range r.tree.All() {
		if p.Type == Link {
			used[p.Target] = true
		}
	}
	return used
}
