package theme

import (
	"regexp"
	"strings"
	"testing"
)

func TestDirectionOfTexts(t *testing.T) {
	for _, c := range []struct {
		lang  string
		guess bool
		want  string
	}{
		{"", false, ""}, {"", true, "rtl"}, {"en", true, ""}, {"ar", false, "rtl"}, {"he-IL", false, "rtl"}, {"fa", false, "rtl"},
		{"az-Arab", false, "rtl"}, {"ku-Latn", false, ""}, {"pa-Arab-PK", false, "rtl"}, {"de", false, ""},
	} {
		f := full()
		f.Lang, f.RightToLeft = c.lang, c.guess
		b, err := Render(f, page())
		if err != nil {
			t.Fatal(err)
		}
		if is := strings.Contains(string(b), ` dir="rtl" data-`); is != (c.want == "rtl") || f.Direction() != c.want {
			t.Errorf("%q, %v: dir is set: %v", c.lang, c.guess, is)
		}
	}
	if !ReadsRightToLeft([]*Link{{Title: "API", Children: []*Link{{Title: "البداية"}}}}) || ReadsRightToLeft([]*Link{{Title: "Start"}, {Title: "א"}}) {
		t.Error("titles are not distinguished")
	}
}

// The style sheet uses logical directions, except for alignments that authors choose.
func TestStyleFollowsTheDirection(t *testing.T) {
	sided := regexp.MustCompile(`(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|[{;] *(?:left|right):`)
	for _, line := range strings.Split(string(Style.Data), "\n") {
		for _, rule := range strings.SplitAfter(line, "}") {
			if sided.MatchString(rule) && !strings.Contains(rule, ".align-") && !strings.Contains(rule, "pre") {
				t.Errorf("%s", rule)
			}
		}
	}
}
