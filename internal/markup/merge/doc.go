// Package merge compares versions of a document: Diff lists what was changed, block by
// block, and Merge applies the changes of one side to another, with the conflicts that a
// person has to decide (BlockConflict).
//
// Blocks of the top level are matched by their keys, what is inside of them by content and
// order, because keys there follow from the content. A merge goes as deep as the sides agree
// on the container: items, rows, cells, and words with their marks and links. It decides
// nothing: where both sides changed the same word, the block is a conflict. It proposes how
// a merged block is written; markup uses a proposal only if it reads as the block.
//
// Where a change goes:
//   - what counts as added, removed, edited or moved: diff.go
//   - the order of the result, and containers: merge.go; blocks that both sides wrote in one
//     place: replaced.go; tables: table.go; words of a text: words.go and glyphs.go
//   - how a merged block is written: lines.go
//   - which element of a list is which of another, and what a word is: markup/align
package merge
