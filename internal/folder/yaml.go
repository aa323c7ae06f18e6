package folder

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/markup"
)

// mappingOf gives the mapping in a YAML file to be changed, with its
// comments; an empty one where there is none.
func mappingOf(src []byte) *yaml.Node {
	if n, _, why := parseYAML(src); why == "" && n.Kind == yaml.MappingNode {
		return n
	}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
}

// copyMapping gives a copy of a mapping to be changed; nil is an empty one.
func copyMapping(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if n != nil && n.Kind == yaml.MappingNode {
		*c = *n
		c.Content = slices.Clone(n.Content)
	}
	return c
}

// keyOf gives the value of a key, or nil.
func keyOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// setKey changes, adds or, with nil, removes a key.
func setKey(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			continue
		}
		if value == nil {
			n.Content = slices.Delete(n.Content, i, i+2)
		} else {
			value.LineComment = n.Content[i+1].LineComment
			n.Content[i+1] = value
		}
		return
	}
	if value != nil {
		n.Content = append(n.Content, textNode(key), value)
	}
}

// patched writes a mapping that was changed into the file that it came from:
// what did not change stays as somebody wrote it, with blank lines and all.
func patched(src []byte, changed *yaml.Node) ([]byte, error) {
	next, err := encodeYAML(changed)
	was, _, why := parseYAML(src)
	if err != nil || why != "" || was.Kind != yaml.MappingNode {
		return next, err
	}
	base, err := encodeYAML(was)
	if err != nil {
		return nil, err
	}
	crlf := bytes.Contains(src, []byte("\r\n"))
	text := []byte(markup.MergeWords(string(base), strings.ReplaceAll(string(src), "\r\n", "\n"), string(next)))
	if got, _, why := parseYAML(text); why != "" {
		text = next
	} else if says, err := encodeYAML(got); err != nil || !bytes.Equal(says, next) {
		text = next
	}
	if crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text, nil
}

func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	for _, r := range s {
		if r < ' ' {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	return n
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
