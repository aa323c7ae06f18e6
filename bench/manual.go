package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// manual generates the documentation of a repository: pages of different lengths, half
// of them above 3 KB, with all kinds of blocks that people use. The same number always
// results in the same page.
type manual struct {
	pages int
	words *corpus
}

// A chapter has inChapter pages, a part has inPart chapters, and a group of the
// navigation has inGroup parts.
const (
	inChapter = 10
	inPart    = 8
	inGroup   = 6
	// perFigure pages share an image.
	perFigure = 50
	// longEnough is the median of the length after which a page gets no further
	// section. With the last section, half of the pages are longer than 3 KB.
	longEnough = 2400
	// spread is the standard deviation of the logarithm of the lengths: two of three
	// pages are between the median divided by e^spread and multiplied by it.
	spread = 0.7
)

func newManual(pages int) *manual { return &manual{pages: pages, words: newCorpus(0)} }

// random returns a random generator for page i. Different kinds have independent
// generators.
func (m *manual) random(kind, i int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(kind)+11, uint64(i)))
}

// title returns the title of page i. The file name is derived from it.
func (m *manual) title(i int) string {
	r := m.random(0, i)
	t := m.words.text(r, 1+r.IntN(3))
	return fmt.Sprintf("%s%s %d", strings.ToUpper(t[:1]), t[1:], i)
}

// level returns the depth of a page in the navigation. The first page of a part is the
// parent of its other pages, and the first page of a chapter is the parent of the
// chapter.
func (m *manual) level(i int) int {
	switch {
	case i%(inChapter*inPart) == 0:
		return 0
	case i%inChapter == 0, i%(inChapter*inPart) < inChapter: // the first chapter has no page of its own
		return 1
	}
	return 2
}

func (m *manual) file(i int) string {
	if i == 0 {
		return "README.md"
	}
	part := fmt.Sprintf("part-%03d", i/(inChapter*inPart))
	chapter := fmt.Sprintf("chapter-%04d", i/inChapter)
	switch {
	case m.level(i) == 0:
		return path.Join(part, "README.md")
	case i%inChapter == 0:
		return path.Join(part, chapter, "README.md")
	}
	return path.Join(part, chapter, strings.ReplaceAll(strings.ToLower(m.title(i)), " ", "-")+".md")
}

func (m *manual) figures() int { return max(1, m.pages/perFigure) }

func figureFile(i int) string { return fmt.Sprintf(".gitbook/assets/figure-%03d.png", i) }

// source returns page i as Markdown, without its title. Its last paragraph is
// version.
func (m *manual) source(i int, version string) string {
	p := &pageWriter{m: m, r: m.random(1, i), i: i, up: strings.Repeat("../", strings.Count(m.file(i), "/"))}
	length := int(longEnough * math.Exp(p.r.NormFloat64()*spread))
	p.paragraph()
	for sections := 0; p.b.Len() < length; sections++ {
		fmt.Fprintf(&p.b, "%s %s\n\n", "##"+strings.Repeat("#", sections%3/2), p.phrase(1+p.r.IntN(4)))
		for range 2 + p.r.IntN(3) {
			p.block()
		}
	}
	p.b.WriteString(version + "\n")
	return p.b.String()
}

type pageWriter struct {
	m  *manual
	r  *rand.Rand
	i  int
	up string
	b  strings.Builder
}

// phrase returns n words that begin with a capital letter.
func (p *pageWriter) phrase(n int) string {
	t := p.m.words.text(p.r, n)
	return strings.ToUpper(t[:1]) + t[1:]
}

func (p *pageWriter) word() string { return p.m.words.text(p.r, 1) }

// block writes a random block; about half of the blocks are paragraphs.
func (p *pageWriter) block() {
	switch p.r.IntN(16) {
	case 0, 1:
		p.list(func(int) string { return "* " })
	case 2:
		p.list(func(n int) string { return fmt.Sprintf("%d. ", n) })
	case 3, 4, 5:
		p.code()
	case 6:
		p.table()
	case 7:
		fmt.Fprintf(&p.b, "{%% hint style=%q %%}\n%s\n{%% endhint %%}\n\n", [...]string{"info", "warning", "success"}[p.r.IntN(3)], p.sentence())
	case 8:
		p.figure()
	default:
		p.paragraph()
	}
}

func (p *pageWriter) paragraph() {
	for range 1 + p.r.IntN(4) {
		p.b.WriteString(p.sentence() + " ")
	}
	p.b.WriteString(p.sentence() + "\n\n")
}

// sentence returns a sentence. Every second sentence has inline markup.
func (p *pageWriter) sentence() string {
	s := p.phrase(4 + p.r.IntN(9))
	switch p.r.IntN(8) {
	case 0:
		s += " **" + p.word() + "**"
	case 1:
		s += " `" + p.word() + "." + p.word() + "`"
	case 2:
		to := p.r.IntN(p.m.pages)
		s += fmt.Sprintf(", see [%s](%s%s)", p.m.title(to), p.up, p.m.file(to))
	case 3:
		s += fmt.Sprintf(" _%s_ and [%s](https://example.com/%s)", p.word(), p.word(), p.word())
	}
	return s + ", " + p.m.words.text(p.r, 3+p.r.IntN(6)) + "."
}

func (p *pageWriter) list(mark func(n int) string) {
	for n := range 3 + p.r.IntN(4) {
		p.b.WriteString(mark(n+1) + p.sentence() + "\n")
	}
	p.b.WriteByte('\n')
}

func (p *pageWriter) code() {
	a, b, c := p.word(), p.word(), p.word()
	switch p.r.IntN(4) {
	case 0:
		fmt.Fprintf(&p.b, "```bash\n%s %s --%s \"$HOME/%s\" | grep -v %s\n```\n\n", a, b, c, p.word(), p.word())
	case 1:
		fmt.Fprintf(&p.b, "```json\n{\n  \"%s\": [%d, %d],\n  \"%s\": {\"%s\": true, \"size\": %d}\n}\n```\n\n", a, p.r.IntN(99), p.r.IntN(99), b, c, p.r.IntN(9999))
	case 2:
		fmt.Fprintf(&p.b, "```go\nfunc %s(%s string) error {\n\tif %s == \"\" {\n\t\treturn errors.New(\"%s\")\n\t}\n\treturn %s(%s, %d)\n}\n```\n\n", a, b, b, p.m.words.text(p.r, 3), c, b, p.r.IntN(99))
	case 3:
		fmt.Fprintf(&p.b, "```yaml\n%s:\n  %s: %d\n  # %s\n  %s:\n    - %s\n    - %s\n```\n\n", a, b, p.r.IntN(99), p.m.words.text(p.r, 4), c, p.word(), p.word())
	}
}

func (p *pageWriter) table() {
	fmt.Fprintf(&p.b, "| %s | %s | %s |\n| --- | --- | --- |\n", p.phrase(1), p.phrase(1), p.phrase(1))
	for range 3 + p.r.IntN(5) {
		fmt.Fprintf(&p.b, "| `%s` | %d | %s |\n", p.word(), p.r.IntN(999), p.phrase(3+p.r.IntN(5)))
	}
	p.b.WriteByte('\n')
}

func (p *pageWriter) figure() {
	fmt.Fprintf(&p.b, "<figure><img src=\"%s%s\" alt=\"%s\"><figcaption><p>%s</p></figcaption></figure>\n\n",
		p.up, figureFile(p.r.IntN(p.m.figures())), p.word(), p.phrase(4))
}

// page returns the whole file of page i, with its title.
func (m *manual) page(i int, version string) string {
	return "# " + m.title(i) + "\n\n" + m.source(i, version)
}

// firstWords is the last paragraph of a page before it is edited.
const firstWords = "First version."

// summary returns the navigation of the first pages.
func (m *manual) summary(pages int) []byte {
	var b bytes.Buffer
	b.WriteString("# Table of contents\n\n")
	for i := range pages {
		if i > 0 && i%(inChapter*inPart*inGroup) == 0 {
			fmt.Fprintf(&b, "\n## Group %d\n\n", i/(inChapter*inPart*inGroup))
		}
		fmt.Fprintf(&b, "%s* [%s](%s)\n", strings.Repeat("  ", m.level(i)), m.title(i), m.file(i))
	}
	return b.Bytes()
}

// figure returns an image of a few kilobytes.
func (m *manual) figure(i int) []byte {
	r := m.random(2, i)
	img := image.NewPaletted(image.Rect(0, 0, 120, 80), color.Palette{color.White, color.Black, color.Gray{128}})
	for k := range img.Pix {
		img.Pix[k] = uint8(r.IntN(3))
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // writing to memory does not fail
	return b.Bytes()
}

func writeFile(dir, name string, data []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
