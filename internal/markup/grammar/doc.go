// Package grammar parses Markdown into goldmark's tree: CommonMark with tables, and the blocks
// and inlines that are only here. It decides where something begins and ends, and what
// limits a source has; which node of a document it becomes is decided in markup.
//
// Read returns the tree and its Scan, what was found on the way. The nodes that CommonMark does not
// have are TagBlock, ElementBlock, MathBlock, FootnoteBlock, BoxBlock and RawBlock (kept as
// it is), and Atom for inlines. Marker is a line of another tool.
//
// Where a change goes:
//   - limits, and the order in which parsers are asked: grammar.go
//   - a block: blocks.go; boxes of MkDocs: boxes.go; lines of other tools: markers.go
//   - an inline: inlines.go; addresses without marks: addresses.go; addresses that CommonMark
//     refuses: links.go; marks beside Asian punctuation: delimiters.go
package grammar
