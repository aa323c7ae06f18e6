package sites

import (
	"context"
	"errors"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// RedirectChange is one change in a list. It sets the live redirect or the draft of a source.
// It deletes that redirect if Destination is nil. If Publish is set, it makes the draft live.
type RedirectChange struct {
	Source      string
	Draft       bool
	Publish     bool
	KeepSuffix  bool
	Permanent   bool
	Destination *docs.RedirectDestination
	Problem     error // why the destination that was asked for does not exist; nil if it does
}

// RedirectResult is the result of a RedirectChange.
type RedirectResult struct {
	Status string // created, updated, deleted, published or error
	Source string
	Draft  bool
	ID     docs.RedirectID
	Error  string
}

// Set applies changes one after the other. An invalid change has an error in its
// result. The other changes are applied.
func (s *Redirects) Set(ctx context.Context, g *authz.Grant, changes []RedirectChange, page PagePath) ([]RedirectResult, error) {
	out := make([]RedirectResult, len(changes))
	for i, ch := range changes {
		out[i] = RedirectResult{Source: ch.Source, Draft: ch.Draft && !ch.Publish}
		if err := s.checkChange(ctx, g, ch, page); err != nil {
			if out[i].Error = messageOf(err); out[i].Error == "" {
				return nil, err
			}
		}
	}
	checked := make([]RedirectResult, len(out))
	copy(checked, out)
	_, err := editSite(ctx, s.Store, g, func(c *change) (audit.Event, error) {
		copy(out, checked)
		counts := map[string]any{}
		for i, ch := range changes {
			if out[i].Error == "" {
				status, id, err := c.setRedirect(ctx, s.hosts, ch)
				out[i].Status, out[i].ID = status, id
				if err != nil {
					if out[i].Error = messageOf(err); out[i].Error == "" {
						return audit.Event{}, err
					}
				}
			}
			if out[i].Error != "" {
				out[i].Status, out[i].ID = "error", ""
			}
			n, _ := counts[out[i].Status].(int)
			counts[out[i].Status] = n + 1
		}
		return audit.Event{Action: "site.redirect.bulk", Data: counts}, nil
	})
	return out, err
}

// messageOf returns the message of an error for the caller. It is empty for an internal error.
func messageOf(err error) string {
	var e *errs.Error
	if errors.As(err, &e) && e.Kind != errs.Internal {
		return e.Message
	}
	return ""
}

func (ch RedirectChange) patch() RedirectPatch {
	p := RedirectPatch{Source: opt.Of(ch.Source), Draft: opt.Of(ch.Draft), KeepSuffix: opt.Of(ch.KeepSuffix), Permanent: opt.Of(ch.Permanent)}
	if ch.Destination != nil {
		p.Destination = opt.Of(*ch.Destination)
	}
	return p
}

// checkChange runs the checks that need no transaction.
func (s *Redirects) checkChange(ctx context.Context, g *authz.Grant, ch RedirectChange, page PagePath) error {
	if ch.Problem != nil {
		return ch.Problem
	}
	if ch.Publish || ch.Destination == nil {
		_, err := docs.ParseRedirectSource("source", ch.Source)
		return err
	}
	r, err := ch.patch().apply(docs.Redirect{})
	if err != nil {
		return err
	}
	return s.checkPage(ctx, g, r.Destination, page)
}

// setRedirect applies one change, and returns its status.
func (c *change) setRedirect(ctx context.Context, hosts Hosts, ch RedirectChange) (string, docs.RedirectID, error) {
	source, err := docs.ParseRedirectSource("source", ch.Source)
	if err != nil {
		return "", "", err
	}
	if ch.Publish {
		return c.publishRedirect(ctx, hosts, source)
	}
	old, err := c.tx.RedirectBySource(ctx, c.site.ID, source, ch.Draft)
	switch {
	case err != nil && !errs.Is(err, errs.NotFound):
		return "", "", err
	case ch.Destination == nil:
		if err == nil {
			c.touch = true
			err = c.tx.DropRedirect(ctx, c.site.ID, old.ID)
		}
		return "deleted", "", err
	}
	status := "updated"
	if err != nil {
		status = "created"
		old = docs.Redirect{ID: store.NewID[docs.RedirectID](c.tx), CreatedAt: c.tx.Now()}
	}
	r, err := ch.patch().apply(old)
	if err == nil {
		err = c.putRedirect(ctx, hosts, old, &r)
	}
	return status, r.ID, err
}

// publishRedirect makes the draft of a source the live redirect.
func (c *change) publishRedirect(ctx context.Context, hosts Hosts, source docs.RedirectSource) (string, docs.RedirectID, error) {
	r, err := c.tx.RedirectBySource(ctx, c.site.ID, source, true)
	if err != nil {
		return "", "", err
	}
	live, err := c.tx.RedirectBySource(ctx, c.site.ID, source, false)
	switch {
	case err == nil:
		if err := c.tx.DropRedirect(ctx, c.site.ID, r.ID); err != nil {
			return "", "", err
		}
		r.ID, r.CreatedAt = live.ID, live.CreatedAt
	case !errs.Is(err, errs.NotFound):
		return "", "", err
	}
	r.Draft = false
	return "published", r.ID, c.putRedirect(ctx, hosts, docs.Redirect{}, &r)
}
