package markup

// Labels are the words that HTML adds to a page, for readers who do not see
// what a thing looks like.
type Labels struct {
	Anchor                         string // link of a heading to itself
	ToDo, Done                     string // tasks
	Info, Success, Warning, Danger string // styles of hints
	Back                           string // from a footnote to the text
	Yes, No                        string // checkboxes of tables
	Rating                         string // format of a number of stars and the most there can be, both texts
	API                            APILabels
}

// EnglishLabels are the labels of HTMLOptions that have none.
var EnglishLabels = Labels{
	Anchor: "Link to this part", ToDo: "to do", Done: "done", Info: "Info", Success: "Success", Warning: "Warning", Danger: "Danger",
	Back: "Back to the text", Yes: "yes", No: "no", Rating: "%s of %s", API: englishAPILabels,
}

// hint returns the label of a style of hints; empty if there is no such style.
func (l *Labels) hint(style string) string {
	switch style {
	case "info":
		return l.Info
	case "success":
		return l.Success
	case "warning":
		return l.Warning
	case "danger":
		return l.Danger
	}
	return ""
}
