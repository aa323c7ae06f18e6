package search

// EachStem calls fn for the words of a text and their stems, in order, until fn
// returns false. Words are folded: lower case, without accents. A word such as
// someName is split into its parts, a run of a script without spaces into pairs of
// characters. In a language without a stemmer, the stem is the word.
func EachStem(text, language string, fn func(word, stem string) bool) {
	a := newAnalyser(language)
	eachWord(text, func(start, end int, unspaced bool) bool {
		more := true
		a.word(text, start, end, unspaced, func(f form) {
			if more && f.role == surface {
				more = fn(f.term.text, a.stem(f.term).text)
			}
		})
		return more
	})
}
