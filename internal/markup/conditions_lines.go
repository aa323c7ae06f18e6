package markup

import (
	"regexp"
	"strings"
)

var (
	conditionLine = regexp.MustCompile(`^\s*\{%\s*(if\s+\S.*?|endif)\s*%\}\s*$`)
	fenceLine     = regexp.MustCompile("^[\\s>*+-]*(```+|~~~+)")
	inlineCode    = regexp.MustCompile("``[^`].*?``|`[^`]*`")
)

// StrayConditions returns where in a source the tags of conditions are that are no
// blocks, and which WithoutStrayConditions leaves out with what they were meant
// for. Those without an end, or without a beginning, are among the problems of the
// document, which is the one that was parsed from the source.
func StrayConditions(source []byte, doc *Document) []Problem {
	if WithoutStrayConditions(doc) == doc {
		return nil
	}
	var out []Problem
	fence, number := "", 0
	for line := range strings.Lines(string(source)) {
		number++
		if m := fenceLine.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[1], fence) {
			if fence == "" {
				fence = m[1]
			} else {
				fence = ""
			}
			continue
		}
		line = inlineCode.ReplaceAllString(line, "")
		if fence == "" && conditionTag.MatchString(line) && (!conditionLine.MatchString(line) || len(conditionTag.FindAllStringIndex(line, 2)) > 1) {
			out = append(out, Problem{number, "the tag of a condition must be {% if … %} or {% endif %} alone in its line; readers do not see what this one is meant for"})
		}
	}
	return out
}
