package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// QuestionCount is how often readers of a site asked a question on a day.
type QuestionCount struct {
	Site     docs.SiteID
	ID       docs.SiteQuestionID
	Day      int64 // since 1970, UTC
	Question string
	Asked    int64
	Answered int64 // of these, how many found a page
}

// MaxQuestions is how many questions of a site are stored on a day.
const MaxQuestions = 200

// AddQuestions adds to the counts of questions, which are sorted by site and day. Questions of
// sites that are gone or that keep no questions are left out, and questions beyond MaxQuestions.
func (tx siteWrites) AddQuestions(ctx context.Context, counts []QuestionCount) error {
	var kept []QuestionCount
	for len(counts) > 0 {
		first := counts[0]
		n := slices.IndexFunc(counts, func(c QuestionCount) bool { return c.Site != first.Site || c.Day != first.Day })
		if n < 0 {
			n = len(counts)
		}
		some, err := tx.keptQuestions(ctx, counts[:n])
		if err != nil {
			return err
		}
		kept, counts = append(kept, some...), counts[n:]
	}
	return engine.InsertAll(ctx, tx, `INSERT INTO site_questions (site_id, id, day, question, asked, answered)`, `
		ON CONFLICT (site_id, day, id)
		DO UPDATE SET asked = site_questions.asked + excluded.asked, answered = site_questions.answered + excluded.answered`,
		kept, func(c QuestionCount) []any { return []any{c.Site, c.ID, c.Day, c.Question, c.Asked, c.Answered} })
}

// keptQuestions returns those of the counts of a site on a day that are stored.
func (tx siteWrites) keptQuestions(ctx context.Context, counts []QuestionCount) ([]QuestionCount, error) {
	site, day := counts[0].Site, counts[0].Day
	n, err := engine.One(ctx, tx, "count", engine.ScanInt, `SELECT COUNT(*) FROM sites WHERE id = $1 AND keeps_questions`, site)
	if n == 0 || err != nil {
		return nil, err
	}
	ids, err := engine.Many(ctx, tx, engine.ScanText[docs.SiteQuestionID],
		`SELECT e.id FROM site_questions e WHERE e.site_id = $1 AND e.day = $2`, site, day)
	if err != nil {
		return nil, err
	}
	known := map[docs.SiteQuestionID]bool{}
	for _, id := range ids {
		known[id] = true
	}
	var kept []QuestionCount
	for _, c := range counts {
		if known[c.ID] || len(known) < MaxQuestions {
			known[c.ID] = true
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// QuestionWeeks is how many weeks the pulse of a question has.
const QuestionWeeks = 13

// SiteQuestion is a question with what is known of it in some days.
type SiteQuestion struct {
	ID          docs.SiteQuestionID
	Question    string
	First, Last int64 // days
	Sums        QuestionSums
}

// QuestionSums is how often questions were asked.
type QuestionSums struct {
	Asked    int64
	Answered int64
	Pulse    [QuestionWeeks]int64 // how often they were asked in a week, the last one last
}

// QuestionFilter selects questions of a site.
type QuestionFilter struct {
	ID       docs.SiteQuestionID // one question; empty: all
	From, To int64               // days, both included
	Today    int64               // the last day of the pulse
	Answered []string            // some of no, partially and yes: whether pages were found; empty: all
	Recent   bool                // in the order of the last day, not of how often it was asked
	Asc      bool
}

func pulseColumns() (names []string) {
	for i := range QuestionWeeks {
		names = append(names, "w"+strconv.Itoa(i))
	}
	return names
}

// grouped returns the question of each group, with its sums. $1 is the site, $2 and $3 are the
// days, $4 is the last day of the pulse, $5 an id or nothing.
func (f QuestionFilter) grouped() string {
	pulse := pulseColumns()
	for i, name := range pulse {
		ago := (QuestionWeeks - 1 - i) * 7
		pulse[i] = fmt.Sprintf(`cast(SUM(CASE WHEN e.day <= $4 - %d AND e.day > $4 - %d THEN e.asked ELSE 0 END) AS BIGINT) AS %s`, ago, ago+7, name)
	}
	text := `SELECT e.id AS id, MIN(e.question) AS question, MIN(e.day) AS first, MAX(e.day) AS last,
		cast(SUM(e.asked) AS BIGINT) AS asked, cast(SUM(e.answered) AS BIGINT) AS answered, ` + strings.Join(pulse, ", ") + `
		FROM site_questions e WHERE e.site_id = $1 AND e.day >= $2 AND e.day <= $3 AND ($5 = '' OR e.id = $5) GROUP BY e.id`
	var having []string
	for _, a := range f.Answered {
		having = append(having, map[string]string{
			"no": `SUM(e.answered) = 0`, "yes": `SUM(e.answered) = SUM(e.asked)`, "partially": `SUM(e.answered) > 0 AND SUM(e.answered) < SUM(e.asked)`,
		}[a])
	}
	if len(having) > 0 {
		text += ` HAVING ` + strings.Join(having, ` OR `)
	}
	return text
}

func (f QuestionFilter) args(site docs.SiteID) []any { return []any{site, f.From, f.To, f.Today, f.ID} }

func scanQuestion(s engine.Scanner) (q SiteQuestion, err error) {
	return q, s.Scan(append([]any{&q.ID, &q.Question, &q.First, &q.Last}, q.Sums.dest()...)...)
}

func (q *QuestionSums) dest() []any {
	to := []any{&q.Asked, &q.Answered}
	for i := range q.Pulse {
		to = append(to, &q.Pulse[i])
	}
	return to
}

// SiteQuestions lists the questions of a site.
func (r siteReads) SiteQuestions(ctx context.Context, site docs.SiteID, f QuestionFilter, p Page) ([]SiteQuestion, Key, error) {
	column := "asked"
	if f.Recent {
		column = "last"
	}
	by, err := p.Sorted(f.Asc)
	if err != nil {
		return nil, nil, err
	}
	items, err := engine.Many(ctx, r, scanQuestion, `SELECT g.* FROM (`+f.grouped()+`) AS g
		WHERE (g.`+column+`, g.id) `+by.Compare+` ($6, $7)
		ORDER BY g.`+column+` `+by.Direction+`, g.id `+by.Direction+` LIMIT $8 + 0`, append(f.args(site), by.At, by.ID, p.Ask())...)
	items, next := engine.Cut(p, items, func(q SiteQuestion) Key {
		if f.Recent {
			return Key{itoa(q.Last), string(q.ID)}
		}
		return Key{itoa(q.Sums.Asked), string(q.ID)}
	})
	return items, next, err
}

// SiteQuestion returns the question that a filter names.
func (r siteReads) SiteQuestion(ctx context.Context, site docs.SiteID, f QuestionFilter) (SiteQuestion, error) {
	return engine.One(ctx, r, "question", scanQuestion, f.grouped(), f.args(site)...)
}

// CountSiteQuestions counts what SiteQuestions lists.
func (r siteReads) CountSiteQuestions(ctx context.Context, site docs.SiteID, f QuestionFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM (`+f.grouped()+`) AS g`, f.args(site)...)
}

// SiteQuestionsTogether sums up what SiteQuestions lists.
func (r siteReads) SiteQuestionsTogether(ctx context.Context, site docs.SiteID, f QuestionFilter) (questions int64, sums QuestionSums, err error) {
	columns := []string{`COUNT(*)`}
	for _, name := range append([]string{"asked", "answered"}, pulseColumns()...) {
		columns = append(columns, `cast(COALESCE(SUM(g.`+name+`), 0) AS BIGINT)`)
	}
	sums, err = engine.One(ctx, r, "sum", func(s engine.Scanner) (q QuestionSums, err error) {
		return q, s.Scan(append([]any{&questions}, q.dest()...)...)
	}, `SELECT `+strings.Join(columns, ", ")+` FROM (`+f.grouped()+`) AS g`, f.args(site)...)
	return questions, sums, err
}

// TrimQuestions removes the counts of the oldest day before a day, and reports how many
// there were.
func (tx siteWrites) TrimQuestions(ctx context.Context, before int64) (int64, error) {
	return engine.Exec(ctx, tx, `
		DELETE FROM site_questions WHERE day = (SELECT MIN(e.day) FROM site_questions e) AND day < $1`, before)
}

// DropQuestions removes the questions of a site.
func (tx siteWrites) DropQuestions(ctx context.Context, site docs.SiteID) error {
	return engine.Put(ctx, tx, `DELETE FROM site_questions WHERE site_id = $1`, site)
}
