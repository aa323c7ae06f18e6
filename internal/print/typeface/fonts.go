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

// Fonts provides fonts for characters that the bundled fonts lack: first the files named
// by the operator, then installed fonts. It is safe for concurrent use.
type Fonts struct {
	Named []*Face
	// folders are searched recursively for installed fonts.
	folders []string

	once      sync.Once
	installed []*installedFont
}

// installedFont is an installed font. It is opened on first use.
type installedFont struct {
	path   string
	index  int
	offset uint32
	blocks [coverageBlocks / 8]byte // bitmap of blocks of 256 runes in which the font has glyphs

	once sync.Once
	face *Face // nil if it cannot be used
}

const (
	coverageBlocks = 0x110000 >> 8
	maxInstalled   = 4000     // fonts that are examined
	maxCmap        = 4 << 20  // bytes of a cmap table
	maxFontFile    = 96 << 20 // bytes
)

// Open opens font files. If installed is set, installed fonts are used for characters
// that these files lack.
func Open(files []string, installed bool) (*Fonts, error) {
	out := &Fonts{}
	if installed {
		out.folders = fontFolders()
	}
	var opened []*os.File
	for _, path := range files {
		file, err := os.Open(path) // stays open: glyphs are read on demand
		if err != nil {
			closeAll(opened)
			return nil, fmt.Errorf("font: %w", err)
		}
		opened = append(opened, file)
		f, err := openFirst(path, file)
		if err != nil {
			closeAll(opened)
			return nil, fmt.Errorf("font %s %w", path, err)
		}
		out.Named = append(out.Named, f)
	}
	return out, nil
}

// openFirst opens the first font of a file.
func openFirst(path string, file *os.File) (*Face, error) {
	at, err := fontsIn(file)
	if err != nil {
		return nil, err
	}
	return open(path, file, 0, at[0])
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // read only: there is no error to handle
	}
}

// fontFolders returns the font folders of the operating system.
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

// find returns the installed fonts, plain text fonts first.
func (f *Fonts) find() []*installedFont {
	f.once.Do(func() {
		for _, dir := range f.folders {
			// A folder that cannot be read is skipped.
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
			if c := stylePenalty(a.path) - stylePenalty(b.path); c != 0 {
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

// stylePenalty returns how much the name of a font file differs from that of a plain text
// font.
func stylePenalty(path string) int {
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
		if f.readCoverage(file) {
			out = append(out, f)
		}
	}
	return out
}

// readCoverage reads the cmap table to find out which runes the font may have. It reports
// whether the font can be used.
func (f *installedFont) readCoverage(src io.ReaderAt) bool {
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

// ranges reads a subtable of cmap in the formats 4 and 12, which text fonts use.
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
				f.addRange(rune(binary.BigEndian.Uint16(b[start:])), rune(last))
			}
		}
	case 12:
		for at := 16; at+12 <= len(b); at += 12 {
			f.addRange(rune(binary.BigEndian.Uint32(b[at:])), rune(binary.BigEndian.Uint32(b[at+4:])))
		}
	}
}

func (f *installedFont) addRange(from, to rune) {
	if from < 0 || to > 0x10ffff || from > to {
		return
	}
	for block := from >> 8; block <= to>>8; block++ {
		f.blocks[block/8] |= 1 << (block % 8)
	}
}

func (f *installedFont) mayHave(r rune) bool {
	block := r >> 8
	return f.blocks[block/8]&(1<<(block%8)) != 0
}

// open opens the font, or returns nil if it cannot be used.
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

// Covering returns the installed font that has the most of the given runes, and their
// number.
func (f *Fonts) Covering(runes []rune) (best *Face, covered int) {
	if f == nil || len(runes) == 0 {
		return nil, 0
	}
	for _, in := range f.find() {
		possible := 0
		for _, r := range runes {
			if in.mayHave(r) {
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
