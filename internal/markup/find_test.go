package markup

import "testing"

const findSource = `First.

{% hint style="info" %}
Inside.

* an item
{% endhint %}

| Name | Depth |
| ---- | ----- |
| East | 4 m   |
| West |       |
`

func TestFindAnyNode(t *testing.T) {
	doc := Parse([]byte(findSource), Refs{})
	seen := 0
	var walk func(nodes []*Node)
	walk = func(nodes []*Node) {
		for _, n := range nodes {
			if got := Find(doc, n.Key); got != n {
				t.Errorf("%s %s %q is found as %v", n.Object, n.Type, n.Key, got)
			}
			seen++
			walk(n.Nodes)
			walk(n.Fragments)
		}
	}
	walk(doc.Nodes)
	if seen < 15 {
		t.Errorf("only %d nodes were looked for", seen)
	}
	for _, key := range []string{"", "nothing"} {
		if n := Find(doc, key); n != nil {
			t.Errorf("%q is found as %v", key, n)
		}
	}
}

func TestCellText(t *testing.T) {
	doc := Parse([]byte(findSource), Refs{})
	table := doc.Nodes[len(doc.Nodes)-1]
	for _, c := range []struct {
		n                  *Node
		record, definition string
		text               string
		ok                 bool
	}{
		{table, "r1", "c1", "East", true},
		{table, "r1", "c2", "4 m", true},
		{table, "r2", "c2", "", true},
		{table, "r3", "c1", "", false},
		{table, "r1", "c3", "", false},
		{table, "", "", "", false},
		{doc.Nodes[0], "r1", "c1", "", false},
	} {
		if text, ok := CellText(c.n, c.record, c.definition); text != c.text || ok != c.ok {
			t.Errorf("cell %s %s: %q %v", c.record, c.definition, text, ok)
		}
	}
}
