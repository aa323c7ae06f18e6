package blob

// fontMarks are the first bytes of fonts that browsers load, by the format.
var fontMarks = map[string]string{
	"wOF2": "woff2", "wOFF": "woff", "\x00\x01\x00\x00": "ttf", "true": "ttf", "OTTO": "otf",
}

// FontFormat returns which format a file that begins like this has as a font:
// woff2, woff, ttf or otf. It is empty for anything else.
func FontFormat(head []byte) string {
	if len(head) < 4 {
		return ""
	}
	return fontMarks[string(head[:4])]
}
