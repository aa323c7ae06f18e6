package markup

import "testing"

func TestColumnsThatAreNotWhatTheySay(t *testing.T) {
	src := `<table><thead><tr><th data-type="number">N</th><th data-type="checkbox">C</th></tr></thead><tbody><tr><td>1</td><td>true</td></tr><tr><td>n/a</td><td></td></tr></tbody></table>`
	doc := Parse([]byte(src), Refs{})
	v := ReadTableData(doc.Nodes[0])
	if v.columns[0].Kind != "text" || v.columns[1].Kind != "checkbox" {
		t.Errorf("the columns are %s and %s", v.columns[0].Kind, v.columns[1].Kind)
	}
	if got := Text(doc.Nodes); got != "N C\n1 true\nn/a" && got == "" {
		t.Errorf("the text is %q", got)
	}
	want := `<table><thead><tr><th>N</th><th data-type="checkbox">C</th></tr></thead><tbody><tr><td>1</td><td>true</td></tr><tr><td>n/a</td><td></td></tr></tbody></table>` + "\n"
	if got := string(Print(doc, Refs{})); got != want {
		t.Errorf("got %s", got)
	}
}

// Hidden columns keep their position between the visible ones.
func TestHiddenColumnsKeepTheirPlace(t *testing.T) {
	src := `<table><thead><tr><th>A</th><th data-hidden>B</th><th>C</th></tr></thead><tbody><tr><td>1</td><td>2</td><td>3</td></tr></tbody></table>` + "\n"
	doc := Parse([]byte(src), Refs{})
	if got := string(Print(doc, Refs{})); got != src {
		t.Errorf("got %s", got)
	}
	view := doc.Nodes[0].Data["view"].(map[string]any)
	view["columns"] = []any{"c3", "c1"} // a client orders them anew
	want := `<table><thead><tr><th>C</th><th>A</th><th data-hidden>B</th></tr></thead><tbody><tr><td>3</td><td>1</td><td>2</td></tr></tbody></table>` + "\n"
	if got := string(Print(doc, Refs{})); got != want {
		t.Errorf("got %s", got)
	}
}

func TestTablesThatAreNotOurs(t *testing.T) {
	for name, src := range map[string]string{
		"text between":  "<table>text</table>",
		"two heads":     "<table><thead><tr><th>a</th></tr><tr><th>b</th></tr></thead></table>",
		"spanning head": "<table><thead><tr><th colspan=\"2\">a</th></tr></thead><tbody><tr><td>b</td><td>c</td></tr></tbody></table>",
		"no cells":      "<table></table>",
		"caption":       "<table><caption>x</caption><tr><td>a</td></tr></table>",
	} {
		doc := Parse([]byte(src), Refs{})
		if got, ok := doc.Nodes[0].RawSource(); !ok || got != src {
			t.Errorf("%s: it is not kept as it is", name)
		}
	}
}

func TestRichTitles(t *testing.T) {
	doc := Parse([]byte("| **A** |\n| - |\n| b |\n"), Refs{})
	def := doc.Nodes[0].Data["definition"].(map[string]any)["c1"].(map[string]any)
	if def["title"] != "A" {
		t.Errorf("the title is %q", def["title"])
	}
	def["title"] = "New" // a client that knows nothing of its rich form
	if got := string(Print(doc, Refs{})); got != "| New |\n| --- |\n| b   |\n" {
		t.Errorf("got %s", got)
	}
}
