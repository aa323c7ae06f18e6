package sites

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *readers) readerQuestions() {
	const tag, route = "Site insights", wire.SiteRoute + "/questions"
	const kept = "Only sites with keepsQuestions have any: it is false until somebody who administers the site changes it. A question is masked and in lower case; " +
		"it is stored after readers in three networks asked it within a week, and kept for 90 days. What is sent while somebody types is not counted."
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteQuestions", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "List what readers of a site searched for, or asked, with how often a page was found.",
		About:   kept,
	}, h.listQuestions)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteQuestionById", Route: "GET " + route + "/{siteQuestionId}", Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Get a question that readers of a site asked.",
		About:   "The filters are for its numbers.",
	}, h.getQuestion)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteQuestionStats", Route: "GET " + wire.SiteRoute + "/question-stats", Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Sum up the questions that readers of a site asked.",
		About:   kept,
	}, h.questionStats)
}

// SiteQuestion is the JSON form of a question that readers asked.
type SiteQuestion struct {
	Object    string            `json:"object" enum:"site-question"`
	ID        string            `json:"id"`
	Question  string            `json:"question"`
	Type      string            `json:"type" enum:"unknown"`
	CreatedAt docs.Time         `json:"createdAt" doc:"The first day on which it was asked."`
	AskedAt   docs.Time         `json:"askedAt" doc:"The last day on which it was asked."`
	Stats     SiteQuestionStats `json:"stats"`
	URLs      wire.Location     `json:"urls"`
}

// SiteQuestionStats is the JSON form of how often questions were asked. It has the form of
// clients that know more than is recorded here.
type SiteQuestionStats struct {
	Total    int64 `json:"total" doc:"Number of questions."`
	Answers  int64 `json:"answers" doc:"How often they were asked."`
	Feedback struct {
		Positive int64 `json:"positive"`
		Negative int64 `json:"negative"`
		Unrated  int64 `json:"unrated"`
	} `json:"feedback" doc:"All are unrated."`
	Answered struct {
		Yes       int64 `json:"yes"`
		Partially int64 `json:"partially"`
		No        int64 `json:"no"`
	} `json:"answered" doc:"Whether a page was found."`
	Relevance struct {
		Relevant int64 `json:"relevant"`
		Spam     int64 `json:"spam"`
		OffTopic int64 `json:"off-topic"`
		Unclear  int64 `json:"unclear"`
	} `json:"relevance" doc:"All are relevant: nothing judges them."`
	Types struct {
		Exploring       int64 `json:"exploring"`
		HowTo           int64 `json:"how-to"`
		Troubleshooting int64 `json:"troubleshooting"`
		Reference       int64 `json:"reference"`
		Unknown         int64 `json:"unknown"`
	} `json:"types"`
	ChannelTypes map[string]int64 `json:"channelTypes" doc:"All are of the channel site."`
	Channels     map[string]int64 `json:"channels"`
	Pulse        []int64          `json:"weeklyPulse" minItems:"13" maxItems:"13" doc:"How often they were asked in each of 13 weeks, the last one last."`
}

// channelSite is where readers ask.
const channelSite = "site"

func statsOf(questions int64, q store.QuestionSums) SiteQuestionStats {
	w := SiteQuestionStats{Total: questions, Answers: q.Asked, ChannelTypes: map[string]int64{channelSite: q.Asked}, Channels: map[string]int64{}, Pulse: q.Pulse[:]}
	w.Feedback.Unrated, w.Relevance.Relevant, w.Types.Unknown = q.Asked, q.Asked, questions
	w.Answered.Yes, w.Answered.No = q.Answered, q.Asked-q.Answered
	return w
}

func (h *readers) question(s docs.Site, q store.SiteQuestion) SiteQuestion {
	return SiteQuestion{
		Object: "site-question", ID: string(q.ID), Question: q.Question, Type: "unknown", CreatedAt: insights.DayStart(q.First), AskedAt: insights.DayStart(q.Last),
		Stats: statsOf(1, q.Sums), URLs: wire.Location{Location: h.location(s, "questions", string(q.ID))},
	}
}

// QuestionFilter holds the filters of questions.
type QuestionFilter struct {
	From      string   `query:"from" format:"date-time" doc:"Questions of this day and later."`
	To        string   `query:"to" format:"date-time" doc:"Questions of this day and earlier."`
	Relevance []string `query:"relevance,explode" maxItems:"4" enum:"relevant,spam,off-topic,unclear" doc:"All questions are relevant."`
	Channel   []string `query:"channelType,explode" maxItems:"7" enum:"site,embed,api,builtin:slack,builtin:discord,builtin:github,builtin:linear" doc:"All questions are of the channel site."`
	Answered  []string `query:"answered,explode" maxItems:"3" enum:"no,partially,yes" doc:"Whether a page was found: never, sometimes or each time."`
}

// plain returns the filter, and whether nothing matches it.
func (f QuestionFilter) plain() (out insights.QuestionFilter, none bool, err error) {
	from, wrongFrom := wire.ParseTime("query.from", f.From)
	to, wrongTo := wire.ParseTime("query.to", f.To)
	out.From, out.To, out.Answered = from, to, f.Answered
	none = len(f.Relevance) > 0 && !slices.Contains(f.Relevance, "relevant") || len(f.Channel) > 0 && !slices.Contains(f.Channel, channelSite)
	return out, none, errs.All(wrongFrom, wrongTo)
}

type listQuestionsIn struct {
	wire.SiteIn
	kernel.Paged
	QuestionFilter
	Type  string   `query:"type" enum:"exploring,how-to,troubleshooting,reference,unknown" doc:"All questions are of the type unknown."`
	Topic []string `query:"topic,explode" maxItems:"100" doc:"No question has a topic."`
	Sort  string   `query:"sort" enum:"askedAt,stats.answers,stats.answered,stats.feedback" default:"stats.answers" doc:"The last two are the same as stats.answers."`
	Order string   `query:"order" enum:"asc,desc" default:"desc"`
}

func (h *readers) listQuestions(ctx context.Context, in *listQuestionsIn) (*kernel.Page[SiteQuestion], error) {
	f, none, err := in.plain()
	if err != nil {
		return nil, err
	}
	f.Recent, f.Asc = in.Sort == "askedAt", in.Order == "asc"
	g := authz.FromContext(ctx)
	list := h.Insights.Questions(g, f)
	if none || in.Type != "" && in.Type != "unknown" || len(in.Topic) > 0 {
		list = store.List[store.SiteQuestion]{}
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, list, func(q store.SiteQuestion) SiteQuestion { return h.question(g.Site, q) })
}

type questionIn struct {
	wire.SiteIn
	QuestionFilter
	Question docs.SiteQuestionID `path:"siteQuestionId" maxLength:"64"`
}

func (h *readers) getQuestion(ctx context.Context, in *questionIn) (*kernel.Out[SiteQuestion], error) {
	f, none, err := in.plain()
	if err != nil {
		return nil, err
	}
	g := authz.FromContext(ctx)
	q, err := h.Insights.Question(ctx, g, in.Question, f)
	if none {
		q.Sums = store.QuestionSums{}
	}
	return kernel.OK(h.question(g.Site, q)), err
}

type questionStatsIn struct {
	wire.SiteIn
	QuestionFilter
	Topic []string `query:"topic,explode" maxItems:"100" doc:"No question has a topic."`
}

func (h *readers) questionStats(ctx context.Context, in *questionStatsIn) (*kernel.Out[SiteQuestionStats], error) {
	f, none, err := in.plain()
	if err != nil || none || len(in.Topic) > 0 {
		return kernel.OK(statsOf(0, store.QuestionSums{})), err
	}
	n, sum, err := h.Insights.QuestionsTogether(ctx, authz.FromContext(ctx), f)
	return kernel.OK(statsOf(n, sum)), err
}
