package sites

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *readers) insights() {
	const tag, route = "Site insights", wire.SiteRoute + "/insights"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "trackEventsInSiteById", Route: "POST " + route + "/events", Tag: tag, Allow: authz.Site(authz.ReadSite), MaxBody: maxEvents,
		Summary: "Count events on a site, such as that a page was read.",
		About: "Counted are the day, the type, the site space, the page, and a rating or a position. Nothing of session is kept, nor any text that somebody typed. " +
			"Events at places that the caller does not see are not counted. Counts are stored a few seconds later.",
	}, h.trackEvents)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "aggregateSiteEvents", Route: "POST " + route + "/events/aggregate", Tag: tag, Allow: authz.Site(authz.ViewSite), Status: 200,
		Summary: "Count the events of a site by day, type or place.",
		About: "Counts are kept for 90 days. Columns about visitors, such as visitorsCount, are refused: nothing about them is recorded. " +
			"A column that only some types of events have leaves out all others.",
	}, h.aggregateEvents)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteVisitorSegments", Route: "GET " + route + "/visitor-segments", Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "List groups of visitors with the same claims.",
		About:   "The list is empty: what is known of visitors is not recorded, so there is nothing to group them by.",
	}, h.listVisitorSegments)
}

// maxEvents is the maximum size of the body of a request that reports events, in bytes.
const maxEvents = 256 << 10

// eventType is one of insights.Types.
type eventType string

func (eventType) Schema(huma.Registry) *huma.Schema {
	return kernel.Enum("Type of an event.", insights.Types...)
}

// siteEvent is the JSON form of an event. Further fields are accepted and ignored.
type siteEvent struct {
	_         struct{}           `json:"-" additionalProperties:"true"`
	Type      eventType          `json:"type"`
	Session   eventSession       `json:"session"`
	Location  eventLocation      `json:"location"`
	Timestamp opt.Val[docs.Time] `json:"timestamp,omitempty" doc:"Within 5 minutes of now, which is the default."`
	Rating    int                `json:"rating,omitempty" enum:"1,-1"`
	Placement string             `json:"placement,omitempty" maxLength:"32"`
	Feedback  struct {
		_      struct{} `json:"-" additionalProperties:"true"`
		Rating string   `json:"rating" maxLength:"32"`
	} `json:"feedback,omitzero"`
	Link struct {
		_        struct{} `json:"-" additionalProperties:"true"`
		Position string   `json:"position" maxLength:"32"`
	} `json:"link,omitzero"`
	Ad struct {
		_         struct{} `json:"-" additionalProperties:"true"`
		Placement string   `json:"placement" maxLength:"32"`
	} `json:"ad,omitzero"`
}

// eventSession describes the visitor. None of its fields are read.
type eventSession struct {
	_ struct{} `json:"-" additionalProperties:"true"`
}

// eventLocation is where an event happened.
type eventLocation struct {
	_         struct{}                 `json:"-" additionalProperties:"true"`
	SiteSpace opt.Val[docs.SiteItemID] `json:"siteSpace,omitempty" nullable:"true" maxLength:"128"`
	Space     opt.Val[docs.SpaceID]    `json:"space,omitempty" nullable:"true" maxLength:"128"`
	Page      opt.Val[docs.PageID]     `json:"page,omitempty" nullable:"true" maxLength:"128"`
}

func (e siteEvent) event() insights.Event {
	out := insights.Event{
		Type: string(e.Type), At: e.Timestamp.Or(0),
		SiteSpace: e.Location.SiteSpace.Or(""), Space: e.Location.Space.Or(""), Page: e.Location.Page.Or(""),
	}
	switch e.Type {
	case "page_post_feedback", "page_post_feedback_comment":
		out.Detail = e.Feedback.Rating
	case "ask_rate_response":
		out.Detail = strconv.Itoa(e.Rating)
	case "link_click":
		out.Detail = e.Link.Position
	case "trademark_click":
		out.Detail = e.Placement
	case "ad_click", "ad_display":
		out.Detail = e.Ad.Placement
	}
	return out
}

type trackEventsIn struct {
	wire.SiteIn
	Body struct {
		Events []siteEvent `json:"events" maxItems:"100"`
	}
}

func (h *readers) trackEvents(ctx context.Context, in *trackEventsIn) (*kernel.Done, error) {
	events := make([]insights.Event, len(in.Body.Events))
	for i, e := range in.Body.Events {
		events[i] = e.event()
	}
	return nil, h.Insights.Track(ctx, authz.FromContext(ctx), events)
}

// insightsColumn is a column of a query. Package insights checks its name, and explains
// why a column is not available.
type insightsColumn struct {
	_        struct{} `json:"-" additionalProperties:"true"`
	Column   string   `json:"column" maxLength:"64"`
	Interval string   `json:"interval,omitempty" enum:"hour,day,week,month" doc:"Of the column datetime; default: day. Events are counted by day, so hour is refused."`
}

func (c insightsColumn) plain() insights.Column {
	return insights.Column{Name: c.Column, Interval: c.Interval}
}

func plainColumns(in []insightsColumn) []insights.Column {
	out := make([]insights.Column, len(in))
	for i, c := range in {
		out[i] = c.plain()
	}
	return out
}

type insightsFilter struct {
	_        struct{} `json:"-" additionalProperties:"true"`
	Column   string   `json:"column" maxLength:"64"`
	Values   []any    `json:"values" minItems:"1" maxItems:"100"`
	Operator string   `json:"operator,omitempty" enum:"in,notIn,greaterThan,greaterThanOrEqual,lessThan,lessThanOrEqual" doc:"Default: in."`
}

type insightsOrder struct {
	By        insightsColumn `json:"by"`
	Direction string         `json:"direction" enum:"asc,desc"`
}

// insightsRange is the name of a range, or its first and last time.
type insightsRange struct {
	preset   string
	From, To docs.Time
}

// presets maps the names of ranges to their lengths in days, which end today.
var presets = map[string]int{"last24Hours": 2, "last7Days": 7, "last30Days": 30, "last3Months": 92, "lastYear": 366}

// UnmarshalJSON implements json.Unmarshaler.
func (r *insightsRange) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &r.preset)
	}
	var custom struct{ From, To docs.Time }
	err := json.Unmarshal(b, &custom)
	r.From, r.To = custom.From, custom.To
	return err
}

// Schema implements huma.SchemaProvider.
func (insightsRange) Schema(huma.Registry) *huma.Schema {
	moment := &huma.Schema{Type: huma.TypeString, Format: "date-time"}
	names := kernel.Enum("Days up to today.", "last24Hours", "last7Days", "last30Days", "last3Months", "lastYear")
	return &huma.Schema{OneOf: []*huma.Schema{names, {
		Type: huma.TypeObject, Required: []string{"from", "to"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{"from": moment, "to": moment},
	}}, Description: "Whole days in UTC; the first and the last one are included."}
}

// days returns a time on the first and a time on the last day of the range.
func (r insightsRange) days(now time.Time) (from, to docs.Time) {
	if n, ok := presets[r.preset]; ok {
		return docs.TimeOf(now.AddDate(0, 0, 1-n)), docs.TimeOf(now)
	}
	return r.From, r.To
}

type aggregateEventsIn struct {
	wire.SiteIn
	Body struct {
		Select  []insightsColumn `json:"select,omitempty" maxItems:"20" doc:"Default: groupBy and eventsCount."`
		Where   []insightsFilter `json:"where,omitempty" maxItems:"20"`
		GroupBy []insightsColumn `json:"groupBy,omitempty" maxItems:"20" doc:"Default: the columns of select that are not counted."`
		Order   *insightsOrder   `json:"order,omitempty"`
		Range   insightsRange    `json:"range"`
		Limit   int              `json:"limit,omitempty" minimum:"1" maximum:"1000" default:"1000"`
	}
}

// insightsAnswer is the result of a query, column by column.
type insightsAnswer struct {
	Columns []insightsValues `json:"columns"`
}

type insightsValues struct {
	Column   string `json:"column"`
	Interval string `json:"interval,omitempty"`
	Values   []any  `json:"values"`
}

func (h *readers) aggregateEvents(ctx context.Context, in *aggregateEventsIn) (*kernel.Out[insightsAnswer], error) {
	b := in.Body
	q := insights.Query{Select: plainColumns(b.Select), GroupBy: plainColumns(b.GroupBy), Limit: b.Limit}
	q.From, q.To = b.Range.days(h.Clock())
	for _, f := range b.Where {
		q.Where = append(q.Where, insights.Filter{Column: insights.Column{Name: f.Column}, Operator: f.Operator, Values: f.Values})
	}
	if b.Order != nil {
		q.Order = &insights.Order{By: b.Order.By.plain(), Desc: b.Order.Direction == "desc"}
	}
	found, err := h.Insights.Aggregate(ctx, authz.FromContext(ctx), q)
	if err != nil {
		return nil, err
	}
	w := insightsAnswer{Columns: []insightsValues{}}
	for _, c := range found {
		w.Columns = append(w.Columns, insightsValues{c.Name, c.Interval, c.Values})
	}
	return kernel.OK(w), nil
}

// SiteInsightsVisitorSegment is the JSON form of a group of visitors with the same
// claims.
type SiteInsightsVisitorSegment struct {
	Title    string         `json:"title"`
	Claims   map[string]any `json:"claims"`
	Events   int64          `json:"events"`
	Visitors int64          `json:"visitors"`
	Sessions int64          `json:"sessions"`
}

func (h *readers) listVisitorSegments(context.Context, *wire.SiteIn) (*kernel.Page[SiteInsightsVisitorSegment], error) {
	return kernel.Items([]SiteInsightsVisitorSegment{}), nil
}
