// Package visualdiff shows how a page was changed: it merges two forms of its HTML
// into one, in which everything that was added, removed, edited or moved is marked.
//
// It works on what readers see, not on the source, and knows no block types but
// only elements: blocks are matched by what they hold, rows of tables and lines of
// code one by one, and texts word by word. A mark is an element (ins, del) or a
// class, never a colour alone, with a word for those who hear the page.
//
// The work is bounded. Pages that are too large or too different are shown as a
// removal followed by an addition.
package visualdiff
