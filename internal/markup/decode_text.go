package markup

import "slices"

func (d *decoder) textNode(m map[string]any) (*Node, error) {
	n := &Node{Object: ObjectText, Key: nodeKey(m)}
	d.enter("leaves")
	list, ok := m["leaves"].([]any)
	if !ok {
		return nil, d.fail("must be a list")
	}
	for i, v := range list {
		d.enterIndex(i)
		if err := d.countNode(); err != nil {
			return nil, err
		}
		leaf, err := d.leaf(v)
		if err != nil {
			return nil, err
		}
		n.Leaves = append(n.Leaves, leaf)
		d.leave()
	}
	d.leave()
	return n, nil
}

func (d *decoder) leaf(v any) (Leaf, error) {
	var leaf Leaf
	m, ok := v.(map[string]any)
	if !ok || m["object"] != "leaf" {
		return leaf, d.failAt("object", `must be "leaf"`)
	}
	if leaf.Text, ok = m["text"].(string); !ok {
		return leaf, d.failAt("text", "must be a string")
	}
	if err := d.spend(len(leaf.Text)); err != nil {
		return leaf, err
	}
	if raw, given := m["raw"]; given && raw != nil {
		if leaf.Raw, ok = raw.(bool); !ok {
			return leaf, d.failAt("raw", "must be true or false")
		}
	}
	d.enter("marks")
	list, ok := m["marks"].([]any)
	if m["marks"] != nil && !ok {
		return leaf, d.fail("must be a list")
	}
	if len(list) > maxMarks {
		return leaf, d.fail("must have at most %d marks", maxMarks)
	}
	for i, v := range list {
		d.enterIndex(i)
		mark, err := d.mark(v)
		if err != nil {
			return leaf, err
		}
		leaf.Marks = append(leaf.Marks, mark)
		d.leave()
	}
	d.leave()
	return leaf, nil
}

func (d *decoder) mark(v any) (Mark, error) {
	m, ok := v.(map[string]any)
	if !ok || m["object"] != "mark" {
		return Mark{}, d.failAt("object", `must be "mark"`)
	}
	mark := Mark{}
	if mark.Type, _ = m["type"].(string); !slices.Contains(markTypes, mark.Type) {
		return mark, d.failAt("type", "is %s, which is not a type of mark", quoted(mark.Type))
	}
	if m["data"] == nil {
		if markFields[mark.Type] != nil {
			return mark, d.failAt("data", "is required for the mark %s", mark.Type)
		}
		return mark, nil
	}
	d.enter("data")
	data, err := d.object(m["data"], true, markFields[mark.Type])
	if err != nil {
		return mark, err
	}
	d.leave()
	for k, v := range data {
		if mark.Data == nil {
			mark.Data = map[string]string{}
		}
		mark.Data[k] = v.(string)
	}
	return mark, nil
}
