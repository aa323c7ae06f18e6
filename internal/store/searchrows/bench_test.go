package searchrows_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// corpus makes pages of three sections whose words are as unevenly frequent
// as those of a language are.
type corpus struct {
	r     *rand.Rand
	words []string
}

func newCorpus() *corpus {
	c := &corpus{r: rand.New(rand.NewPCG(5, 6))}
	onset := []string{"b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "st", "tr", "pl", "gr", "ch"}
	vowel := []string{"a", "e", "i", "o", "u", "ea", "io"}
	end := []string{"", "n", "r", "s", "t", "ng", "tion", "ment"}
	seen := map[string]bool{}
	for len(c.words) < 40_000 {
		var b strings.Builder
		for range 1 + c.r.IntN(3) {
			b.WriteString(onset[c.r.IntN(len(onset))] + vowel[c.r.IntN(len(vowel))])
		}
		b.WriteString(end[c.r.IntN(len(end))])
		if w := b.String(); !seen[w] {
			seen[w] = true
			c.words = append(c.words, w)
		}
	}
	return c
}

// text of n words; the k-th word comes about in inverse proportion to k.
func (c *corpus) text(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.words[int(math.Exp(c.r.Float64()*math.Log(float64(len(c.words)))))-1])
	}
	return b.String()
}

func (c *corpus) page(i int) searchrows.Page {
	p := searchrows.Page{Page: fmt.Sprintf("page%06d", i), Title: c.text(3), Language: "en"}
	for s := range 3 {
		p.Sections = append(p.Sections, search.Section{Anchor: fmt.Sprint("s", s), Title: c.text(3), Body: c.text(67)})
	}
	return p
}

// BenchmarkSearch compares searches, with their sections and snippets, with
// the plain query of FTS5 over the same text that does nothing but rank:
// octavo-p50 and fts5-p50 are microseconds.
func BenchmarkSearch(b *testing.B) {
	ctx := context.Background()
	for _, sections := range []int{10_000, 100_000} {
		pages := sections / 3
		o := testdb.SQLite(b)
		s := testdb.Open(b, o)
		c := newCorpus()
		raw, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "raw.db")+"?_pragma=journal_mode(WAL)&_pragma=cache_size(-16384)&_pragma=synchronous(OFF)")
		if err != nil {
			b.Fatal(err)
		}
		defer raw.Close()
		if _, err := raw.Exec(`CREATE VIRTUAL TABLE plain USING fts5(title, heading, body, tokenize = 'porter unicode61')`); err != nil {
			b.Fatal(err)
		}
		tx, err := raw.Begin()
		if err != nil {
			b.Fatal(err)
		}
		took := time.Duration(0)
		for done := 0; done < pages; {
			var batch []searchrows.Page
			for range min(1000, pages-done) {
				batch = append(batch, c.page(done))
				done++
			}
			start := time.Now()
			putPages(b, s, "l", batch...)
			took += time.Since(start)
			for _, p := range batch {
				for _, sec := range p.Sections {
					if _, err := tx.Exec(`INSERT INTO plain (title, heading, body) VALUES ($1, $2, $3)`, p.Title, sec.Title, sec.Body); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
		// As the job that tidies up leaves it.
		change(b, s, func(tx *store.Tx) error { _, err := tx.CompactSearch(ctx, "l"); return err })
		b.Logf("%d sections: %.0f pages/s", sections, float64(pages)/took.Seconds())
		query, err := raw.Prepare(`SELECT rowid, bm25(plain, 10, 4, 1) AS score FROM plain WHERE plain MATCH $1 ORDER BY score LIMIT 20`)
		if err != nil {
			b.Fatal(err)
		}
		for _, kind := range []struct {
			name    string
			at      func(i int) int // place of the word among the most frequent
			several int
			typing  bool
		}{
			{"common", func(i int) int { return i % 20 }, 1, false},
			{"medium", func(i int) int { return 200 + i%200 }, 1, false},
			{"rare", func(i int) int { return 5000 + i*7%30000 }, 1, false},
			{"two-common", func(i int) int { return i * 3 % 50 }, 2, false},
			{"prefix", func(i int) int { return 50 + i%500 }, 1, true},
		} {
			b.Run(fmt.Sprintf("%d/%s", sections, kind.name), func(b *testing.B) {
				var ours, theirs []time.Duration
				for i := 0; b.Loop(); i++ {
					var words []string
					for k := range kind.several {
						words = append(words, c.words[kind.at(i+k)])
					}
					q, match := strings.Join(words, " ")+" ", strings.Join(words, " AND ")
					if kind.typing {
						q = words[0][:min(3, len(words[0]))]
						match = q + "*"
					}
					start := time.Now()
					if _, _, err := s.Search(ctx, scopeOf("l"), q, 20, nil); err != nil {
						b.Fatal(err)
					}
					ours = append(ours, time.Since(start))
					start = time.Now()
					rows, err := query.Query(match)
					if err != nil {
						b.Fatal(err)
					}
					for rows.Next() {
						var id int64
						var score float64
						if err := rows.Scan(&id, &score); err != nil {
							b.Fatal(err)
						}
					}
					if err := rows.Close(); err != nil {
						b.Fatal(err)
					}
					theirs = append(theirs, time.Since(start))
				}
				for name, d := range map[string][]time.Duration{"octavo": ours, "fts5": theirs} {
					slices.Sort(d)
					b.ReportMetric(float64(d[len(d)/2].Microseconds()), name+"-p50")
					b.ReportMetric(float64(d[len(d)*99/100].Microseconds()), name+"-p99")
				}
			})
		}
	}
}

// BenchmarkSearchPut is what a change of one page of 200 words costs, alone
// in its transaction.
func BenchmarkSearchPut(b *testing.B) {
	s := testdb.Open(b, testdb.SQLite(b))
	c := newCorpus()
	var batch []searchrows.Page
	for i := range 5_000 {
		batch = append(batch, c.page(i).Analysed())
	}
	putPages(b, s, "l", batch...)
	b.ResetTimer()
	for i := 0; i < b.N; {
		change(b, s, func(tx *store.Tx) error { // many in one flush, as with many writers
			for range 64 {
				if err := tx.PutSearchPage(context.Background(), "l", batch[c.r.IntN(len(batch))]); err != nil {
					return err
				}
				i++
			}
			return nil
		})
	}
}
