package fonts

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mathTable is the number of the table MATH in the directory of a WOFF2 file.
const mathTable = 31

// tables returns the numbers of the tables of a WOFF2 file. Those without a number are 63.
func tables(b []byte) (out []int) {
	at := 48
	number := func() {
		for b[at]&0x80 != 0 {
			at++
		}
		at++
	}
	for range int(b[12])<<8 | int(b[13]) {
		flags := b[at]
		at++
		if out = append(out, int(flags&63)); flags&63 == 63 {
			at += 4
		}
		number()
		glyphs := flags&63 == 10 || flags&63 == 11 // glyf and loca are transformed unless they say otherwise
		if glyphs == (flags>>6 != 3) && (glyphs || flags>>6 != 0) {
			number()
		}
	}
	return out
}

// Each part can stretch what is in it, no character is in two, and the first is small.
func TestMath(t *testing.T) {
	part := map[int64]string{}
	for i, f := range Math {
		b, ok := Read(f.Name)
		if !ok || !strings.HasPrefix(string(b), "wOF2") {
			t.Fatalf("%s: %d bytes", f.Name, len(b))
		}
		found := false
		for _, n := range tables(b) {
			found = found || n == mathTable
		}
		if !found || len(b) > 150<<10 || i == 0 && len(b) > 90<<10 {
			t.Errorf("%s has %d bytes and these tables: %v", f.Name, len(b), tables(b))
		}
		for _, m := range regexp.MustCompile(`U\+([0-9A-F]+)(?:-([0-9A-F]+))?`).FindAllStringSubmatch(f.Range, -1) {
			from, _ := strconv.ParseInt(m[1], 16, 32)
			to := from
			if m[2] != "" {
				to, _ = strconv.ParseInt(m[2], 16, 32)
			}
			if to < from {
				t.Errorf("%s", m[0])
			}
			for c := from; c <= to; c++ {
				if part[c] != "" {
					t.Errorf("U+%04X is in %s and in %s", c, part[c], f.Name)
				}
				part[c] = f.Name
			}
		}
	}
	for _, c := range " 0aΩω+−=∑∫√∞≤≠→⇒{[(⟨⌊|‖𝑎𝛼ℎ" {
		if part[int64(c)] != Math[0].Name {
			t.Errorf("%c is in %q", c, part[int64(c)])
		}
	}
}
