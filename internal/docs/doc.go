// Package docs has the types that all other packages share, and rules that need
// nothing but them: ids, roles, organizations, teams, collections, spaces, pages,
// references, and how access is inherited.
//
// It does no I/O, knows neither HTTP, SQL nor Markdown, and imports only small
// packages without I/O.
package docs
