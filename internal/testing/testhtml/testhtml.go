// Package testhtml checks that HTML is safe in a page.
package testhtml

import (
	stdhtml "html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

// The elements and attributes that may occur in HTML output. The lists are
// maintained separately from the code that they verify.
var (
	outputElements = strings.Fields(`a abbr article aside b bdi bdo blockquote br button caption center cite code col colgroup dd del
		details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 header hr i img input ins kbd li mark ol p picture pre q rp rt ruby s samp
		section small source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr`)
	outputAttributes = strings.Fields(`align alt aria-disabled aria-hidden aria-label checked class colspan data-action data-block
		data-collapsed-lines data-dark data-host data-icon data-integration data-language data-method data-name data-path data-player data-props data-query data-slug data-spec
		data-video datetime decoding dir disabled download fetchpriority height href id loading media name open role rowspan scope rel sizes src srcset start tabindex target title type width`)
	safeAddress = regexp.MustCompile(`^(https?:|mailto:|tel:|[^:/?#]*([/?#]|$))`)
	className   = regexp.MustCompile(`^[A-Za-z0-9_+#. -]*$`)
)

// Check parses output as a browser would and reports everything that is not
// in the lists.
func Check(t testing.TB, out string) {
	t.Helper()
	if strings.ContainsRune(out, 0) {
		t.Errorf("a NUL in\n%q", out)
	}
	page, err := html.Parse(strings.NewReader(`<!DOCTYPE html><html><head></head><body><main>` + out + `</main><footer></footer></body></html>`))
	if err != nil {
		t.Errorf("%v in\n%s", err, out)
		return
	}
	var body *html.Node
	for n := range page.Descendants() {
		if n.Type == html.ElementNode && n.Data == "body" {
			body = n
		}
	}
	var around []string
	for n := range body.ChildNodes() {
		around = append(around, n.Data)
	}
	if !slices.Equal(around, []string{"main", "footer"}) || body.LastChild.FirstChild != nil {
		t.Errorf("it leaves its place (%q):\n%s", around, out)
	}
	for n := range body.FirstChild.Descendants() {
		switch n.Type {
		case html.TextNode:
		case html.ElementNode:
			switch {
			case n.Namespace == "svg" && (n.Data == "svg" || n.Data == "path"):
				checkIcon(t, n, out)
				continue
			case n.Namespace != "" || !slices.Contains(outputElements, n.Data):
				t.Errorf("the element %s in\n%s", n.Data, out)
			}
			for _, a := range n.Attr {
				checkAttribute(t, n.Data, a, out)
			}
		default:
			t.Errorf("a node of type %d in\n%s", n.Type, out)
		}
	}
}

// iconForms are the forms of the attributes of icons.
var iconForms = map[string]*regexp.Regexp{
	"class": className, "viewBox": regexp.MustCompile(`^0 0 [0-9]+ [0-9]+$`), "aria-hidden": regexp.MustCompile(`^true$`), "d": regexp.MustCompile(`^[-0-9A-Za-z., ]+$`),
}

// checkIcon checks the attributes of an icon's element, which must be a path and
// nothing else.
func checkIcon(t testing.TB, n *html.Node, out string) {
	t.Helper()
	for _, a := range n.Attr {
		if form := iconForms[a.Key]; form == nil || !form.MatchString(a.Val) {
			t.Errorf("the attribute %s=%q of an icon in\n%s", a.Key, a.Val, out)
		}
	}
}

func checkAttribute(t testing.TB, element string, a html.Attribute, out string) {
	t.Helper()
	if a.Namespace != "" || !slices.Contains(outputAttributes, a.Key) {
		t.Errorf("the attribute %s of %s in\n%s", a.Key, element, out)
	}
	switch a.Key {
	case "href", "src", "srcset", "data-player":
		if Dangerous(a.Val) {
			t.Errorf("the address %q in\n%s", a.Val, out)
		}
	case "class":
		if !className.MatchString(a.Val) {
			t.Errorf("the class %q in\n%s", a.Val, out)
		}
	case "id", "name":
		if strings.ContainsAny(a.Val, " \t\n\"'<>") {
			t.Errorf("the id %q in\n%s", a.Val, out)
		}
	case "type":
		if a.Val != "checkbox" && a.Val != "button" {
			t.Errorf("the type %q in\n%s", a.Val, out)
		}
	}
}

// Dangerous reports whether the most lenient reader could take s for an unsafe
// address.
func Dangerous(s string) bool {
	for range 8 {
		bare := strings.ToLower(strings.Map(func(r rune) rune {
			if r <= ' ' || unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == 0xfffd {
				return -1
			}
			return r
		}, s))
		if !safeAddress.MatchString(strings.ReplaceAll(bare, "\uff1a", ":")) {
			return true
		}
		s = stdhtml.UnescapeString(s)
	}
	return false
}
