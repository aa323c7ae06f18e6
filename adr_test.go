package octavo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every decision has a row in the list, and the number, date and status of the row.
func TestDecisionsAreListed(t *testing.T) {
	list, err := os.ReadFile("docs/adr/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{} // the beginning of the file, by its name
	for _, m := range regexp.MustCompile(`(?m)^\| \[(\d{4})\]\((\S+)\) \| .+ \| (\S+) \| (.+) \|$`).FindAllStringSubmatch(string(list), -1) {
		rows[m[2]] = fmt.Sprintf("# %s: (.+)\n\n%s, %s\\.\n\n", m[1], m[3], regexp.QuoteMeta(m[4]))
	}
	files, err := filepath.Glob("docs/adr/[0-9]*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		begin, ok := rows[filepath.Base(file)]
		delete(rows, filepath.Base(file))
		switch {
		case !ok:
			t.Errorf("%s has no row in docs/adr/README.md", file)
		case !regexp.MustCompile("^" + begin).Match(text):
			t.Errorf("%s does not begin as its row in docs/adr/README.md says: %s", file, strings.ReplaceAll(begin, "\n", `\n`))
		}
	}
	for file := range rows {
		t.Errorf("docs/adr/README.md lists %s, which does not exist", file)
	}
}
