package names

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"title", "defaultLevel", "id", "to", "space.update", "space.create", "", "x"}
	for name, want := range map[string]string{
		"titel": "title", "ot": "to", "di": "id", "tilte": "title", "titles": "title", "Title": "title", "default_level": "defaultLevel", "defaultLevels": "defaultLevel",
		"space.updated": "space.update", "space.creates": "space.create", "colour": "", "ids": "id", "y": "", "": "",
		strings.Repeat("x", 100_000): "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%.20q is near %q, want %q", name, got, want)
		}
	}
}
