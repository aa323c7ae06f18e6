// Package apireview opens change requests for new versions of API descriptions. The
// description of a change request is a changelog of the API, for the writers of the pages
// next to the reference.
package apireview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of the description of a change request, which has at most revision.MaxNote bytes.
const (
	maxListed = 100      // changes
	maxText   = 32 << 10 // bytes of all changes
	maxLine   = 300      // characters of one change
)

// Service opens change requests.
type Service struct {
	Store   *store.Store
	Specs   *apispec.Service
	Reviews *reviews.Service
}

// Open is the handler of apispec.RequestJob. It compares the newest version of an API
// description with the version that the space last reviewed, or else with the previous
// version. It updates a change request that is still a draft or open, so there is never a
// second one. The user who turned change requests on must still be able to edit the
// space; otherwise Open does nothing.
func (s *Service) Open(ctx context.Context, payload []byte) error {
	var task apispec.RequestTask
	if err := json.Unmarshal(payload, &task); err != nil {
		return err
	}
	spec, exists, err := store.Maybe(s.Store.OpenAPISpecByID(ctx, task.Spec))
	if err != nil || !exists || spec.RequestSpace == "" || spec.LastVersion == "" {
		return err
	}
	g, err := authz.OnBehalf(ctx, s.Store, spec.RequestBy, authz.EditSpace, spec.RequestSpace)
	if authz.Denied(err) || err == nil && g.Space.Org != spec.Org {
		return nil
	}
	if err != nil {
		return err
	}
	old, found, err := reviews.OpenForSpec(ctx, s.Store.Reader, g.Space.ID, spec.ID)
	if err != nil {
		return err
	}
	if found {
		return s.update(ctx, g, spec, old)
	}
	from, err := s.reviewed(ctx, g.Space.ID, spec.ID)
	if err != nil {
		return err
	}
	c, err := s.compare(ctx, spec, from)
	if err != nil || c.api.Changes == 0 {
		return err
	}
	cr, err := s.Reviews.Create(ctx, g, reviews.New{Subject: c.subject, API: c.api})
	if errors.Is(err, reviews.ErrCompared) {
		return nil // another node was faster
	}
	if err != nil {
		return err
	}
	_, err = s.Reviews.Update(ctx, g, string(cr.ID), reviews.Patch{Description: c.body(), Status: docs.ChangeOpen})
	return err
}

// reviewed returns the newer version of the last merged change request of a space. If none
// was merged, it returns the older version of the last change request, because its changes
// were not accepted. It returns "" if there is no change request.
func (s *Service) reviewed(ctx context.Context, space docs.SpaceID, spec docs.OpenAPISpecID) (docs.OpenAPIVersionID, error) {
	f := store.ChangeRequestFilter{Space: space, Spec: spec, Status: docs.ChangeMerged, ByCreation: true}
	merged, _, err := s.Store.ChangeRequests(ctx, f, store.Page{Limit: 1})
	if err != nil {
		return "", err
	}
	if len(merged) > 0 {
		return merged[0].API.To, nil
	}
	f.Status = ""
	list, _, err := s.Store.ChangeRequests(ctx, f, store.Page{Limit: 1})
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0].API.From, nil
}

// update updates a change request to the newest version. It keeps a subject or description
// that a person has changed.
func (s *Service) update(ctx context.Context, g *authz.Grant, spec docs.OpenAPISpec, cr docs.ChangeRequest) error {
	was, err := s.compareWith(ctx, spec, cr.API.From, cr.API.To)
	if err != nil {
		return err
	}
	now, err := s.compare(ctx, spec, cr.API.From)
	if err != nil {
		return err
	}
	p := reviews.Patch{API: &now.api}
	if cr.Subject == was.subject {
		p.Subject = opt.Of(now.subject)
	}
	if text := strings.TrimSpace(cr.Description); text == "" || text == strings.TrimSpace(was.text) {
		p.Description = now.body()
	}
	if cr.Status == docs.ChangeDraft && cr.Description == "" { // the server stopped after creating it
		p.Status = docs.ChangeOpen
	}
	_, err = s.Reviews.Update(ctx, g, string(cr.ID), p)
	return err
}

// comparison holds the texts of a change request about two versions.
type comparison struct {
	api     docs.APIComparison
	subject string
	text    string // Markdown
}

func (c comparison) body() *revision.Body { return &revision.Body{Markdown: &c.text} }

func (s *Service) compare(ctx context.Context, spec docs.OpenAPISpec, from docs.OpenAPIVersionID) (comparison, error) {
	return s.compareWith(ctx, spec, from, spec.LastVersion)
}

// compareWith compares two versions. An empty from is the version before to.
func (s *Service) compareWith(ctx context.Context, spec docs.OpenAPISpec, from, to docs.OpenAPIVersionID) (comparison, error) {
	diff, err := s.Specs.Changes(ctx, spec.Org, spec.Slug, to, from)
	if err != nil {
		return comparison{}, err
	}
	out := comparison{api: docs.APIComparison{Spec: spec.ID, From: diff.From, To: diff.To, Changes: int64(diff.All), Breaking: int64(diff.Breaking)}}
	out.subject = fmt.Sprintf("API %s: %d changes", spec.Slug, out.api.Changes)
	if out.api.Changes == 1 {
		out.subject = fmt.Sprintf("API %s: 1 change", spec.Slug)
	}
	if out.api.Breaking > 0 {
		out.subject += fmt.Sprintf(", %d of them breaking", out.api.Breaking)
	}
	out.text = string(markup.Print(changelog(diff.Differences), markup.Refs{}))
	return out, nil
}

// changelog returns changes as a document, breaking changes first. It is built from nodes,
// so that the text of an API description is escaped when the document is printed.
func changelog(d openapi.Differences) *markup.Document {
	out := &markup.Document{}
	listed, size := 0, 0
	for _, breaking := range []bool{true, false} {
		list := markup.NewBlock("list-unordered")
		for _, c := range d.Changes {
			if c.Breaking != breaking || listed == maxListed || size > maxText {
				continue
			}
			item := markup.NewBlock("paragraph", line(c))
			size += len(markup.Print(&markup.Document{Nodes: []*markup.Node{item}}, markup.Refs{}))
			if size <= maxText {
				listed++
				list.Nodes = append(list.Nodes, markup.NewBlock("list-item", item))
			}
		}
		if len(list.Nodes) > 0 {
			title := map[bool]string{true: "Breaking changes", false: "Other changes"}[breaking]
			out.Nodes = append(out.Nodes, markup.NewBlock("heading-2", markup.NewText(title)), list)
		}
	}
	if more := d.All - listed; more > 0 {
		out.Nodes = append(out.Nodes, markup.NewBlock("paragraph", markup.NewText(fmt.Sprintf("And %d more; %d changes of all break clients.", more, d.Breaking))))
	}
	return out
}

// line returns a change as one line of text.
func line(c openapi.Change) *markup.Node {
	at := c.Operation
	if c.Where != "" {
		at += ", " + c.Where
	}
	words := []rune(strings.Join(strings.Fields(at+": "+c.Message), " "))
	if len(words) > maxLine {
		words = append(words[:maxLine-1], '…')
	}
	return markup.NewText(string(words))
}
