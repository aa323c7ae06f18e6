// Package markup converts Markdown to block documents and back.
//
// The Markdown bytes are the source of a page; the document is a view of them.
// Parse is deterministic and records the source span of every top-level block.
// Printing a changed document therefore rewrites only the changed blocks and
// preserves every other byte. Syntax that the parser does not recognize is kept
// verbatim. The package does no I/O: the caller resolves and locates references.
package markup
