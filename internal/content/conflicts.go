package content

import (
	"context"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// MaxConflicts is the maximum number of open conflicts of a change request that are
// read at once.
const MaxConflicts = 1000

// OpenConflicts returns the unresolved conflicts of a change request, at most
// MaxConflicts.
func OpenConflicts(ctx context.Context, r store.Reader, cr docs.ChangeRequest) ([]merge.Conflict, error) {
	open, _, err := openConflicts(ctx, r, cr, nil)
	return open, err
}

func openConflicts(ctx context.Context, r store.Reader, cr docs.ChangeRequest, after store.Key) ([]merge.Conflict, store.Key, error) {
	rows, next, err := r.Conflicts(ctx, cr.ID, true, store.Page{After: after, Limit: MaxConflicts})
	if err != nil {
		return nil, nil, err
	}
	out := make([]merge.Conflict, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal([]byte(row.Data), &out[i]); err != nil {
			return nil, nil, err
		}
	}
	return out, next, nil
}

// decided returns the names of the open conflicts that an edit of a change request
// resolves because it changes their subjects. Clients that can only edit resolve
// conflicts this way.
func (s *Service) decided(ctx context.Context, cr docs.ChangeRequest, d *revision.Draft) (names []string, err error) {
	if cr.OpenConflicts == 0 {
		return nil, nil
	}
	var after store.Key
	for {
		open, next, err := openConflicts(ctx, s.Store.Reader, cr, after)
		if err != nil {
			return nil, err
		}
		touched, err := merge.Touched(ctx, d, open)
		if err != nil {
			return nil, err
		}
		for _, c := range touched {
			names = append(names, c.Name())
		}
		if after = next; after == nil {
			return names, nil
		}
	}
}

// putConflicts stores the conflicts that a merge into a change request found.
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

// recordResolution records how conflicts of a change request were resolved, and
// returns the number of open ones.
func recordResolution(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, how string, names ...string) (int, error) {
	if len(names) == 0 {
		return cr.OpenConflicts, nil
	}
	resolved, err := tx.ResolveConflicts(ctx, cr.ID, how, g.Actor.User, names...)
	if err != nil || len(resolved) == 0 {
		return cr.OpenConflicts, err
	}
	return cr.OpenConflicts - len(resolved), audit.Record(ctx, tx, g.Actor, audit.Event{
		Org: g.Space.Org, Action: "change_request.resolve_conflict", Kind: "change-request", ID: string(cr.ID),
		Data: map[string]any{"space": cr.Space, "number": cr.Number, "conflicts": resolved, "resolution": how},
	})
}
