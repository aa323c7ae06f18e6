// Package markup turns Markdown into block documents and back.
//
// Markdown bytes are the source of a page; the document is a view of them.
// Parse is deterministic and keeps the source span of every top-level block,
// so that printing a changed document rewrites the changed blocks alone and
// leaves every other byte as its writer left it. What the parser does not
// know is kept verbatim. The package does no I/O: references are resolved and
// located by the caller.
package markup
