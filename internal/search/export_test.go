package search

// Token is a term and where in the text it comes from.
type Token struct {
	Term       string
	Start, End int
}

// Terms returns what a text is found by. A word is found by itself without case
// and accents, and by its stem; an identifier such as fooBar, foo_bar or
// v1.2.3 as a whole and by its parts; a script without blanks by pairs of
// characters.
func Terms(text, language string) []Token {
	var out []Token
	a := newAnalyser(language)
	eachWord(text, func(start, end int, unspaced bool) bool {
		a.word(text, start, end, unspaced, func(f form) {
			out = append(out, Token{f.term.text, f.start, f.end})
		})
		return len(out) < maxTokens
	})
	return out
}

// Analyse returns the terms of a page.
func Analyse(p Page) Doc {
	var a Analyser
	return a.Doc(p)
}

// Add adds a page. Its id must be larger than those of the pages before it.
func (s *Segment) Add(id int64, d Doc) { s.AddEncoded(id, d.Encode()) }
