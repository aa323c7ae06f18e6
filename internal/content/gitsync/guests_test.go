package gitsync

import (
	"context"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// A guest who may synchronize a space cannot read private specifications of the
// organization by referring to them in the repository.
func TestGuestsImportNoPrivateSpecifications(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.s.Content.Specs = &apispec.Service{Store: d.s.Store, Blobs: testdb.Blobs(t)}
	d.origin.Commit(small)
	d.pull("")
	gus := docs.User{ID: "gus", Email: "gus@octavo.example", DisplayName: "Gus"}
	ctx := context.Background()
	err := d.s.Store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.AddUser(ctx, gus); err != nil {
			return err
		}
		if err := tx.AddMember(ctx, docs.Member{Org: d.org, User: gus, Role: docs.Guest}); err != nil {
			return err
		}
		return tx.PutGrant(ctx, d.org, docs.Grant{Node: d.grant().Node(), User: gus.ID, Role: docs.Create})
	})
	if err != nil {
		t.Fatal(err)
	}
	asGus := func(o *docs.GitOperation) { o.User = gus.ID }
	d.origin.Commit(map[string]string{"other.md": "# Other\n\n{% openapi-operation spec=\"secret\" path=\"/hidden\" method=\"get\" %}\n[OpenAPI](x)\n{% endopenapi-operation %}\n"})
	rev := d.grant().Space.Revision
	o := d.do(docs.GitImport, asGus)
	if o.Reason != ReasonForbidden || !strings.Contains(o.Error, "only public OpenAPI specifications") || d.grant().Space.Revision != rev {
		t.Errorf("%s %s: %s", o.State, o.Reason, o.Error)
	}
	d.origin.Commit(map[string]string{"other.md": "# Other\n\nText.\n"})
	if o := d.do(docs.GitImport, asGus); o.Reason != "" || d.grant().Space.Revision == rev {
		t.Errorf("%s %s: %s", o.State, o.Reason, o.Error)
	}
}
