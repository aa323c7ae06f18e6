package preview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// committed returns a repository with the folder of testdata as its first commit.
func committed(t *testing.T) string {
	t.Helper()
	testgit.Need(t, "git")
	dir := unpack(t)
	if err := os.Symlink("data.csv", filepath.Join(dir, "docs", "linked.csv")); err != nil {
		t.Fatal(err)
	}
	testgit.Git(t, dir, "init", "-q", "-b", "main")
	testgit.Git(t, dir, "add", "-A", "-f")
	testgit.Git(t, dir, "commit", "-q", "-m", "one")
	testgit.Git(t, dir, "tag", "v1")
	return dir
}

func TestRef(t *testing.T) {
	dir := committed(t)
	put(t, dir, "docs/start.md", "# Not committed\n")
	s := serve(t, Config{Dir: dir, Ref: "main"})
	s.checked()
	if body := s.get("/start"); !strings.Contains(body, "Careful") || !strings.Contains(body, "@ main") {
		t.Errorf("not what was committed:\n%s", body)
	}
	if a, body := s.ask("GET", "/.gitbook/assets/a%20b.png", nil); a.StatusCode != 200 || body != "PNG\n" {
		t.Errorf("an image: %s %q", a.Status, body)
	}
	if a, _ := s.ask("GET", "/linked.csv", nil); a.StatusCode != 404 {
		t.Errorf("a link: %s", a.Status)
	}
	if body := s.get("/.octavo/problems"); !strings.Contains(body, "docs/linked.csv") {
		t.Error("the link is not reported")
	}
	next := s.listen("start.md")
	first := next("state")
	testgit.Git(t, dir, "commit", "-q", "-a", "-m", "two")
	if next("state") == first {
		t.Error("the state is the one before")
	}
	if body := s.get("/start"); !strings.Contains(body, "Not committed") || strings.Contains(body, "Careful") {
		t.Errorf("not the new commit:\n%s", body)
	}
	if body := s.get("/"); !strings.Contains(body, "Version 4.2") {
		t.Errorf("what did not change is gone:\n%s", body)
	}
	// A deleted branch is reported, and does not end the server.
	testgit.Git(t, dir, "checkout", "-q", "--detach")
	testgit.Git(t, dir, "branch", "-q", "-D", "main")
	if id := next("state"); !strings.HasSuffix(id, "!") {
		t.Errorf("state %s", id)
	}
	if body := s.get("/"); !strings.Contains(body, "there is no branch, tag or commit") || !strings.Contains(body, "Version 4.2") {
		t.Errorf("a branch that is gone:\n%s", body)
	}
	testgit.Git(t, dir, "branch", "main", "v1")
	next("state")
	if body := s.get("/start"); !strings.Contains(body, "Careful") {
		t.Errorf("a branch that is back:\n%s", body)
	}
}

func TestRefOfAFolderInTheRepository(t *testing.T) {
	dir := committed(t)
	s := serve(t, Config{Dir: filepath.Join(dir, "docs"), Ref: "v1"})
	if body := s.get("/start"); !strings.Contains(body, "Careful") {
		t.Errorf("not the page:\n%s", body)
	}
	if a, _ := s.ask("GET", "/LICENSE", nil); a.StatusCode != 404 {
		t.Errorf("a file above the folder: %s", a.Status)
	}
	for _, ref := range []string{"absent", "--help", "-x", "main:docs", "v1^"} {
		if _, err := Start(t.Context(), Config{Dir: dir, Ref: ref, Listen: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "--ref") || strings.Contains(err.Error(), "git:") {
			t.Errorf("%s: %v", ref, err)
		}
	}
}
