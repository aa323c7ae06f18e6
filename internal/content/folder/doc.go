// Package folder reads and writes documentation as a folder of Markdown files with a
// SUMMARY.md, the layout that GitBook keeps in git.
//
// A folder that was read and not changed is written byte for byte. A change rewrites only
// the lines that it affects, also in SUMMARY.md and .gitbook.yaml. Input is not trusted:
// paths that leave the folder, symbolic links, and archives that unpack to too much are
// refused or reported, never followed. Everything that cannot be read is reported as a
// Problem with its file and line.
//
// The package reads an fs.FS and writes to a Sink; it opens no files itself.
//
// Where a change goes:
//   - the folder layout: what is skipped in hidden.go; a folder in testdata/folders shows
//     each case
package folder
