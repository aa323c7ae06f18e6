package folder

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

// packed returns an archive with files. change may modify the headers before they are
// written.
func packed(t testing.TB, files []string, change func(h *zip.FileHeader), data ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, name := range files {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(0o644)
		if strings.HasSuffix(name, "/") {
			h.SetMode(fs.ModeDir | 0o755)
		}
		if change != nil {
			change(h)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		text := "# " + name + "\n"
		if i < len(data) {
			text = data[i]
		}
		if !strings.HasSuffix(name, "/") {
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func openBytes(b []byte, l Limits) (fs.FS, error) {
	return OpenZip(bytes.NewReader(b), int64(len(b)), l)
}

func TestOpenZip(t *testing.T) {
	b := packed(t, []string{"docs-main/", "docs-main/README.md", "docs-main/SUMMARY.md", "docs-main/a/b.md", "__MACOSX/docs-main/._README.md", "docs-main/.DS_Store"}, nil,
		"", "# R\n", "* [R](README.md)\n* [B](a/b.md)\n", "# B\n")
	fsys, err := openBytes(b, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(fsys, "README.md", "SUMMARY.md", "a/b.md"); err != nil {
		t.Error(err)
	}
	tree := mustRead(t, fsys)
	want := memory{"README.md": "# R\n", "SUMMARY.md": "* [R](README.md)\n* [B](a/b.md)\n", "a/b.md": "# B\n"}
	if out := written(t, tree); !maps.Equal(out, want) {
		t.Errorf("%q", out)
	}
}

func TestOpenZipKeepsSeveralFolders(t *testing.T) {
	for _, files := range [][]string{{"a/x.md", "b/y.md"}, {"a/x.md", "README.md"}, {".gitbook/assets/x.md"}} {
		fsys, err := openBytes(packed(t, files, nil), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if err := fstest.TestFS(fsys, files...); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenZipRefuses(t *testing.T) {
	many := make([]string, 50)
	for i := range many {
		many[i] = fmt.Sprintf("%d.md", i)
	}
	link := func(h *zip.FileHeader) {
		if h.Name == "link" {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
	}
	for _, c := range []struct {
		name   string
		b      []byte
		limits Limits
		want   string
	}{
		{"nothing", nil, Limits{}, "not a zip archive"},
		{"text", []byte("hello"), Limits{}, "not a zip archive"},
		{"above", packed(t, []string{"a.md", "../evil.md"}, nil), Limits{}, "../evil.md, which is refused: its path leaves the folder"},
		{"above inside", packed(t, []string{"a/../../evil.md"}, nil), Limits{}, "a/../../evil.md"},
		{"absolute", packed(t, []string{"/etc/passwd"}, nil), Limits{}, "/etc/passwd"},
		{"drive", packed(t, []string{`C:\x.md`}, nil), Limits{}, "backslash"},
		{"null", packed(t, []string{"a\x00.md"}, nil), Limits{}, `a\x00.md`},
		{"git", packed(t, []string{"a/.GIT/hooks/post-checkout"}, nil), Limits{}, "reserved for git"},
		{"link", packed(t, []string{"a.md", "link"}, link), Limits{}, "link, which is refused: it is a symbolic link"},
		{"link to a folder", packed(t, []string{"link/"}, func(h *zip.FileHeader) { h.ExternalAttrs = 0o120777 << 16 }), Limits{}, "it is a symbolic link"},
		{"twice", packed(t, []string{"a.md", "a.md"}, nil), Limits{}, "a.md, which is refused: it occurs twice"},
		{"file and folder", packed(t, []string{"a", "a/b.md"}, nil), Limits{}, "both a file and a folder"},
		{"too many", packed(t, many, nil), Limits{Files: 49}, "more than 49 files"},
		{"too large", packed(t, []string{"a.bin"}, nil, strings.Repeat("x", 2000)), Limits{Asset: 1000}, "a.bin, which is refused: it is too large"},
		{"too much", packed(t, []string{"a.bin", "b.bin"}, nil, strings.Repeat("x", 600), strings.Repeat("x", 600)), Limits{Unpacked: 1000}, "unpacks to more than"},
		{"ratio", packed(t, []string{"bomb.bin"}, nil, strings.Repeat("\x00", 8<<20)), Limits{}, "bomb.bin, which is refused: it unpacks to more than"},
		{"deep", packed(t, []string{strings.Repeat("d/", 80) + "x.md"}, nil), Limits{}, "too many folders"},
		{"overlap", overlapping(t), Limits{}, "shares its bytes"},
	} {
		_, err := openBytes(c.b, c.limits)
		if !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// directory returns the offset of the central directory of an archive.
func directory(b []byte) int {
	end := bytes.LastIndex(b, []byte("PK\x05\x06"))
	return int(binary.LittleEndian.Uint32(b[end+16:]))
}

// overlapping returns an archive whose two entries refer to the same bytes.
func overlapping(t testing.TB) []byte {
	b := packed(t, []string{"a.md", "b.md"}, nil)
	first := directory(b)
	next := first + 46 + len("a.md") + int(binary.LittleEndian.Uint16(b[first+30:]))
	copy(b[next+42:next+46], b[first+42:first+46])
	return b
}

func TestSizesAreHeldToWhileReading(t *testing.T) {
	for _, c := range []struct {
		name string
		size uint32
		want string
	}{
		{"larger than announced", 10, "x.bin in the archive is"},
		{"smaller than announced", 4000, "x.bin in the archive is damaged"},
	} {
		b := packed(t, []string{"x.bin", "y.bin"}, nil, strings.Repeat("x", 3000), "y")
		binary.LittleEndian.PutUint32(b[directory(b)+24:], c.size)
		fsys, err := openBytes(b, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := fs.ReadFile(fsys, "x.bin")
		if !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), c.want) || len(data) > int(c.size) {
			t.Errorf("%s: %d bytes, %v", c.name, len(data), err)
		}
	}
}

func TestListOfFilesIsBounded(t *testing.T) {
	// The number of entries at the end of the archive is wrong; the directory itself is
	// long.
	names := make([]string, 20_000)
	for i := range names {
		names[i] = fmt.Sprintf("%0200d", i)
	}
	b := packed(t, names, nil, make([]string, len(names))...)
	end := bytes.LastIndex(b, []byte("PK\x05\x06"))
	binary.LittleEndian.PutUint16(b[end+8:], 1)
	binary.LittleEndian.PutUint16(b[end+10:], 1)
	if _, err := openBytes(b, Limits{Files: 100}); !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "more than 100 files") {
		t.Error(err)
	}
}

func FuzzZip(f *testing.F) {
	f.Add(packed(f, []string{"docs/README.md", "docs/SUMMARY.md", "docs/.gitbook/assets/a.png"}, nil, "# R\n", "* [R](README.md)\n"))
	f.Add(packed(f, []string{"../x", "a/", "a/b"}, nil))
	f.Add(overlapping(f))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, b []byte) {
		limits := Limits{Files: 100, Markdown: 1 << 16, Asset: 1 << 16, Unpacked: 1 << 20, Memory: 1 << 20}
		fsys, err := openBytes(b, limits)
		if err != nil {
			if !errs.Is(err, errs.Invalid) {
				t.Fatalf("%v is not an error for people", err)
			}
			return
		}
		total := 0
		err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if why := names.Problem(p); why != "" || !d.Type().IsRegular() {
				t.Fatalf("%q: %s", p, why)
			}
			data, _ := fs.ReadFile(fsys, p)
			total += len(data)
			return nil
		})
		if err != nil || total > 1<<20 {
			t.Fatalf("%d bytes, %v", total, err)
		}
		tree, err := Read(fsys, limits)
		if err != nil {
			if !errs.Is(err, errs.Invalid) {
				t.Fatalf("%v is not an error for people", err)
			}
			return
		}
		Check(tree)
	})
}
