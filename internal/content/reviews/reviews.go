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
	var cr docs.ChangeRequest
	err = s.Content.Retry(ctx, g, func(sp docs.Space) (err error) {
		var template *content.Prepared
		if n.Template != nil {
			if template, err = s.Content.PrepareRequestTemplate(ctx, g, sp, *n.Template); err != nil {
				return err
			}
		}
		cr, err = s.create(ctx, g, subject, n, template)
		return err
	})
	return cr, err
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
			if err := s.Content.CommitRequestTemplate(ctx, tx, g, &cr, *n.Template, template); err != nil {
				return cr, err
			}
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
		return "", errs.Field("body.subject", "is longer than %d characters", docs.MaxSubject)
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
	text, err := v.NoteSource(ctx, "body.description", cr.Description, *p.Description)
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
func (s *Service) prepared(ctx context.Context, g *authz.Grant, name string,
	prepare func(context.Context, docs.Space, docs.ChangeRequest) (*content.PreparedMerge, error),
	commit func(ctx context.Context, g *authz.Grant, name string, m *content.PreparedMerge) (Result, error),
) (out Result, err error) {
	err = s.Content.Retry(ctx, g, func(sp docs.Space) error {
		seen, err := content.OpenRequest(ctx, s.Store.Reader, sp.ID, name)
		if err != nil {
			return err
		}
		m, err := prepare(ctx, sp, seen)
		if err != nil {
			return err
		}
		out, err = commit(ctx, g, name, m)
		return err
	})
	return out, err
}

// Merge merges a change request into its space. If there are conflicts, nothing changes.
func (s *Service) Merge(ctx context.Context, g *authz.Grant, name string) (Result, error) {
	return s.prepared(ctx, g, name, s.Content.PrepareMerge, s.commitMerge)
}

func (s *Service) commitMerge(ctx context.Context, g *authz.Grant, name string, m *content.PreparedMerge) (Result, error) {
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
		rev, conflicts, err := s.Content.Merge(ctx, tx, g, was, m)
		if out.Conflicts = conflicts; err != nil || len(conflicts) > 0 {
			return out, err
		}
		cr := was
		cr.Status, cr.Merged, cr.MergedBy, cr.MergedAt, cr.UpdatedAt = docs.ChangeMerged, rev.ID, g.Actor.User, tx.Now(), tx.Now()
		out.Request, out.Revision = cr, rev.ID
		if err := tx.PutChangeRequest(ctx, was, cr); err != nil {
			return out, err
		}
		return out, s.record(ctx, tx, g, cr, "merge", map[string]any{"revision": rev.ID})
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
	return s.prepared(ctx, g, name, s.Content.PrepareBringUpToDate, s.commitUpToDate)
}

func (s *Service) commitUpToDate(ctx context.Context, g *authz.Grant, name string, m *content.PreparedMerge) (Result, error) {
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
		rev, conflicts, err := s.Content.BringUpToDate(ctx, tx, g, was, m)
		if err != nil {
			return out, err
		}
		cr := was
		cr.Revision, cr.Ancestor, cr.UpdatedAt = rev.ID, g.Space.Revision, tx.Now()
		out = Result{Request: cr, Revision: rev.ID}
		if err := tx.PutChangeRequest(ctx, was, cr); err != nil {
			return out, err
		}
		if err := putConflicts(ctx, tx, cr, conflicts); err != nil {
			return out, err
		}
		if out.Conflicts, err = withOpen(ctx, tx.Reader, cr, conflicts); err != nil {
			return out, err
		}
		return out, s.record(ctx, tx, g, cr, "bring_up_to_date", map[string]any{"revision": rev.ID, "conflicts": len(conflicts)})
	})
}

func putConflicts(ctx context.Context, tx *store.Tx, cr docs.ChangeRequest, conflicts []merge.Conflict) error {
	rows := make([]store.Conflict, len(conflicts))
	for i, c := range conflicts {
		data, err := json.Marshal(c)
		if err != nil {
			return err
		}
		rows[i] = store.Conflict{ID: c.Name(), Data: string(data)}
	}
	return tx.PutConflicts(ctx, cr.ID, rows)
}

// Resolve resolves a conflict of a change request. how is the kind of the resolution, and
// given the new content if there is one.
func (s *Service) Resolve(ctx context.Context, g *authz.Grant, name, id, how string, given *revision.Body) (cr docs.ChangeRequest, err error) {
	err = s.Content.Retry(ctx, g, func(sp docs.Space) error {
		seen, c, err := openConflict(ctx, s.Store.Reader, sp.ID, name, id)
		if err != nil {
			return err
		}
		p, err := s.Content.PrepareResolution(ctx, sp, seen, c, content.Resolution{Main: how == merge.ByMain, Body: given})
		if err != nil {
			return err
		}
		cr, err = s.commitResolution(ctx, g, name, id, how, p)
		return err
	})
	return cr, err
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

func (s *Service) commitResolution(ctx context.Context, g *authz.Grant, name, id, how string, p *content.Prepared) (docs.ChangeRequest, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.ChangeRequest, error) {
		was, _, err := openConflict(ctx, tx.Reader, g.Space.ID, name, id)
		if err != nil {
			return was, err
		}
		rev, err := s.Content.Resolve(ctx, tx, g, was, p)
		if err != nil {
			return was, err
		}
		cr := was
		cr.Revision, cr.UpdatedAt = rev.ID, tx.Now()
		if err := tx.PutChangeRequest(ctx, was, cr); err != nil {
			return cr, err
		}
		if err := tx.AddContribution(ctx, cr.ID, g.Actor.User, docs.ContributorEdit); err != nil {
			return cr, err
		}
		cr.OpenConflicts, err = content.RecordResolution(ctx, tx, g, cr, how, id)
		return cr, err
	})
}

// MergedBy returns the user who merged a change request.
func (s *Service) MergedBy(ctx context.Context, cr docs.ChangeRequest) (docs.User, error) {
	return s.Store.User(ctx, cr.MergedBy)
}
