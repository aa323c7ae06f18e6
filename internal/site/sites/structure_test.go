package sites

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// newTree returns an empty structure that numbers its items.
func newTree() *Structure {
	n := 0
	return NewStructure("The Site", nil, func(kind docs.SiteItemKind) docs.SiteItemID {
		n++
		return docs.NewSiteItemID(kind, fmt.Sprint(n))
	})
}

// TestInvariants runs random operations and checks the rules after each one that succeeds. The
// error of one that fails must name a field or an item.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newTree()
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			next := clone(s)
			what, err := step(t, next)
			if err != nil {
				if k := errs.KindOf(err); k != errs.Invalid && k != errs.NotFound {
					t.Fatalf("step %d, %s: %v", i, what, err)
				}
				continue // the structure is discarded
			}
			s = next
			s.readdress()
			if err := s.check(); err != nil {
				t.Fatalf("step %d, %s: %v\n%s", i, what, err, s.outline())
			}
		}
	})
}

func clone(s *Structure) *Structure {
	out := NewStructure(s.title, nil, s.newID)
	for id, it := range s.items {
		out.items[id] = it
	}
	for id, all := range s.children {
		out.children[id] = slices.Clone(all)
	}
	return out
}

// step applies one random change.
func step(t *rapid.T, s *Structure) (string, error) {
	paths := []string{"a", "b", "c", "A", "the-site", "~x", "robots.txt", "x/y"}
	space := func() docs.Space {
		id := rapid.SampledFrom([]string{"a", "b", "c", "The Site"}).Draw(t, "space")
		return docs.Space{ID: docs.SpaceID(id), Title: id}
	}
	pick := func(kind docs.SiteItemKind) docs.SiteItemID {
		all := append(s.All(kind), docs.SiteItem{ID: "absent"})
		return rapid.SampledFrom(all).Draw(t, "item").ID
	}
	kind := func() docs.SiteItemKind {
		return rapid.SampledFrom([]docs.SiteItemKind{docs.SiteSpace, docs.SiteSection, docs.SiteGroup, docs.SiteLink}).Draw(t, "kind")
	}
	ops := map[string]func() error{
		"add space": func() error { _, err := s.AddSpace("", space()); return err },
		"add space to section": func() error {
			_, err := s.AddSpace(pick(docs.SiteSection), space())
			return err
		},
		"add section": func() error { _, err := s.AddSection("", "", space()); return err },
		"add group": func() error {
			_, err := s.AddGroup("g", "", rapid.SampledFrom([]docs.SiteItemID{"", pick(docs.SiteGroup)}).Draw(t, "parent"), []docs.SiteItemID{pick(docs.SiteSection)})
			return err
		},
		"add link": func() error {
			_, err := s.AddLink(LinkPatch{Parent: opt.Of(rapid.SampledFrom([]docs.SiteItemID{"", pick(docs.SiteGroup), pick(docs.SiteSection)}).Draw(t, "parent"))})
			return err
		},
		"change link": func() error {
			_, err := s.UpdateLink(pick(docs.SiteLink), LinkPatch{
				Draft:  opt.Of(rapid.Bool().Draw(t, "draft")),
				Parent: opt.Of(rapid.SampledFrom([]docs.SiteItemID{"", pick(docs.SiteGroup)}).Draw(t, "parent")),
			})
			return err
		},
		"group":       func() error { return s.Group(pick(docs.SiteGroup), pick(docs.SiteSection)) },
		"ungroup":     func() error { return s.Ungroup(pick(docs.SiteGroup), pick(docs.SiteSection)) },
		"delete":      func() error { k := kind(); _, err := s.Delete(k, pick(k)); return err },
		"drop space":  func() error { s.DropSpace(space().ID); return nil },
		"set default": func() error { return s.SetDefaults(pick(docs.SiteSection), "") },
		"set default space": func() error {
			return s.SetDefaultSpace(rapid.SampledFrom([]docs.SiteItemID{"", pick(docs.SiteSection)}).Draw(t, "section"), pick(docs.SiteSpace))
		},
		"path of section": func() error {
			_, err := s.UpdateSection(pick(docs.SiteSection), SectionPatch{Path: opt.Of(rapid.SampledFrom(paths).Draw(t, "path"))})
			return err
		},
		"path of space": func() error {
			_, err := s.UpdateSpace(pick(docs.SiteSpace), SpacePatch{Path: opt.Of(rapid.SampledFrom(paths).Draw(t, "path"))}, "x")
			return err
		},
		"trash": func() error {
			if it, err := s.Item(docs.SiteSpace, pick(docs.SiteSpace)); err == nil {
				it.Trashed = !it.Trashed
				s.items[it.ID] = it
			}
			return nil
		},
		"move": func() error {
			k, l := kind(), kind()
			mark := &Pointer{l, pick(l)}
			to := rapid.SampledFrom([]Position{{}, {Before: mark}, {After: mark}}).Draw(t, "position")
			what := Pointer{k, pick(k)}
			it, err := s.Move(what, to)
			if err == nil {
				return moved(s, it, to)
			}
			return err
		},
	}
	names := make([]string, 0, len(ops))
	for name := range ops {
		names = append(names, name)
	}
	slices.Sort(names)
	name := rapid.SampledFrom(names).Draw(t, "operation")
	return name, ops[name]()
}

// moved checks the position of a moved item.
func moved(s *Structure, it docs.SiteItem, to Position) error {
	all := s.children[it.Parent]
	at := slices.Index(all, it.ID)
	switch {
	case to.Before != nil && (at+1 == len(all) || all[at+1] != to.Before.ID),
		to.After != nil && (at == 0 || all[at-1] != to.After.ID),
		to.Before == nil && to.After == nil && at+1 != len(all):
		return fmt.Errorf("%s is at %d of %v, not at %v", it.ID, at, all, to)
	}
	return nil
}

// check returns an error for the first rule that is violated.
func (s *Structure) check() error {
	may := map[docs.SiteItemKind][]docs.SiteItemKind{
		"":               {docs.SiteSpace, docs.SiteSection, docs.SiteGroup, docs.SiteLink},
		docs.SiteGroup:   {docs.SiteSection, docs.SiteGroup, docs.SiteLink},
		docs.SiteSection: {docs.SiteSpace},
	}
	reached := 0
	for parent, children := range s.children {
		var last docs.Rank
		for _, id := range children {
			it, ok := s.items[id]
			switch {
			case !ok || it.Parent != parent:
				return fmt.Errorf("%s is listed in %q but says %q", id, parent, it.Parent)
			case it.Rank <= last:
				return fmt.Errorf("%s has the rank %q behind %q", id, it.Rank, last)
			case !slices.Contains(may[s.items[parent].Kind], it.Kind):
				return fmt.Errorf("%s is in %s", id, parent)
			case parent == "" && (it.Kind == docs.SiteSpace) == s.HasSections():
				return fmt.Errorf("the site has sections and site spaces")
			}
			last = it.Rank
			reached++
		}
	}
	if reached != len(s.items) {
		return fmt.Errorf("%d of %d items are in the tree", reached, len(s.items))
	}
	levels := [][]docs.SiteItem{s.All(docs.SiteSection)}
	for _, sec := range levels[0] {
		levels = append(levels, s.Children(sec.ID))
	}
	if !s.HasSections() {
		levels = append(levels, s.Children(""))
	}
	for _, level := range levels {
		if err := checkLevel(level); err != nil {
			return err
		}
	}
	return s.checkAddresses()
}

func checkLevel(level []docs.SiteItem) error {
	paths, defaults := map[string]bool{}, 0
	for _, it := range level {
		if paths[docs.SlugKey(it.Path)] || docs.CheckSitePath("path", it.Path) != nil {
			return fmt.Errorf("the path %q is taken or bad", it.Path)
		}
		paths[docs.SlugKey(it.Path)] = true
		if it.Default {
			defaults++
		}
	}
	if len(level) > 0 && defaults != 1 {
		return fmt.Errorf("%d defaults of %d", defaults, len(level))
	}
	return nil
}

// checkAddresses checks that every address resolves to its site space, with and without the
// paths of defaults. It also checks that a complete prefix of a URL resolves to the same
// place as the URL.
func (s *Structure) checkAddresses() error {
	seen := s.Present()
	for _, it := range seen.All(docs.SiteSpace) {
		full := it.Path
		if sec := seen.items[it.Parent]; sec.ID != "" {
			full = sec.Path + "/" + it.Path
		}
		for _, way := range []string{it.Address, full} {
			parts := append(SplitPath(way), "page", "deep")
			got, ok := seen.Paths().Resolve(strings.Join(parts, "/"), false)
			if !ok || got.Space.ID != it.ID || got.Rest != "page/deep" || !got.Complete {
				return fmt.Errorf("%q leads to %+v, not to %s", way, got, it.ID)
			}
			if way == it.Address && !got.Canonical() {
				return fmt.Errorf("the address %q is not canonical", way)
			}
			for n := range parts {
				prefix, _ := seen.Paths().Resolve(strings.Join(parts[:n], "/"), false)
				if prefix.Complete && prefix.Space.ID != it.ID {
					return fmt.Errorf("the prefix %v of %q is complete but leads to %s", parts[:n], way, prefix.Space.ID)
				}
			}
		}
	}
	return nil
}

func (s *Structure) outline() string {
	var b strings.Builder
	var walk func(parent docs.SiteItemID, depth int)
	walk = func(parent docs.SiteItemID, depth int) {
		for _, it := range s.Children(parent) {
			fmt.Fprintf(&b, "%s%s %q default=%v trashed=%v address=%q\n", strings.Repeat("  ", depth), it.ID, it.Path, it.Default, it.Trashed, it.Address)
			walk(it.ID, depth+1)
		}
	}
	walk("", 0)
	return b.String()
}

func TestFirstSectionKeepsSiteSpaces(t *testing.T) {
	s := newTree()
	for _, title := range []string{"One", "Two"} {
		if _, err := s.AddSpace("", docs.Space{ID: docs.SpaceID(title), Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddSection("Guides", "", docs.Space{ID: "g", Title: "G"}); err != nil {
		t.Fatal(err)
	}
	s.readdress()
	want := strings.TrimLeft(`
sitesc_3 "the-site" default=true trashed=false address=""
  sitesp_1 "one" default=true trashed=false address=""
  sitesp_2 "two" default=false trashed=false address="two"
sitesc_4 "guides" default=false trashed=false address=""
  sitesp_5 "g" default=true trashed=false address="guides"
`, "\n")
	if got := s.outline(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The default section remains the default for readers if it is in a group. A link is never a
// default.
func TestReadersKeepTheDefaultSection(t *testing.T) {
	s := newTree()
	var ids []docs.SiteItemID
	for _, title := range []string{"One", "Two"} {
		it, err := s.AddSection(title, "", docs.Space{ID: docs.SpaceID(title), Title: title})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, it.ID)
	}
	if _, err := s.AddGroup("More", "", "", ids[:1]); err != nil {
		t.Fatal(err)
	}
	link, err := s.AddLink(LinkPatch{Title: opt.Of("Shop"), URL: opt.Of("https://shop.test/")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Move(Pointer{docs.SiteLink, link.ID}, Position{Before: &Pointer{docs.SiteSection, ids[1]}}); err != nil {
		t.Fatal(err)
	}
	s.readdress()
	if def, _ := s.Present().DefaultSection(); def.ID != ids[0] {
		t.Errorf("the default is %q", def.Title)
	}
	if it := s.Present().items[link.ID]; it.Default || it.Path != "" {
		t.Errorf("the link is %+v", it)
	}
}

func TestASiteIsBounded(t *testing.T) {
	s := newTree()
	for range docs.MaxSiteItems {
		if _, err := s.AddSpace("", docs.Space{ID: "a", Title: strings.Repeat("a", 128)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := checkLevel(s.Children("")); err != nil {
		t.Error(err)
	}
	if _, err := s.AddSpace("", docs.Space{ID: "a"}); !errs.Is(err, errs.Invalid) {
		t.Error(err)
	}
	if _, err := s.AddSection("Guides", "", docs.Space{ID: "a"}); !errs.Is(err, errs.Invalid) {
		t.Error(err)
	}
}

func TestGroupsAreBounded(t *testing.T) {
	s := newTree()
	var parent docs.SiteItemID
	for range docs.MaxSiteGroupDepth {
		g, err := s.AddGroup("g", "", parent, nil)
		if err != nil {
			t.Fatal(err)
		}
		parent = g.ID
	}
	if _, err := s.AddGroup("g", "", parent, nil); !errs.Is(err, errs.Invalid) {
		t.Error(err)
	}
}

// Moving one item back and forth does not make ranks longer and longer.
func TestRanksStayShort(t *testing.T) {
	s := newTree()
	var ids []docs.SiteItemID
	for i := range 3 {
		it, err := s.AddSpace("", docs.Space{ID: "a", Title: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, it.ID)
	}
	for range 500 {
		if _, err := s.Move(Pointer{docs.SiteSpace, ids[2]}, Position{Before: &Pointer{docs.SiteSpace, ids[1]}}); err != nil {
			t.Fatal(err)
		}
		ids[1], ids[2] = ids[2], ids[1]
		if n := len(s.items[ids[1]].Rank); n > maxRank {
			t.Fatalf("a rank of %d characters", n)
		}
	}
	s.readdress()
	if err := s.check(); err != nil {
		t.Error(err)
	}
}
