package signin_test

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// The newest sessions are found among more than a user can have: those for an organization are
// counted apart.
func TestTheNewestSessions(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := testservices.NewOrg(t, o, services.Settings{})
		g := w.Grant(w.SessionOf("ada@octavo.example"), authz.FullToken())
		var newest docs.TokenID
		err := w.Store.Do(t.Context(), func(tx *store.Tx) error {
			for range signin.MaxSessions {
				newest = store.NewID[docs.TokenID](tx)
				session := docs.Token{ID: newest, User: w.Admin, Org: w.ID, Session: true, Method: docs.SignInBySAML, CreatedAt: tx.Now(), ExpiresAt: tx.Now() + 1e7}
				if err := tx.AddToken(t.Context(), session, docs.HashSecret(string(newest))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		list, err := w.SignIn.NewestSessions(t.Context(), g)
		if err != nil || len(list) != signin.MaxSessions || list[0].ID != newest {
			t.Errorf("%d sessions, %v; the first is not %s", len(list), err, newest)
		}
	})
}

// Who signs in once more than the maximum loses the oldest session.
func TestTheOldestSessionEnds(t *testing.T) {
	w := testservices.NewOrg(t, testdb.SQLite(t), services.Settings{})
	first, second := w.SessionOf("ada@octavo.example"), w.SessionOf("ada@octavo.example")
	for range signin.MaxSessions - 2 {
		w.SessionOf("ada@octavo.example")
	}
	w.Grant(first, authz.FullToken())
	w.SessionOf("ada@octavo.example")
	if _, err := w.Ask(first, authz.FullToken()); err == nil {
		t.Error("the oldest session goes on")
	}
	w.Grant(second, authz.FullToken())
}
