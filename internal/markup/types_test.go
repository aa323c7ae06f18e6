package markup

import (
	"fmt"
	"strings"
	"testing"
)

// Every field has a description, in the words of the error for invalid values.
func TestTypesAreDescribed(t *testing.T) {
	var out strings.Builder
	for _, typ := range Types() {
		for _, f := range typ.Fields {
			if f.Takes == "" {
				t.Errorf("%s.%s does not say what it takes", typ.Name, f.Name)
			}
			fmt.Fprintf(&out, "%s.%s %s\n", typ.Name, f.Name, f.Takes)
		}
	}
	for _, want := range []string{
		"paragraph.align one of start, center, end\n", "hint.icon string\n", "list-item.checked true or false\n",
		"openapi-schemas.schemas list; each string\n", "image.ref reference of kind url, file\n", "list-ordered.start whole number from 0 to 2147483647\n",
		"update.date date such as 2026-01-31",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}
