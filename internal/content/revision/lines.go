package revision

import (
	"bytes"
	"slices"
	"strings"
)

// withLineEnds returns now with the line ends of was, the text that it was edited
// from, if an editor removed the carriage returns. Unchanged lines get their old
// line end, new lines the more frequent one of was and around, the rest of its file.
func withLineEnds(around, was, now []byte) []byte {
	windows := bytes.Count(was, []byte("\r\n")) + bytes.Count(around, []byte("\r\n"))
	if windows == 0 || bytes.Contains(now, []byte("\r\n")) {
		return now
	}
	plain := bytes.Count(was, []byte("\n")) + bytes.Count(around, []byte("\n")) - windows
	var before []string // the lines of was, if they have different ends
	if plain > 0 {
		for line := range bytes.Lines(was) {
			before = append(before, string(line))
		}
	}
	out := make([]byte, 0, len(now)+len(now)/32)
	lines := slices.Collect(bytes.Lines(now))
	known := oldEnds(before, lines)
	for i, line := range lines {
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		out = append(out, text...)
		if !whole {
			break
		}
		crlf := windows >= plain
		if known[i] != "" {
			crlf = strings.HasSuffix(known[i], "\r\n")
		}
		if crlf {
			out = append(out, '\r')
		}
		out = append(out, '\n')
	}
	return out
}

// oldEnds returns for each line of an edited text the line that it was before, or "" if
// there was none. before are the lines of the text that was edited. Lines at the beginning
// and the end that did not change are found by their place, others by what they say.
func oldEnds(before []string, now [][]byte) []string {
	out := make([]string, len(now))
	same := func(i, j int) bool { return plainLine(before[i]) == string(now[j]) }
	start, end := 0, 0
	for ; start < min(len(before), len(now)) && same(start, start); start++ {
		out[start] = before[start]
	}
	for ; end < min(len(before), len(now))-start && same(len(before)-1-end, len(now)-1-end); end++ {
		out[len(now)-1-end] = before[len(before)-1-end]
	}
	bySource := map[string]string{}
	for _, line := range before {
		bySource[plainLine(line)] = line
	}
	for j := start; j < len(now)-end; j++ {
		out[j] = bySource[string(now[j])]
	}
	return out
}

// plainLine returns a line without the carriage return at its end.
func plainLine(line string) string {
	if text, ok := strings.CutSuffix(line, "\r\n"); ok {
		return text + "\n"
	}
	return line
}

// withBlankLine returns a head with a blank line at its end, so that a body can
// follow it.
func withBlankLine(head []byte) []byte {
	if len(head) == 0 || bytes.HasSuffix(head, []byte("\n\n")) || bytes.HasSuffix(head, []byte("\n\r\n")) {
		return head
	}
	end := "\n"
	if bytes.Contains(head, []byte("\r\n")) {
		end = "\r\n"
	}
	out := bytes.Clone(head)
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, end...)
	}
	return append(out, end...)
}
