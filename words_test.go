package octavo_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// oldWords are words that only their author understood, or that have a plainer one
// in the Go standard library: returns, reports, is, tombstone, incremental.
var oldWords = regexp.MustCompile(`(?i)\b(rising|graves?|bury|buried|displaced|standing|stands?|retold|retell|settle[sd]?|told|tells|said|intake|errWhole)\b`)

// wordData are files in which words are data.
var wordData = map[string]string{
	"internal/support/topics/lexicon.go": "words that say nothing about a topic",
	"words_test.go":                      "this list",
}

// Names, comments, messages and docs use the words of the field.
func TestPlainWords(t *testing.T) {
	err := eachFile(func(file string) error {
		if ext := path.Ext(file); ext != ".go" && ext != ".md" || wordData[file] != "" {
			return nil
		}
		b, err := os.ReadFile(file)
		for i, line := range strings.Split(string(b), "\n") {
			if word := oldWords.FindString(line); word != "" {
				t.Errorf("%s:%d: use a plainer word than %q", file, i+1, word)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
