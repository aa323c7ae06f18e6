package searchrows_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// page is short for a page with one section that has no heading.
func page(id, title, body string) searchrows.Page {
	return searchrows.Page{Page: id, Title: title, Language: "en", Sections: []search.Section{{Body: body}}}
}

func putPages(t testing.TB, s *store.Store, layer string, pages ...searchrows.Page) {
	t.Helper()
	change(t, s, func(tx *store.Tx) error { return tx.PutSearchPages(t.Context(), layer, pages) })
}

func change(t testing.TB, s *store.Store, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Do(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func scopeOf(layers ...string) []searchrows.Scope {
	return []searchrows.Scope{{Key: "space", Language: "en", Layers: layers}}
}

// find returns the pages that a search shows, in their order.
func find(t testing.TB, s *store.Store, query string, layers ...string) string {
	t.Helper()
	return names(hits(t, s, query, layers...))
}

func hits(t testing.TB, s *store.Store, query string, layers ...string) []searchrows.Hit {
	t.Helper()
	got, _, err := s.Search(context.Background(), scopeOf(layers...), query, 100, nil)
	if err != nil {
		t.Fatalf("search %q: %v", query, err)
	}
	return got
}

func names(hits []searchrows.Hit) string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Page)
	}
	return strings.Join(out, " ")
}

func TestSearchRanksTitlesBeforeHeadingsBeforeText(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		putPages(t, s, "l",
			page("often", "Other", strings.Repeat("webhook ", 200)),
			searchrows.Page{Page: "heading", Title: "Other", Language: "en", Sections: []search.Section{
				{Body: "Something else."}, {Anchor: "hooks", Title: "Webhook", Body: "Nothing more."}}},
			page("once", "Other", "A page that has the word webhook once."),
			page("title", "Webhooks", "Nothing more."),
			page("longtitle", "All about webhooks and other ways to be notified", "Nothing more."),
			page("none", "Other", "Nothing."),
			page("both", "Webhooks", "About webhooks."),
		)
		if got, want := find(t, s, "webhook", "l"), "both title longtitle heading often once"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// A page with the word that was written comes before pages with words that begin with it.
func TestSearchRanksTheWordBeforeWhatBeginsWithIt(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		putPages(t, s, "l",
			page("begins", "Portal", "How they are made."),
			page("word", "Port", "How they are made."),
			page("z", "Portal", "How they are made."),
		)
		if got := find(t, s, "port", "l"); got != "word begins z" {
			t.Errorf("got %q", got)
		}
	})
}

func TestSearchShowsSections(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		filler := strings.Repeat("Lorem ipsum dolor sit amet. ", 40)
		putPages(t, s, "l",
			searchrows.Page{Page: "a", Title: "Guide", Language: "en", Sections: []search.Section{
				{Body: "Intro."},
				{Anchor: "install", Title: "Installing", Body: filler + "Run the <b>installer</b> & wait. " + filler},
				{Anchor: "usage", Title: "Usage", Body: "After it is installed, use it."},
			}},
			page("b", "Install", "Nothing."),
		)
		got := hits(t, s, "install", "l")
		if names(got) != "b a" || len(got[0].Sections) != 0 || got[0].Title != "Install" || got[0].Scope != "space" {
			t.Fatalf("got %+v", got)
		}
		sections := got[1].Sections
		if len(sections) != 2 || sections[0].Anchor != "install" || sections[0].Title != "Installing" || sections[1].Anchor != "usage" {
			t.Fatalf("got %+v", sections)
		}
		if !strings.Contains(sections[0].Snippet, "…Run the <b>installer</b> & wait. Lorem") || sections[1].Snippet != "After it is installed, use it." {
			t.Errorf("snippets: %+v", sections)
		}
	})
}

func TestSearchFindsWords(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		putPages(t, s, "l",
			page("config", "Configuration", "How to configure authentication with fooBar and foo_baz."),
			page("install", "Installation", "Installing packages for C++ and .NET, version v1.2.3 in /usr/local/bin."),
			page("resume", "Résumé", "Naïve café in Łódź; Straße."),
			page("both", "Two", "authentication of packages"),
		)
		putPages(t, s, "other", page("x", "Configuration", "authentication"))
		for query, want := range map[string]string{
			"configure": "config", "CONFIGURATIONS": "config", "configuratio": "config", "confi": "config",
			"authentication": "config both", "auth": "config both", "authentication packages": "both",
			"packages authentication": "both", "autentication": "config both", "authenitcaton": "config both",
			"athentication": "config both", "uathentication": "config both", "zuthentication": "",
			"pakcages": "both install", "packges auth": "both", "insatll": "install",
			"foobar": "config", "fooBar": "config", "foo_bar": "config", "foo": "config", "baz": "config",
			"c++": "install", ".net": "install", "net": "install", "v1.2.3": "install", "1.2.3": "install", "local": "install", "/usr/local/bin": "install",
			"resume": "resume", "RÉSUMÉ": "resume", "cafe": "resume", "lodz": "resume", "strasse": "resume", "straße": "resume",
			"nothing": "", "": "", "   ": "", "c": "install", "f": "",
			"packages of the nonsenseword authentication": "both", // most words
		} {
			if got := find(t, s, query, "l"); got != want {
				t.Errorf("search %q: got %q, want %q", query, got, want)
			}
		}
	})
}

func TestSearchFindsLanguagesWithoutBlanks(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		put := func(id, language, body string) {
			p := page(id, "Page", body)
			p.Language = language
			putPages(t, s, "l", p)
		}
		put("zh", "zh", "本页介绍如何配置全文搜索引擎。")
		put("ja", "ja", "このページでは東京タワーの検索機能を説明します。ｶﾀｶﾅ")
		put("th", "th", "หน้านี้อธิบายการค้นหาเอกสารภาษาไทย")
		put("ko", "ko", "이 문서를 검색하는 방법을 설명합니다.")
		put("km", "km", "ឯកសារភាសាខ្មែរ")
		for query, want := range map[string]string{
			"搜索": "zh", "全文搜索": "zh", "配置": "zh", "擎": "zh", "搜": "zh", "搜文": "", "検索": "ja", "東京": "ja", "タワー": "ja",
			"カタカナ": "ja", "ค้นหา": "th", "เอกสาร": "th", "문서": "ko", "검색": "ko", "ភាសា": "km", "搜索 配置": "zh",
		} {
			for _, language := range []string{"en", "zh", "ja"} {
				got, _, err := s.Search(t.Context(), []searchrows.Scope{{Language: language, Layers: []string{"l"}}}, query, 10, nil)
				if err != nil || names(got) != want {
					t.Errorf("search %q: got %q, want %q (%v)", query, names(got), want, err)
				}
				for _, h := range got {
					if len(h.Sections) != 1 || h.Sections[0].Snippet == "" {
						t.Errorf("search %q: sections %+v", query, h.Sections)
					}
				}
			}
		}
	})
}

func TestSearchReadsThroughLayers(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		putPages(t, s, "base", page("a", "Apple", "fruit"), page("b", "Banana", "fruit"), page("c", "Cherry", "fruit"), page("d", "Date", "fruit"))
		change(t, s, func(tx *store.Tx) error { return tx.DropSearchPage(t.Context(), "top", "b", true) })
		hidden := page("c", "Cherry", "fruit")
		hidden.Hidden = true
		putPages(t, s, "top", page("a", "Apricot", "fruit"), hidden, page("e", "Elder", "fruit"))
		for _, tt := range []struct {
			query, want string
			layers      []string
		}{
			{"fruit", "a e d", []string{"top", "base"}},
			{"fruit", "a b c d", []string{"base"}},
			{"fruit", "a e", []string{"top"}},
			{"fruit", "a b c d e", []string{"base", "top"}},
			{"apple", "", []string{"top", "base"}},
			{"apple", "a", []string{"base"}},
			{"apricot", "a", []string{"top", "base"}},
			{"banana", "", []string{"top", "base"}},
			{"cherry", "", []string{"top", "base"}},
			{"date", "d", []string{"top", "base"}},
			{"date", "d", []string{"empty", "top", "missing", "base"}},
			{"date", "", []string{"empty"}},
			{"date", "", nil},
		} {
			if got := find(t, s, tt.query, tt.layers...); got != tt.want {
				t.Errorf("search %q in %v: got %q, want %q", tt.query, tt.layers, got, tt.want)
			}
		}
		// A page that is no longer hidden, or that the top does not know any
		// more, is found again.
		change(t, s, func(tx *store.Tx) error { return tx.DropSearchPage(t.Context(), "top", "b", false) })
		putPages(t, s, "top", page("c", "Cherry", "fruit"))
		if got := find(t, s, "banana", "top", "base") + " " + find(t, s, "cherry", "top", "base"); got != "b c" {
			t.Errorf("got %q", got)
		}
		// Two spaces that share a layer.
		got, _, err := s.Search(t.Context(), []searchrows.Scope{
			{Key: "one", Language: "en", Layers: []string{"top", "base"}}, {Key: "two", Language: "en", Layers: []string{"base"}}}, "apple date", 10, nil)
		if err != nil || len(got) != 3 { // most of the words
			t.Errorf("got %+v, %v", got, err)
		}
		got, _, err = s.Search(t.Context(), []searchrows.Scope{
			{Key: "one", Language: "en", Layers: []string{"top", "base"}}, {Key: "two", Language: "en", Layers: []string{"base"}}}, "date", 10, nil)
		if err != nil || len(got) != 2 || got[0].Scope != "one" || got[1].Scope != "two" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestSearchForgetsWhatIsGone(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		ctx := t.Context()
		// Some wait, some are in segments.
		for _, n := range []int{3, 500} {
			var pages []searchrows.Page
			for i := range n {
				pages = append(pages, page(fmt.Sprint("p", i), "Secret", fmt.Sprint("secret word", i)))
			}
			putPages(t, s, "l", pages...)
			if got := hits(t, s, "secret", "l"); len(got) != min(n, 100) {
				t.Fatalf("%d pages", len(got))
			}
			for i := range pages {
				pages[i].Title, pages[i].Sections[0].Body = "Public", "public"
			}
			putPages(t, s, "l", pages...)
			if got := find(t, s, "secret", "l"); got != "" {
				t.Fatalf("found %q", got)
			}
			change(t, s, func(tx *store.Tx) error {
				for _, p := range pages {
					if err := tx.DropSearchPage(ctx, "l", p.Page, false); err != nil {
						return err
					}
				}
				return nil
			})
			if got := find(t, s, "public", "l"); got != "" {
				t.Fatalf("found %q", got)
			}
			change(t, s, func(tx *store.Tx) error { _, err := tx.CompactSearch(ctx, "l"); return err })
			if got := rowsOf(t, s, o, "search_index", "search_pending", "search_pages"); got != 0 {
				t.Errorf("%d rows are left", got)
			}
		}
		putPages(t, s, "l", page("a", "A", "word"))
		putPages(t, s, "m", page("a", "A", "word"))
		change(t, s, func(tx *store.Tx) error { return tx.DropSearchLayer(ctx, "l") })
		if got := find(t, s, "word", "l") + "|" + find(t, s, "word", "m"); got != "|a" {
			t.Errorf("got %q", got)
		}
		change(t, s, func(tx *store.Tx) error { return tx.DropSearchLayer(ctx, "m") })
		if got := rowsOf(t, s, o, "search_index", "search_pending", "search_pages", "search_segments", "search_layers"); got != 0 {
			t.Errorf("%d rows are left", got)
		}
	})
}

// rowsOf counts the rows of tables by way of a backup, which reads all.
func rowsOf(t *testing.T, s *store.Store, _ store.Options, tables ...string) (n int) {
	t.Helper()
	m, err := s.Backup(t.Context(), &bytes.Buffer{}, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range m.Tables {
		if slices.Contains(tables, b.Name) {
			n += b.Rows
		}
	}
	return n
}

func TestSearchPages(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		var pages []searchrows.Page
		for i := range 300 {
			pages = append(pages, page(fmt.Sprintf("p%03d", i), "Page", strings.Repeat("word ", 1+i%7)))
		}
		putPages(t, s, "l", pages...)
		seen := map[string]bool{}
		last := 1e9
		at := &searchrows.Place{}
		for offset := 0; ; offset += 25 {
			got, more, err := s.Search(t.Context(), scopeOf("l"), "word", 25, at)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range got {
				if seen[h.Page] || h.Score > last {
					t.Fatalf("%s comes twice or too late", h.Page)
				}
				seen[h.Page], last = true, h.Score
			}
			if more != (offset+25 < 300) {
				t.Errorf("at %d: more is %v", offset, more)
			}
			if !more {
				break
			}
			if at, err = searchrows.PlaceOf(at.Key()); err != nil || at.Len() != len(seen) {
				t.Fatalf("the place is behind %d results, %v", at.Len(), err)
			}
		}
		if len(seen) != 300 {
			t.Errorf("%d pages", len(seen))
		}
	})
}

func TestSearchTakesHostileQueries(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		var pages []searchrows.Page
		for i := range 200 {
			pages = append(pages, page(fmt.Sprint("p", i), "Title", "some ordinary text with words "+strings.Repeat("x", i*10)))
		}
		pages = append(pages, page("odd", "\x00\x1e\x1f\xff", "a\x1eb\x1fc\x00d\xff"))
		putPages(t, s, "l", pages...)
		for _, q := range []string{
			`"`, `""`, `"unclosed`, `'`, `*`, `a*`, `NEAR(a b)`, `a AND`, `OR`, `NOT x`, `title:x`, `{a b}:c`, `^a`, `a + b`, `-a`, `(`, `)`, `((((`,
			"\x00", "a\x00b", "\xff\xfe", "😀", "👩‍👩‍👧‍👧", "%", "_", `\`, `a:*`, `a & b | !c`, `<->`, "'; DROP TABLE search_pages; --",
			strings.Repeat("a", 512), strings.Repeat("x", 100_000), strings.Repeat("(a+)+", 100), strings.Repeat("a ", 256), strings.Repeat("中", 512),
			strings.Repeat("aB", 256), strings.Repeat("e\u0301", 256), strings.Repeat("\u0301", 512), strings.Repeat("\U000e0041", 100), "ｓｏｍｅ", "\u202esome",
		} {
			if _, _, err := s.Search(t.Context(), scopeOf("l"), q, 20, nil); err != nil {
				t.Errorf("search %.40q: %v", q, err)
			}
		}
		if got := find(t, s, "d", "l"); got != "odd" {
			t.Errorf("got %q", got)
		}
	})
}

func TestSearchIndexIsCheckedAndRebuilt(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		ctx := t.Context()
		r := rand.New(rand.NewPCG(1, 2))
		w := newWorld(r, 800)
		for range 40 {
			w.step(t, s, 60)
		}
		var all []searchrows.Entry
		for _, layer := range w.layers {
			if err := checkSearch(t, s, layer); err != nil {
				t.Fatal(err)
			}
			got, err := s.SearchEntries(ctx, layer)
			if err != nil {
				t.Fatal(err)
			}
			var want []searchrows.Entry
			for id, p := range w.entries[layer] {
				e := searchrows.Entry{Page: id, Hash: "gone"}
				if p != nil {
					e.Hash = p.Hash()
				}
				want = append(want, e)
			}
			slices.SortFunc(want, func(a, b searchrows.Entry) int { return strings.Compare(a.Page, b.Page) })
			if !slices.Equal(got, want) {
				t.Fatalf("layer %s has other entries than were put", layer)
			}
			all = append(all, got...)
		}
		if len(all) == 0 {
			t.Fatal("nothing was tested")
		}
		before := find(t, s, w.words[3], w.layers...)
		for _, layer := range w.layers {
			if done, err := s.RebuildSearch(ctx, layer); err != nil || !done {
				t.Fatalf("rebuilt: %v, %v", done, err)
			}
			if err := checkSearch(t, s, layer); err != nil {
				t.Fatal(err)
			}
		}
		if after := find(t, s, w.words[3], w.layers...); sorted(before) != sorted(after) {
			t.Errorf("before %q\nafter  %q", before, after)
		}
		if stale, err := s.StaleSearchLayers(ctx); err != nil || len(stale) != 0 {
			t.Errorf("stale: %v, %v", stale, err)
		}
	})
}

func sorted(names string) string {
	f := strings.Fields(names)
	slices.Sort(f)
	return strings.Join(f, " ")
}

// A backup of one database is searched alike in the other.
func TestSearchSurvivesRestore(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		w := newWorld(rand.New(rand.NewPCG(7, 7)), 300)
		for range 6 {
			w.step(t, s, 50)
		}
		var file bytes.Buffer
		if _, err := s.Backup(t.Context(), &file, "test", nil); err != nil {
			t.Fatal(err)
		}
		testdb.Each(t, func(t *testing.T, o store.Options) {
			if _, err := store.Restore(t.Context(), o, bytes.NewReader(file.Bytes()), false, nil); err != nil {
				t.Fatal(err)
			}
			restored := testdb.Open(t, o)
			for _, layer := range w.layers {
				if err := checkSearch(t, restored, layer); err != nil {
					t.Fatal(err)
				}
			}
			for _, q := range w.words[:40] {
				before, after := hits(t, s, q, w.layers...), hits(t, restored, q, w.layers...)
				if fmt.Sprint(before) != fmt.Sprint(after) {
					t.Fatalf("search %q: before %s, after %s", q, names(before), names(after))
				}
			}
		})
	})
}
