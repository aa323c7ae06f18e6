package conversations

import (
	"hash/maphash"
	"sync"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/topics"
)

// maxKept is how many issues of all organizations are kept in clusterers, about half a
// kilobyte each.
const maxKept = MaxAnalysed

// clusterers keeps the clusterers of organizations from one analysis to the next, so that issues
// which come behind all others are added to what is there.
type clusterers struct {
	once sync.Once
	all  *cache.Cache[docs.OrgID, *clustered]
}

// clustered is a clusterer with what was added to it, in its order.
type clustered struct {
	*topics.Clusterer
	added []uint64 // marks of issues
}

var seed = maphash.MakeSeed()

// markOf distinguishes issues as they are clustered.
func markOf(i docs.ConversationIssue) uint64 {
	return maphash.Comparable(seed, [4]string{string(i.ID), i.Title, i.Summary, i.Language})
}

// take returns a clusterer to which the first of some issues were added, perhaps none.
// Nobody else has it until it is put back.
func (k *clusterers) take(org docs.OrgID, issues []docs.ConversationIssue) *clustered {
	k.once.Do(func() { k.all = cache.New[docs.OrgID](maxKept, func(c *clustered) int { return 1 + len(c.added) }) })
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
