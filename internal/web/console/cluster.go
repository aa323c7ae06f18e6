package console

import (
	"cmp"
	"net/http"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// clusterData is the data of the page of a conversation cluster. Users who may see the cluster may
// read all conversations of the organization.
type clusterData struct {
	Up            link
	Summary       string
	Cluster       docs.ConversationCluster
	Issues        []store.IssueIn
	MoreIssues    int64
	Conversations []docs.Conversation
	More          int64 // conversations that are not listed
}

// cluster shows the issues of a conversation cluster, and their conversations.
func (h *Handler) cluster(v *visit) error {
	o, err := h.organizationOf(v)
	if err != nil {
		return err
	}
	ctx := v.r.Context()
	c, err := h.Conversations.Cluster(ctx, o.ID, docs.ClusterID(v.r.PathValue("clusterId")))
	if err != nil {
		return err
	}
	issues, _, err := h.Conversations.Issues(o.ID, store.IssueFilter{Cluster: c.Cluster.ID}).Page(ctx, store.Page{Limit: maxRows})
	if err != nil {
		return err
	}
	label, summary := c.Cluster.Shown()
	d := clusterData{Up: organizationLink(o), Summary: summary, Cluster: c.Cluster, Issues: issues, MoreIssues: max(0, c.Cluster.Issues-int64(len(issues)))}
	listed := map[docs.ConversationID]bool{}
	for _, i := range issues {
		if x := i.Conversation; !listed[x.ID] {
			listed[x.ID] = true
			x.Subject = cmp.Or(x.Subject, "Without a subject")
			d.Conversations = append(d.Conversations, x)
		}
	}
	d.More = max(0, c.Cluster.Conversations-int64(len(d.Conversations)))
	h.show(v.w, http.StatusOK, "cluster", v.page(label, d))
	return nil
}
