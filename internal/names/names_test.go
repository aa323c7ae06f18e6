package names

import (
	"strings"
	"testing"
)

func TestBad(t *testing.T) {
	for name, want := range map[string]string{
		"README.md":                            "",
		".gitbook/assets/a b (1).png":          "",
		".github/x.md":                         "",
		"git~notes.md":                         "",
		"می\u200cخواهم.md":                     "",
		"":                                     "leaves",
		".":                                    "leaves",
		"/etc/passwd":                          "leaves",
		"a/../../b":                            "leaves",
		"a//b":                                 "leaves",
		"./a":                                  "leaves",
		`a\..\b`:                               "backslash",
		"a\x00b":                               "control",
		"a\nb":                                 "control",
		"\xff":                                 "UTF-8",
		".git/hooks/post-checkout":             "git",
		"a/.GIT":                               "git",
		"GIT~1/config":                         "git",
		".g\u200cit/config":                    "git",
		".git::$INDEX_ALLOCATION/config":       "git",
		"a/.git:x":                             "git",
		".git. /x":                             "dot or a space",
		"con":                                  "Windows",
		"docs/AUX.md":                          "Windows",
		"a\u202egpj.exe":                       "direction",
		strings.Repeat("x", 256):               "too long",
		strings.Repeat("x", 4096):              "too long",
		strings.Repeat("x/", 600) + "a":        "too long",
		strings.Repeat("x/", 500) + "a":        "",
		strings.Repeat("x", MaxName) + "/a.md": "",
	} {
		got := Problem(name)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("Bad(%.40q) = %q, want %q", name, got, want)
		}
	}
}

func TestFold(t *testing.T) {
	for _, twins := range [][2]string{{"README.md", "readme.MD"}, {"ÄÖ", "äö"}, {"ſ", "S"}, {"K", "k"}, {"ΣΑΣ", "σας"}} {
		if Fold(twins[0]) != Fold(twins[1]) {
			t.Errorf("%q and %q are not twins", twins[0], twins[1])
		}
	}
	if Fold("a") == Fold("b") {
		t.Error("a and b are twins")
	}
}
