package markup

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// Marks beside Asian punctuation are marks, as authors expect who write no spaces. Text of
// other scripts is read as CommonMark says.
func TestMarksBesideAsianPunctuation(t *testing.T) {
	for source, want := range map[string]string{
		"**粗体：**文":                 `"粗体："/bold "文"`,
		"**粗体**，文":                 `"粗体"/bold "，文"`,
		"文**「強調」**文":               `"文" "「強調」"/bold "文"`,
		"説明**（注）**です":              `"説明" "（注）"/bold "です"`,
		"**한국어(Korean)**를 쓴다":      `"한국어(Korean)"/bold "를 쓴다"`,
		"说**“粗体”**的":               `"说" "“粗体”"/bold "的"`,
		"文*斜体。*文":                  `"文" "斜体。"/italic "文"`,
		"文~~删除。~~文":                `"文" "删除。"/strikethrough "文"`,
		"**`代码`**文":                `"代码"/bold/code "文"`,
		"文**[链接](https://a.b)**。文": "\"文\" \n link",
		"甲**乙。**丙**丁。**戊":          `"甲" "乙。"/bold "丙" "丁。"/bold "戊"`,
		"葛\U000E0100**(注)**":       "\"葛\U000E0100\" \"(注)\"/bold",
		"文件_名称_说明":                 `"文件_名称_说明"`,    // within a word, as in snake_case
		"文__init__方法":              `"文__init__方法"`, // a name
		"文 ** 不 ** 文":              `"文 ** 不 ** 文"`,
		"**bold:**next":            `"**bold:**next"`,
		"🐶**(x)**":                 `"🐶" "(x)"/bold`,
		"🐶**(x)**y":                `"🐶**(x)**y"`, // an emoji is no letter
		"a**(x)**y":                `"a**(x)**y"`,
	} {
		got := outlineOf(Parse([]byte(source), Refs{}).Nodes)
		if !strings.Contains(got, want) {
			t.Errorf("%s is read as\n%s, not as %s", source, got, want)
		}
	}
	for source, want := range map[string]string{"**粗体：**文": "粗体：文", "~~删除。~~文": "删除。文", "**bold:**next": "**bold:**next"} {
		if got := InlineText(source); got != want {
			t.Errorf("the text of %s is %q", source, got)
		}
	}
}

// Every delimiter that CommonMark accepts is accepted, so that no page loses a mark.
func TestMarksOfCommonMarkRemain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		char := rapid.OneOf(rapid.SampledFrom([]rune(" a1.(_“—，。（」文ァ한🐶\u00a0\u3000")), rapid.Rune())
		before, after, underscore := char.Draw(t, "before"), char.Draw(t, "after"), rapid.Bool().Draw(t, "underscore")
		opens, closes := plainFlanking(before, after, underscore)
		o, c := grammar.Flanking(before, after, underscore)
		if opens && !o || closes && !c {
			t.Fatalf("%q and %q: %v %v instead of %v %v", before, after, o, c, opens, closes)
		}
		if !grammar.IsAsian(before) && !grammar.IsAsian(after) && (o != opens || c != closes) {
			t.Fatalf("%q and %q are not Asian: %v %v instead of %v %v", before, after, o, c, opens, closes)
		}
	})
}

// plainFlanking is the rule of CommonMark.
func plainFlanking(before, after rune, underscore bool) (opens, closes bool) {
	left := !util.IsSpaceRune(after) && (!util.IsPunctRune(after) || util.IsSpaceRune(before) || util.IsPunctRune(before))
	right := !util.IsSpaceRune(before) && (!util.IsPunctRune(before) || util.IsSpaceRune(after) || util.IsPunctRune(after))
	if underscore {
		return left && (!right || util.IsPunctRune(before)), right && (!left || util.IsPunctRune(after))
	}
	return left, right
}

// What a client writes as a mark in Asian text is a mark when it is read again.
func TestMarksInAsianTextArePrinted(t *testing.T) {
	parts := []string{"文", "粗体", "，", "。", "：", "「", "」", "（", "）", "“", "”", "한국어", "(", ")", "a", " ", "*", "**", "_", "~~", "\u3000", "カ゛", "🐶", "・"}
	rapid.Check(t, func(t *rapid.T) {
		var b InlineBuilder
		for range rapid.IntRange(1, 5).Draw(t, "texts") {
			var marks []Mark
			for _, m := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"bold", "italic", "strikethrough"}), 0, 2, rapid.ID[string]).Draw(t, "marks") {
				marks = addMark(marks, Mark{Type: m})
			}
			b.Text(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 4).Draw(t, "text"), ""), marks)
		}
		doc := &Document{Nodes: []*Node{paragraphNode(b.Done())}}
		printed := Print(doc, Refs{})
		if !utf8.Valid(printed) {
			t.Fatalf("%q", printed)
		}
		if err := sameDocs(doc.Nodes, Parse(printed, Refs{}).Nodes); err != nil {
			t.Fatalf("%s\n%v", printed, err)
		}
	})
}
