package conversations

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

const (
	// Weeks is the number of weeks of a cluster's pulse.
	Weeks = 13

	day  = 24 * 60 * 60 * 1000
	week = 7 * day

	maxMerges = 32 // merges that are followed from the ID of a cluster
)

// Cluster is a cluster with its pulse, which is counted when the cluster is read.
type Cluster struct {
	store.ClusterIn
	Pulse [Weeks]int64 // number of issues per week, the current week last
}

// Clusters lists the clusters of an organization.
func (s *Service) Clusters(org docs.OrgID, f store.ClusterFilter) store.List[Cluster] {
	return store.List[Cluster]{
		Page: func(ctx context.Context, p store.Page) ([]Cluster, store.Key, error) {
			items, next, err := s.Store.Clusters(ctx, org, f, p)
			if err != nil {
				return nil, nil, err
			}
			out, err := s.withPulse(ctx, org, items)
			return out, next, err
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountClusters(ctx, org, f) },
	}
}

// Cluster returns a cluster. For the ID of a cluster that was merged into another, it
// returns the other one.
func (s *Service) Cluster(ctx context.Context, org docs.OrgID, id docs.ClusterID) (Cluster, error) {
	for range maxMerges {
		v, exists, err := store.Maybe(s.Store.Cluster(ctx, org, id))
		if err != nil {
			return Cluster{}, err
		}
		if exists {
			out, err := s.withPulse(ctx, org, []store.ClusterIn{v})
			if err != nil {
				return Cluster{}, err
			}
			return out[0], nil
		}
		if id, err = s.Store.MergedInto(ctx, org, id); err != nil {
			return Cluster{}, err
		}
	}
	return Cluster{}, errs.Missing("cluster")
}

// withPulse counts the issues of clusters by week. The last week ends with the current day
// in UTC.
func (s *Service) withPulse(ctx context.Context, org docs.OrgID, in []store.ClusterIn) ([]Cluster, error) {
	ids := make([]docs.ClusterID, len(in))
	for i, v := range in {
		ids[i] = v.Cluster.ID
	}
	now := int64(docs.TimeOf(s.Store.Clock()))
	end := docs.Time(now - now%day + day)
	counts, err := s.Store.ClusterPulse(ctx, org, ids, end, week, Weeks)
	if err != nil {
		return nil, err
	}
	out := make([]Cluster, len(in))
	for i, v := range in {
		out[i].ClusterIn = v
		for ago, n := range counts[v.Cluster.ID] {
			out[i].Pulse[Weeks-1-ago] = n
		}
	}
	return out, nil
}

// Moves lists merges and splits of clusters.
func (s *Service) Moves(org docs.OrgID) store.List[docs.ClusterMove] {
	return store.List[docs.ClusterMove]{
		Page: func(ctx context.Context, p store.Page) ([]docs.ClusterMove, store.Key, error) {
			return s.Store.ClusterMoves(ctx, org, p)
		},
	}
}
