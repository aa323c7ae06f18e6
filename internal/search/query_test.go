package search

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func show(q []QueryTerm) string {
	var out []string
	for _, t := range q {
		s := t.Text
		if t.Stem != t.Text {
			s += "~" + t.Stem
		}
		if t.Prefix {
			s += "*"
		}
		if t.Optional {
			s = "[" + s + "]"
		}
		if t.Typos > 0 {
			s += fmt.Sprint("/", t.Typos)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestQuery(t *testing.T) {
	for _, tt := range []struct{ q, want string }{
		{"", ""},
		{"install", "install~instal*/1"},
		{"Installing Packages", "installing~instal/2 packages~packag*/1"},
		{"install ", "install~instal/1"},
		{`"install"`, "install~instal/1"},
		{"a", "a"},
		{"go", "go*"},
		{"fooBar", "foo bar* [foobar]"},
		{"v1.2.3", "v1 2 3 [v1.2.3]"},
		{"C++", "c [c++]"},
		{"中文搜索", "中文 文搜 搜索"},
		{"文", "文*"},
		{"使用api", "使用 api*"},
		{"the the the", "the"},
		{"packages the packages ", "packages~packag/1 the"},
		{`NEAR(a b, 3) AND "x" OR title:* ^y`, "near a b 3 and x or title~titl/1 y"},
		{"'; DROP TABLE users; --", "drop table~tabl/1 users~user/1"},
		{"(((((a+)+)+)+)+)$", "a [a+]"},
		{"\x00\xff", ""},
		{"😀", ""},
	} {
		if got := show(Query(tt.q, "en")); got != tt.want {
			t.Errorf("Query(%q)\n got %q\nwant %q", tt.q, got, tt.want)
		}
	}
}

func TestQueryIsBounded(t *testing.T) {
	for _, q := range []string{strings.Repeat("x", 100_000), strings.Repeat("a b ", 5000), strings.Repeat("中", 5000), strings.Repeat("aB", 5000)} {
		got := Query(q, "en")
		if len(got) == 0 || len(got) > maxQueryTerms {
			t.Errorf("%d terms", len(got))
		}
		for _, term := range got {
			if len(term.Text) > 4*maxTermRunes {
				t.Errorf("a term of %d bytes", len(term.Text))
			}
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b   string
		most   int
		prefix bool
		want   int
	}{
		{"install", "install", 1, false, 0},
		{"instal", "install", 1, false, 1},
		{"isntall", "install", 1, false, 1},
		{"nistall", "install", 1, false, 1},
		{"xnstall", "install", 1, false, 2},
		{"configuraton", "configuration", 2, false, 1},
		{"confguraton", "configuration", 2, false, 2},
		{"cnfguraton", "configuration", 2, false, 3},
		{"confgur", "configuration", 1, true, 1},
		{"confgur", "configuration", 1, false, 2},
		{"a", "b", 2, false, 3},
		{"ab", "ba", 1, false, 1},
		{"café", "caff", 1, false, 1},
	} {
		if got := Distance(tt.a, tt.b, tt.most, tt.prefix); got != tt.want {
			t.Errorf("Distance(%q, %q, %d, %v) = %d, want %d", tt.a, tt.b, tt.most, tt.prefix, got, tt.want)
		}
	}
}

// naiveDistance fills the whole table.
func naiveDistance(a, b []rune) [][]int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0:
				d[i][j] = j
			case j == 0:
				d[i][j] = i
			default:
				cost := 1
				if a[i-1] == b[j-1] {
					cost = 0
				}
				d[i][j] = min(d[i-1][j-1]+cost, d[i-1][j]+1, d[i][j-1]+1)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d[i][j] = min(d[i][j], d[i-2][j-2]+1)
				}
			}
		}
	}
	return d
}

func TestDistanceAgreesWithTheWholeTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringMatching(`[abcé]{2,12}`).Draw(t, "a")
		b := rapid.StringMatching(`[abcé]{2,14}`).Draw(t, "b")
		most := rapid.IntRange(1, 2).Draw(t, "most")
		prefix := rapid.Bool().Draw(t, "prefix")
		ra, rb := []rune(a), []rune(b)
		table := naiveDistance(ra, rb)
		want := table[len(ra)][len(rb)]
		if prefix {
			for _, n := range table[len(ra)] {
				want = min(want, n)
			}
		}
		if want > most || ra[0] != rb[0] && (ra[0] != rb[1] || ra[1] != rb[0]) {
			want = most + 1
		}
		if got := Distance(a, b, most, prefix); got != want {
			t.Fatalf("Distance(%q, %q, %d, %v) = %d, want %d", a, b, most, prefix, got, want)
		}
	})
}
