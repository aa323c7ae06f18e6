package typeface

import (
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Fonts are where glyphs come from that the bundled fonts lack: files that
// somebody named, then what is installed. It is safe for use by many at once.
type Fonts struct {
	Named []*Face
	// Folders are searched for installed fonts, with what is below them.
	folders []string

	once      sync.Once
	installed []*installedFont
}

// installedFont is a font that was found; it is opened when it is needed.
type installedFont struct {
	path   string
	index  int
	offset uint32
	blocks [coverageBlocks / 8]byte // of 256 runes each, in which it has some

	once sync.Once
	face *Face // nil when it cannot be used
}

const (
	coverageBlocks = 0x110000 >> 8
	maxInstalled   = 4000     // fonts that are looked at
	maxCmap        = 4 << 20  // bytes of a table of characters
	maxFontFile    = 96 << 20 // bytes
)

// Open opens the fonts that somebody named. With installed, what these
// lack is taken from the fonts of the machine.
func Open(files []string, installed bool) (*Fonts, error) {
	out := &Fonts{}
	if installed {
		out.folders = fontFolders()
	}
	for _, path := range files {
		file, err := os.Open(path) // stays open: glyphs are read when they are needed
		if err != nil {
			return nil, fmt.Errorf("font: %w", err)
		}
		at, err := fontsIn(file)
		if err != nil {
			return nil, fmt.Errorf("font %s %w", path, err)
		}
		f, err := open(path, file, 0, at[0])
		if err != nil {
			return nil, fmt.Errorf("font %s %w", path, err)
		}
		out.Named = append(out.Named, f)
	}
	return out, nil
}

// fontFolders are where systems keep fonts.
func fontFolders() []string {
	home, _ := os.UserHomeDir()
	switch runtime.GOOS {
	case "windows":
		return []string{filepath.Join(os.Getenv("WINDIR"), "Fonts"), filepath.Join(os.Getenv("LOCALAPPDATA"), "Microsoft", "Windows", "Fonts")}
	case "darwin":
		return []string{"/Library/Fonts", "/System/Library/Fonts", filepath.Join(home, "Library", "Fonts")}
	}
	out := []string{"/usr/share/fonts", "/usr/local/share/fonts"}
	if home != "" {
		out = append(out, filepath.Join(home, ".local/share/fonts"), filepath.Join(home, ".fonts"))
	}
	return out
}

// find lists what is installed, the plainest fonts first.
func (f *Fonts) find() []*installedFont {
	f.once.Do(func() {
		for _, dir := range f.folders {
			// A folder that cannot be read has no fonts for us.
			_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || len(f.installed) >= maxInstalled {
					return nil
				}
				switch strings.ToLower(filepath.Ext(path)) {
				case ".ttf", ".otf", ".ttc", ".otc":
					f.installed = append(f.installed, installedIn(path)...)
				}
				return nil
			})
		}
		slices.SortStableFunc(f.installed, func(a, b *installedFont) int {
			if c := oddness(a.path) - oddness(b.path); c != 0 {
				return c
			}
			if c := strings.Compare(a.path, b.path); c != 0 {
				return c
			}
			return a.index - b.index
		})
	})
	return f.installed
}

// oddness is how far the name of a font file is from plain text.
func oddness(path string) int {
	name := strings.ToLower(filepath.Base(path))
	n := 0
	for _, word := range []string{"bold", "black", "heavy", "light", "thin", "medium", "italic", "oblique", "condensed", "narrow", "mono", "serif", "display", "ui", "nastaliq"} {
		if strings.Contains(name, word) {
			n += 2
		}
	}
	if strings.Contains(name, "regular") || strings.Contains(name, "sans") {
		n--
	}
	return n
}

func installedIn(path string) []*installedFont {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() > maxFontFile {
		return nil
	}
	at, err := fontsIn(file)
	if err != nil {
		return nil
	}
	var out []*installedFont
	for i, offset := range at {
		f := &installedFont{path: path, index: i, offset: offset}
		if f.look(file) {
			out = append(out, f)
		}
	}
	return out
}

// look notes which runes a font may have, by the ranges of its table of
// characters.
func (f *installedFont) look(src io.ReaderAt) bool {
	head := make([]byte, 12)
	if _, err := src.ReadAt(head, int64(f.offset)); err != nil {
		return false
	}
	dir := make([]byte, 16*int(min(binary.BigEndian.Uint16(head[4:]), maxTables)))
	if _, err := src.ReadAt(dir, int64(f.offset)+12); err != nil {
		return false
	}
	var cmap []byte
	outlined := false
	for ; len(dir) > 0; dir = dir[16:] {
		switch string(dir[:4]) {
		case "glyf", "CFF ":
			outlined = true
		case "cmap":
			cmap = make([]byte, min(binary.BigEndian.Uint32(dir[12:]), maxCmap))
			if _, err := src.ReadAt(cmap, int64(binary.BigEndian.Uint32(dir[8:]))); err != nil {
				return false
			}
		}
	}
	if !outlined || len(cmap) < 4 {
		return false
	}
	for i := range int(binary.BigEndian.Uint16(cmap[2:])) {
		if at := 4 + 8*i; at+8 <= len(cmap) {
			if from := binary.BigEndian.Uint32(cmap[at+4:]); int64(from) < int64(len(cmap)) {
				f.ranges(cmap[from:])
			}
		}
	}
	return true
}

// ranges reads the two formats that fonts for text have.
func (f *installedFont) ranges(b []byte) {
	if len(b) < 16 {
		return
	}
	switch binary.BigEndian.Uint16(b) {
	case 4:
		n := int(binary.BigEndian.Uint16(b[6:])) / 2
		for i := range n {
			end, start := 14+2*i, 16+2*n+2*i
			if start+2 > len(b) {
				return
			}
			if last := binary.BigEndian.Uint16(b[end:]); last != 0xffff || binary.BigEndian.Uint16(b[start:]) != 0xffff {
				f.mark(rune(binary.BigEndian.Uint16(b[start:])), rune(last))
			}
		}
	case 12:
		for at := 16; at+12 <= len(b); at += 12 {
			f.mark(rune(binary.BigEndian.Uint32(b[at:])), rune(binary.BigEndian.Uint32(b[at+4:])))
		}
	}
}

func (f *installedFont) mark(from, to rune) {
	if from < 0 || to > 0x10ffff || from > to {
		return
	}
	for block := from >> 8; block <= to>>8; block++ {
		f.blocks[block/8] |= 1 << (block % 8)
	}
}

func (f *installedFont) may(r rune) bool {
	block := r >> 8
	return f.blocks[block/8]&(1<<(block%8)) != 0
}

// open opens the font for use; nil when it cannot be used.
func (f *installedFont) open() *Face {
	f.once.Do(func() {
		file, err := os.Open(f.path) // stays open
		if err != nil {
			return
		}
		if f.face, err = open(f.path, file, f.index, f.offset); err != nil {
			f.face = nil
			file.Close()
		}
	})
	return f.face
}

// Covering returns the installed font that has most of the runes, and how many.
func (f *Fonts) Covering(runes []rune) (best *Face, covered int) {
	if f == nil || len(runes) == 0 {
		return nil, 0
	}
	for _, in := range f.find() {
		possible := 0
		for _, r := range runes {
			if in.may(r) {
				possible++
			}
		}
		if possible <= covered {
			continue
		}
		got, n := in.open(), 0
		if got == nil {
			continue
		}
		for _, r := range runes {
			if got.Glyph(r) != 0 {
				n++
			}
		}
		if n > covered {
			best, covered = got, n
		}
	}
	return best, covered
}
