package icons

import "testing"

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"magnifying-glass": "magnifying-glass",
		"search":           "magnifying-glass", // an older name
		"fa-github":        "github",
		"books":            "book", // not free
		"rocket-launch":    "rocket",
		"sparkles":         "wand-magic-sparkles",
		"cat-space":        "cat",
		"apple":            "apple",       // a company
		"apple-core":       "apple-whole", // not the company
		"slack-message":    "message",
		"zzz-xyzzy":        "circle",
		"":                 "circle",
	} {
		if got := Find(name, Filled); got.Name != want || got.Path == "" || got.Width <= 0 || got.Height <= 0 {
			t.Errorf("%q: %q %dx%d, want %q", name, got.Name, got.Width, got.Height, want)
		}
	}
	for name, other := range meanings {
		if all().byName[other] == 0 {
			t.Errorf("%s means %s, which is no icon", name, other)
		}
	}
	if Find("star", Filled) == Find("star", Outlined) {
		t.Error("star has two forms")
	}
	if Find("rocket", Filled) != Find("rocket", Outlined) {
		t.Error("rocket has one form")
	}
}

// Every icon is one path, and nothing else.
func TestIconsArePaths(t *testing.T) {
	s := all()
	if len(s.filled) < 1900 {
		t.Errorf("%d icons", len(s.filled))
	}
	for _, list := range [][]Icon{s.filled, s.outlined} {
		for _, i := range list {
			for _, r := range i.Path {
				if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != ' ' && r != '.' && r != '-' && r != ',' {
					t.Fatalf("%s has %q in its path", i.Name, r)
				}
			}
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	for b.Loop() {
		Find("arrow-up-from-magnifying-glass-of-the-sea", Filled)
	}
}
