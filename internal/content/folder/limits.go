package folder

// Limits are the limits of Read. A field that is zero or negative has the value of
// DefaultLimits.
type Limits struct {
	Files    int   // in the folder or the archive
	Depth    int   // of nested folders, and of pages in the navigation
	Entries  int   // in SUMMARY.md
	Markdown int64 // bytes of one Markdown file
	Asset    int64 // bytes of any other file
	Memory   int64 // bytes of all Markdown files together; they are held in memory
	Unpacked int64 // bytes of everything in an archive
	Problems int   // that are listed; further ones are only counted
}

// DefaultLimits are slightly above the limits of GitBook.
var DefaultLimits = Limits{
	Files:    100_000,
	Depth:    64,
	Entries:  100_000,
	Markdown: 5 << 20,
	Asset:    100 << 20,
	Memory:   512 << 20,
	Unpacked: 4 << 30,
	Problems: 10_000,
}

const (
	// maxConfig is the maximum size of a YAML file in bytes.
	maxConfig = 1 << 20
	// maxComputed is the maximum size of the YAML of a computed page in SUMMARY.md, in
	// bytes.
	maxComputed = 64 << 10
	// maxLine is the maximum length of a line of SUMMARY.md in bytes.
	maxLine = 4 << 10
)

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	pick(&l.Files, d.Files)
	pick(&l.Depth, d.Depth)
	pick(&l.Entries, d.Entries)
	pick(&l.Markdown, d.Markdown)
	pick(&l.Asset, d.Asset)
	pick(&l.Memory, d.Memory)
	pick(&l.Unpacked, d.Unpacked)
	pick(&l.Problems, d.Problems)
	return l
}

func pick[T int | int64](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}
