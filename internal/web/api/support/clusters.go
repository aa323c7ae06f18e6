package support

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// IssuesCluster is the JSON form of a cluster of issues.
type IssuesCluster struct {
	Object    string           `json:"object" enum:"issues-cluster"`
	ID        string           `json:"id"`
	Label     string           `json:"label" doc:"What a typical user writes, as text; or what a language model made of it, if the operator has configured one."`
	CreatedAt docs.Time        `json:"createdAt" doc:"When the first of its conversations was created."`
	UpdatedAt docs.Time        `json:"updatedAt"`
	Icon      string           `json:"icon" maxLength:"50"`
	Summary   string           `json:"summary"`
	Pulse     []int64          `json:"weeklyPulse" minItems:"13" maxItems:"13" doc:"Issues of the last 13 weeks of 7 days in UTC, today's week last."`
	Sources   map[string]int64 `json:"sources" doc:"Issues by source."`
	Stats     clusterStats     `json:"stats"`
	URLs      wire.EntryURLs   `json:"urls"`
}

// clusterStats holds the counters of a cluster. Tasks are change requests that answer the
// cluster.
type clusterStats struct {
	Issues         int64 `json:"issues"`
	Conversations  int64 `json:"conversations"`
	TasksTotal     int64 `json:"tasksTotal" doc:"Change requests that answer the cluster."`
	TasksBacklog   int64 `json:"tasksBacklog" doc:"Those that are drafts."`
	TasksStarted   int64 `json:"tasksStarted" doc:"Those that are open."`
	TasksCompleted int64 `json:"tasksCompleted" doc:"Those that are merged."`
	TasksCancelled int64 `json:"tasksCancelled" doc:"Those that are archived."`
}

func (h *handlers) issuesCluster(c conversations.Cluster) IssuesCluster {
	v, t := c.Cluster, c.Tasks
	label, summary := v.Shown()
	w := IssuesCluster{
		Object: "issues-cluster", ID: string(v.ID), Label: label, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt, Icon: v.Icon, Summary: summary,
		Pulse: c.Pulse[:], Sources: v.Sources,
		Stats: clusterStats{v.Issues, v.Conversations, t.Total(), t.Backlog, t.Started, t.Completed, t.Cancelled},
		URLs: wire.EntryURLs{
			Location: h.Location("orgs", string(v.Org), "conversations-clusters", string(v.ID)),
			App:      h.BaseURL + "/o/" + string(v.Org) + "/conversations/" + string(v.ID),
		},
	}
	if w.Sources == nil {
		w.Sources = map[string]int64{}
	}
	return w
}

type listClustersIn struct {
	wire.OrgIn
	kernel.Paged
	Order   string              `query:"order" enum:"asc,desc" default:"desc"`
	OrderBy store.ClusterOrder  `query:"orderBy" enum:"updatedAt,issues,conversations,tasksTotal,tasksBacklog,tasksStarted" default:"updatedAt"`
	Status  store.ClusterStatus `query:"status" enum:"pending,analysing" doc:"pending: no change request answers the cluster; analysing: a draft or an open one does."`
}

func (h *handlers) listClusters(ctx context.Context, in *listClustersIn) (*kernel.Page[IssuesCluster], error) {
	f := store.ClusterFilter{Order: in.OrderBy, Up: in.Order == "asc", Status: in.Status}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Conversations.Clusters(in.Org, f), h.issuesCluster)
}

// ClusterIn is part of the input of operations on a cluster.
type ClusterIn struct {
	Cluster docs.ClusterID `path:"clusterId" maxLength:"255"`
}

type getClusterIn struct {
	wire.OrgIn
	ClusterIn
}

func (h *handlers) getCluster(ctx context.Context, in *getClusterIn) (*kernel.Out[IssuesCluster], error) {
	v, err := h.Conversations.Cluster(ctx, in.Org, in.Cluster)
	return kernel.OK(h.issuesCluster(v)), err
}

// clusterMove is the JSON form of a merge or a split of clusters.
type clusterMove struct {
	ID     string               `json:"id"`
	Kind   docs.ClusterMoveKind `json:"kind" enum:"merged,split" doc:"merged: the cluster is gone; split: it has fewer issues."`
	From   string               `json:"from" doc:"Id of the cluster that issues left."`
	Into   string               `json:"into" doc:"Id of the cluster that they are in now."`
	Issues int64                `json:"issues" doc:"How many."`
	At     docs.Time            `json:"at"`
}

type listClusterMovesIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *handlers) listClusterMoves(ctx context.Context, in *listClusterMovesIn) (*kernel.Page[clusterMove], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Conversations.Moves(in.Org), func(m docs.ClusterMove) clusterMove {
		return clusterMove{m.ID, m.Kind, string(m.From), string(m.Into), m.Issues, m.At}
	})
}

func (h *handlers) clusterAnswers(tag string, see authz.Rule) {
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listConversationsIssuesClusterPages", Route: "GET /orgs/{organizationId}/conversations-clusters/{clusterId}/pages", Tag: tag, Allow: see,
		Summary: "Find the pages that should answer a cluster, among those that you can see.",
		About:   "At most ten, the best first. answers says whether a page is likely to answer the cluster already: most of what users write is found in what matched.",
	}, h.clusterPages)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "answerConversationsIssuesCluster", Route: "POST /spaces/{spaceId}/conversations-clusters/{clusterId}/change-request", Tag: tag, Allow: authz.Space(authz.EditSpace),
		Summary: "Open a change request that answers a cluster, with a page that lists the users' questions.",
		About:   "A draft or an open request of the space that answers the cluster already is returned with status 200 instead. Needs the right to read conversations too. The request is a draft; conversationsIssuesCluster of it is the cluster, whose task counters follow its status.",
	}, h.answerCluster)
}

// clusterPage is the JSON form of a page that may answer a cluster.
type clusterPage struct {
	Space    string          `json:"space" doc:"Id of the space."`
	Page     wire.PageResult `json:"page"`
	Coverage float64         `json:"coverage" minimum:"0" maximum:"1" doc:"Which part of what users ask is found in what matched."`
	Answers  bool            `json:"answers"`
}

type clusterPages struct {
	Items []clusterPage `json:"items"`
}

func (h *handlers) clusterPages(ctx context.Context, in *getClusterIn) (*kernel.Out[clusterPages], error) {
	found, err := h.Conversations.Answers(ctx, authz.FromContext(ctx), in.Cluster)
	w := clusterPages{Items: []clusterPage{}}
	for _, f := range found {
		w.Items = append(w.Items, clusterPage{string(f.View.Space.ID), h.PageResult(f.Found), f.Coverage, f.Answers})
	}
	return kernel.OK(w), err
}

type answerClusterIn struct {
	wire.SpaceIn
	ClusterIn
	Body *struct {
		Subject string `json:"subject,omitempty" maxLength:"100" doc:"Of the change request. Default: the label of the cluster."`
	}
}

// answering is the output of answerCluster.
type answering struct {
	Location string `header:"Location"`
	Made     bool
	Body     wire.ChangeRequest
}

func (h *handlers) answerCluster(ctx context.Context, in *answerClusterIn) (*answering, error) {
	g, subject := authz.FromContext(ctx), ""
	if in.Body != nil {
		subject = in.Body.Subject
	}
	cr, made, err := h.Conversations.Propose(ctx, g, in.Cluster, subject)
	if err != nil {
		return nil, err
	}
	sp := g.Space
	sp.Revision = cr.Initial // the revision from which the request was created
	w, err := h.ChangeRequest(ctx, g, sp, cr)
	return &answering{w.URLs.Location, made, w}, err
}
