package conversations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/topics"
)

const (
	maxAnswers   = 10  // pages that Answers returns
	queryWords   = 6   // words shared by the issues of a cluster that are searched for
	answersFrom  = 0.6 // minimum coverage of a page that answers a cluster
	maxQuestions = 12  // questions of users in a proposal
	maxPageTitle = 100
)

// Answer is a page that may answer a cluster.
type Answer struct {
	index.Found
	// Coverage is the share of the words of the cluster that occur in the title, the
	// description and the matching sections of the page.
	Coverage float64
	Answers  bool // the page likely answers the cluster
}

// Answers searches the pages that the caller can see for pages that may answer a cluster.
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
	views, err := s.Content.Index.VisibleSpaces(ctx, g)
	if err != nil {
		return nil, err
	}
	var out []Answer
	// Users describe one topic in many words, and a page has few of them. If too few pages
	// have all words, search for fewer, beginning with the most common ones.
	for n := len(words); n > 0 && len(out) < maxAnswers; n /= 2 {
		found, _, err := s.Content.Search(ctx, views, strings.Join(words[:n], " "), maxAnswers, nil)
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

// textOf returns the text of a page in a search result.
func textOf(f index.Found) string {
	var text strings.Builder
	text.WriteString(f.Title + "\n" + f.About)
	for _, part := range f.Sections {
		text.WriteString("\n" + part.Title + "\n" + part.Snippet)
	}
	return text.String()
}

// Propose creates a change request for a cluster in the space of a grant. It adds a page
// to be written, which lists the questions of the users as plain text. If the space
// already has a change request for the cluster that is a draft or open, Propose returns
// that one. made reports whether a new change request was created.
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
	title := docs.Clip(label, maxPageTitle)
	if subject == "" {
		subject = docs.Clip("Answer: "+label, docs.MaxSubject)
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
		// Archive the change request, because it has no proposal, also if who asked has left.
		_, failed := s.Reviews.Update(context.WithoutCancel(ctx), g, string(cr.ID), reviews.Patch{Status: docs.ChangeArchived})
		if failed != nil { // err decides what the caller is answered
			err = errors.Join(err, fmt.Errorf("archive change request %d, which is empty: %v", cr.Number, failed))
		}
		return cr, false, err
	}
	return *done.Request, true, nil
}

// questions returns the distinct titles of the newest issues of a cluster, newest first.
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

// outline returns a page to be written, with a list of questions. It is built from nodes,
// so that the text of users is escaped when the page is printed.
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
