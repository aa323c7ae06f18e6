package content

import (
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

// The path of the source of a page in a folder, and what is kept beside it,
// is nothing that a reader sees.
func TestWhatNobodySees(t *testing.T) {
	p := docs.Page{ID: "p", Title: "T", Body: "b"}
	q := docs.Page{ID: "p", Title: "T", Body: "b", Sidecar: "s", File: "f.md", OID: "o", Pinned: true, Rank: "r", Parent: "x", UpdatedAt: 5}
	if pageDiffers(p, q) {
		t.Error("a page differs")
	}
	if q.Body = "c"; !pageDiffers(p, q) {
		t.Error("another body is not seen")
	}
	f := Pair[docs.File]{&docs.File{Name: "a", Blob: "b"}, &docs.File{Name: "a", Blob: "b", Path: "x/a", OID: "o"}}
	if fileDiffers(f) {
		t.Error("a file differs")
	}
	if f.After.Blob = "c"; !fileDiffers(f) {
		t.Error("other bytes are not seen")
	}
	r := Pair[docs.Reusable]{&docs.Reusable{Title: "a", Body: "b"}, &docs.Reusable{Title: "a", Body: "b", Sidecar: "s", File: "f"}}
	if reusableDiffers(r) {
		t.Error("a reusable content differs")
	}
	if r.After.Title = "c"; !reusableDiffers(r) {
		t.Error("another title is not seen")
	}
}
