package customization

import "slices"

// For returns the settings as a visitor receives them. visible reports whether a
// condition holds for the visitor. Links of the header whose condition does not
// hold are left out with everything in them. The result contains no condition and
// no instructions for the assistant: both tell what is not shown.
func (s Settings) For(visible func(condition string) bool) Settings {
	links := slices.Clone(s.Header.Links)
	links = slices.DeleteFunc(links, func(l HeaderLink) bool { return l.Condition != "" && !visible(l.Condition) })
	for i := range links {
		links[i].Condition = ""
	}
	s.Header.Links = orEmpty(links)
	s.AI.Instructions = ""
	return s
}
