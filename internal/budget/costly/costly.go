// Package costly names the work that must not be done inside of a transaction:
// all other writers of the database would wait for it. Tests observe it.
package costly

import "sync/atomic"

// Kinds of work.
const (
	Parse   = "parse"   // Markdown
	Print   = "print"   // Markdown
	Hash    = "hash"    // content
	Analyse = "analyse" // words for the search index
)

var observer atomic.Pointer[func(kind string)]

// Note is called by whatever does such work.
func Note(kind string) {
	if fn := observer.Load(); fn != nil {
		(*fn)(kind)
	}
}

// Observe lets a test see each piece of work, on the goroutine that does it,
// until it calls the function that is returned.
func Observe(fn func(kind string)) (end func()) {
	observer.Store(&fn)
	return func() { observer.Store(nil) }
}
