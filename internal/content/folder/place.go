package folder

import (
	"path"
	"strings"
)

// Place determines which files of a folder are content: those below the root, and the
// landing page that .gitbook.yaml names, which may be above the root. All paths of a Tree
// are relative to the root. The path of a landing page above the root begins with "../".
type Place struct {
	Root   string
	Readme string
}

// place returns the place of the content of the tree.
func (t *Tree) place() Place { return Place{t.Root, t.Readme} }

// OutsideRoot reports whether a path relative to the root leaves the root.
func OutsideRoot(name string) bool { return name == ".." || strings.HasPrefix(name, "../") }

// Full returns the path in the folder for a path relative to the root.
func (p Place) Full(name string) string { return path.Join(path.Clean(p.Root), name) }

// Name returns the path relative to the root for a path in the folder. ok is false if the
// path is not content.
func (p Place) Name(full string) (name string, ok bool) {
	root := path.Clean(p.Root)
	if root == "." {
		return full, true
	}
	if name, ok = strings.CutPrefix(full, root+"/"); ok {
		return name, true
	}
	return p.Readme, OutsideRoot(p.Readme) && full == p.Full(p.Readme)
}

// Within returns the shortest form of a path relative to the root. ok is false if the
// path leaves the root and neither returns to it nor leads to the landing page.
func (p Place) Within(name string) (string, bool) {
	if !OutsideRoot(name) {
		return name, true
	}
	return p.inside(".", name)
}

// withoutAbove returns a path without its leading "../" elements.
func withoutAbove(name string) string {
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	return name
}
