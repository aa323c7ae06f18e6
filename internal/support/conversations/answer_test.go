package conversations_test

import (
	"context"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/spaces"
)

// A proposal whose page cannot be written leaves no open change request, so that the next
// one is not answered with an empty one.
func TestAProposalThatFailsIsArchived(t *testing.T) {
	each(t, func(w *world) {
		ctx := context.Background()
		w.ingest("email", asked("one", "The PDF export is empty.", w.now))
		w.analyse()
		cluster := w.clusters()["one"]
		top, err := authz.OnBehalfInOrg(ctx, w.sv.Store, w.g.Actor, authz.CreateContent, w.org)
		if err != nil {
			w.t.Fatal(err)
		}
		sp, _, err := w.sv.Spaces.Create(ctx, top, spaces.NewSpace{Title: "Docs", Empty: true})
		if err != nil {
			w.t.Fatal(err)
		}
		propose := func() (docs.ChangeRequest, bool, error) {
			g, err := authz.OnBehalf(ctx, w.sv.Store, w.g.Actor.User, authz.EditSpace, sp.ID)
			if err != nil {
				w.t.Fatal(err)
			}
			return w.s.Propose(ctx, g, cluster, "")
		}
		if err := w.sv.Orgs.Operator.SetQuotas(ctx, w.org, sp.ID, docs.Quotas{docs.QuotaContent: 1}, nil); err != nil {
			w.t.Fatal(err)
		}
		if _, _, err := propose(); !errs.Is(err, errs.Quota) {
			w.t.Fatalf("above the quota: %v", err)
		}
		if cr, open, err := reviews.OpenForCluster(ctx, w.sv.Store.Reader, sp.ID, cluster); open || err != nil {
			w.t.Errorf("%+v is open: %v", cr, err)
		}
		if err := w.sv.Orgs.Operator.SetQuotas(ctx, w.org, sp.ID, nil, []docs.Quota{docs.QuotaContent}); err != nil {
			w.t.Fatal(err)
		}
		if _, made, err := propose(); !made || err != nil {
			w.t.Errorf("below the quota: %v %v", made, err)
		}
	})
}
