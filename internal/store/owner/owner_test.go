//go:build unix

package owner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/store/owner"
)

const service = 65534 // a user id that is not root; no account is needed

// A command of root stays root only where nobody else can choose what names refer to.
func TestNoLinkMakesRootTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to another user: run the tests as root to see this one")
	}
	for name, c := range map[string]struct {
		make func(t *testing.T, dir string)
		want int
	}{
		"a folder of root":                              {func(*testing.T, string) {}, 0},
		"a folder of the service":                       {func(t *testing.T, dir string) { give(t, dir) }, service},
		"a database of root in a folder of the service": {func(t *testing.T, dir string) { file(t, dir, "octavo.db"); give(t, dir) }, service},
		"a database that is a link to a file of root": {func(t *testing.T, dir string) {
			link(t, "/etc/hostname", filepath.Join(dir, "octavo.db"))
			give(t, dir)
		}, service},
		"a link of the service in a folder of root": {func(t *testing.T, dir string) {
			link(t, "/etc/hostname", filepath.Join(dir, "octavo.db"))
			give(t, filepath.Join(dir, "octavo.db"))
		}, service},
		"a database of root and files of the service": {func(t *testing.T, dir string) {
			file(t, dir, "octavo.db")
			file(t, dir, "files")
			give(t, filepath.Join(dir, "files"))
		}, service},
		"another entry of the service": {func(t *testing.T, dir string) {
			file(t, dir, "octavo.db")
			link(t, "/etc/hostname", filepath.Join(dir, ".doctor"))
			give(t, filepath.Join(dir, ".doctor"))
		}, service},
		"only files of root": {func(t *testing.T, dir string) { file(t, dir, "octavo.db") }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.make(t, dir)
			u, ok := owner.Of(dir, filepath.Join(dir, "octavo.db"), filepath.Join(dir, "files"))
			if !ok || u.UID != c.want {
				t.Errorf("the owner is %+v, %t, want %d", u, ok, c.want)
			}
		})
	}
	t.Run("a folder that is a link of the service", func(t *testing.T) {
		at := filepath.Join(t.TempDir(), "data")
		link(t, t.TempDir(), at)
		give(t, at)
		if u, ok := owner.Of(at); !ok || u.UID != service {
			t.Errorf("the owner is %+v, %t", u, ok)
		}
	})
	if u, ok := owner.Of(filepath.Join(t.TempDir(), "none")); ok {
		t.Errorf("a folder that does not exist belongs to %+v", u)
	}
}

func give(t *testing.T, path string) {
	t.Helper()
	if err := os.Lchown(path, service, service); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

func file(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Names that their owner chose do nothing to the terminal of root.
func TestNamesAreQuoted(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "a\x1b[2J\nb")
	var found []string
	if _, err := owner.Foreign(dir, owner.User{UID: os.Geteuid() + 1}, func(s string) { found = append(found, s) }); err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || !strings.Contains(found[1], `/a\x1b[2J\nb" belongs to`) {
		t.Errorf("found %q", found)
	}
}
