package search

// EachStem calls fn for the words of a text in a language, in order: each in lower
// case without accents, with its stem. A word such as someName is its parts, and a run
// of a script without blanks is its pairs of characters. A language without a stemmer
// has words as their own stems. It ends when fn returns false.
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
