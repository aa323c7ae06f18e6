package formula

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// work returns the typesetting of a page that has much time.
func work(t *testing.T) *Work { return New(1<<20).Begin(t.Context(), "org", time.Minute) }

func TestMathML(t *testing.T) {
	ts := work(t)
	for formula, want := range map[string]string{
		`a^2`:                                  `<msup><mi>a</mi><mn>2</mn></msup>`,
		`\left(\frac12\right]`:                 `<mfrac><mn>1</mn><mn>2</mn></mfrac>`,
		`\begin{pmatrix}1&2\\3&4\end{pmatrix}`: `<mtable`,
		`\operatorname{foo}`:                   `foo`,
		`\text{a <b> "c"}`:                     `&lt;b&gt;`,
		`\color{red}{x}`:                       `mathcolor="red"`,
	} {
		got, ok := ts.MathML(formula, true)
		if !ok || !strings.Contains(got, want) || !strings.HasPrefix(got, "<math") || !strings.HasSuffix(got, "</math>") {
			t.Errorf("%s: %s", formula, got)
		}
	}
	inline, _ := ts.MathML("x", false)
	if block, _ := ts.MathML("x", true); inline == block || !strings.Contains(block, `display="block"`) {
		t.Errorf("%s and %s", inline, block)
	}
}

// Browsers have no alphabets but the one of Unicode.
func TestAlphabets(t *testing.T) {
	ts := work(t)
	for formula, want := range map[string]string{
		`\mathbb{R1k}`: "ℝ𝟙𝕜", `\mathcal{L}`: "ℒ", `\mathfrak{gC}`: "𝔤ℭ", `\mathbf{xY2}`: "𝐱𝐘𝟐", `\boldsymbol{\alpha\epsilon\Omega}`: "𝜶𝝐𝛀",
		`\mathsf{a}`: "𝖺", `\mathtt{a0}`: "𝚊𝟶",
	} {
		got, ok := ts.MathML(formula, false)
		text := strings.Join(strings.FieldsFunc(regexp.MustCompile(`<annotation.*`+"|<[^>]*>").ReplaceAllString(got, " "), func(r rune) bool { return r == ' ' }), "")
		if !ok || text != want || strings.Contains(got, "mathvariant") {
			t.Errorf("%s: %s", formula, got)
		}
	}
	if got, _ := ts.MathML(`\mathrm{d}x\textbf{a}`, false); !strings.Contains(got, `<mi mathvariant="normal">d</mi>`) || !strings.Contains(got, `<mtext mathvariant="bold">a</mtext>`) {
		t.Errorf("%s", got)
	}
}

// What MathML Core lacks is said in other words.
func TestMathMLCore(t *testing.T) {
	ts := work(t)
	for formula, want := range map[string]string{
		`\left|x\right|`:              `<mo fence="true" stretchy="true">∣</mo><mi>x</mi>`,
		`\hat{x}`:                     `<mover accent="true"><mi>x</mi><mo stretchy="false">ˆ</mo></mover>`,
		`\widehat{xy}`:                "<mo stretchy=\"true\">\u0302</mo>",
		`\vec{v}`:                     ">\u2002\u20d7</mo>",
		`\overline{xy}`:               `<mrow notation="top"><mrow><mi>x</mi><mi>y</mi></mrow></mrow>`,
		`\underline{x}`:               `<mrow notation="bottom"><mi>x</mi></mrow>`,
		`\boxed{x}`:                   `<mrow notation="box">`,
		`\xrightarrow{x}`:             `<mrow><mspace width="0.3em"></mspace><mi>x</mi><mspace width="0.300em"></mspace></mrow>`,
		`\begin{cases}x&y\end{cases}`: `<mtd columnalign="left">`,
		`\begin{aligned}a&=b+c\\c+d&=d\end{aligned}`:   `<mtd columnalign="right" columnspacing="0em">`,
		`\begin{array}{c|l}a&b\\\hline d&e\end{array}`: `<mtd columnlines="solid" rowlines="solid"><mstyle scriptlevel="0" displaystyle="false"><mi>a</mi></mstyle></mtd><mtd columnalign="left" rowlines="solid">`,
	} {
		if got, ok := ts.MathML(formula, false); !ok || !strings.Contains(got, want) {
			t.Errorf("%s: %s", formula, got)
		}
	}
}

// A formula with an error is not typeset, and neither is input that is more than a
// formula.
func TestHostileFormulas(t *testing.T) {
	ts := work(t)
	for _, formula := range []string{
		"", " ", `\unknown`, `{{{`, `\frac{`, strings.Repeat("x", maxSource+1), strings.Repeat("{", maxSource),
		`\def\a{\a\a}\a`, `\newcommand{\a}{\a}\a`, strings.Repeat(`\left(`, 600),
	} {
		if got, ok := ts.MathML(formula, false); ok {
			t.Errorf("%.40s: %.200s", formula, got)
		}
	}
	for _, formula := range []string{
		`\href{javascript:alert(1)}{x}`, `\url{javascript:alert(1)}`, `\includegraphics{http://x/y.png}`, `\htmlClass{a}{x}`,
		`\htmlData{a=b}{x}`, `\htmlStyle{color: red}{x}`, `x<script>alert(1)</script>`, `\text{</math><img src=x onerror=alert(1)>}`,
		`\text{</annotation><script>}`, `\color{red"onload="alert(1)}{x}`, `\rule{1em}{1em}`, strings.Repeat(`x^{`, 500) + strings.Repeat("}", 500),
	} {
		got, _ := ts.MathML(formula, true)
		for _, bad := range []string{"<script", "<img", "href", "src=", "onload=\"", "style=", "class="} {
			if strings.Contains(strings.Split(got, "<annotation")[0], bad) && !strings.Contains(formula, `\text{`) && !strings.Contains(got, `<mtext>\`) {
				t.Errorf("%s: %s", formula, got)
			}
		}
		if strings.Contains(got, "<script") || strings.Contains(got, "<img") {
			t.Errorf("%s: %s", formula, got)
		}
	}
}

// Formulas can be typeset concurrently, and every caller gets its own result.
func TestTogether(t *testing.T) {
	ts := New(1 << 20)
	var all sync.WaitGroup
	for _, x := range strings.Split("abcdefgh", "") {
		all.Go(func() {
			if got, ok := ts.Begin(t.Context(), "org", time.Minute).MathML(x+"^2", false); !ok || !strings.Contains(got, "<mi>"+x+"</mi>") {
				t.Errorf("%s: %s", x, got)
			}
		})
	}
	all.Wait()
}

func TestOnlyMathMLPasses(t *testing.T) {
	for _, bad := range []string{"", "x", "<svg></svg>", "<math><a href=x></a></math>", "<math><!-- x --></math>", "<math><style>x</style></math>", "<math><mi>x</math>", "<math></mi></math>", "<math></math><math></math>", strings.Repeat("<math>", 3000)} {
		if got, err := check(bad); err == nil {
			t.Errorf("%s: %s", bad, got)
		}
	}
	if got, err := check(`<math onclick="x" style="y" display="block"><mi>&lt;</mi></math>`); err != nil || got != `<math display="block"><mi>&lt;</mi></math>` {
		t.Errorf("%s %v", got, err)
	}
}

// marks returns the marks of a drawing in order: glyphs, paths and rules.
func marks(d *Drawing) string {
	var b strings.Builder
	for _, p := range d.Parts {
		for _, m := range p.Marks {
			switch {
			case m.Font != "":
				fmt.Fprintf(&b, "%c ", m.Rune)
			case m.Path != nil:
				b.WriteString("path ")
			default:
				b.WriteString("rule ")
			}
		}
	}
	return strings.TrimSpace(b.String())
}

func TestDrawings(t *testing.T) {
	ts := work(t)
	for in, want := range map[string]string{
		`a^2`:                                  "a 2",
		`\frac{a}{b}`:                          "b rule a",
		`\sqrt{x}`:                             "x path",
		`\sum_{i=1}^n i`:                       "i = 1 ∑ n i",
		`\begin{pmatrix}a&b\\c&d\end{pmatrix}`: "( a c b d )",
		`\overline{AB}`:                        "A B rule",
		`\underbrace{x}_y`:                     "y path path path x",
		`\text{if } x`:                         "i f x",
		`\phantom{x}y`:                         "y",
		`\vdots`:                               "⋮",
		`\operatorname{lcm}(a)`:                "l c m ( a )",
	} {
		d, ok := ts.Draw(in, true)
		if !ok {
			t.Errorf("%s cannot be drawn", in)
			continue
		}
		if got := marks(d); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{``, `\frac{`, `\href{https://evil.example}{x}\undefined`, strings.Repeat("x", maxSource+1)} {
		if d, ok := ts.Draw(in, false); ok {
			t.Errorf("%q is drawn: %s", in, marks(d))
		}
	}
}

// Positions are as in TeX: a numerator is above its line and centred.
func TestPlacesOfDrawings(t *testing.T) {
	d, ok := work(t).Draw(`\frac{a}{bbb}`, true)
	if !ok || len(d.Parts) != 1 {
		t.Fatal(d, ok)
	}
	p := d.Parts[0]
	var a, b, rule Mark
	for _, m := range p.Marks {
		switch {
		case m.Rune == 'a':
			a = m
		case m.Font != "":
			b = m
		default:
			rule = m
		}
	}
	if !(a.Y < rule.Y && rule.Y < b.Y) || !(a.X > rule.X+rule.W/4 && a.X < rule.X+rule.W/2) || rule.W < 1 || p.Width < rule.W || p.Height < -a.Y || p.Depth <= 0 {
		t.Errorf("a at %.2f %.2f, line at %.2f %.2f of %.2f, b at %.2f %.2f in %.2f %.2f %.2f", a.X, a.Y, rule.X, rule.Y, rule.W, b.X, b.Y, p.Width, p.Height, p.Depth)
	}
}

// A short formula cannot cause much work.
func TestDrawingsAreBounded(t *testing.T) {
	ts := work(t)
	deep := strings.Repeat(`\sqrt{`, 150) + "x" + strings.Repeat("}", 150)
	wide := strings.Repeat(`\frac{1}{2}`, 300)
	for _, in := range []string{deep, wide} {
		if d, ok := ts.Draw(in, true); ok && len(d.Parts) > maxBoxes {
			t.Errorf("%d parts", len(d.Parts))
		}
	}
}

// nested returns n fractions in each other.
func nested(n int, end string) string {
	return strings.Repeat(`\frac{1}{`, n) + end + strings.Repeat("}", n)
}

// The depth of groups is counted before KaTeX has a formula, also if it is written in other ways
// or hidden behind comments.
func TestDepth(t *testing.T) {
	for source, want := range map[string]int{
		"": 0, "x": 0, "{x}": 1, `\{x\}`: 0, `\frac{a}{b}`: 1, nested(30, "x"): 30, `{{}{}}{`: 2, `}}}{`: 1, `\\{`: 1,
		`\left(\left(x\right)\right)`: 2, `\leftarrow\rightarrow`: 0, `\bgroup\begingroup x`: 2, "{%}\n{%}}\n{": 3, `{\%}{`: 1,
		`{\verb|}|{`: 2, `{\verb*+}}+{`: 2, `{\verb`: 1, `{\`: 1, `\begin{matrix}a\end{matrix}`: 2, `{\verbé}é{`: 2,
	} {
		if got := depth(source); got != want {
			t.Errorf("%q has the depth %d, want %d", source, got, want)
		}
	}
	for n, want := range map[int]bool{maxNesting - 1: true, maxNesting + 1: false, 300: false} {
		w := work(t)
		if _, ok := w.MathML(nested(n, "x"), true); ok != want || w.Omitted() {
			t.Errorf("MathML of %d fractions: %t", n, ok)
		}
		if _, ok := w.Draw(nested(n, "x"), true); ok != want || w.Omitted() {
			t.Errorf("drawing of %d fractions: %t", n, ok)
		}
	}
}

// slow is a formula that takes seconds although it is not deep.
func slow(n int) string {
	return fmt.Sprintf(`\begin{matrix}%d`, n) + strings.Repeat(`a&`, 1900) + `\end{matrix}`
}

// A formula that takes too long is stopped, and tried again later only. All formulas of a page
// have a time together; what is not typeset then is neither kept as refused.
func TestTimeIsLimited(t *testing.T) {
	ts := New(1 << 20)
	began := time.Now()
	w := ts.Begin(t.Context(), "org", time.Minute)
	if _, ok := w.Draw(slow(0), true); ok || !w.Omitted() {
		t.Errorf("a drawing that takes long: %t, omitted %t", ok, w.Omitted())
	}
	if took := time.Since(began); took > 8*maxTime {
		t.Errorf("it took %s", took)
	}
	ts.done.Set(key{"a", false}, typeset{again: time.Now().Add(time.Hour)})
	ts.done.Set(key{"b", false}, typeset{again: time.Now().Add(-time.Second)})
	w = ts.Begin(t.Context(), "org", time.Minute)
	if _, ok := w.MathML("b", false); !ok || w.Omitted() {
		t.Error("a formula is not tried again")
	}
	if _, ok := w.MathML("a", false); ok || !w.Omitted() {
		t.Error("a formula is tried again too early")
	}
	w = ts.Begin(t.Context(), "org", 0)
	if _, ok := w.MathML("c", false); ok || !w.Omitted() {
		t.Error("a page without time typesets")
	}
	if _, ok := w.MathML("b", false); !ok {
		t.Error("a page without time does not show what is known")
	}
	if _, ok := ts.Begin(t.Context(), "org", time.Minute).MathML("c", false); !ok {
		t.Error("for another page, the formula is refused")
	}
}

// When nobody waits any more, the formula is stopped, and no other one begins.
func TestWorkEndsWithItsContext(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	w := New(1<<20).Begin(ctx, "org", time.Minute)
	if _, ok := w.MathML("x", false); !ok {
		t.Fatal("no formula")
	}
	leave()
	if _, ok := w.MathML("y", false); ok || !w.Omitted() {
		t.Error("a formula is typeset for nobody")
	}
	if _, ok := w.Draw("y", false); ok {
		t.Error("a formula is drawn for nobody")
	}
}

// Many slow formulas of one organization do not stop those of another.
func TestInterpretersAreShared(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer leave()
	for i := range 8 {
		all.Go(func() {
			w := New(0).Begin(ctx, "attacker", time.Minute)
			for n := 0; ctx.Err() == nil; n++ {
				w.Draw(slow(100*i+n), true)
			}
		})
	}
	time.Sleep(maxTime)
	w := work(t)
	began := time.Now()
	for i := range 5 {
		if _, ok := w.MathML(fmt.Sprintf("x_%d", i), false); !ok {
			t.Fatal("a formula of another organization is omitted")
		}
	}
	if took := time.Since(began); took > 10*maxTime {
		t.Errorf("five formulas of another organization took %s", took)
	}
}
