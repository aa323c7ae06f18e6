package main_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/octavo-docs/octavo/internal/store/owner"
)

// ownedByNobody returns an empty place whose data folder belongs to nobody, and the
// credentials of nobody.
func ownedByNobody(t *testing.T, at place) (place, *syscall.Credential) {
	t.Helper()
	u, err := user.Lookup("nobody")
	if os.Geteuid() != 0 || err != nil {
		t.Skip("only root can become another user (nobody): run the tests as root to see this one")
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	// Temporary folders of tests belong to root alone.
	for dir := at.data; dir != os.TempDir() && len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(binary), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(at.data, uid, gid); err != nil {
		t.Fatal(err)
	}
	return at, &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// octavoAs runs a command on a place as another user.
func octavoAs(as *syscall.Credential, at place, command string, args ...string) (string, error) {
	cmd := exec.Command(binary, append(append(strings.Fields(command), at.flags()...), args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// foreign returns what does not belong to the user in the data folder.
func foreign(t *testing.T, at place, as *syscall.Credential) (out []string) {
	t.Helper()
	if _, err := owner.Foreign(at.data, owner.User{UID: int(as.Uid)}, func(s string) { out = append(out, s) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// What root writes with commands belongs to the user of the server, who can go on.
func TestRootWritesForTheOwner(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		at, nobody := ownedByNobody(t, at)
		admin := bootstrap(t, at, "Acme")
		mustOctavo(t, at, "migrate")
		cmd := exec.Command(binary, append([]string{"serve", "--listen=127.0.0.1:0"}, at.flags()...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody}
		n, err := startProcess(cmd)
		if n != nil {
			t.Cleanup(n.kill)
		}
		if err != nil {
			t.Fatal(err)
		}
		space := n.made(t, admin.Token, "POST", "/v1/orgs/"+string(admin.Organization)+"/spaces", map[string]any{"title": "Guide", "empty": true})
		from := t.TempDir()
		if err := os.Chmod(from, 0o755); err != nil {
			t.Fatal(err)
		}
		var page strings.Builder
		page.WriteString("# Home\n")
		for i := range 60 {
			name := fmt.Sprintf("file%d.txt", i)
			if err := os.WriteFile(filepath.Join(from, name), []byte(name), 0o644); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&page, "\n[%d](%s)\n", i, name)
		}
		if err := os.WriteFile(filepath.Join(from, "README.md"), []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		mustOctavo(t, at, "import", "--space="+space, from)
		mustOctavo(t, at, "user list")
		backup := filepath.Join(t.TempDir(), "backup") // in a folder that only root may write
		temp := filepath.Join(t.TempDir(), "tmp")      // open to everybody, as that of a system is
		if err := errors.Join(os.Mkdir(temp, 0o777), os.Chmod(temp, 0o777), os.Chmod(filepath.Dir(temp), 0o755), os.Chmod(filepath.Dir(filepath.Dir(temp)), 0o755)); err != nil {
			t.Fatal(err)
		}
		if _, stderr, err := octavoWith([]string{"TMPDIR=" + temp}, at, "backup", "--to="+backup); err != nil {
			t.Fatalf("backup: %v\n%s", err, stderr)
		}
		if out := mustOctavo(t, at, "doctor"); !strings.Contains(out, "everything belongs to nobody") {
			t.Errorf("doctor says\n%s", out)
		}
		if found := foreign(t, at, nobody); len(found) > 0 {
			t.Errorf("the server cannot use\n%s", strings.Join(found, "\n"))
		}
		n.want(t, http.StatusOK, admin.Token, "GET", "/v1/spaces/"+space+"/content", nil, nil)

		restored := place{data: t.TempDir(), database: at.database}
		if at.database == "" {
			restored, _ = ownedByNobody(t, restored)
			mustOctavo(t, restored, "restore", "--from="+backup)
			if found := foreign(t, restored, nobody); len(found) > 0 {
				t.Errorf("after restore, the server cannot use\n%s", strings.Join(found, "\n"))
			}
		}

		// What the owner may not read elsewhere is reported with the reason.
		if err := os.Chmod(from, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, stderr, err := octavo(at, "import", "--space="+space, from); err == nil || !strings.Contains(stderr, "runs as nobody, to whom the data belongs") {
			t.Errorf("a folder of root: %v\n%s", err, stderr)
		}
	})
}

// Doctor finds what older versions left of root, and says how to mend it.
func TestDoctorFindsFilesOfRoot(t *testing.T) {
	t.Parallel()
	at, nobody := ownedByNobody(t, sqlitePlace(t))
	mustOctavo(t, at, "migrate")
	if _, err := octavoAs(nobody, at, "doctor"); err != nil {
		t.Fatalf("doctor as nobody: %v", err)
	}
	files := filepath.Join(at.data, "files")
	if err := errors.Join(os.Mkdir(files, 0o700), os.Chown(files, int(nobody.Uid), int(nobody.Gid))); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := os.Mkdir(filepath.Join(files, fmt.Sprintf("%02x", i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, as := range map[string]*syscall.Credential{"root": {Uid: 0}, "nobody": nobody} {
		out, err := octavoAs(as, at, "doctor")
		if err == nil || !strings.Contains(out, "FAIL  owner          nobody cannot use what follows; as root, chown -R nobody "+at.data) ||
			!strings.Contains(out, "/files/00 belongs to root\n") || strings.Count(out, "belongs to root") > 20 || !strings.Contains(out, " more\n") {
			t.Errorf("as %s: %v\n%s", name, err, out)
		}
	}
}

// Whoever is neither root nor the owner learns whose the data is.
func TestDataOfSomebodyElse(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	_, nobody := ownedByNobody(t, at)
	if err := os.Chown(at.data, 0, 0); err != nil {
		t.Fatal(err)
	}
	bootstrap(t, at, "Acme") // of root
	for _, command := range []string{"user list", "migrate", "serve", "import --space=x .", "token create --email=ada@octavo.example"} {
		out, err := octavoAs(nobody, at, command)
		if err == nil || !strings.Contains(out, "octavo.db belongs to root, and this command runs as nobody; run it as root (sudo -u root octavo …)") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}

// Whoever owns the data cannot make a command of root write elsewhere: neither a database
// nor a file that is a link to one of root lets the command stay root.
func TestRootFollowsNoLinkOfTheOwner(t *testing.T) {
	t.Parallel()
	at, nobody := ownedByNobody(t, sqlitePlace(t))
	mustOctavo(t, at, "migrate")
	victims := t.TempDir()
	database, other := filepath.Join(victims, "database"), filepath.Join(victims, "other")
	if err := errors.Join(os.WriteFile(database, nil, 0o600), os.WriteFile(other, []byte("of root"), 0o600)); err != nil {
		t.Fatal(err)
	}
	// What nobody can do in a folder of theirs.
	if _, err := octavoAs(nobody, at, "doctor"); err != nil {
		t.Fatalf("doctor as nobody: %v", err)
	}
	for to, name := range map[string]string{database: "octavo.db", other: ".doctor"} {
		_ = os.Remove(filepath.Join(at.data, name)) // there may be none
		if err := os.Symlink(to, filepath.Join(at.data, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"migrate", "doctor", "user list", "bootstrap --email=ada@octavo.example --organization=Acme"} {
		_, _, _ = octavo(at, command) // it fails: nobody may not use the file that is the database now
	}
	if b, err := os.ReadFile(other); err != nil || string(b) != "of root" {
		t.Errorf("a command of root wrote %d bytes through a link: %v", len(b), err)
	}
	if st, err := os.Stat(database); err != nil || st.Size() != 0 {
		t.Errorf("a command of root made its database through a link: %v", err)
	}
}
