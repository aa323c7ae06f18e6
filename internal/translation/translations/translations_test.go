package translations_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/translation/translate"
	"github.com/octavo-docs/octavo/internal/translation/translations"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// counted is an engine that records the texts it is sent.
type counted struct {
	translate.Engine

	mu   sync.Mutex
	sent []string
}

func (c *counted) Translate(ctx context.Context, r translate.Request) ([]string, error) {
	c.mu.Lock()
	c.sent = append(c.sent, r.Texts...)
	c.mu.Unlock()
	return c.Engine.Translate(ctx, r)
}

// take returns the texts that were sent since the last call of take.
func (c *counted) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.sent
	c.sent = nil
	return out
}

// upper is an engine that translates texts to upper case.
type upper struct{}

func (upper) Translate(_ context.Context, r translate.Request) ([]string, error) {
	out := make([]string, len(r.Texts))
	for i, t := range r.Texts {
		in := false
		out[i] = strings.Map(func(c rune) rune {
			if c == '<' || c == '&' {
				in = true
			}
			if c == '>' || c == ';' {
				in = false
				return c
			}
			if in {
				return c
			}
			return []rune(strings.ToUpper(string(c)))[0]
		}, t)
		if strings.Contains(t, "LOSE") {
			out[i] = "lost"
		}
		if strings.Contains(t, "advertise") {
			out[i] = "BUY AT https://example.com"
		}
	}
	return out, nil
}

// world is an organization with a space that is translated.
type world struct {
	t      *testing.T
	sv     *services.Services
	by     authz.Actor
	org    docs.OrgID
	source docs.SpaceID
	engine *counted
}

func newWorld(t *testing.T, o store.Options, e translate.Engine) *world {
	t.Helper()
	w := &world{t: t, sv: testservices.New(t, testdb.Open(t, o), services.Settings{BaseURL: "http://octavo.test"}), engine: &counted{Engine: e}}
	w.sv.Translations.Name, w.sv.Translations.Engine = "test", &translate.Client{Engine: w.engine, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	b, err := w.sv.Orgs.Operator.Bootstrap(t.Context(), "ada@octavo.example", "Acme", "test")
	w.ok(err)
	w.by, w.org = authz.Actor{User: b.User}, b.Organization
	sp, _, err := w.sv.Spaces.Create(t.Context(), w.admin(), spaces.NewSpace{Title: "Handbook", EditMode: docs.EditLive, Empty: true, Language: "en"})
	w.ok(err)
	w.source = sp.ID
	return w
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) admin() *authz.Grant {
	w.t.Helper()
	g, err := authz.OnBehalfInOrg(w.t.Context(), w.sv.Store, w.by, authz.ManageTranslations, w.org)
	w.ok(err)
	return g
}

func (w *world) apply(id docs.SpaceID, changes ...content.Change) []content.Outcome {
	w.t.Helper()
	g, _, err := authz.NewChecker(w.sv.Store.Reader).Space(w.t.Context(), w.by, authz.EditSpace, id)
	w.ok(err)
	out, err := w.sv.Content.Apply(w.t.Context(), g, "", "", changes)
	w.ok(err)
	return out.Outcomes
}

func insert(md string) content.Change {
	return content.Change{Operation: content.InsertPage, Body: &revision.Body{Markdown: &md}}
}

func write(page docs.PageID, md string) content.Change {
	return content.Change{Operation: content.UpdatePage, Page: string(page), Body: &revision.Body{Markdown: &md}}
}

func (w *world) create() docs.Translation {
	w.t.Helper()
	t, err := w.sv.Translations.Create(w.t.Context(), w.admin(), translations.New{Source: w.source, From: "en", To: "es", RunOnMerge: true})
	w.ok(err)
	return w.run(t)
}

// run runs a translation as its job does.
func (w *world) run(t docs.Translation) docs.Translation {
	w.t.Helper()
	payload, err := json.Marshal(map[string]any{"translation": t.ID})
	w.ok(err)
	w.ok(w.sv.Translations.Run(w.t.Context(), payload))
	t, err = w.sv.Store.Translation(w.t.Context(), w.org, t.ID)
	w.ok(err)
	if t.Status != docs.TranslationCompleted {
		w.t.Fatalf("the run is %s: %s", t.Status, t.Error)
	}
	return t
}

func (w *world) head(id docs.SpaceID) *revision.View {
	w.t.Helper()
	sp, err := w.sv.Store.Space(w.t.Context(), id)
	w.ok(err)
	v, err := w.sv.Content.Source.Head(w.t.Context(), sp.It)
	w.ok(err)
	return v
}

func (w *world) page(id docs.SpaceID, page docs.PageID) docs.Page {
	w.t.Helper()
	p, err := w.head(id).Page(w.t.Context(), page)
	w.ok(err)
	return p
}

func (w *world) markdown(id docs.SpaceID, page docs.PageID) string {
	w.t.Helper()
	b, err := w.head(id).Markdown(w.t.Context(), w.page(id, page), false)
	w.ok(err)
	return strings.TrimSpace(string(b))
}

func (w *world) document(id docs.SpaceID, page docs.PageID) *markup.Document {
	w.t.Helper()
	doc, err := w.head(id).Document(w.t.Context(), w.page(id, page))
	w.ok(err)
	return doc
}

func (w *world) blocks(t docs.Translation, status docs.BlockStatus) []docs.TranslationBlock {
	w.t.Helper()
	list, err := w.sv.Translations.Blocks(w.t.Context(), w.admin(), t.ID, status)
	w.ok(err)
	out, _, err := list.Page(w.t.Context(), store.Page{Limit: 1000})
	w.ok(err)
	return out
}

func (w *world) same(got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("%q instead of %q", got, want)
	}
}

func TestWhatARunSends(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, upper{})
		out := w.apply(w.source,
			insert("# Start here\n\nSee [the guide](guide.md#steps) and `code`.\n\nSame words.\n"),
			insert("# Guide\n\n## Steps\n\nSame words.\n\n```\nSame words.\n```\n"),
		)
		start, guide := out[0].Page, out[1].Page
		tr := w.create()
		if n := len(w.engine.take()); n != 5 {
			t.Errorf("%d texts were sent: two titles, a heading, a paragraph, and one that is there twice", n)
		}
		w.same(w.markdown(tr.Result, start), "SEE [THE GUIDE](guide.md#steps) AND `code`.\n\nSAME WORDS.")
		w.same(w.markdown(tr.Result, guide), "## STEPS <a href=\"#steps\" id=\"steps\"></a>\n\nSAME WORDS.\n\n```\nSame words.\n```")
		p := w.page(tr.Result, start)
		w.same(p.Title+" "+p.Slug, "START HERE start-here")
		if link := markup.References(w.document(tr.Result, start))[0].Ref; link.Page != string(guide) || link.Space != "" {
			t.Errorf("the link leads to %+v", link)
		}
		if tr.Stats.Runs != 1 || tr.Stats.LatestPages != 2 || tr.Stats.LatestWords == 0 || !tr.Complete || tr.Untranslated != 0 {
			t.Errorf("%+v", tr)
		}
		was := w.head(tr.Result).Rev.ID
		if tr = w.run(tr); len(w.engine.take()) != 0 || tr.Stats.LatestPages != 0 || w.head(tr.Result).Rev.ID != was {
			t.Error("the second run did something")
		}
		w.apply(w.source, write(start, "See [the guide](guide.md#steps) and `code`.\n\nOther words.\n"))
		tr = w.run(tr)
		if sent := w.engine.take(); !slices.Equal(sent, []string{"Other words."}) {
			t.Errorf("%q was sent", sent)
		}
		w.same(w.markdown(tr.Result, start), "SEE [THE GUIDE](guide.md#steps) AND `code`.\n\nOTHER WORDS.")
		// The address of a link and code are no words.
		w.apply(w.source, write(start, "See [the guide](https://example.com/) and `more`.\n\nOther words.\n"))
		tr = w.run(tr)
		if sent := w.engine.take(); len(sent) != 0 {
			t.Errorf("%q was sent", sent)
		}
		w.same(w.markdown(tr.Result, start), "SEE [THE GUIDE](https://example.com/) AND `more`.\n\nOTHER WORDS.")
		w.apply(w.source, content.Change{Operation: content.DeletePage, Page: string(guide)})
		tr = w.run(tr)
		if _, there, err := w.head(tr.Result).Lookup(t.Context(), guide); there || err != nil {
			t.Error("the page that was deleted is still there", err)
		}
	})
}

func TestCorrectionsStay(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, upper{})
		page := w.apply(w.source, insert("# Page\n\nOne.\n\n* first\n* second\n\nThree.\n"))[0].Page
		tr := w.create()
		w.apply(tr.Result, write(page, "Uno.\n\n* PRIMERO\n* SECOND\n\nTHREE.\n"))
		tr = w.run(tr)
		w.same(w.markdown(tr.Result, page), "Uno.\n\n* PRIMERO\n* SECOND\n\nTHREE.")
		w.apply(w.source, write(page, "One.\n\n* first\n* second, changed\n\nThree, changed.\n"))
		tr = w.run(tr)
		w.same(w.markdown(tr.Result, page), "Uno.\n\n* PRIMERO\n* SECOND, CHANGED\n\nTHREE, CHANGED.")
		if tr.Stale != 0 {
			t.Errorf("%+v", w.blocks(tr, ""))
		}
		// The source of the corrections changes: they are listed, and stay.
		w.apply(w.source, write(page, "One more.\n\n* first of all\n* second, changed\n\nThree, changed.\n"))
		tr = w.run(tr)
		w.same(w.markdown(tr.Result, page), "Uno.\n\n* PRIMERO\n* SECOND, CHANGED\n\nTHREE, CHANGED.")
		blocks := w.blocks(tr, docs.BlockStale)
		if tr.Stale != 2 || len(blocks) != 2 || !slices.ContainsFunc(blocks, func(b docs.TranslationBlock) bool { return b.Source == "One more." && b.Text == "Uno." }) {
			t.Errorf("%+v", blocks)
		}
		if tr = w.run(tr); tr.Stale != 2 {
			t.Errorf("after another run, %d blocks are stale", tr.Stale)
		}
		// Somebody corrects one of them again.
		w.apply(tr.Result, write(page, "Uno más.\n\n* PRIMERO\n* SECOND, CHANGED\n\nTHREE, CHANGED.\n"))
		tr = w.run(tr)
		w.same(w.markdown(tr.Result, page), "Uno más.\n\n* PRIMERO\n* SECOND, CHANGED\n\nTHREE, CHANGED.")
		if tr.Stale != 1 {
			t.Errorf("%+v", w.blocks(tr, ""))
		}
	})
}

func TestWhatAnEngineCannotDo(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), upper{})
	w.apply(w.source, insert("# Page\n\nKeep `this`, LOSE nothing.\n\nFine.\n"))
	tr := w.create()
	page, _, err := w.head(tr.Result).Home(t.Context())
	w.ok(err)
	w.same(w.markdown(tr.Result, page.ID), "Keep `this`, LOSE nothing.\n\nFINE.")
	if blocks := w.blocks(tr, docs.BlockUntranslated); len(blocks) != 1 || !tr.Complete {
		t.Errorf("%+v", blocks)
	}
	w.engine.take()
	if w.run(tr); len(w.engine.take()) != 0 {
		t.Error("what the engine could not do is sent again")
	}
	w.ok(w.sv.Translations.StartRun(t.Context(), w.admin(), tr.ID))
	if w.run(tr); len(w.engine.take()) != 1 {
		t.Error("somebody asks for a run, and what the engine could not do is not tried again")
	}

	t.Run("shape", func(t *testing.T) {
		w := newWorld(t, testdb.SQLite(t), upper{})
		page := w.apply(w.source, insert("# Page\n\nOne.\n\nDo not advertise.\n\nThree.\n\n* four\n* never advertise\n\nFive.\n"))[0].Page
		tr := w.create()
		w.same(w.markdown(tr.Result, page), "ONE.\n\nDo not advertise.\n\nTHREE.\n\n* four\n* never advertise\n\nFIVE.")
		if blocks := w.blocks(tr, docs.BlockUntranslated); len(blocks) != 3 {
			t.Errorf("%+v", blocks)
		}
	})

	t.Run("limit", func(t *testing.T) {
		w := newWorld(t, testdb.SQLite(t), upper{})
		w.sv.Translations.MaxWords = 4
		w.apply(w.source, insert("# Page\n\nOne two three.\n\nFour five.\n"))
		tr := w.create()
		if tr.Complete || tr.Error == "" || tr.Untranslated != 1 || tr.Stats.LatestWords != 4 {
			t.Errorf("%+v", tr)
		}
		if tr = w.run(tr); !tr.Complete || tr.Error != "" || tr.Untranslated != 0 || tr.Stats.TotalWords != 6 {
			t.Errorf("%+v", tr)
		}
	})
	t.Run("a text longer than the limit", func(t *testing.T) {
		w := newWorld(t, testdb.SQLite(t), upper{})
		w.sv.Translations.MaxWords = 2
		w.apply(w.source, insert("# Page\n\nOne two three four.\n"))
		tr := w.create()
		if tr = w.run(tr); !tr.Complete || tr.Untranslated != 0 {
			t.Errorf("%+v", tr)
		}
	})
	t.Run("none", func(t *testing.T) {
		w := newWorld(t, testdb.SQLite(t), upper{})
		w.sv.Translations.Engine = nil
		page := w.apply(w.source, insert("# Page\n\nOne.\n\nTwo.\n"))[0].Page
		tr := w.create()
		if tr.Untranslated != 3 || w.markdown(tr.Result, page) != "One.\n\nTwo." {
			t.Errorf("%+v", tr)
		}
		w.apply(tr.Result, write(page, "Uno.\n\nTwo.\n"))
		if tr = w.run(tr); tr.Untranslated != 2 || w.markdown(tr.Result, page) != "Uno.\n\nTwo." {
			t.Errorf("%+v", tr)
		}
	})
	t.Run("down", func(t *testing.T) {
		w := newWorld(t, testdb.SQLite(t), broken{})
		w.apply(w.source, insert("# Page\n\nOne.\n"))
		tr := w.create()
		if tr.Complete || tr.Error != "it is down" || tr.Untranslated != 2 {
			t.Errorf("%+v", tr)
		}
	})
	t.Run("quota", func(t *testing.T) {
		w := newWorld(t, testdb.SQLite(t), upper{})
		page := w.apply(w.source, insert("# Page\n\nOne.\n"))[0].Page
		tr := w.create()
		w.apply(w.source, write(page, "Two.\n"))
		w.ok(w.sv.Orgs.Operator.SetQuotas(t.Context(), w.org, tr.Result, docs.Quotas{docs.QuotaContent: 1}, nil))
		if tr = w.run(tr); !strings.HasPrefix(tr.Error, "the quota ") || tr.Stats.Runs != 2 {
			t.Errorf("%+v", tr)
		}
		w.ok(w.sv.Orgs.Operator.SetQuotas(t.Context(), w.org, tr.Result, nil, []docs.Quota{docs.QuotaContent}))
		if tr = w.run(tr); tr.Error != "" || w.markdown(tr.Result, page) != "TWO." {
			t.Errorf("%+v", tr)
		}
	})
	t.Run("deleted", func(t *testing.T) {
		w := newWorld(t, testdb.SQLite(t), upper{})
		w.apply(w.source, insert("# Page\n\nOne.\n"))
		tr := w.create()
		g, _, err := authz.NewChecker(w.sv.Store.Reader).Space(t.Context(), w.by, authz.AdminSpace, w.source)
		w.ok(err)
		w.ok(w.sv.Spaces.Delete(t.Context(), g))
		if tr = w.run(tr); !strings.HasPrefix(tr.Error, "the source space is deleted") {
			t.Errorf("%q", tr.Error)
		}
	})
}

type broken struct{}

func (broken) Translate(context.Context, translate.Request) ([]string, error) {
	return nil, &translate.Failure{Reason: "it is down", Final: true}
}

func TestGlossaryAndInstructions(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, upper{})
		w.apply(w.source, insert("# Page\n\nA space.\n\nA page.\n"))
		tr := w.create()
		w.engine.take()
		w.ok(w.sv.Translations.ChangeGlossary(t.Context(), w.admin(), []translations.GlossaryChange{
			{Type: "insert", Translations: map[string]string{"en": "space", "es": "espacio"}},
			{Type: "insert", Translations: map[string]string{"en": "page", "fr": "page"}},
		}))
		tr = w.run(tr)
		if sent := w.engine.take(); !slices.Equal(sent, []string{"A space."}) {
			t.Errorf("a term of the glossary sends %q", sent)
		}
		entries, _, err := w.sv.Translations.Glossary(w.org).Page(t.Context(), store.Page{Limit: 10})
		if err != nil || len(entries) != 2 || entries[0].Translations["es"] != "espacio" {
			t.Fatalf("%+v, %v", entries, err)
		}
		w.ok(w.sv.Translations.ChangeGlossary(t.Context(), w.admin(), []translations.GlossaryChange{{Type: "delete", ID: entries[0].ID}}))
		if w.run(tr); len(w.engine.take()) != 0 {
			t.Error("what was known before is sent again")
		}
		_, err = w.sv.Translations.Update(t.Context(), w.admin(), tr.ID, []byte(`{"object":"document","data":{},"nodes":[{"object":"block","type":"paragraph","nodes":[{"object":"text","leaves":[{"object":"leaf","text":"Be brief.","marks":[]}]}]}]}`), nil)
		w.ok(err)
		if w.run(tr); len(w.engine.take()) != 3 {
			t.Error("other instructions do not translate everything again")
		}
	})
}

func TestRunsAfterChangesOfTheSource(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), upper{})
	w.apply(w.source, insert("# Page\n\nOne.\n"))
	tr := w.create()
	w.apply(w.source, insert("# Other\n\nTwo.\n"))
	tr, err := w.sv.Store.Translation(t.Context(), w.org, tr.ID)
	if w.ok(err); tr.Status != docs.TranslationPending {
		t.Errorf("after an edit of the source, the translation is %s", tr.Status)
	}
	w.ok(w.sv.Translations.Delete(t.Context(), w.admin(), tr.ID))
	w.apply(w.source, insert("# Third\n\nThree.\n"))
	if w.head(tr.Result) == nil {
		t.Error("the result is gone")
	}
}

// A space with every block of the syntax, translated by the real Apertium.
func TestApertiumTranslatesASpace(t *testing.T) {
	if _, err := exec.LookPath("apertium"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("apertium is missing, and CI skips nothing")
		}
		t.Skip("apertium is not installed")
	}
	source, err := os.ReadFile("../../markup/testdata/everything.md")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, testdb.SQLite(t), translate.Apertium{Timeout: 10 * time.Minute})
	const n = 30
	var pages []docs.PageID
	body := func(i int) string { return fmt.Sprintf("%s\n\nThis is the last paragraph of page %d.\n", source, i) }
	for i := range n {
		pages = append(pages, w.apply(w.source, insert(fmt.Sprintf("# Page number %d\n\n%s", i, body(i))))[0].Page)
	}
	tr := w.create()
	if tr.Error != "" || !tr.Complete {
		t.Fatalf("%s", tr.Error)
	}
	sent, changed, all := len(w.engine.take()), 0, 0
	refused := len(w.blocks(tr, docs.BlockUntranslated))
	for _, id := range pages {
		from, to := w.document(w.source, id), w.document(tr.Result, id)
		if len(from.Nodes) != len(to.Nodes) {
			t.Fatalf("%d blocks instead of %d", len(to.Nodes), len(from.Nodes))
		}
		for i, a := range from.Nodes {
			if !translate.SameShape(a, to.Nodes[i]) {
				t.Errorf("a %s has another shape", a.Type)
			}
			all++
			if markup.Text([]*markup.Node{a}) != markup.Text([]*markup.Node{to.Nodes[i]}) {
				changed++
			}
		}
		if !slices.Equal(links(from), links(to)) {
			t.Error("links lead elsewhere")
		}
		w.same(w.page(tr.Result, id).Slug, w.page(w.source, id).Slug)
	}
	if changed*3 < all {
		t.Errorf("of %d blocks, %d changed", all, changed)
	}
	if tr = w.run(tr); len(w.engine.take()) != 0 {
		t.Error("the second run sends something")
	}
	w.apply(w.source, write(pages[7], strings.Replace(body(7), "This is the last paragraph", "Here is the final sentence", 1)))
	tr = w.run(tr)
	if again := w.engine.take(); len(again) != 1 || !strings.HasPrefix(again[0], "Here is the final sentence") {
		t.Errorf("one edited block sends %q", again)
	}
	got := w.markdown(tr.Result, pages[7])
	doc := w.document(tr.Result, pages[7])
	last := markup.Text(doc.Nodes[len(doc.Nodes)-1:])
	w.apply(tr.Result, write(pages[7], strings.Replace(got, last, "Una frase mejor.", 1)))
	w.apply(w.source, write(pages[7], strings.Replace(body(7), "This is the last paragraph", "Here is the other sentence", 1)))
	tr = w.run(tr)
	if got := w.markdown(tr.Result, pages[7]); !strings.Contains(got, "Una frase mejor.") || strings.Contains(got, "otra frase") || tr.Stale != 1 {
		t.Errorf("the correction is lost, or not listed: %d", tr.Stale)
	}
	t.Logf("%d pages, %d blocks: %d texts sent, %d answers refused", n, all, sent, refused)
}

// links returns where the links of a document lead, in any order.
func links(doc *markup.Document) []string {
	var out []string
	for _, r := range markup.References(doc) {
		out = append(out, fmt.Sprint(r.Ref))
	}
	slices.Sort(out)
	return out
}
