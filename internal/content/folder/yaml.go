package folder

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
)

// yamlReader returns a reader that adds the problems of a file to out.
func yamlReader(file string, out *problems) yamldoc.Reader {
	return yamldoc.Reader{Report: func(line int, format string, args ...any) { out.add(file, line, CodeYAML, format, args...) }}
}

// parseYAML returns the root of a YAML file. If the file cannot be parsed, it reports the
// problem to r and returns nil.
func parseYAML(src []byte, r yamldoc.Reader) *yaml.Node {
	n, err := yamldoc.Parse(src, maxConfig)
	var wrong *yamldoc.Error
	if errors.As(err, &wrong) {
		r.Report(max(wrong.Line, 1), "the file cannot be read: %s", wrong.Reason)
		return nil
	}
	return n
}

// mappingOf returns a copy of the mapping in a YAML file, with its comments. It returns
// an empty mapping if src is not a mapping.
func mappingOf(src []byte) *yaml.Node {
	n, _ := yamldoc.Parse(src, maxConfig)
	return yamldoc.CloneMapping(n)
}

// replaceText sets a key of a mapping to a text and keeps the comment after the value.
func replaceText(n *yaml.Node, key, text string) {
	yamldoc.Set(n, key, yamldoc.WithComment(yamldoc.String(text, 0), yamldoc.Value(n, key)))
}

// patched returns the file src with a changed mapping. Lines that did not change keep
// their form, including blank lines and comments.
func patched(src []byte, changed *yaml.Node) ([]byte, error) {
	next, err := yamldoc.Encode(changed)
	if err != nil {
		return nil, err
	}
	was, err := yamldoc.Parse(src, maxConfig)
	if err != nil || was.Kind != yaml.MappingNode {
		return next, nil
	}
	base, err := yamldoc.Encode(was)
	if err != nil {
		return nil, err
	}
	crlf := bytes.Contains(src, []byte("\r\n"))
	text := []byte(align.MergeWords(string(base), strings.ReplaceAll(string(src), "\r\n", "\n"), string(next)))
	if got, err := yamldoc.Parse(text, maxConfig); err != nil {
		text = next
	} else if says, err := yamldoc.Encode(got); err != nil || !bytes.Equal(says, next) {
		text = next
	}
	if crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
