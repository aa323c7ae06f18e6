package comments

import (
	"strings"
	"testing"
)

func TestEmojiHaveOneForm(t *testing.T) {
	for in, want := range map[string]string{
		"👍":                            "👍",
		"👍\ufe0f":                      "👍",
		"1f44d":                        "👍",
		"👍🏽":                           "👍🏽",
		"❤":                            "❤\ufe0f",
		"❤\ufe0f":                      "❤\ufe0f",
		"2764":                         "❤\ufe0f",
		"1f1eb-1f1f7":                  "🇫🇷",
		"👨‍👩‍👧‍👦":                      "👨‍👩‍👧‍👦",
		"1\ufe0f\u20e3":                "1\ufe0f\u20e3",
		"":                             "",
		"a":                            "",
		"ok":                           "",
		"👍👍":                           "",
		"👍 ":                           "",
		"1":                            "",
		"<b>":                          "",
		"\ufe0f":                       "",
		":thumbsup:":                   "",
		"1f44d-":                       "",
		"ffffffffffffffffff":           "",
		strings.Repeat("👨‍", 40) + "👨": "",
	} {
		if got := emojiOf(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
