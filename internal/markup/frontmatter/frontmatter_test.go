package frontmatter_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func TestParseTitleAndBody(t *testing.T) {
	for _, c := range []struct{ name, src, title, emoji, body string }{
		{"empty", "", "", "", ""},
		{"blank", " \n\n", "", "", ""},
		{"text alone", "Text\n", "", "", "Text\n"},
		{"heading", "# Title\n\nText\n", "Title", "", "Text\n"},
		{"heading at the end", "# Title", "Title", "", ""},
		{"heading after blank lines", "\n\n# Title\nText", "Title", "", "Text"},
		{"closed heading", "## no\n", "", "", "## no\n"},
		{"closing marks", "# Title ##  \nx", "Title", "", "x"},
		{"hash that belongs to the title", "# C#\nx", "C#", "", "x"},
		{"escaped hash", "# C \\#\nx", "C #", "", "x"},
		{"empty heading", "#\n\n# B\n", "", "", "# B\n"},
		{"not a heading", "#Title\n", "", "", "#Title\n"},
		{"code", "    # Title\n", "", "", "    # Title\n"},
		{"underlined", "Title\n=====\n\nText", "Title", "", "Text"},
		{"underlined list", "- Title\n=====\n", "", "", "- Title\n=====\n"},
		{"underlined tag", "{% hint %}\n===\n", "", "", "{% hint %}\n===\n"},
		{"windows", "\ufeff---\r\nicon: bolt\r\n---\r\n\r\n# Title\r\n\r\nText\r\n", "Title", "", "Text\r\n"},
		{"marks", "# The **bold** `code_x` [link](a.md) ~~gone~~ ![pic](x.png) <mark>m</mark>&amp;\\*\nx", "The bold code_x link gone pic m&*", "", "x"},
		{"fixed anchor", "# Title <a href=\"#t\" id=\"t\"></a>\nx", "Title", "", "x"},
		{"line break", "# A<br>B\nx", "A B", "", "x"},
		{"emoji", "# 🚀 Launch\nx", "Launch", "🚀", "x"},
		{"emoji without space", "# 🚀Launch\nx", "Launch", "🚀", "x"},
		{"joined emoji", "# 👩🏽‍💻 Code\nx", "Code", "👩🏽‍💻", "x"},
		{"flag", "# 🇨🇭 Swiss\nx", "Swiss", "🇨🇭", "x"},
		{"keycap", "# 1️⃣ First\nx", "First", "1️⃣", "x"},
		{"number is no emoji", "# 1 First\nx", "1 First", "", "x"},
		{"sign with selector", "# ⚙️ Gears\nx", "Gears", "⚙️", "x"},
		{"emoji alone", "# 🚀\nx", "🚀", "", "x"},
		{"front matter", "---\ntitle: Front\n---\nText", "Front", "", "Text"},
		{"front matter and same heading", "---\ntitle: Front\n---\n\n# Front\n\nText", "Front", "", "Text"},
		{"front matter and same heading with emoji", "---\ntitle: Front\n---\n\n# 🚀 Front\n\nText", "Front", "🚀", "Text"},
		{"front matter with emoji as text", "---\ntitle: 🚀 Front\n---\n\n# 🚀 Front\n\nText", "🚀 Front", "", "Text"},
		{"front matter and another heading", "---\ntitle: Front\n---\n\n# Other\n\nText", "Front", "", "# Other\n\nText"},
		{"number as title", "---\ntitle: 404\n---\n", "404", "", ""},
		{"date as title", "---\ntitle: 2024-01-01\n---\n", "2024-01-01", "", ""},
		{"empty front matter", "---\n---\n# T\nx", "T", "", "x"},
		{"front matter of comments", "---\n# note\n---\n# T\nx", "T", "", "x"},
		{"front matter not at the start", "\n---\ntitle: x\n---\n", "", "", "---\ntitle: x\n---\n"},
		{"divider", "---\n\nText\n", "", "", "---\n\nText\n"},
		{"invalid front matter", "---\ntitle: [\n---\n\n# T\n\nText", "T", "", "---\ntitle: [\n---\n\n# T\n\nText"},
	} {
		h := markup.ParseHead([]byte(c.src))
		if h.Title != c.title || h.Emoji != c.emoji || c.src[h.Body:] != c.body {
			t.Errorf("%s: title %q, emoji %q, body %q; want %q, %q, %q", c.name, h.Title, h.Emoji, c.src[h.Body:], c.title, c.emoji, c.body)
		}
	}
}

func TestParseMeta(t *testing.T) {
	src := `---
title: 'A: title'
description: >-
  Two lines
  of text
icon: bolt
linkTitle: Short
id: p1
hidden: true
noIndex: true
noRobotsIndex: true
if: visitor.claims.unsigned.beta == true
tags:
  - beta
  - tag: api
    primary: true
vars:
  name: Octavo
  version: 2
  ratio: 0.5
  beta: false
  since: 2024-01-01
cover:
  light: .gitbook/assets/a b.png
  dark: .gitbook/assets/dark.png
coverY: -125.19
coverHeight: 417
layout:
  width: wide
  cover:
    visible: true
    size: hero
    mask: radial
  title:
    visible: false
  tableOfContents:
    visible: true
  other:
    visible: 3
metaLinks:
  canonical: https://example.com/a
  alternates:
    - >-
      https://app.gitbook.com/s/abc/page
extra: {a: [1, 2]}
---
Text`
	h := markup.ParseHead([]byte(src))
	yes, no := true, false
	want := frontmatter.Meta{
		Title: "A: title", Description: "Two lines of text", Icon: "bolt", LinkTitle: "Short", ID: "p1",
		Hidden: true, NoIndex: true, NoRobotsIndex: true, If: "visitor.claims.unsigned.beta == true",
		Tags:  []docs.PageTag{{Tag: "beta"}, {Tag: "api", Primary: true}},
		Vars:  map[string]any{"name": "Octavo", "version": 2.0, "ratio": 0.5, "beta": false, "since": "2024-01-01"},
		Cover: ".gitbook/assets/a b.png", CoverDark: ".gitbook/assets/dark.png", CoverY: -125.19, CoverHeight: 417,
		Layout:    docs.Layout{Width: "wide", CoverVisible: &yes, CoverSize: "hero", CoverMask: "radial", Title: &no, TableOfContents: &yes},
		MetaLinks: docs.MetaLinks{Canonical: "https://example.com/a", Alternates: []string{"https://app.gitbook.com/s/abc/page"}},
		Keys: []string{"title", "description", "icon", "linkTitle", "id", "hidden", "noIndex", "noRobotsIndex", "if", "tags", "vars",
			"cover", "coverY", "coverHeight", "layout", "metaLinks", "extra"},
	}
	if !reflect.DeepEqual(h.Meta, want) {
		t.Errorf("got  %+v\nwant %+v", h.Meta, want)
	}
	if len(h.Problems) != 0 {
		t.Errorf("problems: %v", h.Problems)
	}
}

func TestParseProblems(t *testing.T) {
	bomb := "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n"
	for _, c := range []struct {
		name, src string
		line      int
		message   string
		valid     bool
	}{
		{"broken YAML", "---\nicon: a\ntitle: [\n---\n", 3, "did not find expected node content", false},
		{"mapping in a scalar", "---\ntitle: a: b\n---\n", 2, "mapping values are not allowed", false},
		{"not a mapping", "---\nsome text\n---\n", 2, "not a list of keys", false},
		{"a list", "---\n- a\n---\n", 2, "not a list of keys", false},
		{"anchors", bomb, 2, "anchors and aliases", false},
		{"two documents", "---\na: 1\n...\nb: 2\n---\n", 3, "document start", false},
		{"two marked documents", "---\na: 1\n--- b\n---\n", 3, "more than one", false},
		{"no end", "---\ntitle: x\n\n# T\n", 1, "no closing line", false},
		{"too large", "---\ntitle: " + strings.Repeat("x", frontmatter.MaxSize) + "\n---\n", 1, "larger than 64 KB", false},
		{"bad bytes", "---\nicon: a\ntitle: \xff\n---\n", 3, "UTF-8", false},
		{"text as bool", "---\nicon: a\nhidden: \"yes\"\n---\n", 3, "hidden must be true or false", true},
		{"YAML 1.1 bool", "---\nhidden: yes\n---\n", 2, "hidden must be true or false", true},
		{"list as text", "---\ntitle: [a]\n---\n", 2, "title must be a text", true},
		{"foreign tag", "---\ntitle: !!python/object x\n---\n", 2, "title must be a text", true},
		{"twice", "---\nicon: a\nicon: b\n---\n", 3, "icon is set twice", true},
		{"long variable", "---\nvars:\n  a: 1\n  b: " + strings.Repeat("x", 257) + "\n---\n", 4, "the variable b is longer", true},
		{"huge variable", "---\nvars:\n  b: 9007199254740993\n---\n", 3, "cannot be kept exactly", true},
		{"gigantic variable", "---\nvars:\n  b: -123456789012345678901234567890\n---\n", 3, "cannot be kept exactly", true},
		{"infinite variable", "---\nvars:\n  b: .inf\n---\n", 3, "cannot be kept exactly", true},
		{"list as variable", "---\nvars:\n  b: [1]\n---\n", 3, "must be a text, a number", true},
		{"vars as list", "---\nvars: [1]\n---\n", 2, "vars must be a list of keys", true},
		{"cover height", "---\ncoverHeight: 5\n---\n", 2, "from 10 to 700", true},
		{"width", "---\nlayout:\n  width: full\n---\n", 3, "one of default, wide", true},
		{"layout switch", "---\nlayout:\n  outline:\n    visible: maybe\n---\n", 4, "layout.outline.visible must be", true},
		{"tags", "---\ntags: a\n---\n", 2, "tags must be a list", true},
	} {
		h := markup.ParseHead([]byte(c.src))
		if len(h.Problems) != 1 || h.Problems[0].Line != c.line || !strings.Contains(h.Problems[0].Message, c.message) {
			t.Errorf("%s: problems %v, want line %d with %q", c.name, h.Problems, c.line, c.message)
		}
		if valid := h.Body > 0; valid != c.valid {
			t.Errorf("%s: body at %d", c.name, h.Body)
		}
	}
}

func TestRewrite(t *testing.T) {
	no := false
	for _, c := range []struct {
		name, src    string
		edit         func(h *frontmatter.Head)
		want         string
		withProblems bool
	}{
		{name: "front matter for a page without", src: "# T\n\nText\n",
			edit: func(h *frontmatter.Head) { h.Meta.Description = "About: it" }, want: "---\ndescription: 'About: it'\n---\n\n# T\n\nText\n"},
		{name: "one line changes", src: "---\n# first\ntitle:   'A'   # why\n\nicon: bolt   # nice\ncustom: {b:   1}\n---\n\nText",
			edit: func(h *frontmatter.Head) { h.Meta.Icon = "star" }, want: "---\n# first\ntitle:   'A'   # why\n\nicon: star # nice\ncustom: {b:   1}\n---\n\nText"},
		{name: "a key goes", src: "---\nicon: bolt\nhidden: true\n---\n# T\nText",
			edit: func(h *frontmatter.Head) { h.Meta.Hidden = false }, want: "---\nicon: bolt\n---\n# T\nText"},
		{name: "the last key goes", src: "---\nhidden: true\n---\n\n# T\nText",
			edit: func(h *frontmatter.Head) { h.Meta.Hidden = false }, want: "# T\nText"},
		{name: "comments keep the block", src: "---\n# note\nhidden: true\n---\n\n# T\nText",
			edit: func(h *frontmatter.Head) { h.Meta.Hidden = false }, want: "---\n# note\n---\n\n# T\nText"},
		{name: "long value", src: "---\ndescription: >-\n  one\n  two\n\n# note\nicon: a\n---\nText",
			edit: func(h *frontmatter.Head) { h.Meta.Description = "three" }, want: "---\ndescription: >-\n  three\n\n# note\nicon: a\n---\nText"},
		{name: "a key comes", src: "---\nicon: a\n---\nText",
			edit: func(h *frontmatter.Head) { h.Meta.NoIndex = true }, want: "---\nicon: a\nnoIndex: true\n---\nText"},
		{name: "windows", src: "\ufeff---\r\nicon: a\r\n---\r\n\r\n# T\r\nText\r\n",
			edit: func(h *frontmatter.Head) { h.Meta.NoIndex = true; h.Title = "U" }, want: "\ufeff---\r\nicon: a\r\nnoIndex: true\r\n---\r\n\r\n# U\r\nText\r\n"},
		{name: "layout keeps what it has", src: "---\nlayout:\n  # mine\n  width: wide\n  title:\n    visible: true\n  new: {x: 1}\n---\nText",
			edit: func(h *frontmatter.Head) { h.Meta.Layout.Title = &no }, want: "---\nlayout:\n  # mine\n  width: wide\n  title:\n    visible: false\n  new: {x: 1}\n---\nText"},
		{name: "variables keep their order", src: "---\nvars:\n  z: 1\n  y: two # second\n  bad: [1]\n---\nText", withProblems: true,
			edit: func(h *frontmatter.Head) { h.Meta.Vars["y"] = "2"; h.Meta.Vars["a"] = true; delete(h.Meta.Vars, "z") },
			want: "---\nvars:\n  y: \"2\" # second\n  bad: [1]\n  a: true\n---\nText"},
		{name: "title in the heading", src: "---\nicon: a\n---\n\n# The **old** one <a href=\"#o\" id=\"o\"></a>\n\nText",
			edit: func(h *frontmatter.Head) { h.Title = "New *one*" }, want: "---\nicon: a\n---\n\n# New \\*one\\* <a href=\"#o\" id=\"o\"></a>\n\nText"},
		{name: "heading keeps its marks", src: "# The **old** one\n\nText",
			edit: func(h *frontmatter.Head) { h.Emoji = "🚀" }, want: "# 🚀 The **old** one\n\nText"},
		{name: "emoji goes", src: "# 🚀 The **old** one\n\nText",
			edit: func(h *frontmatter.Head) { h.Emoji = "" }, want: "# The **old** one\n\nText"},
		{name: "title in front matter", src: "---\ntitle: \"Old\"\n---\n\nText",
			edit: func(h *frontmatter.Head) { h.Title = "New" }, want: "---\ntitle: \"New\"\n---\n\nText"},
		{name: "title in both", src: "---\ntitle: Old\n---\n\n# Old\n\nText",
			edit: func(h *frontmatter.Head) { h.Title = "New" }, want: "---\ntitle: New\n---\n\n# New\n\nText"},
		{name: "emoji for a title in front matter", src: "---\ntitle: Old\n---\n\nText",
			edit: func(h *frontmatter.Head) { h.Emoji = "🚀" }, want: "---\ntitle: Old\n---\n\n# 🚀 Old\n\nText"},
		{name: "title that begins with an emoji", src: "# Old\n\nText",
			edit: func(h *frontmatter.Head) { h.Title = "🚀 New" }, want: "---\ntitle: 🚀 New\n---\n\n# 🚀 New\n\nText"},
		{name: "no title before a heading", src: "# Old\n\n# Section\n",
			edit: func(h *frontmatter.Head) { h.Title = "" }, want: "#\n\n# Section\n"},
		{name: "no title", src: "# Old\n\nText\n", edit: func(h *frontmatter.Head) { h.Title = "" }, want: "Text\n"},
		{name: "a title", src: "Text\n", edit: func(h *frontmatter.Head) { h.Title = "T #" }, want: "# T \\#\n\nText\n"},
		{name: "a title at the end", src: "# A", edit: func(h *frontmatter.Head) { h.Title = "B" }, want: "# B"},
		{name: "underlined", src: "Old\n===\nText", edit: func(h *frontmatter.Head) { h.Title = "New" }, want: "New\n===\nText"},
		{name: "the signs around it", src: " #   Old *x*  ##  \nText", edit: func(h *frontmatter.Head) { h.Title = "New" }, want: " #   New  ##  \nText"},
		{name: "an emoji without a space", src: "# 🚀Old\n", edit: func(h *frontmatter.Head) { h.Title = "New" }, want: "# 🚀New\n"},
		{name: "two emoji", src: "# 👨‍💻👩🏽‍💻 Old\n", edit: func(h *frontmatter.Head) { h.Title = "👩🏽‍💻 New" }, want: "# 👨‍💻👩🏽‍💻 New\n"},
		{name: "emoji in other values", src: "---\ndescription: 👩🏽‍💻 old\n---\n# T\n", edit: func(h *frontmatter.Head) { h.Meta.Description = "👩🏽‍💻 new: 🏴‍☠️" }, want: "---\ndescription: '👩🏽‍💻 new: 🏴‍☠️'\n---\n# T\n"},
		{name: "invalid front matter stays", src: "---\ntitle: [\n---\n\nText", withProblems: true,
			edit: func(h *frontmatter.Head) { h.Title = "New" }, want: "# New\n\n---\ntitle: [\n---\n\nText"},
		{name: "flow style", src: "---\n{icon: a, custom: 1}\n---\nText",
			edit: func(h *frontmatter.Head) { h.Meta.Icon = "b" }, want: "---\nicon: b\ncustom: 1\n---\nText"},
		{name: "wrong value is replaced", src: "---\nhidden: maybe\nicon: a\n---\nText", withProblems: true,
			edit: func(h *frontmatter.Head) { h.Meta.Hidden = true }, want: "---\nhidden: true\nicon: a\n---\nText"},
		{name: "twice", src: "---\nicon: a\nhidden: true\nicon: b\n---\nText", withProblems: true,
			edit: func(h *frontmatter.Head) { h.Meta.Icon = "c" }, want: "---\nicon: c\nhidden: true\n---\nText"},
	} {
		h := markup.ParseHead([]byte(c.src))
		if len(h.Problems) > 0 != c.withProblems {
			t.Errorf("%s: problems %v", c.name, h.Problems)
		}
		c.edit(&h)
		got := string(markup.RewriteHead([]byte(c.src), h.Meta, h.Title, h.Emoji))
		if got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

// A title that is edited keeps every part of the emoji that it begins with, and
// the space after it or that there is none.
func TestRewriteOfTitlesWithEmoji(t *testing.T) {
	for _, sign := range []string{
		"🚀", "⚙️", "👨‍💻", "👩🏽‍💻", "🏳️‍🌈", "🏴‍☠️", "❤️‍🔥", "👁️‍🗨️", "👨‍👩‍👧‍👦", "🇫🇷", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣", "2⃣", "☝🏿", "🧑🏽‍🤝‍🧑🏻",
		"❤", "❤‍🔥", "🚀︎", "🚀\u200d", "👩\u200dx", "🚀\u0301", "🇫", "🏽", "\u200d🚀", "🫩", "🪉\u200d🫆",
	} {
		for _, space := range []string{" ", ""} {
			for _, src := range []string{
				"# %s\n\nText\n", "---\ntitle: %s\n---\n\nText\n", "---\ntitle: %[1]s\n---\n\n# %[1]s\n\nText\n", "%s\n===\n", "---\nicon: a\n---\n\n#  %s  #\nText",
			} {
				was, want := fmt.Sprintf(src, sign+space+"Old title"), fmt.Sprintf(src, sign+space+"New title")
				h := markup.ParseHead([]byte(was))
				if got := string(markup.RewriteHead([]byte(was), h.Meta, strings.Replace(h.Title, "Old", "New", 1), h.Emoji)); got != want {
					t.Errorf("%q became\n%q instead of\n%q", was, got, want)
				}
			}
		}
	}
}

// headPieces are combined at random: parts of a head, and text that looks like
// them.
var headPieces = []string{
	"---\n", "---\r\n", "---", "\n", "\r\n", "# Title\n", "# 🚀 T\n", "#\n", "Title\n===\n", "Text\n", "title: A\n", "title: 'B'  # c\n",
	"icon: bolt\n", "hidden: true\n", "vars:\n  a: 1\n  b: \"x\"\n", "layout:\n  width: wide\n  title: {visible: true}\n", "# note\n",
	"custom: |+\n  text\n\n", "{icon: a}\n", "tags: [a, {tag: b, primary: true}]\n", "description: >-\n  one\n  two\n", "\ufeff", "  icon: x\n",
	"...\n", "cover: a.png\n", "cover:\n  light: a\n  dark: b\n", "metaLinks:\n  alternates:\n  - x\n", "? a\n: b\n", "\u2028", "icon: \"a\n# b\"\n", "\t", "`", "\\",
}

func drawSource(t *rapid.T) []byte {
	return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(headPieces), 0, 14).Draw(t, "source"), ""))
}

func drawMeta(t *rapid.T, m frontmatter.Meta) frontmatter.Meta {
	text := rapid.OneOf(rapid.Just(""), rapid.SampledFrom([]string{"plain", "a: b", "# no", "- x", "true", "404", "two\nlines", " padded ", "'", "\"", "[x", "{x}", "*", "&a", "é🚀", "yes", "~", "null", "x #y", "\t", "@x", "2024-01-01"}), rapid.String())
	for _, s := range []*string{&m.Description, &m.Icon, &m.LinkTitle, &m.ID, &m.If, &m.Cover, &m.CoverDark, &m.MetaLinks.Canonical, &m.Layout.CoverMask} {
		if rapid.Bool().Draw(t, "change") {
			*s = text.Draw(t, "text")
		}
	}
	m.Hidden = rapid.Bool().Draw(t, "hidden")
	m.NoIndex = rapid.Bool().Draw(t, "noIndex")
	if rapid.Bool().Draw(t, "vars") {
		m.Vars = rapid.MapOfN(text, rapid.OneOf(
			rapid.Custom(func(t *rapid.T) any { return text.Draw(t, "value") }),
			rapid.Custom(func(t *rapid.T) any {
				v := rapid.Float64().Draw(t, "number")
				if math.Abs(v) > 1<<53 {
					v = 7
				}
				return v
			}),
			rapid.Custom(func(t *rapid.T) any { return rapid.Bool().Draw(t, "bool") })), 0, 4).Draw(t, "map")
	}
	if rapid.Bool().Draw(t, "tags") {
		m.Tags = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) docs.PageTag {
			return docs.PageTag{Tag: text.Draw(t, "tag"), Primary: rapid.Bool().Draw(t, "primary")}
		}), 0, 3).Draw(t, "list")
	}
	m.MetaLinks.Alternates = rapid.SliceOfN(text, 0, 2).Draw(t, "alternates")
	m.CoverY = rapid.SampledFrom([]float64{0, -1.5, 300}).Draw(t, "coverY")
	m.CoverHeight = rapid.SampledFrom([]float64{0, 10, 240.5}).Draw(t, "coverHeight")
	maybe := rapid.SampledFrom([]*bool{nil, new(true), new(false)})
	switch rapid.IntRange(0, 2).Draw(t, "layout") {
	case 0:
		m.Layout = docs.Layout{}
	case 1:
		m.Layout = docs.Layout{Preset: "landing"}
	default:
		m.Layout.Preset = ""
		m.Layout.Width = rapid.SampledFrom([]string{"", "wide"}).Draw(t, "width")
		m.Layout.CoverSize = rapid.SampledFrom([]string{"", "hero"}).Draw(t, "size")
		m.Layout.CoverVisible = maybe.Draw(t, "cover")
		m.Layout.Title = maybe.Draw(t, "title")
		m.Layout.Anchors = maybe.Draw(t, "anchors")
	}
	return m
}

// checkRewrite checks that Rewrite without a change returns the source, and that
// the result of a change has the requested values and the same body.
func checkRewrite(t interface{ Fatalf(string, ...any) }, src []byte, m frontmatter.Meta, title, picture string) {
	h := markup.ParseHead(src)
	if same := markup.RewriteHead(src, h.Meta, h.Title, h.Emoji); !bytes.Equal(same, src) {
		t.Fatalf("nothing changed, but\n%q became\n%q", src, same)
	}
	out := markup.RewriteHead(src, m, title, picture)
	got := markup.ParseHead(out)
	wantTitle, wantEmoji := frontmatter.CleanTitle(title), picture
	if wantTitle == "" || !emoji.Is(picture) {
		wantEmoji = ""
	}
	if got.Title != wantTitle || got.Emoji != wantEmoji || !frontmatter.Same(got.Meta, m) {
		t.Fatalf("%q became %q:\ngot  %q %q %+v\nwant %q %q %+v", src, out, got.Title, got.Emoji, frontmatter.Clean(got.Meta), wantTitle, wantEmoji, frontmatter.Clean(m))
	}
	if !bytes.Equal(out[got.Body:], src[h.Body:]) {
		t.Fatalf("the body of %q changed in %q", src, out)
	}
}

func TestRewriteLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawSource(t)
		title := rapid.OneOf(rapid.SampledFrom([]string{"", "New", "🚀 x", "a *b* _c_ `d`", "#", "C# ##", "&amp;", "<b>", "a\\", "🚀🚀", "[x](y)", "snake_case_", "1️⃣", "~~x~~", "  a  b "}), rapid.String()).Draw(t, "title")
		emoji := rapid.SampledFrom([]string{"", "🚀", "👩🏽‍💻", "⚙️", "no"}).Draw(t, "emoji")
		checkRewrite(t, src, drawMeta(t, markup.ParseHead(src).Meta), title, emoji)
	})
}

func FuzzHead(f *testing.F) {
	for _, s := range headPieces {
		f.Add([]byte("---\n"+s+"---\n\n# T\n\nText"), "New", "🚀", "about")
	}
	f.Add([]byte("---\ntitle: [\n---\n# A\n"), "New", "", "x: y")
	f.Fuzz(func(t *testing.T, src []byte, title, emoji, description string) {
		if len(src) > 8<<10 || len(title) > frontmatter.MaxTitle || len(description) > 4<<10 {
			return
		}
		h := markup.ParseHead(src)
		for _, p := range h.Problems {
			if p.Line < 1 || p.Line > bytes.Count(src, []byte("\n"))+2 || p.Message == "" {
				t.Fatalf("problem %+v in %q", p, src)
			}
		}
		m := h.Meta
		m.Description = description
		m.Hidden = !m.Hidden
		checkRewrite(t, src, m, title, emoji)
	})
}

// Reading and rewriting a head takes time in proportion to its size, whatever is in it.
func TestHeadIsLinear(t *testing.T) {
	for name, source := range map[string]func(n int) string{
		"brackets":      func(n int) string { return "# " + strings.Repeat("[", n) },
		"emphasis":      func(n int) string { return "# " + strings.Repeat("*a ", n/3) },
		"code":          func(n int) string { return "# " + strings.Repeat("`", n) },
		"entities":      func(n int) string { return "# " + strings.Repeat("&", n) },
		"tags":          func(n int) string { return "# " + strings.Repeat("<a ", n/3) },
		"images":        func(n int) string { return "# " + strings.Repeat("![", n/2) },
		"empty lines":   func(n int) string { return strings.Repeat("\n", n) },
		"YAML lists":    func(n int) string { return "---\n" + strings.Repeat("[", n) + "\n---\n" },
		"YAML mappings": func(n int) string { return "---\na: " + strings.Repeat("{a: ", n/4) + "\n---\n" },
	} {
		t.Run(name, func(t *testing.T) {
			testcpu.Linear(t, 1<<17, func(n int) func() {
				src := []byte(source(n))
				return func() {
					h := markup.ParseHead(src)
					_ = markup.RewriteHead(src, h.Meta, "New", "")
				}
			})
		})
	}
}

func ExampleRewrite() {
	src := []byte("---\nicon: bolt # for speed\n---\n\n# Quick **start**\n\nText\n")
	h := markup.ParseHead(src)
	h.Meta.Description = "In five minutes"
	fmt.Printf("%s", markup.RewriteHead(src, h.Meta, h.Title, "🚀"))
	// Output:
	// ---
	// icon: bolt # for speed
	// description: In five minutes
	// ---
	//
	// # 🚀 Quick **start**
	//
	// Text
}
