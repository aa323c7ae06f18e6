package conversations

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/topics"
)

const (
	// AnalyseJob is the kind of the jobs that analyse the waiting conversations of an
	// organization.
	AnalyseJob = "conversations.analyse"

	// MaxAnalysed limits how many issues of an organization are clustered, newest first.
	// Older issues stay in their clusters.
	MaxAnalysed = 200_000

	analyseBatch = 100 // conversations that are held in memory at once
	writeBatch   = 500 // rows that one transaction changes
)

// task is the payload of AnalyseJob.
type task struct {
	Org docs.OrgID `json:"org"`
}

// Analyse is the handler of AnalyseJob. It is idempotent.
func (s *Service) Analyse(ctx context.Context, payload []byte) error {
	var t task
	if err := json.Unmarshal(payload, &t); err != nil {
		return err
	}
	for {
		waiting, err := s.Store.WaitingConversations(ctx, t.Org, analyseBatch)
		if err != nil {
			return err
		}
		if len(waiting) == 0 {
			break
		}
		if err := s.extract(ctx, waiting); err != nil {
			return err
		}
	}
	if err := s.cluster(ctx, t.Org); err != nil {
		return err
	}
	return s.improve(ctx, t.Org)
}

// extract finds the issues of conversations and stores them.
func (s *Service) extract(ctx context.Context, waiting []store.ConversationText) error {
	found := make([][]docs.ConversationIssue, len(waiting))
	for i, c := range waiting {
		found[i] = issuesOf(c)
	}
	return s.storeIssues(ctx, waiting, found)
}

// storeIssues stores the issues of the conversations that have not changed since they were read.
func (s *Service) storeIssues(ctx context.Context, waiting []store.ConversationText, found [][]docs.ConversationIssue) error {
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		for i, c := range waiting {
			if _, err := tx.ProcessedConversation(ctx, c.Conversation, found[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// issuesOf returns the issues of a conversation. Their IDs are derived from the
// conversation, so that they stay the same when it is analysed again.
func issuesOf(c store.ConversationText) []docs.ConversationIssue {
	messages := make([]topics.Message, len(c.Parts))
	for i, p := range c.Parts {
		messages[i] = topics.Message{Role: topics.Role(p.Role), Body: p.Body}
	}
	var out []docs.ConversationIssue
	for n, i := range topics.Extract(c.Subject, messages) {
		out = append(out, docs.ConversationIssue{
			Org: c.Org, ID: docs.IssueID(digest("issue", c.Source, c.External, strconv.Itoa(n))), Conversation: c.ID, Source: c.Source,
			Title: i.Title, Summary: i.Summary, Language: i.Language, CreatedAt: c.CreatedAt, IngestedAt: c.IngestedAt,
		})
	}
	return out
}

// member is an issue without its text.
type member struct {
	id           docs.IssueID
	conversation docs.ConversationID
	source       string
	createdAt    docs.Time
	cluster      docs.ClusterID // the stored one, or the new one in a change
}

// cluster groups the issues of an organization into clusters and stores the changes.
// Issues are always added in the order in which their conversations were created, so the
// result does not depend on the order in which they arrived.
func (s *Service) cluster(ctx context.Context, org docs.OrgID) error {
	var issues []docs.ConversationIssue
	if err := s.Store.EachIssue(ctx, org, MaxAnalysed, func(i docs.ConversationIssue) { issues = append(issues, i) }); err != nil {
		return err
	}
	slices.Reverse(issues)
	c := s.clusterers.take(org, issues)
	members := make([]member, len(issues))
	for n, i := range issues {
		if n >= c.Len() {
			c.add(i)
		}
		members[n] = member{i.ID, i.Conversation, i.Source, i.CreatedAt, i.Cluster}
		if n%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	now := c.Clusters()
	s.clusterers.put(org, c)
	old, err := s.Store.StoredClusters(ctx, org)
	if err != nil {
		return err
	}
	return s.apply(ctx, org, plan(org, now, members, old))
}

// change holds the changes that clustering makes to the stored data.
type change struct {
	moved    []member                   // issues; cluster is the one that they move into
	clusters []docs.ConversationCluster // new and changed clusters
	gone     []docs.ClusterMove         // clusters without issues, and the cluster that got most of them
	split    []docs.ClusterMove         // moves of issues out of clusters that still exist
}

// plan compares the current clusters with the stored ones.
func plan(org docs.OrgID, now []topics.Cluster, members []member, old []docs.ConversationCluster) change {
	var out change
	stored := map[docs.ClusterID]docs.ConversationCluster{}
	for _, k := range old {
		stored[k.ID] = k
	}
	there := map[docs.ClusterID]bool{}
	moves := map[[2]docs.ClusterID]int64{}
	for _, k := range now {
		v := summarized(org, k, members)
		there[v.ID] = true
		for _, n := range k.Issues {
			m := members[n]
			if m.cluster == v.ID {
				continue
			}
			if m.cluster != "" {
				moves[[2]docs.ClusterID{m.cluster, v.ID}]++
			}
			m.cluster = v.ID
			out.moved = append(out.moved, m)
		}
		was := stored[v.ID]
		v.UpdatedAt = was.UpdatedAt
		if !sameCluster(was, v) {
			out.clusters = append(out.clusters, v)
		}
	}
	into := map[docs.ClusterID]docs.ClusterMove{}
	for _, pair := range slices.SortedFunc(maps.Keys(moves), func(a, b [2]docs.ClusterID) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	}) {
		m := docs.ClusterMove{Org: org, Kind: docs.ClusterSplit, From: pair[0], Into: pair[1], Issues: moves[pair]}
		if there[m.From] {
			out.split = append(out.split, m)
		} else if m.Issues > into[m.From].Issues { // the cluster that got most of the issues
			m.Kind = docs.ClusterMerged
			into[m.From] = m
		}
	}
	for _, k := range old {
		if !there[k.ID] {
			m := into[k.ID]
			m.Org, m.From = org, k.ID
			if m.Into != "" || len(members) < MaxAnalysed { // otherwise the cluster may have older issues
				out.gone = append(out.gone, m)
			}
		}
	}
	return out
}

// sameCluster reports whether two clusters are equal, apart from UpdatedAt.
func sameCluster(a, b docs.ConversationCluster) bool {
	return a.ID == b.ID && a.Label == b.Label && a.Icon == b.Icon && a.Summary == b.Summary && a.Issues == b.Issues &&
		a.Conversations == b.Conversations && a.CreatedAt == b.CreatedAt && maps.Equal(a.Sources, b.Sources)
}

// summarized returns the stored form of a cluster.
func summarized(org docs.OrgID, k topics.Cluster, members []member) docs.ConversationCluster {
	first := members[k.Founder]
	v := docs.ConversationCluster{
		Org: org, ID: docs.ClusterID(digest("cluster", string(first.id))), Label: k.Label, Icon: k.Icon, Summary: k.Summary,
		Sources: map[string]int64{}, Issues: int64(len(k.Issues)), CreatedAt: first.createdAt,
	}
	conversations := map[docs.ConversationID]bool{}
	for _, n := range k.Issues {
		v.Sources[members[n].source]++
		conversations[members[n].conversation] = true
	}
	v.Conversations = int64(len(conversations))
	return v
}

// apply stores the changes in several transactions, so that other writers can proceed in
// between. If apply is interrupted, the next run finds the remaining changes again.
func (s *Service) apply(ctx context.Context, org docs.OrgID, c change) error {
	for some := range slices.Chunk(c.clusters, writeBatch) {
		if err := s.Store.Do(ctx, func(tx *store.Tx) error {
			now := slices.Clone(some)
			for i := range now {
				now[i].UpdatedAt = tx.Now()
			}
			return tx.PutClusters(ctx, now)
		}); err != nil {
			return err
		}
	}
	// Record moves before the issues move. Afterwards their old clusters are not known.
	for some := range slices.Chunk(append(c.split, c.gone...), writeBatch) {
		if err := s.Store.Do(ctx, func(tx *store.Tx) error { return record(ctx, tx, some) }); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(c.moved, writeBatch) {
		if err := s.Store.Do(ctx, func(tx *store.Tx) error {
			for _, m := range some {
				if err := tx.PutIssueCluster(ctx, org, m.id, m.cluster); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// record stores merges and splits, and deletes clusters without issues. A cluster that is
// empty because its conversations were deleted has no move.
func record(ctx context.Context, tx *store.Tx, moves []docs.ClusterMove) error {
	var kept []docs.ClusterMove
	for _, m := range moves {
		if m.Kind != docs.ClusterSplit {
			if err := tx.DropCluster(ctx, m.Org, m.From, m.Into); err != nil {
				return err
			}
		}
		if m.Into != "" {
			m.ID, m.At = store.NewID[string](tx), tx.Now()
			kept = append(kept, m)
		}
	}
	return tx.AddClusterMoves(ctx, kept)
}
