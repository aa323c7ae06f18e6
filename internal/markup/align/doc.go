// Package align finds what two lists have in common, and what three versions of a list are
// together. Its elements are hashes, kinds, words or lines, not nodes: packages that compare
// documents, sources or HTML have the same notion of what stayed, what was edited and what
// is new.
//
// All functions take time that grows with the lists and their differences within limits, so
// that they can be called with what a client sent.
//
// Where a change goes:
//   - how a hash is made of parts: hash.go. Hashes are stored as keys of blocks: a change
//     gives other keys
//   - which element of a list is which of another one: lists.go
//   - what a word is, and the shortest difference between two texts: words.go
//   - three versions of lines or words: threeway.go
package align
