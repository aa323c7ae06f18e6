// Package search turns text into what a search index stores, and ranks the
// pages that answer a query. It is pure: no database, no clock, no files. Both
// databases use it, so they return the same results in the same order.
//
// A page becomes a Doc: its terms, each with an impact that says how much the
// page is about it. Docs become posting lists in a Segment, which the store
// keeps as rows. Query reads what somebody typed, a Lookup names the rows to
// read and ranks the pages in them, and a Matcher finds the words in a text.
package search

// Version is that of the analysis: an index that was made by another version
// does not fit the queries of this one and has to be built again.
const Version = 1

const (
	// maxTermRunes bounds a term; what is behind it in a longer word is not
	// distinguished.
	maxTermRunes = 40
	// maxParts bounds the parts of a word such as someLongIdentifier_name.
	maxParts = 12
	// maxTokens bounds what is indexed of one page. It is far above any page
	// that people read, and keeps a hostile one from taking minutes.
	maxTokens = 200_000
	// MaxQuery is how many characters of a query are looked at.
	MaxQuery = 512
	// maxQueryTerms bounds what a query looks for.
	maxQueryTerms = 24
)
