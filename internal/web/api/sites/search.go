package sites

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/inline"
	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *readers) search() {
	kernel.Register(h.Kernel, kernel.Op{
		ID: "searchSiteContent", Route: "POST " + wire.SiteRoute + "/search", Tag: sitesTag, Allow: authz.Site(authz.ReadSite), Status: 200,
		Summary: "Search the pages of a site, grouped by space.",
		About:   "What the caller does not see has no influence on the results. " + wire.AboutSpaces,
	}, h.searchPages)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "prewarmSiteSearch", Route: "POST " + wire.SiteRoute + "/search/prewarm", Tag: sitesTag, Allow: authz.Site(authz.ReadSite), Status: http.StatusNoContent,
		Summary: "Announce a search of a site.",
		About:   "It does nothing: the index is always ready. Clients call it when a reader opens the search.",
	}, func(context.Context, *wire.SiteIn) (*kernel.Done, error) { return nil, nil })
	kernel.RegisterStream(h.Kernel, kernel.Op{
		ID: "streamAskInSite", Route: "POST " + wire.SiteRoute + "/ask", Tag: sitesTag, Allow: authz.Site(authz.ReadSite), Status: 200, Sends: []string{"text/event-stream"},
		Summary: "Ask a question about the content of a site.",
		About: "No language model is used: the answer quotes the passages that match best, and names their pages. " +
			"It is sent as one event, followed by an event done.",
	}, h.ask)
	kernel.RegisterStream(h.Kernel, kernel.Op{
		ID: "streamRecommendedQuestionsInSite", Route: "GET " + wire.SiteRoute + "/ask/questions", Tag: sitesTag, Allow: authz.Site(authz.ReadSite), Sends: []string{"text/event-stream"},
		Summary: "Get questions that the content of a site answers: those of its headings that are questions.",
	}, h.questions)
}

// searchScope selects the site spaces that are searched. The mode default selects the
// default site space of every section, and the current one.
type searchScope struct {
	Mode       string            `json:"mode" enum:"default,specific,all,current"`
	Current    docs.SiteItemID   `json:"currentSiteSpace,omitempty"`
	RestrictTo string            `json:"restrictTo,omitempty" enum:"currentSiteSpace,otherSiteSpaces"`
	SiteSpaces []docs.SiteItemID `json:"siteSpaceIds,omitempty" maxItems:"1000"`
}

type searchSiteIn struct {
	wire.SiteIn
	kernel.Paged
	Body struct {
		Query      string            `json:"query" minLength:"1" maxLength:"512"`
		Scope      *searchScope      `json:"scope,omitempty"`
		Mode       string            `json:"mode,omitempty" enum:"specific,current,all" doc:"Deprecated; use scope."`
		SiteSpace  docs.SiteItemID   `json:"siteSpaceId,omitempty" doc:"Deprecated; use scope."`
		SiteSpaces []docs.SiteItemID `json:"siteSpaceIds,omitempty" maxItems:"1000" doc:"Deprecated; use scope."`
	}
}

func (h *readers) searchPages(ctx context.Context, in *searchSiteIn) (*kernel.Page[wire.SpaceResult], error) {
	b := in.Body
	scope := searchScope{Mode: "all"}
	switch {
	case b.Scope != nil:
		scope = *b.Scope
	case b.Mode != "":
		scope = searchScope{Mode: b.Mode, Current: b.SiteSpace, SiteSpaces: b.SiteSpaces}
	}
	filters, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	in.Narrow(string(filters)) // a cursor belongs to one query
	return h.SearchViews(ctx, in.Paged, b.Query, func() ([]*revision.View, error) { return h.searchedViews(ctx, scope) })
}

// searchedViews returns the newest revisions of the spaces of a scope, as the caller sees
// them.
func (h *readers) searchedViews(ctx context.Context, scope searchScope) ([]*revision.View, error) {
	v, err := h.view(ctx, "")
	if err != nil {
		return nil, err
	}
	var out []*revision.View
	for _, it := range v.Structure.Searched(scope.plain(), func(id docs.SpaceID) string { return v.Spaces[id].It.Language }) {
		sp, ok := v.Spaces[it.Space]
		if !ok {
			continue
		}
		view, err := h.Content.Source.Head(ctx, sp.It)
		if err != nil {
			return nil, err
		}
		out = append(out, wire.AsSeen(authz.FromContext(ctx), view))
	}
	return out, nil
}

func (s searchScope) plain() sites.SearchScope {
	return sites.SearchScope{Mode: s.Mode, Current: s.Current, Only: s.SiteSpaces, Restrict: s.RestrictTo}
}

type askSiteIn struct {
	wire.SiteIn
	Format string `query:"format" enum:"document,markdown" default:"document"`
	Body   struct {
		Question string `json:"question" minLength:"1" maxLength:"512"`
		Context  *struct {
			SiteSpace docs.SiteItemID `json:"siteSpaceId,omitempty"`
			Goal      string          `json:"goal,omitempty" maxLength:"4096" doc:"Ignored: the answer quotes what matches the question."`
		} `json:"context,omitempty"`
		Scope   *searchScope  `json:"scope,omitempty"`
		Session *eventSession `json:"session,omitempty" doc:"Ignored: nothing is kept about readers."`
	}
}

// ask answers a question with the passages that a search finds.
func (h *readers) ask(ctx context.Context, in *askSiteIn) (kernel.Stream, error) {
	scope := searchScope{Mode: "default"}
	if in.Body.Scope != nil {
		scope = *in.Body.Scope
	}
	if c := in.Body.Context; c != nil && scope.Current == "" {
		scope.Current = c.SiteSpace
	}
	views, err := h.searchedViews(ctx, scope)
	if err != nil {
		return nil, err
	}
	found, _, err := h.Content.Search(ctx, views, in.Body.Question, maxQuoted, nil)
	if err != nil {
		return nil, err
	}
	g := authz.FromContext(ctx)
	if shown := g.VisitorAccess(); shown == nil || !shown.Preview {
		h.Insights.Ask(g.Site, insights.Question{Text: in.Body.Question, Address: g.Actor.Address, Found: len(found) > 0})
	}
	return events(askEvent{Type: "answer", Answer: quote(found, in.Format)}), nil
}

// maxQuoted is the maximum number of pages that an answer quotes.
const maxQuoted = 3

type askEvent struct {
	Type   string    `json:"type"`
	Answer askAnswer `json:"answer"`
}

// askAnswer is an answer with its sources.
type askAnswer struct {
	Answer    answerForm  `json:"answer"`
	Followups []string    `json:"followupQuestions"`
	Sources   []askSource `json:"sources"`
}

// answerForm is the text of an answer, as a document or as Markdown.
type answerForm struct {
	Document *markup.Document `json:"document,omitempty"`
	Markdown string           `json:"markdown,omitempty"`
}

type askSource struct {
	Type     string   `json:"type"`
	Reason   string   `json:"reason"`
	Page     string   `json:"page"`
	Revision string   `json:"revision"`
	Space    string   `json:"space"`
	Sections []string `json:"sections"`
}

// quote returns an answer that quotes the given search results.
func quote(found []index.Found, format string) askAnswer {
	out := askAnswer{Followups: []string{}, Sources: []askSource{}}
	var text strings.Builder
	if len(found) == 0 {
		text.WriteString("No page of this documentation matches the question. Try other words.\n")
	} else {
		text.WriteString("These passages of the documentation match best. They are quoted by a search; no language model is used.\n")
	}
	for _, f := range found {
		source := askSource{
			Type: "page", Reason: "The page matches the words of the question.", Page: string(f.Page),
			Revision: string(f.View.Rev.ID), Space: string(f.View.Space.ID), Sections: []string{},
		}
		if len(f.Sections) == 0 { // only the title matches
			text.WriteString("\n**" + inline.Escape(f.Title) + "**\n")
		}
		for _, s := range f.Sections {
			title := f.Title
			if s.Title != "" && s.Title != f.Title {
				title += " › " + s.Title
			}
			text.WriteString("\n**" + inline.Escape(title) + "**\n\n> " + inline.Escape(s.Snippet) + "\n")
			source.Sections = append(source.Sections, wire.SectionID(f.Page, s.Anchor))
		}
		out.Sources = append(out.Sources, source)
	}
	if format == "markdown" {
		out.Answer = answerForm{Markdown: text.String()}
	} else {
		out.Answer = answerForm{Document: markup.Parse([]byte(text.String()), markup.Refs{})}
	}
	return out
}

type questionsIn struct {
	wire.SiteIn
	SiteSpace docs.SiteItemID `query:"siteSpaceId"`
	Space     docs.SpaceID    `query:"spaceId"`
}

// questions sends titles of pages and sections that are questions.
func (h *readers) questions(ctx context.Context, in *questionsIn) (kernel.Stream, error) {
	scope := searchScope{Mode: "default", Current: in.SiteSpace}
	views, err := h.searchedViews(ctx, scope)
	if err != nil {
		return nil, err
	}
	found, _, err := h.Content.Index.SearchAll(ctx, views, "how what why when where which can", maxQuestions*4, nil)
	if err != nil {
		return nil, err
	}
	var out []any
	seen := map[string]bool{}
	for _, f := range found {
		for _, title := range append([]string{f.Title}, titlesOf(f)...) {
			if in.Space != "" && in.Space != f.View.Space.ID || !strings.HasSuffix(title, "?") || seen[title] || len(out) == maxQuestions {
				continue
			}
			seen[title] = true
			out = append(out, map[string]string{"question": title})
		}
	}
	return events(out...), nil
}

// maxQuestions is the maximum number of questions that are suggested.
const maxQuestions = 5

func titlesOf(f index.Found) (out []string) {
	for _, s := range f.Sections {
		out = append(out, s.Title)
	}
	return out
}

// events returns a stream that sends values as server-sent events, followed by an event
// Done.
func events(all ...any) kernel.Stream {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		for _, v := range all {
			data, err := json.Marshal(v)
			if err != nil {
				return err
			}
			if _, err := w.Write([]byte("data: " + string(data) + "\n\n")); err != nil {
				return nil // the client closed the connection
			}
		}
		_, err := w.Write([]byte("event: done\ndata: done\n\n"))
		return err
	}
}
