// Package reviews is the service for change requests: proposals to change a space that are edited,
// reviewed, brought up to date and merged. Package content stores their pages; this package decides
// who may do what with them, and when.
package reviews

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service opens, changes and merges change requests.
type Service struct {
	Store   *store.Store
	Content *content.Service
	// Comment posts the comment of a review.
	Comment func(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, v docs.SubmittedReview, b revision.Body) (string, error)
}

// New describes a new change request.
type New struct {
	Subject  string
	Template *content.TemplateChoice
	Cluster  docs.ClusterID // cluster of issues that it answers; empty if there is none
	// Once makes Create return ErrAnswered if a draft or an open change request of the
	// space already answers the cluster.
	Once bool
	API  docs.APIComparison // set if a new version of an API specification opens it; a space has at most one pending request for each specification
}

// ErrAnswered means that a pending change request already answers the cluster.
var ErrAnswered = errs.E(errs.Conflict, "a change request answers the cluster already")

// ErrCompared means that a pending change request is already about the specification.
var ErrCompared = errs.E(errs.Conflict, "a change request is about the specification already")

// OpenForCluster returns the newest draft or open change request of a space that answers a cluster.
func OpenForCluster(ctx context.Context, r store.Reader, space docs.SpaceID, cluster docs.ClusterID) (cr docs.ChangeRequest, found bool, err error) {
	return pending(ctx, r, store.ChangeRequestFilter{Space: space, Cluster: string(cluster)})
}

// OpenForSpec returns the newest draft or open change request of a space that an API
// specification has opened.
func OpenForSpec(ctx context.Context, r store.Reader, space docs.SpaceID, spec docs.OpenAPISpecID) (cr docs.ChangeRequest, found bool, err error) {
	return pending(ctx, r, store.ChangeRequestFilter{Space: space, Spec: spec})
}

// pending returns the newest draft or open change request that matches a filter.
func pending(ctx context.Context, r store.Reader, f store.ChangeRequestFilter) (cr docs.ChangeRequest, found bool, err error) {
	f.ByCreation = true
	for _, f.Status = range []docs.ChangeRequestStatus{docs.ChangeDraft, docs.ChangeOpen} {
		list, _, err := r.ChangeRequests(ctx, f, store.Page{Limit: 1})
		if err != nil {
			return cr, false, err
		}
		if len(list) > 0 && list[0].Number > cr.Number {
			cr, found = list[0], true
		}
	}
	return cr, found, nil
}

// Create opens a change request on the newest revision of a space. No content is copied.
func (s *Service) Create(ctx context.Context, g *authz.Grant, n New) (docs.ChangeRequest, error) {
	subject, err := checkSubject(n.Subject)
	if err != nil {
		return docs.ChangeRequest{}, err
	}
	return content.Retry(ctx, s.Content, g, func(sp docs.Space) (docs.ChangeRequest, error) {
		var template *content.Prepared
		if n.Template != nil { // for a request that begins at the newest revision
			h := content.Heads{Space: sp, Request: &docs.ChangeRequest{Space: sp.ID, Revision: sp.Revision}}
			var err error
			if template, err = s.Content.Prepare(ctx, g, h, *n.Template); err != nil {
				return docs.ChangeRequest{}, err
			}
		}
		return s.create(ctx, g, subject, n, template)
	})
}

func (s *Service) create(ctx context.Context, g *authz.Grant, subject string, n New, template *content.Prepared) (docs.ChangeRequest, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.ChangeRequest, error) {
		sp := g.Space
		if n.Once {
			if _, found, err := OpenForCluster(ctx, tx.Reader, sp.ID, n.Cluster); err != nil {
				return docs.ChangeRequest{}, err
			} else if found {
				return docs.ChangeRequest{}, ErrAnswered
			}
		}
		if n.API.Spec != "" {
			if _, found, err := OpenForSpec(ctx, tx.Reader, sp.ID, n.API.Spec); err != nil {
				return docs.ChangeRequest{}, err
			} else if found {
				return docs.ChangeRequest{}, ErrCompared
			}
		}
		cr := docs.ChangeRequest{
			ID: store.NewID[docs.ChangeRequestID](tx), Space: sp.ID, Status: docs.ChangeDraft, Subject: subject,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now(), Revision: sp.Revision, Initial: sp.Revision, Ancestor: sp.Revision, Cluster: string(n.Cluster), API: n.API,
		}
		cr, err := s.add(ctx, tx, g, cr)
		if err != nil {
			return cr, err
		}
		if template != nil {
			done, err := s.Content.Commit(ctx, tx, g, content.Heads{Space: sp, Request: &cr}, template)
			if err != nil {
				return cr, err
			}
			cr = *done.Request
		}
		return cr, s.record(ctx, tx, g, cr, "create", map[string]any{"subject": cr.Subject})
	})
}

// add stores a new change request with its author and the next number of the space.
func (s *Service) add(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest) (_ docs.ChangeRequest, err error) {
	if cr.CreatedBy, err = tx.User(ctx, g.Actor.User); err != nil {
		return cr, err
	}
	if cr.Number, err = tx.NextNumber(ctx, cr.Space); err != nil {
		return cr, err
	}
	return cr, tx.AddChangeRequest(ctx, cr)
}

// checkSubject trims a subject and checks its length.
func checkSubject(subject string) (string, error) {
	subject = strings.TrimSpace(subject)
	if utf8.RuneCountInString(subject) > docs.MaxSubject {
		return "", errs.Field("subject", "is longer than %d characters", docs.MaxSubject)
	}
	return subject, nil
}

// record adds an event of a change request to the audit log.
func (s *Service) record(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, verb string, data map[string]any) error {
	if data == nil {
		data = map[string]any{}
	}
	data["space"], data["number"] = cr.Space, cr.Number
	return audit.Record(ctx, tx, g.Actor, audit.Event{
		Org: g.Space.Org, Action: "change_request." + verb, Kind: "change-request", ID: string(cr.ID), Data: data,
	})
}

// Patch holds the changes of a change request. Absent fields remain unchanged.
type Patch struct {
	Subject     opt.Val[string]
	Description *revision.Body
	Status      docs.ChangeRequestStatus // empty to keep it
	API         *docs.APIComparison      // nil to keep it
}

// Update changes the subject, the description, the status or the API comparison of a
// change request.
func (s *Service) Update(ctx context.Context, g *authz.Grant, name string, p Patch) (docs.ChangeRequest, error) {
	d, err := s.description(ctx, g, name, p)
	if err != nil {
		return docs.ChangeRequest{}, err
	}
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.ChangeRequest, error) {
		was, err := tx.ChangeRequest(ctx, g.Space.ID, name)
		if err != nil {
			return was, err
		}
		cr, err := patched(was, p, d)
		if err != nil || cr == was {
			return cr, err
		}
		cr.UpdatedAt = tx.Now()
		if err := tx.PutChangeRequest(ctx, was, cr); err != nil {
			return cr, err
		}
		data := map[string]any{"status": cr.Status, "subject": cr.Subject, "changes": audit.Event{}.Changed(was, cr).Data["changes"]}
		if err := d.addMentions(ctx, tx, g, data); err != nil {
			return cr, err
		}
		return cr, s.record(ctx, tx, g, cr, "update", data)
	})
}

// described is a description that a patch sets.
type described struct {
	text     string        // Markdown as it is stored
	mentions []docs.UserID // users whom the earlier description did not mention
}

// addMentions adds the new mentions to the data of an event, so that the users are notified. d may
// be nil.
func (d *described) addMentions(ctx context.Context, tx *store.Tx, g *authz.Grant, data map[string]any) (err error) {
	if d != nil && len(d.mentions) > 0 && g.SeesPeople() {
		data["mentions"], err = tx.EnabledMembers(ctx, g.Space.Org, d.mentions)
	}
	return err
}

// description returns the description that a patch sets; nil if it sets none.
func (s *Service) description(ctx context.Context, g *authz.Grant, name string, p Patch) (*described, error) {
	if p.Description == nil {
		return nil, nil
	}
	cr, err := s.Store.ChangeRequest(ctx, g.Space.ID, name)
	if err != nil {
		return nil, err
	}
	v, err := s.Content.Source.At(ctx, s.Store.Reader, g.Space, cr.Revision)
	if err != nil {
		return nil, err
	}
	text, err := v.NoteSource(ctx, "description", cr.Description, *p.Description)
	if err != nil {
		return nil, err
	}
	mentions, err := v.NewMentions(ctx, text, cr.Description)
	return &described{text, mentions}, err
}

func patched(cr docs.ChangeRequest, p Patch, d *described) (docs.ChangeRequest, error) {
	if cr.Status == docs.ChangeMerged && p.Status != "" {
		return cr, content.Editable(cr)
	}
	if p.Status != "" {
		cr.Status = p.Status
	}
	var err error
	if subject, ok := p.Subject.Get(); ok {
		if cr.Subject, err = checkSubject(subject); err != nil {
			return cr, err
		}
	}
	if d != nil {
		cr.Description = d.text
	}
	if p.API != nil {
		cr.API = *p.API
	}
	return cr, nil
}

// Result is the result of a merge or an update.
type Result struct {
	Request   docs.ChangeRequest
	Revision  docs.RevisionID // newest revision: of the space after a merge, of the request after an update
	Conflicts []merge.Conflict
}

// prepared prepares a merge of a change request and commits it. If the space or the
// request has changed in between, it retries.
func (s *Service) prepared(ctx context.Context, g *authz.Grant, name string, to merge.Direction,
	commit func(ctx context.Context, g *authz.Grant, name string, p *content.Prepared) (Result, error),
) (Result, error) {
	return content.Retry(ctx, s.Content, g, func(sp docs.Space) (Result, error) {
		seen, err := content.OpenRequest(ctx, s.Store.Reader, sp.ID, name)
		if err != nil {
			return Result{}, err
		}
		p, err := s.Content.Prepare(ctx, g, content.Heads{Space: sp, Request: &seen}, content.Merge{Direction: to})
		if err != nil {
			return Result{}, err
		}
		return commit(ctx, g, name, p)
	})
}

// Merge merges a change request into its space. If there are conflicts, nothing changes.
func (s *Service) Merge(ctx context.Context, g *authz.Grant, name string) (Result, error) {
	return s.prepared(ctx, g, name, merge.IntoSpace, s.commitMerge)
}

func (s *Service) commitMerge(ctx context.Context, g *authz.Grant, name string, p *content.Prepared) (Result, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (Result, error) {
		was, err := content.OpenRequest(ctx, tx.Reader, g.Space.ID, name)
		if err == nil {
			err = s.checkRules(ctx, tx, g, was)
		}
		if err == nil {
			err = notFinalizing(ctx, tx, g.Space.ID)
		}
		if err != nil {
			return Result{}, err
		}
		out := Result{Request: was, Revision: g.Space.Revision}
		if was.OpenConflicts > 0 {
			out.Conflicts, err = content.OpenConflicts(ctx, tx.Reader, was)
			return out, err
		}
		done, err := s.Content.Commit(ctx, tx, g, content.Heads{Space: g.Space, Request: &was}, p)
		if out.Conflicts = done.Conflicts; err != nil || len(done.Conflicts) > 0 {
			return out, err
		}
		cr := was
		cr.Status, cr.Merged, cr.MergedBy, cr.MergedAt, cr.UpdatedAt = docs.ChangeMerged, done.Revision.ID, g.Actor.User, tx.Now(), tx.Now()
		out.Request, out.Revision = cr, done.Revision.ID
		if err := tx.PutChangeRequest(ctx, was, cr); err != nil {
			return out, err
		}
		return out, s.record(ctx, tx, g, cr, "merge", map[string]any{"revision": cr.Merged})
	})
}

// notFinalizing returns an error while a git operation is about to change the space: the
// commits that it pushes or imports were computed from the newest revision.
func notFinalizing(ctx context.Context, tx *store.Tx, space docs.SpaceID) error {
	busy, err := tx.GitFinalizing(ctx, space)
	if err == nil && busy {
		err = errs.E(errs.Conflict, "a git operation of the space is finishing; try again in a moment")
	}
	return err
}

// withOpen appends the open conflicts of earlier merges into the request to the conflicts
// that were found.
func withOpen(ctx context.Context, r store.Reader, cr docs.ChangeRequest, found []merge.Conflict) ([]merge.Conflict, error) {
	known := map[string]bool{}
	for _, c := range found {
		known[c.Name()] = true
	}
	open, err := content.OpenConflicts(ctx, r, cr)
	for _, c := range open {
		if !known[c.Name()] {
			found = append(found, c)
		}
	}
	return found, err
}

// BringUpToDate merges the changes of the space into a change request, and records the
// conflicts.
func (s *Service) BringUpToDate(ctx context.Context, g *authz.Grant, name string) (Result, error) {
	return s.prepared(ctx, g, name, merge.IntoRequest, s.commitUpToDate)
}

func (s *Service) commitUpToDate(ctx context.Context, g *authz.Grant, name string, p *content.Prepared) (Result, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (Result, error) {
		was, err := content.OpenRequest(ctx, tx.Reader, g.Space.ID, name)
		out := Result{Request: was, Revision: was.Revision}
		if err != nil {
			return out, err
		}
		if !was.Outdated(g.Space) {
			out.Conflicts, err = content.OpenConflicts(ctx, tx.Reader, was)
			return out, err
		}
		done, err := s.Content.Commit(ctx, tx, g, content.Heads{Space: g.Space, Request: &was}, p)
		if err != nil {
			return out, err
		}
		cr := *done.Request
		out = Result{Request: cr, Revision: cr.Revision}
		if out.Conflicts, err = withOpen(ctx, tx.Reader, cr, done.Conflicts); err != nil {
			return out, err
		}
		return out, s.record(ctx, tx, g, cr, "bring_up_to_date", map[string]any{"revision": cr.Revision, "conflicts": len(done.Conflicts)})
	})
}

// Resolve resolves a conflict of a change request. how is the kind of the resolution, and
// given the new content if there is one.
func (s *Service) Resolve(ctx context.Context, g *authz.Grant, name, id, how string, given *revision.Body) (docs.ChangeRequest, error) {
	return content.Retry(ctx, s.Content, g, func(sp docs.Space) (docs.ChangeRequest, error) {
		seen, c, err := openConflict(ctx, s.Store.Reader, sp.ID, name, id)
		if err != nil {
			return seen, err
		}
		p, err := s.Content.Prepare(ctx, g, content.Heads{Space: sp, Request: &seen}, content.Resolution{Conflict: c, How: how, Body: given})
		if err != nil {
			return seen, err
		}
		return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.ChangeRequest, error) {
			was, _, err := openConflict(ctx, tx.Reader, g.Space.ID, name, id)
			if err != nil {
				return was, err
			}
			done, err := s.Content.Commit(ctx, tx, g, content.Heads{Space: g.Space, Request: &was}, p)
			return *done.Request, err
		})
	})
}

// openConflict returns a conflict of a change request, and an error if it is resolved
// already.
func openConflict(ctx context.Context, r store.Reader, space docs.SpaceID, name, id string) (cr docs.ChangeRequest, c merge.Conflict, err error) {
	if cr, err = r.ChangeRequest(ctx, space, name); err != nil {
		return cr, c, err
	}
	row, err := r.Conflict(ctx, cr.ID, id)
	switch {
	case errs.Is(err, errs.NotFound):
		err = errs.E(errs.NotFound, "the change request has no such conflict; those that a merge reports are recorded when it is brought up to date: POST …/update")
	case err == nil:
		err = content.Editable(cr)
	}
	if err == nil && row.Resolution != "" {
		err = errs.E(errs.Conflict, "the conflict is resolved already")
	}
	if err == nil {
		err = json.Unmarshal([]byte(row.Data), &c)
	}
	return cr, c, err
}

// MergedBy returns the user who merged a change request.
func (s *Service) MergedBy(ctx context.Context, cr docs.ChangeRequest) (docs.User, error) {
	return s.Store.User(ctx, cr.MergedBy)
}
