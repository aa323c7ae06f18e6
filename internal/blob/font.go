package blob

// fontMarks maps the first bytes of font files that browsers support to the format.
var fontMarks = map[string]string{
	"wOF2": "woff2", "wOFF": "woff", "\x00\x01\x00\x00": "ttf", "true": "ttf", "OTTO": "otf",
}

// FontFormat returns the font format of a file with the given first bytes: woff2, woff,
// ttf or otf. It is empty for other files.
func FontFormat(head []byte) string {
	if len(head) < 4 {
		return ""
	}
	return fontMarks[string(head[:4])]
}
