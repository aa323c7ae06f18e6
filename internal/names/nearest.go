package names

import "strings"

// Nearest returns the known name that somebody probably meant who wrote another one, or ""
// if none is similar. Case, hyphens and underscores do not count.
func Nearest(name string, known []string) string {
	at, best, least := letters(name), "", 0
	most := max(1, (len(at)+1)/3) // two letters of five can be swapped
	for _, k := range known {
		to := letters(k)
		if diff := len(at) - len(to); diff > most || -diff > most || to == "" {
			continue
		}
		far := distance(at, to)
		if far <= most && far < len(to) && (best == "" || far < least) {
			best, least = k, far
		}
	}
	return best
}

// letters returns a name as Nearest compares it.
func letters(name string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(shortened(name))
}
