// Package docs defines the types that all other packages share, and rules that depend
// only on these types: IDs, roles, organizations, teams, collections, spaces, pages,
// references, and the inheritance of access.
//
// It does no I/O, does not depend on HTTP, SQL or Markdown, and imports only small
// packages without I/O.
//
// Where a change goes:
//   - limits of pages: page.go; of titles in files: markup/frontmatter/title.go; of other fields
//     that people send: the tag on the input field in web/api
//   - the fields of a page, and how two versions of them are merged: pagefields.go
//   - redirects of sites: what a source matches in redirect.go, where it leads and loops
//     in site/sites/redirects.go
package docs
