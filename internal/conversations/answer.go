package conversations

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/index"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/reviews"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/topics"
)

const (
	maxAnswers   = 10  // pages that may answer a cluster
	queryWords   = 6   // that the issues of a cluster share
	answersFrom  = 0.6 // the part of a topic that a page has to be about
	maxQuestions = 12  // of users, in a proposal
	maxPageTitle = 100
)

// Answer is a page that should answer a cluster.
type Answer struct {
	index.Found
	// Coverage is which part of what users ask is found in the title, the description and the
	// sections that matched.
	Coverage float64
	Answers  bool // it is likely that the page answers the cluster
}

// Answers searches the pages that the caller can see for those that should answer a cluster.
func (s *Service) Answers(ctx context.Context, g *authz.Grant, id docs.ClusterID) ([]Answer, error) {
	k, err := s.Cluster(ctx, g.Access.Org, id)
	if err != nil {
		return nil, err
	}
	asked, err := s.questions(ctx, k.Cluster)
	if err != nil {
		return nil, err
	}
	words := topics.Shared(asked, queryWords)
	if len(words) == 0 {
		words = topics.Words(k.Cluster.Label, queryWords)
	}
	topic := strings.Join(words, " ")
	var out []Answer
	// Users write about one thing in many words, and a page has few of them: the words that most
	// of them use are enough if no page has all.
	for n := len(words); n > 0 && len(out) < maxAnswers; n /= 2 {
		found, _, err := s.Content.Index.SearchOrg(ctx, g, strings.Join(words[:n], " "), maxAnswers, 0)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if !slices.ContainsFunc(out, func(a Answer) bool { return a.Page == f.Page && a.View.Space.ID == f.View.Space.ID }) {
				c := topics.Coverage(topic, textOf(f))
				out = append(out, Answer{f, c, c >= answersFrom})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Answer) int { return cmp.Compare(b.Coverage, a.Coverage) })
	return out[:min(len(out), maxAnswers)], nil
}

// textOf returns what a search found of a page.
func textOf(f index.Found) string {
	var text strings.Builder
	text.WriteString(f.Title + "\n" + f.About)
	for _, part := range f.Sections {
		text.WriteString("\n" + part.Title + "\n" + part.Snippet)
	}
	return text.String()
}

// Propose opens a change request in the space of a grant that answers a cluster: a page with
// the questions of the users, to be written. What users wrote becomes plain text of the
// page. It returns the request that the space has for it already, if that is a draft or open,
// and made reports whether there is a new one.
func (s *Service) Propose(ctx context.Context, g *authz.Grant, id docs.ClusterID, subject string) (cr docs.ChangeRequest, made bool, err error) {
	if err := g.Allow(authz.ReadConvo); err != nil {
		return cr, false, err
	}
	k, err := s.Cluster(ctx, g.Space.Org, id)
	if err != nil {
		return cr, false, err
	}
	questions, err := s.questions(ctx, k.Cluster)
	if err != nil {
		return cr, false, err
	}
	label, _ := k.Cluster.Shown()
	title := clip(label, maxPageTitle)
	if subject == "" {
		subject = clip("Answer: "+label, docs.MaxSubject)
	}
	cr, err = s.Reviews.Create(ctx, g, reviews.New{Subject: subject, Cluster: k.Cluster.ID, Once: true})
	if errors.Is(err, reviews.ErrAnswered) {
		open, found, rerr := reviews.OpenForCluster(ctx, s.Store.Reader, g.Space.ID, k.Cluster.ID)
		if rerr != nil || found {
			return open, false, rerr
		}
	}
	if err != nil {
		return cr, false, err
	}
	done, err := s.Content.Apply(ctx, g, content.LineName(cr.ID), cr.Revision, []content.Change{{
		Operation: content.InsertPage, Body: &revision.Body{Document: outline(questions)}, Meta: content.PageMeta{Title: opt.Of(title)},
	}})
	if err != nil {
		// Nobody wants a request without its proposal. The error is what counts.
		_, _ = s.Reviews.Update(ctx, g, string(cr.ID), reviews.Patch{Status: docs.ChangeArchived})
		return cr, false, err
	}
	return *done.Request, true, nil
}

// clip bounds a text to so many characters.
func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:limit-1])) + "…"
}

// questions returns the titles of issues of a cluster, newest first, each once.
func (s *Service) questions(ctx context.Context, k docs.ConversationCluster) ([]string, error) {
	issues, _, err := s.Store.Issues(ctx, k.Org, store.IssueFilter{Cluster: k.ID}, store.Page{Limit: 4 * maxQuestions})
	var out []string
	for _, i := range issues {
		same := func(t string) bool { return strings.EqualFold(t, i.Issue.Title) }
		if len(out) < maxQuestions && !slices.ContainsFunc(out, same) {
			out = append(out, i.Issue.Title)
		}
	}
	return out, err
}

// outline returns a page to be written. It is made of nodes, so that whatever users wrote is
// escaped when it is printed.
func outline(questions []string) *markup.Document {
	list := markup.NewBlock("list-unordered")
	for _, q := range questions {
		list.Nodes = append(list.Nodes, markup.NewBlock("list-item", markup.NewBlock("paragraph", markup.NewText(q))))
	}
	return &markup.Document{Nodes: []*markup.Node{
		markup.NewBlock("paragraph", markup.NewText("Write here what answers the questions below, then remove them.")),
		markup.NewBlock("heading-2", markup.NewText("What users ask")),
		list,
	}}
}
