package revision

import (
	"bytes"
)

// withLineEnds returns now with the line ends of was, the text that it was edited
// from, if an editor removed the carriage returns. Unchanged lines get their old
// line end, new lines the more frequent one.
func withLineEnds(was, now []byte) []byte {
	windows := bytes.Count(was, []byte("\r\n"))
	if windows == 0 || bytes.Contains(now, []byte("\r\n")) {
		return now
	}
	plain := bytes.Count(was, []byte("\n")) - windows
	ends := map[string]bool{} // whether a line ends with a carriage return
	if plain > 0 {
		for line := range bytes.Lines(was) {
			text := bytes.TrimSuffix(line, []byte("\n"))
			ends[string(bytes.TrimSuffix(text, []byte("\r")))] = len(text) > 0 && text[len(text)-1] == '\r'
		}
	}
	out := make([]byte, 0, len(now)+len(now)/32)
	for line := range bytes.Lines(now) {
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		out = append(out, text...)
		if !whole {
			break
		}
		crlf, known := ends[string(text)]
		if !known {
			crlf = windows >= plain
		}
		if crlf {
			out = append(out, '\r')
		}
		out = append(out, '\n')
	}
	return out
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
