// Package visualdiff shows how a page was changed. It merges two versions of the page's
// HTML into one, in which everything that was added, removed, edited or moved is
// marked.
//
// It compares the HTML that readers see instead of the source. It has no notion of
// block types, only of elements: blocks are matched by their content, table rows and
// lines of code one by one, and texts word by word. A mark is an element (ins, del) or
// a class, never a colour alone, with a label for screen readers.
//
// The amount of work is limited. Parts that are too large or too different are shown as
// a removal followed by an addition.
//
// Where a change goes:
//   - how the changes of a draft are shown: what became what in match.go; the banner and
//     the list of pages in site/publish/page/review.go
package visualdiff
