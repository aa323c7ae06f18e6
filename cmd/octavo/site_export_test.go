package main

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/publish/export"
)

func TestSiteIsExportedToAFolder(t *testing.T) {
	w := newSiteWorld(t)
	ctx := context.Background()
	var sp, site named
	for _, step := range []struct {
		path string
		body map[string]any
		out  *named
	}{
		{apiPath("orgs", w.server.org, "spaces"), map[string]any{"title": "Exported", "empty": true, "editMode": "live"}, &sp},
		{apiPath("orgs", w.server.org, "sites"), map[string]any{"title": "Exported"}, &site},
	} {
		if err := w.server.do(ctx, "POST", step.path, step.body, step.out); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.server.do(ctx, "POST", apiPath("orgs", w.server.org, "sites", site.ID, "site-spaces"), map[string]any{"spaceId": sp.ID}, nil); err != nil {
		t.Fatal(err)
	}
	page := map[string]any{"changes": []any{map[string]any{"operation": "insert_page", "document": map[string]any{"markdown": "The text."}}}}
	if err := w.server.do(ctx, "POST", apiPath("spaces", sp.ID, "content"), page, nil); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "below", "site")
	exported := func(name string) (string, int) {
		var out bytes.Buffer
		code := run(append([]string{"site", "export", name, dir}, w.flags...), streams{out: &out, err: &out})
		return out.String(), code
	}
	if out, code := exported(site.ID); code != 0 || !strings.Contains(out, "wrote 3 pages") {
		t.Fatal(out)
	}
	home, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil || !bytes.Contains(home, []byte("The text.")) {
		t.Errorf("%s, %v", home, err)
	}
	// The folder of an earlier export is replaced as a whole.
	if err := os.WriteFile(filepath.Join(dir, "left.html"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := exported(site.ID); code != 0 {
		t.Fatal(out)
	}
	if _, err := os.Stat(filepath.Join(dir, "left.html")); err == nil {
		t.Error("a file of the export before is left")
	}
	if out, code := exported("nosuchsite"); code == 0 || !strings.Contains(out, "there is no site") {
		t.Error(out)
	}
	// Other folders are not replaced.
	if err := os.Remove(filepath.Join(dir, export.Marker)); err != nil {
		t.Fatal(err)
	}
	if out, code := exported(site.ID); code == 0 || !strings.Contains(out, "was not made by octavo site export") {
		t.Error(out)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("beside the folder are %v, %v", left, err)
	}
}

// A folder is not changed until the archive is complete, and no other files are written.
func TestAnArchiveThatIsNotWhole(t *testing.T) {
	archive := func(names ...string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, name := range names {
			if err := w.WriteHeader(&tar.Header{Name: name, Size: 1, Mode: 0o644}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, src := range map[string][]byte{
		"no marker": archive("index.html"), "cut": archive("index.html", export.Marker)[:600],
		"out of the folder": archive("../evil.html", export.Marker), "absolute": archive("/evil.html", export.Marker), "twice": archive("a", "a", export.Marker),
	} {
		top := t.TempDir()
		dir := filepath.Join(top, "site")
		err := replaceFolder(dir, func(tmp string) error { return unpackSite(bytes.NewReader(src), tmp, &progress{w: io.Discard}) })
		if err == nil {
			t.Errorf("%s is taken", name)
		}
		if left, _ := os.ReadDir(top); len(left) > 0 {
			t.Errorf("%s leaves %v", name, left)
		}
	}
}
