package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/site/sitefile"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/sites"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// siteWorld is a server with an organization and some spaces.
type siteWorld struct {
	t      *testing.T
	server *orgClient
	flags  []string
	spaces []string // titles; IDs for the two spaces with the same title
}

// startServer starts a server with one organization and returns the flags for its admin.
// If quiet is set, the server runs no jobs.
func startServer(t *testing.T, quiet bool) apiFlags {
	t.Helper()
	ctx := context.Background()
	srv, err := server.Start(ctx, server.Config{
		Settings: services.Settings{Log: slog.New(slog.NewTextHandler(io.Discard, nil))},
		Listen:   "127.0.0.1:0", Database: testdb.SQLite(t), Files: server.Files{Folder: filepath.Join(t.TempDir(), "files")}, Version: "test", Build: "test", Quiet: quiet,
		Limit: kernel.Limit{Requests: 1 << 30, Period: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := srv.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	b, err := srv.Orgs.Operator.Bootstrap(ctx, "ada@acme.test", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	return apiFlags{URL: srv.BaseURL, Token: b.Token}
}

func newSiteWorld(t *testing.T) *siteWorld {
	t.Helper()
	ctx := context.Background()
	f := startServer(t, true)
	w := &siteWorld{t: t, flags: []string{"--url=" + f.URL, "--token=" + f.Token}}
	var err error
	if w.server, err = f.connect(ctx); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"Handbook", "API", "Guides: a tour", "Twin", "Twin"} {
		var made named
		if err := w.server.do(ctx, "POST", apiPath("orgs", w.server.org, "spaces"), map[string]any{"title": title, "empty": true}, &made); err != nil {
			t.Fatal(err)
		}
		if title == "Twin" {
			title = made.ID
		}
		w.spaces = append(w.spaces, title)
	}
	return w
}

// run runs octavo site and returns its output, its error output and its exit code.
func (w *siteWorld) run(command string, args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = run(append(append([]string{"site", command}, w.flags...), args...), streams{&out, &errs})
	return out.String(), errs.String(), code
}

// must is like run, but fails the test if the command fails.
func (w *siteWorld) must(command string, args ...string) string {
	w.t.Helper()
	out, errs, code := w.run(command, args...)
	if code != 0 {
		w.t.Fatalf("site %s %v: %d\n%s%s", command, args, code, out, errs)
	}
	return out
}

// setSchema sets the schema of claims of a site.
func (w *siteWorld) setSchema(site, schema string) {
	w.t.Helper()
	ctx := context.Background()
	found, err := w.server.find(ctx, site)
	if err == nil {
		err = w.server.do(ctx, "PUT", apiPath("orgs", w.server.org, "sites", found.ID, "adaptive-schema"), map[string]any{"jsonSchema": json.RawMessage(schema)}, nil)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// file writes a site file and returns its name.
func (w *siteWorld) file(text string) string {
	w.t.Helper()
	name := filepath.Join(w.t.TempDir(), "octavo.site.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return name
}

// randomFile generates site files with a small set of names, so that applying successive
// files matches, renames, moves, creates and deletes items.
type randomFile struct {
	*rand.Rand
	out      strings.Builder
	spaces   []string
	paths    []string // paths of sections that are not used yet
	sections [][]string
	publish  bool // then nothing is a draft: a site needs something that readers see
}

func (r *randomFile) one(list ...string) string { return list[r.IntN(len(list))] }

func (r *randomFile) line(depth int, format string, args ...any) {
	r.out.WriteString(strings.Repeat("  ", depth) + fmt.Sprintf(format, args...) + "\n")
}

// variants writes a list of variants and returns their paths.
func (r *randomFile) variants(depth, low int) []string {
	paths := []string{"v1", "v2", "Next", "latest"}
	r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	paths = paths[:low+r.IntN(len(paths)+1-low)]
	def := r.IntN(len(paths) + 2)
	if len(paths) == 0 {
		r.line(depth, "variants: []")
		return nil
	}
	r.line(depth, "variants:")
	for i, path := range paths {
		r.line(depth, "- space: %q", r.one(r.spaces...))
		r.line(depth, "  path: %s", path)
		if i == def {
			r.line(depth, "  default: true")
		}
		if r.IntN(3) == 0 {
			r.line(depth, "  condition: visitor.claims.unsigned.%s", r.one("a", "b"))
		}
		r.seen(depth, "draft", "hidden")
	}
	return paths
}

// seen writes who sees an item: switches, and titles by language.
func (r *randomFile) seen(depth int, switches ...string) {
	for _, key := range switches {
		if r.IntN(4) == 0 && !(r.publish && key == "draft") {
			r.line(depth, "  %s: true", key)
		}
	}
	if r.IntN(4) == 0 {
		r.line(depth, "  localizedTitle: {%s: %q, pt-br: Guias}", r.one("fr", "de"), r.one("Guides: a tour", "Anleitung"))
	}
}

// items writes sections and groups.
func (r *randomFile) items(depth, level int, def *bool) {
	for range r.IntN(4) {
		if level < 3 && r.IntN(3) == 0 {
			r.line(depth, "- group: %s", r.one("One", "Two", "Three"))
			r.seen(depth, "draft")
			r.line(depth, "  sections:")
			at := r.out.Len()
			if r.items(depth+2, level+1, def); r.out.Len() == at {
				r.line(depth+2, "[]")
			}
			continue
		}
		if len(r.paths) == 0 {
			continue
		}
		path := r.paths[0]
		r.paths = r.paths[1:]
		r.line(depth, "- title: %s", r.one("Guides", "Reference", "API", "News", "404"))
		r.line(depth, "  path: %s", path)
		if r.IntN(3) == 0 {
			r.line(depth, "  icon: %s\n%s  description: %q", r.one("book", "gear"), strings.Repeat("  ", depth), r.one("Words: some", " # more"))
		}
		if r.IntN(4) == 0 {
			r.line(depth, "  condition: visitor.claims.unsigned.a")
		}
		r.seen(depth, "draft")
		if r.IntN(4) == 0 {
			r.line(depth, "  localizedDescription: {fr: Des mots}")
		}
		if !*def && r.IntN(4) == 0 {
			*def = true
			r.line(depth, "  default: true")
		}
		for _, v := range r.variants(depth+1, 1) {
			r.sections = append(r.sections, []string{path, v})
		}
	}
}

func (r *randomFile) text(site string) string {
	r.publish = r.IntN(2) == 0
	r.line(0, "site: %s\ntitle: %s\nvisibility: %s\nadaptive: %v", site, r.one("Docs", "Guides", "Help"), r.one("public", "unlisted", "share-link"), r.IntN(2) == 0)
	if r.IntN(4) == 0 {
		for _, v := range r.variants(0, 0) {
			r.sections = append(r.sections, []string{"", v})
		}
	} else {
		r.paths = []string{"guides", "reference", "API", "news", "help", "docs"}
		r.Shuffle(len(r.paths), func(i, j int) { r.paths[i], r.paths[j] = r.paths[j], r.paths[i] })
		at, def := r.out.Len(), false
		r.line(0, "sections:")
		r.items(1, 0, &def)
		if strings.HasSuffix(r.out.String(), "sections:\n") && r.out.Len() == at+len("sections:\n") {
			r.line(1, "[]")
		}
	}
	if r.IntN(2) == 0 {
		r.line(0, "customization:\n  styling:\n    corners: %s\n  pagination: {enabled: %v}\n  pdf: {enabled: %v}", r.one("straight", "rounded"), r.IntN(2) == 0, r.IntN(2) == 0)
	}
	if r.IntN(3) > 0 {
		r.line(0, "redirects:")
		r.line(1, "- {from: /a%d, to: 'https://example.com/%d'}", r.IntN(3), r.IntN(2))
		r.line(1, "- {from: '/old/%d/*', to: 'https://example.com/', captureWildcard: true, draft: %v}", r.IntN(3), r.IntN(2) == 0)
		if len(r.sections) > 0 {
			to := r.sections[r.IntN(len(r.sections))]
			r.line(1, "- {from: /inside, section: %q, variant: %s, permanent: %v}", to[0], to[1], r.IntN(2) == 0)
		}
	}
	if len(r.sections) > 0 {
		r.line(0, "publish: %v", r.publish)
	}
	return r.out.String()
}

// Files are applied to the same sites one after the other. Afterwards a site has the
// structure of the file, a second plan is empty, and so is the plan of the exported file.
func TestRandomSiteFilesAreApplied(t *testing.T) {
	t.Parallel()
	w := newSiteWorld(t)
	for seed := range uint64(40) {
		site := fmt.Sprintf("docs%d", seed%3)
		r := &randomFile{Rand: rand.New(rand.NewPCG(seed, 1)), spaces: w.spaces}
		text := r.text(site)
		name := w.file(text)
		before := ""
		if seed >= 3 {
			before = w.must("file", site)
		}
		plan, errs, code := w.run("apply", name)
		if code != 0 {
			t.Fatalf("seed %d: %s\n%s\nbefore:\n%s\nfile:\n%s", seed, plan, errs, before, text)
		}
		if again := w.must("plan", name); again != "nothing to change\n" {
			t.Fatalf("seed %d: the second plan is\n%s\nbefore:\n%s\nfile:\n%s\nfirst plan:\n%s", seed, again, before, text, plan)
		}
		exported := w.must("file", site)
		if again := w.must("plan", w.file(exported)); again != "nothing to change\n" {
			t.Fatalf("seed %d: the exported file changes\n%s\n%s", seed, again, exported)
		}
		if got, want := shape(t, exported), shape(t, text); got != want {
			t.Fatalf("seed %d: the site has\n%s\nwant\n%s\n%s", seed, got, want, text)
		}
	}
}

// What the server says about a part of a site is in the file, or here with the reason why not.
func TestPartsOfASiteHaveAllFieldsThatTheServerSays(t *testing.T) {
	without := map[string]string{
		"section": "the place in the file", "sectionGroup": "the place in the file", "sections": "is a part of children",
		"urls": "follows from the rest", "hasAdvancedCustomizationFeature": "is the same for all",
	}
	known := map[string]bool{}
	for i := range reflect.TypeFor[itemJSON]().NumField() {
		f := reflect.TypeFor[itemJSON]().Field(i)
		known[strings.ToLower(f.Name)] = true
	}
	known["id"], known["title"] = true, true // of named
	for _, wire := range []reflect.Type{reflect.TypeFor[sites.SiteSection](), reflect.TypeFor[sites.SiteSpace](), reflect.TypeFor[sites.SiteSectionGroup]()} {
		for i := range wire.NumField() {
			name, _, _ := strings.Cut(wire.Field(i).Tag.Get("json"), ",")
			if !known[strings.ToLower(name)] && without[name] == "" {
				t.Errorf("%s.%s is not read by octavo site: file and apply lose it", wire.Name(), name)
			}
		}
	}
	full := itemJSON{}
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			f.SetString("x")
		case reflect.Map:
			f.Set(reflect.ValueOf(map[string]string{"fr": "x"}))
		}
	}
	full.ID, full.Title, full.Space, full.SiteSpaces = "x", "x", named{"x", "x"}, []itemJSON{{}}
	it, _ := full.item()
	for i := range reflect.TypeFor[sitefile.Item]().NumField() {
		if f := reflect.TypeFor[sitefile.Item]().Field(i); f.IsExported() && reflect.ValueOf(*it).Field(i).IsZero() {
			t.Errorf("item does not set %s", f.Name)
		}
	}
}

// shape returns the structure of a file as text.
func shape(t *testing.T, text string) string {
	t.Helper()
	f, err := sitefile.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var out strings.Builder
	var walk func(items []*sitefile.Item, depth int)
	walk = func(items []*sitefile.Item, depth int) {
		for _, it := range items {
			fmt.Fprintf(&out, "%*s%s %q %s %s %q %q %s %v %v %s %s\n", depth, "", it.Kind, it.Title, it.Path, it.Icon, it.Description, it.Condition, it.Space.Name,
				it.Draft, it.Hidden, it.Titles, it.Descriptions)
			walk(it.Items, depth+2)
		}
	}
	walk(*f.Structure, 0)
	return out.String()
}

// If a step fails, the completed steps are reported. After the cause is corrected, the
// next run continues.
func TestApplyContinuesAfterAFailure(t *testing.T) {
	t.Parallel()
	w := newSiteWorld(t)
	file := `site: handbook
title: Docs
sections:
  - title: Guides
    variants: [{space: Handbook, path: v1}]
redirects: [{from: /a, section: guides, variant: v1%s}]
publish: true
`
	out, errs, code := w.run("apply", w.file(fmt.Sprintf(file, ", page: none")))
	if code != 1 || !strings.Contains(out, "2 of 4 done: + section guides") ||
		!strings.Contains(errs, "step 3 of 4 failed: + redirect /a") || !strings.Contains(errs, `there is no page "none"`) || !strings.Contains(errs, "it continues") {
		t.Fatalf("%d\n%s\n%s", code, out, errs)
	}
	good := w.file(fmt.Sprintf(file, ""))
	if got := w.must("plan", good); got != "+ redirect /a → guides/v1\n~ publish the site\n" {
		t.Fatalf("the rest is\n%s", got)
	}
	w.must("apply", "--yes", good)
	if got := w.must("plan", good); got != "nothing to change\n" {
		t.Fatal(got)
	}
}

// A plan reports everything that the server would refuse, with the line, before anything
// is applied.
func TestPlanRefusesWhatTheServerWould(t *testing.T) {
	t.Parallel()
	w := newSiteWorld(t)
	const file = "site: handbook\ntitle: Docs\nvariants: [{space: Handbook, path: v1, condition: visitor.claims.%s}]\ncustomization:\n  styling:\n    theme: %s\n"
	name := w.file(fmt.Sprintf(file, "beta", "purple"))
	for _, command := range []string{"plan", "apply"} {
		out, errs, code := w.run(command, name)
		if code != 1 || out != "" || !strings.Contains(errs, name+": line 6: customization.styling.theme must be one of clean, muted, bold, gradient") {
			t.Fatalf("%s: %d\n%s\n%s", command, code, out, errs)
		}
	}
	w.must("apply", "--yes", w.file(fmt.Sprintf(file, "beta", "bold")))
	w.setSchema("handbook", `{"type":"object","additionalProperties":false,"properties":{"beta":{"type":"boolean","description":"Beta"}}}`)
	name = w.file(fmt.Sprintf(file, "plan", "bold"))
	if out, errs, code := w.run("plan", name); code != 1 || out != "" || !strings.Contains(errs, name+": line 3: condition reads visitor.claims.plan, which the schema of claims does not declare") {
		t.Fatalf("%d\n%s\n%s", code, out, errs)
	}
}

// A site whose name is already taken by another organization is not created.
func TestASiteThatCannotHaveItsNameIsNotMade(t *testing.T) {
	t.Parallel()
	w := newSiteWorld(t)
	ctx := context.Background()
	sites := apiPath("orgs", w.server.org, "sites")
	steps, err := sitefile.Plan(sitefile.Current{}, &sitefile.File{Site: "handbook", Title: "Docs"})
	if err != nil {
		t.Fatal(err)
	}
	steps[0].Calls[1].Body = map[string]any{"basename": "Not a name"}
	if err := w.server.apply(ctx, io.Discard, steps); err == nil {
		t.Fatal("no error")
	}
	if left, err := listAll[named](ctx, w.server.client, sites); err != nil || len(left) > 0 {
		t.Fatalf("%v, %v are left", err, left)
	}
}

func TestReferencesBecomeIDs(t *testing.T) {
	t.Parallel()
	ids := boundIDs{"new:1": "sitesc_1"}
	got := ids.value(map[string]any{"a": sitefile.Ref("new:1"), "b": []map[string]any{{"c": sitefile.Ref("old")}}, "d": "new:1", "e": nil})
	want := map[string]any{"a": "sitesc_1", "b": []any{map[string]any{"c": "old"}}, "d": "new:1", "e": nil}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A variant can refer to a space by the folder of the repository that the space is
// connected to.
func TestSiteVariantsByFolder(t *testing.T) {
	t.Parallel()
	w := newSiteWorld(t)
	ctx := context.Background()
	spaces, err := listAll[named](ctx, w.server.client, apiPath("orgs", w.server.org, "spaces"))
	if err != nil {
		t.Fatal(err)
	}
	for _, sp := range spaces {
		folder, ok := map[string]string{"Handbook": "docs/v2", "API": "docs/v1"}[sp.Title]
		if !ok {
			continue
		}
		connection := map[string]any{"url": "https://git.example/docs.git", "ref": "main", "directory": folder, "paused": true}
		if err := w.server.do(ctx, "PUT", apiPath("spaces", sp.ID, "git", "connection"), connection, nil); err != nil {
			t.Fatal(err)
		}
	}
	name := w.file("site: manual\ntitle: Manual\nvariants:\n  - {folder: docs/v2, path: v2}\n  - {folder: ./docs/v1/, path: v1}\n")
	w.must("apply", "--yes", name)
	if again := w.must("plan", name); !strings.Contains(again, "nothing") {
		t.Errorf("a second time: %s", again)
	}
	if out := w.must("file", "manual"); !strings.Contains(out, "space: Handbook\n") || !strings.Contains(out, "space: API\n") {
		t.Errorf("the file is\n%s", out)
	}
	if _, errs, code := w.run("plan", w.file("site: manual\nvariants:\n  - folder: docs\n")); code == 0 || !strings.Contains(errs, `the folder "docs" of a repository`) {
		t.Errorf("an unknown folder: %d %s", code, errs)
	}
}
