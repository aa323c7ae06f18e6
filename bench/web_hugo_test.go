package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Hugo's layouts have every element of the frame of Octavo's pages, with all icons.
func TestHugoFrameIsOurs(t *testing.T) {
	files, err := hugoFrame()
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range []string{"partials/open.html", "_default/single.html", "partials/header.html", "partials/navigation.html", "partials/foot.html"} {
		all.WriteString(files["framed/"+name])
	}
	f := emptyFrame()
	f.Canonical, f.Alternate, f.Image, f.Drawn, f.Feedback, f.Data = "/a", "/a.md", "/a.png", true, "/f", []any{struct{}{}}
	f.Navigation = []*theme.Link{{Title: "Group", Group: true, Children: []*theme.Link{{Title: "A", Href: "/a", Open: true, Children: []*theme.Link{{Title: "B", Href: "/b"}}}}}}
	link := &theme.Link{Title: "L", Href: "/l", Icon: "book"}
	page, err := theme.Render(f, &theme.Page{Title: "T", Breadcrumbs: []*theme.Link{link}, Actions: []*theme.Link{link}, Previous: link, Next: link})
	if err != nil {
		t.Fatal(err)
	}
	element := regexp.MustCompile(`<([a-z0-9]+(?: (?:class|rel|name|property)="[^"]*")?)`)
	for _, m := range element.FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(all.String(), "<"+m[1]) {
			t.Errorf("Hugo's page has no <%s", m[1])
		}
	}
	if left := drawn.FindString(all.String()); left != "" {
		t.Errorf("an icon is missing: %s", left)
	}
	if hint := sections.Replace("{% hint style=\"info\" %}\nText.\n{% endhint %}\n[a](b/README.md)"); hint != "{{% hint style=\"info\" %}}\nText.\n{{% /hint %}}\n[a](b/_index.md)" {
		t.Errorf("a source of Hugo: %s", hint)
	}
}
