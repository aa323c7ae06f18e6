package topics

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Thresholds of similarity, which is between 0 and 1. They were tuned on a part of the
// labelled conversations that is not used to measure quality.
const (
	joinAt  = 0.32 // an issue joins a cluster at this similarity or more
	mergeAt = 0.50 // two clusters merge at this similarity or more
	apartAt = 0.15 // a cluster splits if its halves are less similar than this
)

// Limits of the work for one issue.
const (
	maxCentroid   = 128  // terms of a cluster
	probes        = 10   // terms of an issue that are used to find clusters
	maxPostings   = 1024 // clusters that are considered for one term
	maxCandidates = 32   // clusters that are compared with the issue
	maxSamples    = 16   // first and last members that are considered for the label
	maxMerge      = 64   // up to this size, each new member may trigger a merge
	minSplit      = 16   // a cluster may split at sizes that are a power of two from here
	maxSplit      = 2048 // up to here
)

// weighted is a term of a vector.
type weighted struct {
	term   int32
	weight float64
}

// Clusterer groups issues into clusters, in the order of the calls of Add.
type Clusterer struct {
	numbers  map[string]int32 // numbers of terms, by name
	names    []string         // names of terms, by number
	issuesOf []int32          // how many issues have a term, by number of the term
	postings [][]int32        // numbers of the clusters that have a term

	vectors  [][]weighted // by number of the issue
	titles   []string     // by number of the issue
	cluster  []int32      // number of the cluster, by number of the issue
	clusters []*cluster
}

// cluster is a group of issues. A cluster that was merged into another has no members.
type cluster struct {
	number  int32
	founder int32 // the first issue, which identifies the cluster
	members []int32
	sum     []weighted // sum of the vectors of the members, sorted by term
}

// NewClusterer returns a Clusterer without issues.
func NewClusterer() *Clusterer { return &Clusterer{numbers: map[string]int32{}} }

// Len returns how many issues were added.
func (c *Clusterer) Len() int { return len(c.vectors) }

// Add puts an issue into a cluster and returns the number of the issue, counted from 0.
func (c *Clusterer) Add(i Issue) int {
	v := c.vector(i)
	at := int32(len(c.vectors))
	c.vectors, c.titles, c.cluster = append(c.vectors, v), append(c.titles, i.Title), append(c.cluster, 0)
	for _, t := range v {
		c.issuesOf[t.term]++
	}
	best, similar := c.nearest(v, -1)
	if best == nil || similar < joinAt {
		best = &cluster{number: int32(len(c.clusters)), founder: at}
		c.clusters = append(c.clusters, best)
	}
	c.join(best, at)
	n := len(best.members)
	if n > 1 && (n <= maxMerge || n&(n-1) == 0) {
		best = c.merge(best)
	}
	if n := len(best.members); n >= minSplit && n <= maxSplit && n&(n-1) == 0 {
		c.split(best)
	}
	return int(at)
}

// Founder returns the number of the issue that identifies the cluster of an issue.
func (c *Clusterer) Founder(issue int) int { return int(c.clusters[c.cluster[issue]].founder) }

// vector returns the terms of an issue as a vector of length 1, sorted by term. The
// rarity of terms is not part of the weights.
func (c *Clusterer) vector(i Issue) []weighted {
	// The title counts twice: it is also in the summary, unless the summary was clipped.
	all := terms(i.Text(), i.Language)
	out := make([]weighted, 0, len(all))
	sum := 0.0
	for _, t := range all {
		sum += t.weight * t.weight
	}
	for _, t := range all {
		n, known := c.numbers[t.name]
		if !known {
			n = int32(len(c.names))
			name := strings.Clone(t.name)
			c.numbers[name], c.names = n, append(c.names, name)
			c.issuesOf, c.postings = append(c.issuesOf, 0), append(c.postings, nil)
		}
		out = append(out, weighted{n, t.weight / math.Sqrt(sum)})
	}
	slices.SortFunc(out, func(a, b weighted) int { return cmp.Compare(a.term, b.term) })
	return out
}

// pastIssues is added to the number of issues in rarity. Without it, the similarity of
// the first issues would be arbitrary.
const pastIssues = 100

// rarity returns the weight of a term by how few issues have it.
func (c *Clusterer) rarity(term int32) float64 {
	return math.Log(1 + (float64(len(c.vectors))+pastIssues)/(float64(c.issuesOf[term])+1))
}

// nearest returns the cluster that is most similar to a vector and its similarity,
// ignoring the cluster with number other. It returns nil if no cluster shares a term. Of
// equally similar clusters it returns the oldest.
func (c *Clusterer) nearest(v []weighted, other int32) (*cluster, float64) {
	probe := slices.Clone(v)
	for i := range probe {
		r := c.rarity(probe[i].term)
		probe[i].weight *= r * r
	}
	slices.SortFunc(probe, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term))
	})
	scores := map[int32]float64{}
	var found []int32
	for _, p := range probe[:min(len(probe), probes)] {
		// Use the newest clusters, because issues are added in the order of time.
		list := c.postings[p.term]
		for _, n := range list[max(0, len(list)-maxPostings):] {
			if n == other || len(c.clusters[n].members) == 0 {
				continue
			}
			if _, seen := scores[n]; !seen {
				found = append(found, n)
			}
			scores[n] += p.weight
		}
	}
	slices.SortFunc(found, func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	var best *cluster
	similar := 0.0
	for _, n := range found[:min(len(found), maxCandidates)] {
		if s := c.cosine(v, c.clusters[n].sum); best == nil || s > similar || s == similar && n < best.number {
			best, similar = c.clusters[n], s
		}
	}
	return best, similar
}

// cosine returns the cosine similarity of two vectors, weighted by the rarity of terms.
func (c *Clusterer) cosine(a, b []weighted) float64 {
	dot, la, lb := 0.0, 0.0, 0.0
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].term < b[j].term:
			w := a[i].weight * c.rarity(a[i].term)
			la += w * w
			i++
		case i == len(a) || b[j].term < a[i].term:
			w := b[j].weight * c.rarity(b[j].term)
			lb += w * w
			j++
		default:
			r := c.rarity(a[i].term)
			x, y := a[i].weight*r, b[j].weight*r
			dot, la, lb = dot+x*y, la+x*x, lb+y*y
			i, j = i+1, j+1
		}
	}
	if la == 0 || lb == 0 {
		return 0
	}
	return dot / math.Sqrt(la*lb)
}

// join adds an issue to a cluster.
func (c *Clusterer) join(to *cluster, issue int32) {
	c.cluster[issue] = to.number
	to.members = append(to.members, issue)
	c.grow(to, c.vectors[issue])
}

// grow adds a vector to the sum of a cluster.
func (c *Clusterer) grow(to *cluster, v []weighted) {
	sum := make([]weighted, 0, len(to.sum)+len(v))
	i, j := 0, 0
	for i < len(to.sum) || j < len(v) {
		switch {
		case j == len(v) || i < len(to.sum) && to.sum[i].term < v[j].term:
			sum, i = append(sum, to.sum[i]), i+1
		case i == len(to.sum) || v[j].term < to.sum[i].term:
			c.post(v[j].term, to.number)
			sum, j = append(sum, v[j]), j+1
		default:
			sum = append(sum, weighted{v[j].term, to.sum[i].weight + v[j].weight})
			i, j = i+1, j+1
		}
	}
	to.sum = bounded(sum)
}

// post adds a cluster to the postings of a term. A cluster can be in the postings twice,
// if the term was dropped from the cluster as too light and was added again.
func (c *Clusterer) post(term, number int32) {
	list := c.postings[term]
	if len(list) > 0 && list[len(list)-1] == number {
		return
	}
	if len(list) >= 2*maxPostings {
		list = append(list[:0], list[len(list)-maxPostings:]...)
	}
	c.postings[term] = append(list, number)
}

// bounded drops the lightest terms of a sum with more than 2*maxCentroid terms, down to
// maxCentroid.
func bounded(sum []weighted) []weighted {
	if len(sum) <= 2*maxCentroid {
		return sum
	}
	slices.SortFunc(sum, func(a, b weighted) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term)) })
	sum = sum[:maxCentroid]
	slices.SortFunc(sum, func(a, b weighted) int { return cmp.Compare(a.term, b.term) })
	return sum
}

// merge merges a cluster with the nearest one if they are similar enough, and returns the
// result. The cluster with the older founder stays.
func (c *Clusterer) merge(a *cluster) *cluster {
	b, similar := c.nearest(a.sum, a.number)
	if b == nil || similar < mergeAt {
		return a
	}
	if b.founder < a.founder {
		a, b = b, a
	}
	for _, m := range b.members {
		c.cluster[m] = a.number
	}
	a.members = append(a.members, b.members...)
	slices.Sort(a.members)
	c.grow(a, b.sum)
	b.members, b.sum = nil, nil
	return a
}

// split divides a cluster into two if it has two halves that differ enough. The half with
// the founder keeps the identity of the cluster.
func (c *Clusterer) split(of *cluster) {
	far, least := of.members[0], 2.0
	for _, m := range of.members {
		if s := c.cosine(c.vectors[m], of.sum); s < least {
			least, far = s, m
		}
	}
	halves, sums, ok := c.halves(of.members, far)
	if !ok || c.cosine(sums[0], sums[1]) >= apartAt {
		return
	}
	if halves[1][0] == of.founder {
		halves[0], halves[1] = halves[1], halves[0]
	}
	other := &cluster{number: int32(len(c.clusters)), founder: halves[1][0]}
	c.clusters = append(c.clusters, other)
	of.members, of.sum = nil, nil
	for _, m := range halves[0] {
		c.join(of, m)
	}
	for _, m := range halves[1] {
		c.join(other, m)
	}
}

// halves divides members into two parts by 2-means clustering. The sums start as far and
// the member that is least similar to it. ok is false if one part is too small to be a
// topic.
func (c *Clusterer) halves(members []int32, far int32) (parts [2][]int32, sums [2][]weighted, ok bool) {
	opposite, least := members[0], 2.0
	for _, m := range members {
		if s := c.cosine(c.vectors[m], c.vectors[far]); m != far && s < least {
			least, opposite = s, m
		}
	}
	sums = [2][]weighted{c.vectors[far], c.vectors[opposite]}
	for range 5 {
		parts = [2][]int32{}
		for _, m := range members {
			k := 0
			if c.cosine(c.vectors[m], sums[1]) > c.cosine(c.vectors[m], sums[0]) {
				k = 1
			}
			parts[k] = append(parts[k], m)
		}
		if len(parts[0]) == 0 || len(parts[1]) == 0 {
			return parts, sums, false
		}
		sums = [2][]weighted{c.sum(parts[0]), c.sum(parts[1])}
	}
	small := max(3, len(members)/5)
	return parts, sums, len(parts[0]) >= small && len(parts[1]) >= small
}

func (c *Clusterer) sum(members []int32) []weighted {
	var all []weighted
	for _, m := range members {
		all = append(all, c.vectors[m]...)
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Compare(a.term, b.term) })
	var out []weighted
	for _, w := range all {
		if n := len(out); n > 0 && out[n-1].term == w.term {
			out[n-1].weight += w.weight
			continue
		}
		out = append(out, w)
	}
	return bounded(out)
}
