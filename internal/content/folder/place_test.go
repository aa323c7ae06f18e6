package folder

import (
	"maps"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

// aboveRoot returns a folder whose landing page is above the root.
func aboveRoot() map[string]string {
	return map[string]string{
		".gitbook.yaml":                "root: ./docs\nstructure:\n  readme: ../README.md\n",
		"README.md":                    "# Repository\n\nSee [A](docs/a.md), [the folder](docs/), [code](src/main.go), ![](docs/.gitbook/assets/x.png) and ![](docs/y.png)\n",
		"OTHER.md":                     "# Not content\n",
		"src/main.go":                  "package main\n",
		"docs/SUMMARY.md":              "* [A](a.md)\n",
		"docs/a.md":                    "# A\n\n[up](../README.md) and [not](../OTHER.md)\n",
		"docs/.gitbook/assets/x.png":   "x",
		"docs/y.png":                   "y",
		"docs/deep/down.md":            "# Down\n\n[up](../../README.md#x)\n",
		"docs/.gitbook/includes/in.md": "Text\n",
	}
}

func TestLandingPageAboveTheRoot(t *testing.T) {
	for _, summary := range []string{"* [A](a.md)\n* [Down](deep/down.md)\n", "* [Repository](../README.md)\n* [A](a.md)\n* [Down](deep/down.md)\n", ""} {
		files := aboveRoot()
		if files["docs/SUMMARY.md"] = summary; summary == "" {
			delete(files, "docs/SUMMARY.md")
		}
		tree := mustRead(t, mapFS(files))
		first := tree.Pages[0]
		if first.File != "../README.md" || first.Title != "Repository" || first.Slug != "readme" || tree.Readme != first.File {
			t.Fatalf("the first page is %+v", first)
		}
		for _, p := range tree.Problems {
			if p.Code != CodeNotInSummary {
				t.Errorf("%v", p)
			}
		}
		x := NewIndex(tree)
		for _, c := range []struct{ from, dest, want string }{
			{"a.md", "../README.md", "../README.md"}, {"deep/down.md", "../../README.md#x", "../README.md"}, {"a.md", "../OTHER.md", ""}, {"a.md", "../docs/a.md", "a.md"},
			{"../README.md", "docs/a.md", "a.md"}, {"../README.md", "./docs/deep/down", "deep/down.md"}, {"../README.md", "docs/", "../README.md"},
			{"../README.md", "OTHER.md", ""}, {"../README.md", "../secret.md", ""}, {"../README.md", "/a.md", "a.md"},
		} {
			if got, ok := x.Find(c.from, c.dest, markup.UseLink); got.Path != c.want && ok || ok != (c.want != "") {
				t.Errorf("%s in %s is %q, %v; want %q", c.dest, c.from, got.Path, ok, c.want)
			}
		}
		if got, ok := x.Find("../README.md", "docs/y.png", markup.UseImage); !ok || got.File == nil {
			t.Errorf("the image is not found: %+v", got)
		}
		// The files that were read are written unchanged, and no other files of the
		// folder are written.
		want := maps.Clone(files)
		delete(want, "OTHER.md")
		delete(want, "src/main.go")
		if got := written(t, tree); !maps.Equal(got, want) {
			t.Errorf("wrote %v, want %v", got, want)
		}
	}
}

// A landing page outside of the folder is refused. A hidden file, or a file that cannot
// be a page, is not used as the landing page.
func TestLandingPageOutsideOfTheFolder(t *testing.T) {
	for _, readme := range []string{"../../README.md", "../../../etc/passwd.md", "../..", "/README.md", `..\README.md`} {
		files := aboveRoot()
		files[".gitbook.yaml"] = "root: ./docs\nstructure:\n  readme: " + readme + "\n"
		tree, err := Read(mapFS(files), DefaultLimits)
		if err == nil {
			t.Errorf("%s: read with the landing page %s", readme, tree.Readme)
		}
	}
	for _, readme := range []string{"../.git/config.md", "../src/main.go", ".."} {
		files := aboveRoot()
		files[".gitbook.yaml"] = "root: ./docs\nstructure:\n  readme: " + readme + "\n"
		files[".git/config.md"] = "# Secret\n"
		tree := mustRead(t, mapFS(files))
		if tree.Readme != readmeName || len(tree.Problems) == 0 || !strings.Contains(tree.Problems[0].String(), "can be no page") {
			t.Errorf("%s: the landing page is %s, %v", readme, tree.Readme, tree.Problems)
		}
		if out := written(t, tree); out[".gitbook.yaml"] != files[".gitbook.yaml"] || out[".git/config.md"] != "" {
			t.Errorf("%s: wrote %v", readme, out)
		}
	}
	// Without a root, nothing in the folder can be above it.
	if _, err := Read(mapFS(map[string]string{".gitbook.yaml": "structure:\n  readme: ../README.md\n", "a.md": "# A\n"}), DefaultLimits); err == nil {
		t.Error("a landing page above the folder was read")
	}
}

func TestPlace(t *testing.T) {
	at := Place{Root: "./docs/en", Readme: "../../README.md"}
	for full, want := range map[string]string{"docs/en/a.md": "a.md", "README.md": "../../README.md", "docs/README.md": "", "OTHER.md": "", "docs/english.md": ""} {
		if got, ok := at.Name(full); ok != (want != "") || ok && got != want {
			t.Errorf("%s is %q, %v", full, got, ok)
		}
	}
	for name, want := range map[string]string{"a.md": "a.md", "../en/a.md": "a.md", "../../README.md": "../../README.md", "../../docs/en": ".", "../x.md": "", "../../../y.md": "", "..": ""} {
		if got, ok := at.Within(name); ok != (want != "") || ok && got != want {
			t.Errorf("%s is %q, %v", name, got, ok)
		}
	}
	if got := at.Full("../../README.md"); got != "README.md" || strings.Contains(got, "..") {
		t.Errorf("%q", got)
	}
}
