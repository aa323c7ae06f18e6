package html

import "github.com/octavo-docs/octavo/internal/markup"

// Labels are the texts that HTML adds to a page, mostly for readers who cannot
// see its look.
type Labels struct {
	Anchor                         string       // link of a heading to itself
	ToDo, Done                     string       // tasks
	Info, Success, Warning, Danger string       // styles of hints
	Back                           string       // from a footnote to the text
	Yes, No                        string       // checkboxes of tables
	Elsewhere                      string       // in the place of a page whose content only another tool can make
	Rating                         string       // format with two %s: the number of stars and the maximum
	Dates                          markup.Dates // of updates
	API                            APILabels
}

// EnglishLabels are the default of HTMLOptions.Labels.
var EnglishLabels = Labels{
	Anchor: "Link to this part", ToDo: "to do", Done: "done", Info: "Info", Success: "Success", Warning: "Warning", Danger: "Danger",
	Back: "Back to the text", Yes: "yes", No: "no", Rating: "%s of %s", Dates: markup.EnglishDates, API: englishAPILabels,
	Elsewhere: "The content of this page is written for another program and cannot be shown here.",
}

// hint returns the label of a style of hints, or an empty string if there is no
// such style.
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

// APILabels are the words that are shown around API descriptions.
type APILabels struct {
	Authentication, NoAuthentication, Scopes, Servers               string
	PathParameters, QueryParameters, HeaderParameters, CookieValues string
	Body, Responses, ResponseHeaders, Callbacks, Models, Webhook    string
	Required, Deprecated, Until, ReadOnly, WriteOnly                string
	Default, Values, Always, Example, Request, Properties           string
	OneOf, AnyOf, ItemsOf, AnyName, Recursive, Try, Send, NoAnswer  string
	BaseURL                                                         string // what the paths of operations are appended to
	Kept                                                            string // about the credentials that a reader enters
}

var englishAPILabels = APILabels{
	Authentication: "Authentication", NoAuthentication: "None", Scopes: "Scopes", Servers: "Servers",
	PathParameters: "Path parameters", QueryParameters: "Query parameters", HeaderParameters: "Headers", CookieValues: "Cookies",
	Body: "Request body", Responses: "Responses", ResponseHeaders: "Response headers", Callbacks: "Callbacks", Models: "Models", Webhook: "Webhook",
	Required: "required", Deprecated: "deprecated", Until: "until", ReadOnly: "read-only", WriteOnly: "write-only",
	Default: "Default", Values: "Values", Always: "Always", Example: "Example", Request: "Example request", Properties: "Properties",
	OneOf: "One of", AnyOf: "Any of", ItemsOf: "Items", AnyName: "any name", Recursive: "see above", Try: "Try it", Send: "Send request", NoAnswer: "There was no answer.",
	BaseURL: "Base URL", Kept: "Kept in this browser tab until you close it.",
}
