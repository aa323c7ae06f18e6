package expr

import (
	"slices"
	"strings"
)

// Inputs returns the member paths that the expression reads, such as
// "visitor.claims.unsigned.plan", sorted and without duplicates. The expression
// may read the value at a path and everything below it. A path ends before a
// computed key, a callback, a method or length, because these read the whole
// value.
func (p *Program) Inputs() []string { return slices.Clone(p.inputs) }

func inputsOf(root node) []string {
	var paths []string
	read(root, func(path string) { paths = append(paths, path) })
	slices.Sort(paths)
	return slices.Compact(paths)
}

// read calls add for each path that a node and its children read.
func read(n node, add func(string)) {
	if path, _ := pathOf(n); path != "" {
		add(path)
		readKeys(n, add)
		return
	}
	children(n, func(child node) { read(child, add) })
}

// readKeys calls add for each path that is read by the computed keys of a path,
// but not for the prefixes of the path itself.
func readKeys(n node, add func(string)) {
	switch n := n.(type) {
	case *chain:
		readKeys(n.inner, add)
	case *member:
		readKeys(n.object, add)
	case *index:
		readKeys(n.object, add)
		read(n.key, add)
	}
}

// pathOf returns the path that a node reads, or "". open reports whether a key
// can be appended to the path.
func pathOf(n node) (path string, open bool) {
	switch n := n.(type) {
	case *name:
		return n.name, true
	case *chain:
		return pathOf(n.inner)
	case *member:
		return extend(n.object, n.key)
	case *index:
		if l, ok := n.key.(*literal); ok {
			if key, ok := l.value.(string); ok {
				return extend(n.object, key)
			}
		}
		path, _ = pathOf(n.object)
		return path, false
	}
	return "", false
}

func extend(object node, key string) (string, bool) {
	path, open := pathOf(object)
	switch {
	case !open:
		return path, false
	case key == "" || key == "length" || strings.Contains(key, "."):
		return path, false
	}
	return path + "." + key, true
}
