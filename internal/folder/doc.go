// Package folder reads and writes documentation as a folder of Markdown
// files with a SUMMARY.md, the layout that GitBook keeps in git.
//
// What was read is written back byte for byte, and what was changed is
// changed in its own lines: SUMMARY.md, .gitbook.yaml and the rest are kept
// as they were written. Input is not trusted: names that could leave the
// folder, symbolic links and archives that unpack to too much are refused or
// reported, never followed. What cannot be read as it was meant becomes a
// Problem with its file and line, never silence.
//
// The package reads an fs.FS and writes to a Sink; it opens no files itself.
package folder
