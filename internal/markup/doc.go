// Package markup converts Markdown to block documents and back.
//
// The Markdown bytes are the source of a page; the document is a view of them.
// Parse is deterministic and records the source span of every top-level block.
// Printing a changed document therefore rewrites only the changed blocks and
// preserves every other byte. Syntax that the parser does not recognize is kept
// verbatim. The package does no I/O: the caller resolves and locates references.
//
// What carries it: Node and Document, the model; the table of types (type_table.go), whose
// rows say of each type what it holds and which functions parse, print, search and refer to
// it; converter, which makes nodes of goldmark's tree; printer, which makes Markdown of
// nodes; reprinter, which composes a changed source of old bytes and printed text. Below it
// are markup/grammar (Markdown as goldmark's tree), markup/syntax (tags and HTML, without their
// meaning) and markup/align (what two lists have in common), on top of it markup/merge (versions of a document) and the forms that
// readers see (markup/html, print/pdf).
//
// Where a change goes:
//   - a new type: a row in type_table.go and a file for its functions; CONTRIBUTING has the
//     steps
//   - the model: node.go, node_data.go, the names of data in fields.go, what a value may be in
//     values.go
//   - what a line or a piece of a line is: markup/grammar
//   - which node it becomes: parse.go, parse_blocks.go, parse_groups.go (what begins in one block and
//     ends in another), inline.go; tags: tags_blocks.go; HTML: parse_html.go, inline_html.go;
//     tables: table*.go
//   - what syntax of other tools becomes: boxes.go, markers_shown.go, literals.go; the old API blocks: tags_api.go
//   - what a person is told about a source: mistakes.go, conditions_lines.go
//   - printing: print.go for blocks, print_inline.go, print_escape.go, print_tags.go,
//     print_table.go, print_html.go
//   - exact edits of a source: which blocks keep their bytes in reprint.go; the edit inside of
//     a block in reprint_edit.go and source_edit*.go, with the positions from trace*.go; the
//     source of what moved in source_index.go and source_texts.go; links to pages that moved
//     in reprint_relocate.go
//   - keys of blocks: keys.go; which block keeps its key: rekey.go, skeleton.go
//   - what a client sends and gets: decode*.go, check_*.go, json.go; its description: schema.go
//   - what readers see: for_readers.go, evaluate.go; tables, code and dates
//     for all output formats: layout.go
//   - search and tables of contents: sections.go; references: references.go, replace_refs.go
package markup
