package git

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/outbound"
)

// runner returns a Runner that may call only loopback addresses.
func runner(t testing.TB, change func(*Runner)) *Runner {
	t.Helper()
	policy, err := outbound.Parse("127.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Dir: filepath.Join(t.TempDir(), "git 'cache' %h"), Outbound: policy, Limits: Limits{Remote: time.Minute}}
	if change != nil {
		change(r)
	}
	return r
}

func open(t testing.TB, r *Runner, m Remote) *Repo {
	t.Helper()
	p, err := r.Open(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func fetch(t testing.TB, p *Repo, have string) string {
	t.Helper()
	commit, err := p.Fetch(t.Context(), Want{Have: have}, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return commit
}

// read returns the content of the files of a commit, by path.
func read(t testing.TB, p *Repo, commit, dir string) map[string]string {
	t.Helper()
	entries, problems, err := p.Tree(t.Context(), commit, dir)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, %v", problems, err)
	}
	var oids []string
	for _, e := range entries {
		oids = append(oids, e.OID)
	}
	texts := map[string]string{}
	err = p.Blobs(t.Context(), oids, nil, func(b Blob) error {
		text, err := io.ReadAll(b.Data)
		if err == nil && (int64(len(text)) != b.Size || BlobOID(text) != b.OID) {
			err = fmt.Errorf("%d bytes are not those of %s", len(text), b.OID)
		}
		texts[b.OID] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		out[e.Path] = texts[e.OID]
	}
	return out
}
