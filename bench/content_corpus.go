package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// corpus generates documentation of any size. The frequencies of its words are
// distributed like those of a natural language. The same number always results in
// the same page.
type corpus struct {
	pages int // number of pages in the space: documents, and one group
	words []string
}

// vocabulary is the number of words, inSection the number of pages of a
// section.
const (
	vocabulary = 20_000
	inSection  = 100
)

// groupTitle is the title of the group, which contains all pages except the first.
const groupTitle = "Pages"

func newCorpus(pages int) *corpus {
	c := &corpus{pages: pages}
	r := rand.New(rand.NewPCG(5, 6))
	onset := []string{"b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "st", "tr", "pl", "gr", "ch"}
	vowel := []string{"a", "e", "i", "o", "u", "ea", "io"}
	end := []string{"", "n", "r", "s", "t", "ng", "tion", "ment"}
	seen := map[string]bool{}
	for len(c.words) < vocabulary {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString(onset[r.IntN(len(onset))] + vowel[r.IntN(len(vowel))])
		}
		b.WriteString(end[r.IntN(len(end))])
		if w := b.String(); !seen[w] {
			seen[w] = true
			c.words = append(c.words, w)
		}
	}
	return c
}

// documents returns the number of pages with text; the first is the landing
// page.
func (c *corpus) documents() int { return c.pages - 1 }

// text returns n words; the frequency of the k-th word is proportional to 1/k.
func (c *corpus) text(r *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.words[int(math.Exp(r.Float64()*math.Log(float64(len(c.words)))))-1])
	}
	return b.String()
}

// article is the text of a page, without markup.
type article struct {
	title    string
	headings []string
	bodies   []string
}

// article returns the text of page i.
func (c *corpus) article(i int) article {
	r := rand.New(rand.NewPCG(7, uint64(i)))
	a := article{title: fmt.Sprintf("%s %d", c.text(r, 2), i)}
	for range 3 {
		a.headings = append(a.headings, c.text(r, 3))
		a.bodies = append(a.bodies, c.text(r, 67))
	}
	return a
}

// file returns the path of page i.
func (c *corpus) file(i int) string {
	switch {
	case i == 0:
		return "README.md"
	case (i-1)%inSection == 0:
		return fmt.Sprintf("s%04d/README.md", (i-1)/inSection)
	}
	return fmt.Sprintf("s%04d/p%06d.md", (i-1)/inSection, i)
}

// number returns the number of a page, which is the last word of its title.
func (c *corpus) number(p listed) (int, error) {
	n, err := strconv.Atoi(p.Title[strings.LastIndexByte(p.Title, ' ')+1:])
	if err != nil {
		return 0, fmt.Errorf("the page %q was not generated: %w", p.Title, err)
	}
	return n, nil
}

// source returns page i as Markdown, with links to two others, a hint, a list
// and code. Its last paragraph is version.
func (c *corpus) source(i int, version string) string {
	a := c.article(i)
	up := strings.Repeat("../", strings.Count(c.file(i), "/"))
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", a.title)
	for s, body := range a.bodies {
		fmt.Fprintf(&b, "## %s\n\n%s.\n\n", a.headings[s], body)
		switch s {
		case 0:
			fmt.Fprintf(&b, "See [the next page](%s%s) and **another**, [here](%s%s).\n\n",
				up, c.file((i+1)%c.documents()), up, c.file((i*7+13)%c.documents()))
		case 1:
			b.WriteString("{% hint style=\"info\" %}\nKeep it short.\n{% endhint %}\n\n* one\n* two\n\n")
		case 2:
			b.WriteString("```bash\noctavo serve --data data\n```\n\n")
		}
	}
	b.WriteString(version + "\n")
	return b.String()
}

// write writes the corpus to a folder. Titles are short because the size of SUMMARY.md
// is limited.
func (c *corpus) write(dir string) error {
	var summary strings.Builder
	summary.WriteString("# Table of contents\n\n")
	for i := range c.documents() {
		file := filepath.Join(dir, c.file(i))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(c.source(i, "First version.")), 0o644); err != nil {
			return err
		}
		indent := ""
		if i > 0 && (i-1)%inSection != 0 {
			indent = "  "
		}
		fmt.Fprintf(&summary, "%s* [%s](%s)\n", indent, c.article(i).title, c.file(i))
		if i == 0 {
			summary.WriteString("\n## " + groupTitle + "\n\n")
		}
	}
	return os.WriteFile(filepath.Join(dir, "SUMMARY.md"), []byte(summary.String()), 0o644)
}

// common returns words that many pages contain.
func (c *corpus) common() []string { return c.words[:manyPaths] }

// rare returns words that only a few pages contain, but at least one.
func (c *corpus) rare() []string {
	place := map[string]int{}
	for i, w := range c.words {
		place[w] = i
	}
	var out []string
	for k := range manyPaths {
		a := c.article(k * c.documents() / manyPaths)
		rarest := ""
		for _, w := range strings.Fields(strings.Join(a.bodies, " ")) {
			if rarest == "" || place[w] > place[rarest] {
				rarest = w
			}
		}
		out = append(out, rarest)
	}
	return out
}
