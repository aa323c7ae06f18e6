// Package search analyses text for a search index and ranks the pages that match
// a query. It is pure: no database, no clock, no files. Both databases use it, so
// they return the same results in the same order.
//
// An Analyser turns a page into a Doc: its terms, each with an impact, which is
// the weight of the term in the page. A Segment collects the posting lists of
// many Docs; the store keeps its rows. Query parses the text of a query, a Lookup
// names the rows to read and ranks the pages in them, and a Matcher finds the
// matching words in a text, for snippets.
//
// Where a change goes:
//   - what search finds: raise Version if stored terms or their weights change
//   - what ranks a search result: weights of places in index.go, of words in query.go, the
//     formula in rank.go; when misspelled and missing words are tried in
//     store/searchrows/query.go; exported sites: site/publish/export/staticindex
package search

// Version is the version of the analysis. An index that was made by another
// version has to be rebuilt, because queries look for other terms.
const Version = 1

const (
	// maxTermRunes is the maximum length of a term. Longer words are truncated.
	maxTermRunes = 40
	// maxParts is the maximum number of parts of a word such as
	// someLongIdentifier_name.
	maxParts = 12
	// maxTokens is the maximum number of terms that are indexed of one page. No
	// page that people read has as many; it keeps a hostile page from taking
	// minutes.
	maxTokens = 200_000
	// MaxQuery is the number of characters of a query that are used.
	MaxQuery = 512
	// maxQueryTerms is the maximum number of terms of a query.
	maxQueryTerms = 24
)
