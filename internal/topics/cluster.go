package topics

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Thresholds of similarity, which is between 0 and 1. They were chosen on the part of
// the labelled conversations that quality is not measured by.
const (
	joinAt  = 0.32 // an issue joins a cluster
	mergeAt = 0.50 // two clusters are one
	apartAt = 0.15 // the two halves of a cluster that is divided are at most that similar
)

// Bounds of work for one issue.
const (
	maxCentroid   = 128  // terms of a cluster
	probes        = 10   // terms of an issue by which clusters are found
	maxPostings   = 1024 // clusters that are looked at for one term
	maxCandidates = 32   // clusters that are compared
	maxSamples    = 16   // members by which a cluster is named
	maxMerge      = 64   // size up to which each new member may make a cluster merge
	minSplit      = 16   // sizes at which a cluster may split: this one, doubled
	maxSplit      = 2048 // and up to this one
)

// weighted is a term of a vector.
type weighted struct {
	term   int32
	weight float64
}

// Clusterer puts issues into clusters, in the order of Add.
type Clusterer struct {
	numbers  map[string]int32 // of terms
	names    []string
	issuesOf []int32 // how many issues have a term
	postings [][]int32

	vectors  [][]weighted // of issues, by number
	titles   []string
	cluster  []int32 // of issues
	clusters []*cluster
}

// cluster is a group of issues. One that has merged into another has no members.
type cluster struct {
	number  int32
	founder int32 // the first issue, which identifies the cluster
	members []int32
	sum     []weighted // of the members, sorted by term
}

// NewClusterer returns one without issues.
func NewClusterer() *Clusterer { return &Clusterer{numbers: map[string]int32{}} }

// Len returns how many issues were added.
func (c *Clusterer) Len() int { return len(c.vectors) }

// Add puts an issue into a cluster and returns its number, which counts from 0.
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

// vector returns the terms of an issue with length 1 without regard to how rare they are.
func (c *Clusterer) vector(i Issue) []weighted {
	// The title counts twice: it is in the summary too, unless that was clipped.
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

// pastIssues lets rarity begin as if there were some issues already, so that the first ones
// are not compared by chance.
const pastIssues = 100

// rarity says how much a term distinguishes.
func (c *Clusterer) rarity(term int32) float64 {
	return math.Log(1 + (float64(len(c.vectors))+pastIssues)/(float64(c.issuesOf[term])+1))
}

// nearest returns the cluster that is most like a vector, other than one; nil if none has a
// term of it. Of equal ones it is the oldest.
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
		// The newest clusters: issues come in the order of time.
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

// cosine compares two vectors, with rare terms counting more.
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

// post notes that a cluster has a term. It may be noted twice, after the term was
// dropped from the cluster as too light and has come again.
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

// bounded drops the lightest terms of a sum that has too many.
func bounded(sum []weighted) []weighted {
	if len(sum) <= 2*maxCentroid {
		return sum
	}
	slices.SortFunc(sum, func(a, b weighted) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.term, b.term)) })
	sum = sum[:maxCentroid]
	slices.SortFunc(sum, func(a, b weighted) int { return cmp.Compare(a.term, b.term) })
	return sum
}

// merge joins a cluster with another that is about the same. The older one stays.
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

// split divides a cluster into two if it falls into halves that differ. The one with the
// founder stays.
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

// halves divides members in two by their similarity to two sums, which begin with two
// members that are unlike each other. False if one half is too small to be a topic.
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
