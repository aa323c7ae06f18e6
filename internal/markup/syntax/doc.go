// Package syntax reads what CommonMark does not have: tags (`{% hint style="info" %}`) with
// their attributes, and elements of HTML. It knows their form and not what they mean: which
// tags and elements become blocks is decided in markup.
//
// The types that carry it are Tag and Attributes, Element, and Outline, which knows for a
// whole source which element, formula or raw section ends where, so that the parser of blocks
// never reads ahead. Nothing here takes more than linear time, whatever the source is.
//
// Where a change goes:
//   - where a tag ends, how its attributes are read and quoted: tags.go
//   - which lines begin what ends many lines later: outline.go
//   - the tree of a piece of HTML, and its texts: dom.go
package syntax
