package topics

import (
	"slices"
	"strings"
)

// Cluster is a group of issues about the same thing.
type Cluster struct {
	Founder int   // number of the first issue, which identifies the cluster
	Issues  []int // numbers of the issues, in order
	Label   string
	Icon    string
	Summary string
}

const (
	defaultIcon    = "circle-question"
	summaryTitles  = 3
	summaryHeading = "Users ask: "
)

// Clusters returns all clusters in the order of their founders.
func (c *Clusterer) Clusters() []Cluster {
	var out []Cluster
	for _, k := range c.clusters {
		if len(k.members) == 0 {
			continue
		}
		one := Cluster{Founder: int(k.founder), Icon: c.icon(k)}
		for _, m := range k.members {
			one.Issues = append(one.Issues, int(m))
		}
		titles := c.typical(k)
		one.Label = titles[0]
		one.Summary = summary(titles)
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b Cluster) int { return a.Founder - b.Founder })
	return out
}

// typical returns up to summaryTitles different titles of the members that are most
// similar to the cluster, the best first. So labels are in the words of users. Titles are
// taken from the first and the last members only.
func (c *Clusterer) typical(k *cluster) []string {
	sample := k.members
	if len(sample) > 2*maxSamples {
		sample = append(slices.Clone(sample[:maxSamples]), sample[len(sample)-maxSamples:]...)
	}
	type choice struct {
		title   string
		similar float64
	}
	var all []choice
	for _, m := range sample {
		all = append(all, choice{c.titles[m], c.cosine(c.vectors[m], k.sum)})
	}
	slices.SortStableFunc(all, func(a, b choice) int {
		switch {
		case a.similar > b.similar:
			return -1
		case a.similar < b.similar:
			return 1
		}
		return 0
	})
	var out []string
	for _, a := range all {
		if !slices.ContainsFunc(out, func(t string) bool { return strings.EqualFold(t, a.title) }) {
			out = append(out, a.title)
		}
		if len(out) == summaryTitles {
			break
		}
	}
	return out
}

func summary(titles []string) string {
	quoted := make([]string, len(titles))
	for i, t := range titles {
		quoted[i] = "“" + t + "”"
	}
	return summaryHeading + strings.Join(quoted, ", ")
}

// icon returns the icon of the concept with the greatest weight in a cluster.
func (c *Clusterer) icon(k *cluster) string {
	out, most := defaultIcon, 0.0
	for _, w := range k.sum {
		concept, is := strings.CutPrefix(c.names[w.term], "c:")
		if score := w.weight * c.rarity(w.term); is && score > most {
			out, most = lexicon.icons[concept], score
		}
	}
	return out
}
