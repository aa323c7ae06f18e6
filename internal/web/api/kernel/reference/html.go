package reference

import (
	"bytes"
	_ "embed"
	"html/template"
)

//go:embed reference.html
var page string

// HTML returns the reference of one version as a web page.
func HTML(version string, sections []Section) ([]byte, error) {
	t, err := template.New("reference").Parse(page)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{"Version": version, "Sections": sections})
	return out.Bytes(), err
}
