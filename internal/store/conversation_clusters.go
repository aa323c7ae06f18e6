package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const issueColumns = `i.org_id, i.id, i.conversation_id, i.source, i.title, i.summary, i.language, i.created_at, i.ingested_at, i.cluster_id`

func issueFields(v *docs.ConversationIssue) []any {
	return []any{&v.Org, &v.ID, &v.Conversation, &v.Source, &v.Title, &v.Summary, &v.Language, &v.CreatedAt, &v.IngestedAt, &v.Cluster}
}

func scanIssue(s engine.Scanner) (v docs.ConversationIssue, err error) {
	err = s.Scan(issueFields(&v)...)
	return v, err
}

// IssueIn is an issue with its conversation.
type IssueIn struct {
	Issue        docs.ConversationIssue
	Conversation docs.Conversation
}

func scanIssueIn(s engine.Scanner) (v IssueIn, err error) {
	c := &v.Conversation
	err = s.Scan(append(issueFields(&v.Issue), &c.Org, &c.ID, &c.Source, &c.Subject, &c.URL, &c.CreatedAt, &c.ProcessedAt)...)
	return v, err
}

const issueInColumns = issueColumns + `, c.org_id, c.id, c.source, c.subject, c.url, c.created_at, c.processed_at
	FROM conversation_issues i JOIN conversations c ON c.org_id = i.org_id AND c.id = i.conversation_id`

// IssueFilter narrows a list of issues; empty fields do not.
type IssueFilter struct {
	Cluster      docs.ClusterID
	Conversation docs.ConversationID
}

func (f IssueFilter) where(args []any) (string, []any) {
	text := ""
	if f.Cluster != "" {
		args = append(args, f.Cluster)
		text += ` AND i.cluster_id = $` + strconv.Itoa(len(args))
	}
	if f.Conversation != "" {
		args = append(args, f.Conversation)
		text += ` AND i.conversation_id = $` + strconv.Itoa(len(args))
	}
	return text, args
}

// Issue returns an issue of an organization.
func (r conversationReads) Issue(ctx context.Context, org docs.OrgID, id docs.IssueID) (IssueIn, error) {
	return engine.One(ctx, r, "issue", scanIssueIn, `SELECT `+issueInColumns+` WHERE i.org_id = $1 AND i.id = $2`, org, id)
}

// Issues lists the issues of an organization, newest first.
func (r conversationReads) Issues(ctx context.Context, org docs.OrgID, f IssueFilter, p Page) ([]IssueIn, Key, error) {
	at, id, err := p.Down()
	if err != nil {
		return nil, nil, err
	}
	where, args := f.where([]any{org, at, id, p.Ask()})
	items, err := engine.Many(ctx, r, scanIssueIn, `
		SELECT `+issueInColumns+`
		WHERE i.org_id = $1 AND (i.created_at < $2 OR i.created_at = $2 AND i.id < $3)`+where+`
		ORDER BY i.created_at DESC, i.id DESC LIMIT $4 + 0`, args...)
	items, next := engine.Cut(p, items, func(v IssueIn) Key { return Key{itoa(int64(v.Issue.CreatedAt)), string(v.Issue.ID)} })
	return items, next, err
}

// CountIssues counts what Issues lists.
func (r conversationReads) CountIssues(ctx context.Context, org docs.OrgID, f IssueFilter) (int64, error) {
	where, args := f.where([]any{org})
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM conversation_issues i WHERE i.org_id = $1`+where, args...)
}

// EachIssue calls fn for the newest issues of an organization, at most limit, from the newest
// to the oldest.
func (r conversationReads) EachIssue(ctx context.Context, org docs.OrgID, limit int, fn func(docs.ConversationIssue)) error {
	return engine.Each(ctx, r, scanIssue, fn, `
		SELECT `+issueColumns+` FROM conversation_issues i WHERE i.org_id = $1 ORDER BY i.created_at DESC, i.id DESC LIMIT $2 + 0`, org, limit)
}

// PutIssueCluster moves an issue into a cluster. An issue that is gone is left out.
func (tx conversationWrites) PutIssueCluster(ctx context.Context, org docs.OrgID, id docs.IssueID, to docs.ClusterID) error {
	return engine.Put(ctx, tx, `UPDATE conversation_issues SET cluster_id = $3 WHERE org_id = $1 AND id = $2`, org, id, to)
}

const clusterColumns = `k.org_id, k.id, k.label, k.icon, k.summary, k.sources, k.issues, k.conversations, k.created_at, k.updated_at, k.improved`

func clusterFields(v *docs.ConversationCluster) []any {
	return []any{&v.Org, &v.ID, &v.Label, &v.Icon, &v.Summary, inJSON{&v.Sources}, &v.Issues, &v.Conversations, &v.CreatedAt, &v.UpdatedAt, inJSON{&v.Improved}}
}

func scanCluster(s engine.Scanner) (v docs.ConversationCluster, err error) {
	err = s.Scan(clusterFields(&v)...)
	return v, err
}

// ClusterIn is a cluster with its tasks.
type ClusterIn struct {
	Cluster docs.ConversationCluster
	Tasks   docs.ClusterTasks
}

func scanClusterIn(s engine.Scanner) (v ClusterIn, err error) {
	t := &v.Tasks
	err = s.Scan(append(clusterFields(&v.Cluster), &t.Backlog, &t.Started, &t.Completed, &t.Cancelled)...)
	return v, err
}

// clustersIn are the clusters of an organization ($1) with the change requests that answer them.
const clustersIn = `(SELECT ` + clusterColumns + `, COALESCE(t.backlog, 0) AS backlog, COALESCE(t.started, 0) AS started,
		COALESCE(t.completed, 0) AS completed, COALESCE(t.cancelled, 0) AS cancelled,
		COALESCE(t.backlog + t.started + t.completed + t.cancelled, 0) AS total
	FROM conversation_clusters k LEFT JOIN (
		SELECT c.cluster_id, SUM(CASE WHEN c.status = 'draft' THEN 1 ELSE 0 END) AS backlog, SUM(CASE WHEN c.status = 'open' THEN 1 ELSE 0 END) AS started,
			SUM(CASE WHEN c.status = 'merged' THEN 1 ELSE 0 END) AS completed, SUM(CASE WHEN c.status = 'archived' THEN 1 ELSE 0 END) AS cancelled
		FROM change_requests c JOIN spaces s ON s.id = c.space_id WHERE c.cluster_id <> '' AND s.org_id = $1 GROUP BY c.cluster_id
	) t ON t.cluster_id = k.id WHERE k.org_id = $1) k`

const clusterInColumns = clusterColumns + `, CAST(k.backlog AS BIGINT), CAST(k.started AS BIGINT), CAST(k.completed AS BIGINT), CAST(k.cancelled AS BIGINT)`

// ClusterOrder is what clusters are sorted by.
type ClusterOrder string

// Orders of clusters.
const (
	ClustersByUpdate        ClusterOrder = "updatedAt"
	ClustersByIssues        ClusterOrder = "issues"
	ClustersByConversations ClusterOrder = "conversations"
	ClustersByTasks         ClusterOrder = "tasksTotal"
	ClustersByBacklog       ClusterOrder = "tasksBacklog"
	ClustersByStarted       ClusterOrder = "tasksStarted"
)

// clusterOrders has a column for each order, and its value in a cluster.
var clusterOrders = map[ClusterOrder]struct {
	column string
	value  func(ClusterIn) int64
}{
	ClustersByUpdate:        {`k.updated_at`, func(v ClusterIn) int64 { return int64(v.Cluster.UpdatedAt) }},
	ClustersByIssues:        {`k.issues`, func(v ClusterIn) int64 { return v.Cluster.Issues }},
	ClustersByConversations: {`k.conversations`, func(v ClusterIn) int64 { return v.Cluster.Conversations }},
	ClustersByTasks:         {`k.total`, func(v ClusterIn) int64 { return v.Tasks.Total() }},
	ClustersByBacklog:       {`k.backlog`, func(v ClusterIn) int64 { return v.Tasks.Backlog }},
	ClustersByStarted:       {`k.started`, func(v ClusterIn) int64 { return v.Tasks.Started }},
}

// ClusterStatus narrows a list of clusters.
type ClusterStatus string

// A cluster is pending until somebody opens a change request that answers it, and analysed
// as long as one is not merged or archived.
const (
	ClusterPending   ClusterStatus = "pending"
	ClusterAnalysing ClusterStatus = "analysing"
)

var clusterStatuses = map[ClusterStatus]string{
	ClusterPending:   ` AND k.total = 0`,
	ClusterAnalysing: ` AND k.backlog + k.started > 0`,
}

// ClusterFilter says which clusters are listed, and in which order.
type ClusterFilter struct {
	Order  ClusterOrder // empty: by update
	Up     bool         // lowest first
	Status ClusterStatus
}

// Clusters lists the clusters of an organization.
func (r conversationReads) Clusters(ctx context.Context, org docs.OrgID, f ClusterFilter, p Page) ([]ClusterIn, Key, error) {
	order, known := clusterOrders[f.Order]
	if !known {
		order = clusterOrders[ClustersByUpdate]
	}
	by, err := p.Sorted(f.Up)
	if err != nil {
		return nil, nil, err
	}
	items, err := engine.Many(ctx, r, scanClusterIn, `
		SELECT `+clusterInColumns+` FROM `+clustersIn+`
		WHERE (`+order.column+` `+by.Compare+` CAST($2 AS BIGINT) OR `+order.column+` = CAST($2 AS BIGINT) AND k.id `+by.Compare+` $3)`+clusterStatuses[f.Status]+`
		ORDER BY `+order.column+` `+by.Direction+`, k.id `+by.Direction+` LIMIT $4 + 0`, org, by.At, by.ID, p.Ask())
	items, next := engine.Cut(p, items, func(v ClusterIn) Key { return Key{itoa(order.value(v)), string(v.Cluster.ID)} })
	return items, next, err
}

// CountClusters counts what Clusters lists.
func (r conversationReads) CountClusters(ctx context.Context, org docs.OrgID, f ClusterFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM `+clustersIn+` WHERE k.org_id = $1`+clusterStatuses[f.Status], org)
}

// Cluster returns a cluster of an organization.
func (r conversationReads) Cluster(ctx context.Context, org docs.OrgID, id docs.ClusterID) (ClusterIn, error) {
	return engine.One(ctx, r, "cluster", scanClusterIn, `SELECT `+clusterInColumns+` FROM `+clustersIn+` WHERE k.id = $2`, org, id)
}

// StoredClusters returns all clusters of an organization as they are stored.
func (r conversationReads) StoredClusters(ctx context.Context, org docs.OrgID) ([]docs.ConversationCluster, error) {
	return engine.Many(ctx, r, scanCluster, `SELECT `+clusterColumns+` FROM conversation_clusters k WHERE k.org_id = $1 ORDER BY k.id`, org)
}

// pulseClusters is for how many clusters one statement counts.
const pulseClusters = 64

// ClusterPulse counts the issues of clusters by week: by how many weeks of 7 days their
// conversations were created before end. Only weeks less than the given number are counted.
func (r conversationReads) ClusterPulse(ctx context.Context, org docs.OrgID, ids []docs.ClusterID, end docs.Time, week int64, weeks int) (map[docs.ClusterID][]int64, error) {
	out := map[docs.ClusterID][]int64{}
	type count struct {
		id    docs.ClusterID
		week  int64
		count int64
	}
	for len(ids) > 0 {
		n := min(len(ids), pulseClusters)
		args := []any{org, end, end - docs.Time(int64(weeks)*week), week}
		var list []string
		for k := range pulseClusters { // statements of one length are prepared once
			args = append(args, ids[min(k, n-1)])
			list = append(list, "$"+strconv.Itoa(len(args)))
		}
		ids = ids[n:]
		err := engine.Each(ctx, r, func(s engine.Scanner) (c count, err error) {
			err = s.Scan(&c.id, &c.week, &c.count)
			return c, err
		}, func(c count) {
			if out[c.id] == nil {
				out[c.id] = make([]int64, weeks)
			}
			out[c.id][c.week] = c.count
		}, `SELECT g.cluster_id, g.week, COUNT(*) FROM (
				SELECT i.cluster_id, (CAST($2 AS BIGINT) - 1 - i.created_at) / CAST($4 AS BIGINT) AS week FROM conversation_issues i
				WHERE i.org_id = $1 AND i.created_at >= $3 AND i.created_at < $2 AND i.cluster_id IN (`+strings.Join(list, ", ")+`)
			) g GROUP BY g.cluster_id, g.week`, args...)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// PutClusters stores clusters.
func (tx conversationWrites) PutClusters(ctx context.Context, all []docs.ConversationCluster) error {
	return engine.InsertAll(ctx, tx, `INSERT INTO conversation_clusters (org_id, id, label, icon, summary, sources, issues, conversations, created_at, updated_at)`, `
		ON CONFLICT (org_id, id) DO UPDATE SET label = excluded.label, icon = excluded.icon, summary = excluded.summary, sources = excluded.sources,
			issues = excluded.issues, conversations = excluded.conversations, created_at = excluded.created_at, updated_at = excluded.updated_at,
			improved = CASE WHEN conversation_clusters.label = excluded.label AND conversation_clusters.summary = excluded.summary THEN conversation_clusters.improved ELSE '' END`,
		all, func(v docs.ConversationCluster) []any {
			return []any{v.Org, v.ID, v.Label, v.Icon, v.Summary, toJSON(v.Sources), v.Issues, v.Conversations, v.CreatedAt, v.UpdatedAt}
		})
}

// PutImprovedCluster stores what a language model made of a cluster.
func (tx conversationWrites) PutImprovedCluster(ctx context.Context, org docs.OrgID, id docs.ClusterID, v docs.ImprovedCluster) error {
	return engine.Put(ctx, tx, `UPDATE conversation_clusters SET improved = $3 WHERE org_id = $1 AND id = $2`, org, id, toJSON(v))
}

// DropCluster removes a cluster that has no issues any more. Change requests that answered it
// answer another one, unless that is empty.
func (tx conversationWrites) DropCluster(ctx context.Context, org docs.OrgID, id, into docs.ClusterID) error {
	if into != "" {
		err := engine.Put(ctx, tx, `
			UPDATE change_requests SET cluster_id = $3
			WHERE cluster_id = $2 AND space_id IN (SELECT s.id FROM spaces s WHERE s.org_id = $1)`, org, id, into)
		if err != nil {
			return err
		}
	}
	return engine.Put(ctx, tx, `DELETE FROM conversation_clusters WHERE org_id = $1 AND id = $2`, org, id)
}

func scanMove(s engine.Scanner) (v docs.ClusterMove, err error) {
	err = s.Scan(&v.Org, &v.ID, &v.Kind, &v.From, &v.Into, &v.Issues, &v.At)
	return v, err
}

const moveColumns = `m.org_id, m.id, m.kind, m.from_id, m.into_id, m.issues, m.at`

// ClusterMoves lists merges and splits of clusters, newest first.
func (r conversationReads) ClusterMoves(ctx context.Context, org docs.OrgID, p Page) ([]docs.ClusterMove, Key, error) {
	before := engine.LastText
	if len(p.After) > 0 {
		before = p.After[0]
	}
	items, err := engine.Many(ctx, r, scanMove, `
		SELECT `+moveColumns+` FROM conversation_moves m WHERE m.org_id = $1 AND m.id < $2 ORDER BY m.id DESC LIMIT $3 + 0`, org, before, p.Ask())
	items, next := engine.Cut(p, items, func(v docs.ClusterMove) Key { return Key{v.ID} })
	return items, next, err
}

// MergedInto returns into which cluster one was merged last.
func (r conversationReads) MergedInto(ctx context.Context, org docs.OrgID, from docs.ClusterID) (docs.ClusterID, error) {
	return engine.One(ctx, r, "cluster", engine.ScanText[docs.ClusterID], `
		SELECT m.into_id FROM conversation_moves m WHERE m.org_id = $1 AND m.from_id = $2 AND m.kind = 'merged' ORDER BY m.id DESC LIMIT 1`, org, from)
}

// AddClusterMoves stores records of merges and splits.
func (tx conversationWrites) AddClusterMoves(ctx context.Context, all []docs.ClusterMove) error {
	return engine.InsertAll(ctx, tx, `INSERT INTO conversation_moves (org_id, id, kind, from_id, into_id, issues, at)`, ``, all, func(m docs.ClusterMove) []any {
		return []any{m.Org, m.ID, m.Kind, m.From, m.Into, m.Issues, m.At}
	})
}
