package translations_test

import (
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/translation/translate"
	"github.com/octavo-docs/octavo/internal/translation/translations"
)

// export returns the memory as TMX.
func (w *world) export() string {
	w.t.Helper()
	var b strings.Builder
	_, err := w.sv.Translations.ExportMemory(w.t.Context(), w.org, "en", "es", &b)
	w.ok(err)
	return b.String()
}

func TestMemoryIsExchanged(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, upper{})
		page := w.apply(w.source, insert("# Page\n\nRun `this`.\n\nTwo.\n"))[0].Page
		tr := w.create()
		w.engine.take()
		text := w.export()
		if strings.Count(text, "<tu>") != 3 || strings.Count(text, ">engine<") != 3 {
			t.Fatal(text)
		}
		// The bureau corrects one text. The others are still those of the engine.
		bureau := strings.Replace(text, "RUN ", "Ejecuta ", 1)
		if n, skipped, err := w.sv.Translations.ImportMemory(t.Context(), w.org, "en", "es", strings.NewReader(bureau)); err != nil || n != 1 || skipped != 2 {
			t.Fatalf("%d texts, %d left out, %v", n, skipped, err)
		}
		tr = w.run(tr)
		w.same(w.markdown(tr.Result, page), "Ejecuta `this`.\n\nTWO.")
		if sent := w.engine.take(); len(sent) != 0 {
			t.Errorf("%q was sent", sent)
		}
		text = w.export()
		if strings.Count(text, ">engine<") != 2 || strings.Count(text, ">person<") != 1 {
			t.Error(text)
		}
		// Elsewhere, what engines made is used, but comes after people.
		other := newWorld(t, testdb.SQLite(t), upper{})
		if n, _, err := other.sv.Translations.ImportMemory(t.Context(), other.org, "en", "es", strings.NewReader(text)); err != nil || n != 3 {
			t.Fatalf("%d texts, %v", n, err)
		}
		if again := other.export(); again != text {
			t.Errorf("%s, want %s", again, text)
		}
		page = other.apply(other.source, insert("# Page\n\nTwo.\n"))[0].Page
		tr = other.create()
		w.same(other.markdown(tr.Result, page), "TWO.")
		if sent := other.engine.take(); len(sent) != 0 {
			t.Errorf("%q was sent", sent)
		}
		if _, _, err := w.sv.Translations.ImportMemory(t.Context(), w.org, "en", "es", strings.NewReader("no TMX")); err == nil {
			t.Error("a file of another kind is read")
		}
		if _, err := w.sv.Translations.ExportMemory(t.Context(), w.org, "en", "tlh", &strings.Builder{}); err == nil {
			t.Error("a language that does not exist is written")
		}
	})
}

// Corrections by people in the result are used wherever the same text occurs.
func TestCorrectionsAreLearned(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), upper{})
	source := "See [the guide](https://example.com/) and `code`.\n\nSame words.\n\n* one\n* two\n"
	page := w.apply(w.source, insert("# Page\n\n"+source))[0].Page
	tr := w.create()
	corrected := "`code`, y también [la guía](https://example.com/).\n\nLas mismas palabras.\n\n* uno\n* TWO"
	w.apply(tr.Result, write(page, corrected))
	other := w.apply(w.source, insert("# Other\n\n"+source))[0].Page
	w.engine.take()
	tr = w.run(tr)
	w.same(w.markdown(tr.Result, other), corrected)
	w.same(w.markdown(tr.Result, page), corrected)
	if text := w.export(); strings.Count(text, ">person<") != 3 {
		t.Error(text)
	}
	// A correction is still one, also when its page is translated again.
	w.apply(w.source, write(page, source+"\nLast.\n"))
	tr = w.run(tr)
	w.same(w.markdown(tr.Result, page), corrected+"\n\nLAST.")
	w.apply(w.source, write(page, strings.Replace(source, "Same words", "Other words", 1)+"\nLast.\n"))
	tr = w.run(tr)
	w.same(w.markdown(tr.Result, page), corrected+"\n\nLAST.")
	if tr.Stale != 1 {
		t.Errorf("%+v", w.blocks(tr, docs.BlockStale))
	}
	// The correction does not translate the new text.
	tr = w.run(tr)
	if text := w.export(); strings.Count(text, "mismas palabras") != 1 || strings.Contains(text, "Other words</seg></tuv>\n      <tuv xml:lang=\"es\"><seg>Las") {
		t.Error(text)
	}
}

// The memory of a pair of languages goes with its last translation.
func TestMemoryIsDeleted(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, upper{})
		w.apply(w.source, insert("# Page\n\nSecret.\n"))
		tr := w.create()
		french, err := w.sv.Translations.Create(t.Context(), w.admin(), translations.New{Source: w.source, From: "en", To: "fr"})
		w.ok(err)
		w.run(french)
		w.ok(w.sv.Translations.Delete(t.Context(), w.admin(), tr.ID))
		for to, want := range map[string]int{"es": 0, "fr": 1} {
			m, err := w.sv.Store.Memory(t.Context(), w.org, "en", to, []string{translate.HashText("Secret.")})
			if err != nil || len(m) != want {
				t.Errorf("%s: %v, %v", to, m, err)
			}
		}
	})
}
