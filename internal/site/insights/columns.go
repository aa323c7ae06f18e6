package insights

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// group is the key of a line of an answer. Fields that a query does not group by are
// empty.
type group struct {
	day       int64
	event     string
	section   docs.SiteItemID
	siteSpace docs.SiteItemID
	space     docs.SpaceID
	page      docs.PageID
	detail    string
}

// tally holds the counts of a group.
type tally struct {
	events         int64
	bad, ok, good  int64 // ratings of pages
	liked, refused int64 // ratings of answers
}

func (t *tally) add(g group, n int64) {
	t.events += n
	switch {
	case g.event == pageFeedback && g.detail == "bad":
		t.bad += n
	case g.event == pageFeedback && g.detail == "ok":
		t.ok += n
	case g.event == pageFeedback && g.detail == "good":
		t.good += n
	case g.event == askRating && g.detail == "1":
		t.liked += n
	case g.event == askRating:
		t.refused += n
	}
}

// PageRef is a page in the column page.
type PageRef struct {
	Page  *string `json:"page"`
	Space string  `json:"space"`
}

// PageRatings is the column pageFeedbackRating.
type PageRatings struct {
	OK   int64 `json:"ok"`
	Good int64 `json:"good"`
	Bad  int64 `json:"bad"`
}

// AnswerRatings is the column askResponseRating.
type AnswerRatings struct {
	Positive int64 `json:"positive"`
	Negative int64 `json:"negative"`
}

// column is a column that queries can use.
type column struct {
	// keep copies the fields that the column depends on from the group of an event. If
	// keep is nil, the column is a count, by which queries cannot group.
	keep func(to *group, from group)
	// of lists the types of events that have the column; empty means all.
	of []string
	// value returns the value of the column in the answer.
	value func(g group, t tally) any
	// by lists the fields by which the store must group for the column.
	by store.EventGroups
}

// columns are all columns by name. Clients know many more: those are about visitors, or
// are texts that visitors typed, neither of which is recorded.
var columns = map[string]column{
	"datetime": {
		keep:  func(to *group, from group) { to.day = from.day },
		value: func(g group, _ tally) any { return DayStart(g.day) }, by: store.EventGroups{Day: true},
	},
	"eventType": {
		keep:  func(to *group, from group) { to.event = from.event },
		value: func(g group, _ tally) any { return g.event }, by: store.EventGroups{Event: true},
	},
	"siteSection": {
		keep:  func(to *group, from group) { to.section = from.section },
		value: func(g group, _ tally) any { return orNull(string(g.section)) },
	},
	"siteSpace": {
		keep:  func(to *group, from group) { to.siteSpace = from.siteSpace },
		value: func(g group, _ tally) any { return orNull(string(g.siteSpace)) },
	},
	"page": {
		keep:  func(to *group, from group) { to.space, to.page = from.space, from.page },
		value: pageValue, by: store.EventGroups{Page: true},
	},
	"eventPageFeedbackRating": detailColumn(detailText, pageFeedback, pageComment),
	"eventAskResponseRating":  detailColumn(detailNumber, askRating),
	"eventLinkPosition":       detailColumn(detailText, linkClick),
	"eventTrademarkPlacement": detailColumn(detailText, trademark),
	"eventAdPlacement":        detailColumn(detailText, adClick, adDisplay),

	"eventsCount": {value: func(_ group, t tally) any { return t.events }},
	"pageFeedbackRating": {
		value: func(_ group, t tally) any { return PageRatings{t.ok, t.good, t.bad} }, by: store.EventGroups{Event: true, Detail: true},
	},
	"askResponseRating": {
		value: func(_ group, t tally) any { return AnswerRatings{t.liked, t.refused} }, by: store.EventGroups{Event: true, Detail: true},
	},
}

func detailColumn(value func(group, tally) any, of ...string) column {
	return column{
		keep: func(to *group, from group) { to.detail = from.detail },
		of:   of, value: value, by: store.EventGroups{Event: true, Detail: true},
	}
}

func detailText(g group, _ tally) any { return g.detail }

func detailNumber(g group, _ tally) any {
	n, _ := strconv.Atoi(g.detail) // "1" or "-1"
	return n
}

func pageValue(g group, _ tally) any {
	switch {
	case g.space == "":
		return nil
	case g.page == "":
		return PageRef{nil, string(g.space)}
	}
	page := string(g.page)
	return PageRef{&page, string(g.space)}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Column is a column of a query.
type Column struct {
	Name     string
	Interval string // of the column datetime: day, week or month; empty is day
}

// find returns the definition of a column. path is its path in the request, for errors.
func (c Column) find(path string) (column, error) {
	def, ok := columns[c.Name]
	switch {
	case !ok:
		return def, errs.Field(path+".column", "is not recorded: nothing is kept about visitors; there are %s", strings.Join(columnNames(), ", "))
	case c.Interval != "" && c.Name != "datetime":
		return def, errs.Field(path+".interval", "is for the column datetime")
	}
	switch c.Interval {
	case "", "day":
		return def, nil
	case "week", "month":
		def.keep = func(to *group, from group) { to.day = begin(from.day, c.Interval) }
		return def, nil
	}
	return def, errs.Field(path+".interval", "must be day, week or month: events are counted by day")
}

func columnNames() []string {
	out := make([]string, 0, len(columns))
	for name := range columns {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// begin returns the first day of the week or month of a day. Weeks begin on
// Monday.
func begin(n int64, interval string) int64 {
	t := DayStart(n).Std()
	if interval == "month" {
		return dayOf(docs.TimeOf(time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)))
	}
	return n - int64((t.Weekday()+6)%7)
}

// compare compares two values of a column. Values that are neither numbers nor times are
// compared by their JSON text.
func compare(a, b any) int {
	switch a := a.(type) {
	case int64:
		if b, ok := b.(int64); ok {
			return cmp.Compare(a, b)
		}
	case docs.Time:
		if b, ok := b.(docs.Time); ok {
			return cmp.Compare(a, b)
		}
	}
	return cmp.Compare(text(a), text(b))
}

// text returns a value as JSON, for comparisons.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
