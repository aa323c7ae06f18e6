package insights

import (
	"cmp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// The types of events that this package refers to by name.
const (
	PageView     = "page_view"
	pageFeedback = "page_post_feedback"
	pageComment  = "page_post_feedback_comment"
	askRating    = "ask_rate_response"
	linkClick    = "link_click"
	trademark    = "trademark_click"
	adClick      = "ad_click"
	adDisplay    = "ad_display"
)

// Types are all types of events.
var Types = []string{
	PageView, "page_markdown_request", "search_open", "search_type_query", "search_open_result", pageFeedback, pageComment, "agent_feedback",
	"ask_question", "ask_view", askRating, linkClick, "api_client_open", "api_client_request", adClick, adDisplay, trademark,
	"llms_request", "mcp_request", "rss_request",
}

// detail is an additional dimension by which some types of events are counted. Its value
// is one of a few fixed words, never a text that people typed.
type detail struct {
	field  string // path of the field in the event
	values []string
}

var (
	ratings    = detail{"feedback.rating", []string{"bad", "ok", "good"}}
	placements = detail{"ad.placement", []string{"aside"}}

	details = map[string]detail{
		pageFeedback: ratings,
		pageComment:  ratings,
		askRating:    {"rating", []string{"1", "-1"}},
		linkClick:    {"link.position", []string{"announcement", "header", "footer", "sidebar", "content"}},
		trademark:    {"placement", []string{"sidebar", "ad", "footer", "pdf", "embed"}},
		adClick:      placements,
		adDisplay:    placements,
	}
)

func checkDetail(path, kind, value string) error {
	if d, ok := details[kind]; ok && !slices.Contains(d.values, value) {
		return errs.Field(path+"."+d.field, "must be one of %s", strings.Join(d.values, ", "))
	}
	return nil
}

func sortCounts(counts []store.EventCount) {
	slices.SortFunc(counts, func(a, b store.EventCount) int {
		return cmp.Or(
			cmp.Compare(a.Site, b.Site), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Event, b.Event),
			cmp.Compare(a.SiteSpace, b.SiteSpace), cmp.Compare(a.Space, b.Space), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Detail, b.Detail),
		)
	})
}
