package folder

import (
	"path"
	"strings"
)

// Place says which files of a folder are content: those below the root, and the
// landing page that .gitbook.yaml names, which may be above it. All paths of a Tree
// are relative to the root; that of such a landing page begins with "../".
type Place struct {
	Root   string
	Readme string
}

// Place returns where the content of the tree is.
func (t *Tree) place() Place { return Place{t.Root, t.Readme} }

// OutsideRoot reports whether a path that is relative to the root leaves it.
func OutsideRoot(name string) bool { return name == ".." || strings.HasPrefix(name, "../") }

// Full returns the path in the folder of a path that is relative to the root.
func (p Place) Full(name string) string { return path.Join(path.Clean(p.Root), name) }

// Name returns a path in the folder relative to the root. ok is false if it is not
// content.
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

// Within returns the shortest form of a path that is relative to the root and may
// leave it. ok is false for a path that leaves the root, unless it returns or leads
// to the landing page.
func (p Place) Within(name string) (string, bool) {
	if !OutsideRoot(name) {
		return name, true
	}
	return p.inside(".", name)
}

// withoutAbove returns a path without the parts that leave the root.
func withoutAbove(name string) string {
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	return name
}
