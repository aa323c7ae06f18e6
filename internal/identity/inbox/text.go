package inbox

import (
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/markup"
)

// maxQuote is the maximum number of characters of a comment in a notice.
const maxQuote = 300

// Title returns the title of the change request or space of a notice, in one short line.
func Title(n docs.Notice) string {
	switch {
	case n.Subject != "":
		return mail.Line(n.Subject)
	case n.Number > 0:
		return fmt.Sprintf("Change request #%d", n.Number)
	}
	return mail.Line(n.SpaceTitle)
}

// subject returns the subject of a mail about one notice.
func subject(n docs.Notice) string {
	return fmt.Sprintf(sentences[n.Kind][0], mail.Name(n.ActorName, "Somebody")) + ": " + subjectTitle(n)
}

// subjectTitle is like Title, for the subject of a mail.
func subjectTitle(n docs.Notice) string {
	if n.Number > 0 {
		return mail.Name(n.Subject, fmt.Sprintf("Change request #%d", n.Number))
	}
	return mail.Name(n.SpaceTitle, "a space")
}

// Place returns the number and the space of the change request of a notice. It is empty for a notice
// about a space.
func Place(n docs.Notice) string {
	if n.Number == 0 {
		return ""
	}
	return fmt.Sprintf("#%d in %s", n.Number, mail.Line(n.SpaceTitle))
}

// Address returns the path of the page that shows the subject of a notice.
func Address(n docs.Notice) string {
	at := "/o/" + string(n.Org) + "/s/" + string(n.Space)
	if n.Number > 0 {
		at += fmt.Sprintf("/~/changes/%d", n.Number)
	}
	switch {
	case n.Reply != "":
		at += "#c-" + string(n.Reply)
	case n.Comment != "":
		at += "#c-" + string(n.Comment)
	}
	return at
}

// titleAndPlace returns the title and the place of a notice.
func titleAndPlace(n docs.Notice) string {
	if p := Place(n); p != "" {
		return Title(n) + " (" + p + ")"
	}
	return Title(n)
}

// Quote returns the beginning of the comment or reply as plain text.
func Quote(n docs.Notice) string {
	if n.Body == "" {
		return ""
	}
	unknown := markup.Refs{
		Resolve: func(string, markup.Use) (ref docs.Ref, ok bool) { return ref, false },
		Locate:  func(docs.Ref, markup.Use) (string, bool) { return "", false },
	}
	return mail.Excerpt(markup.Text(markup.Parse([]byte(n.Body), unknown).Nodes), maxQuote)
}

// sentences holds the texts for one event and for several events of a kind.
var sentences = map[docs.NoticeKind][2]string{
	docs.NoticeReviewRequested: {"%s asks you for a review", "Asked for a review %d times by %s"},
	docs.NoticeMentioned:       {"%s mentioned you", "%d mentions of you by %s"},
	docs.NoticeReplied:         {"%s replied to you", "%d replies to you by %s"},
	docs.NoticeReviewed:        {"%s reviewed your change request", "%d reviews by %s"},
	docs.NoticeCommented:       {"%s commented on your change request", "%d comments by %s"},
	docs.NoticeMerged:          {"%s merged your change request", "Merged %d times by %s"},
	docs.NoticeConflicted:      {"Your change request has conflicts since %s updated it", "Conflicts in %d updates by %s"},
}

// Sentence describes the event of a notice, such as "Ada mentioned you".
func Sentence(n docs.Notice) string { return fmt.Sprintf(sentences[n.Kind][0], actor(n)) }

func actor(n docs.Notice) string {
	if name := mail.Line(n.ActorName); name != "" {
		return name
	}
	return "Somebody"
}

// group holds all notices about one change request, or about one space.
type group struct {
	newest  docs.Notice
	notices []docs.Notice
}

// grouped groups notices by change request or space, in the order of their first notice.
func grouped(all []docs.Notice) []group {
	type thing struct {
		space   docs.SpaceID
		request docs.ChangeRequestID
	}
	var out []group
	at := map[thing]int{}
	for _, n := range all {
		t := thing{n.Space, n.Request}
		i, known := at[t]
		if !known {
			i = len(out)
			at[t] = i
			out = append(out, group{newest: n})
		}
		out[i].notices = append(out[i].notices, n)
	}
	return out
}

// summary describes the events of the group in one line.
func (g group) summary() string {
	var parts []string
	for _, k := range docs.NoticeKinds {
		var of []docs.Notice
		for _, n := range g.notices {
			if n.Kind == k {
				of = append(of, n)
			}
		}
		switch len(of) {
		case 0:
		case 1:
			parts = append(parts, Sentence(of[0]))
		default:
			parts = append(parts, fmt.Sprintf(sentences[k][1], len(of), names(of)))
		}
	}
	return strings.Join(parts, ". ")
}

// names returns the names of the actors, at most three of them.
func names(of []docs.Notice) string {
	const most = 3
	var list []string
	seen := map[docs.UserID]bool{}
	for _, n := range of {
		if !seen[n.Actor] {
			seen[n.Actor] = true
			list = append(list, actor(n))
		}
	}
	switch n := len(list); {
	case n == 1:
		return list[0]
	case n > most:
		return strings.Join(list[:most], ", ") + " and others"
	default:
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
}
