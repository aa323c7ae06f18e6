package conversations

import (
	"hash/maphash"
	"sync"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/support/topics"
)

// maxCachedIssues limits the number of issues in cached clusterers of all organizations.
// An issue takes about half a kilobyte.
const maxCachedIssues = MaxAnalysed

// clusterers caches the clusterers of organizations between analyses. If all new issues
// come after the old ones, they are added to the cached clusterer.
type clusterers struct {
	once sync.Once
	all  *cache.Cache[docs.OrgID, *clustered]
}

// clustered is a clusterer with the marks of the issues added to it, in order.
type clustered struct {
	*topics.Clusterer
	added []uint64 // marks of issues
}

var seed = maphash.MakeSeed()

// markOf returns a hash of the fields of an issue that matter for clustering.
func markOf(i docs.ConversationIssue) uint64 {
	return maphash.Comparable(seed, [4]string{string(i.ID), i.Title, i.Summary, i.Language})
}

// take removes the clusterer of an organization from the cache and returns it, if its
// issues are a prefix of issues. Otherwise it returns an empty clusterer. The caller owns
// the clusterer until put.
func (k *clusterers) take(org docs.OrgID, issues []docs.ConversationIssue) *clustered {
	k.once.Do(func() {
		k.all = cache.New[docs.OrgID](maxCachedIssues, func(c *clustered) int { return 1 + len(c.added) })
	})
	c, ok := k.all.Get(org)
	k.all.Delete(org)
	if !ok || len(c.added) > len(issues) {
		return &clustered{Clusterer: topics.NewClusterer()}
	}
	for n, h := range c.added {
		if markOf(issues[n]) != h {
			return &clustered{Clusterer: topics.NewClusterer()}
		}
	}
	return c
}

func (k *clusterers) put(org docs.OrgID, c *clustered) { k.all.Set(org, c) }

// add adds an issue.
func (c *clustered) add(i docs.ConversationIssue) {
	c.Add(topics.Issue{Title: i.Title, Summary: i.Summary, Language: i.Language})
	c.added = append(c.added, markOf(i))
}
