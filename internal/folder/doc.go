// Package folder reads and writes documentation as a folder of Markdown
// files with a SUMMARY.md, the layout that GitBook keeps in git.
//
// A folder that was read and not changed is written byte for byte; a change
// rewrites only the lines that it concerns, also in SUMMARY.md and
// .gitbook.yaml. Input is not trusted: paths that leave the folder, symbolic
// links, and archives that unpack to too much are refused or reported, never
// followed. Whatever cannot be read is a Problem with its file and line.
//
// The package reads an fs.FS and writes to a Sink; it opens no files itself.
package folder
