package markup

// Limits of displayed tables.
const (
	maxShownCells  = 200_000 // rows times columns
	maxShownRating = 20
)

// cellSpan is the number of rows and columns that a cell spans. covered is true
// if another cell spans it.
type cellSpan struct {
	rows, columns int
	covered       bool
}

// readMerges returns the cells that span others and the cells that are covered,
// by row and column. A span that would extend beyond the table or overlap with
// another one is ignored.
func readMerges(t *TableData) map[[2]int]cellSpan {
	merges, _ := t.node.value(FieldCellMerges).([]any)
	if len(merges) == 0 {
		return nil
	}
	rows := make(map[string]int, len(t.Rows))
	for i, r := range t.Rows {
		rows[r.ID] = i
	}
	out := map[[2]int]cellSpan{}
	for _, v := range merges {
		m, _ := v.(map[string]any)
		at, _ := m["anchor"].(map[string]any)
		y, ok := rows[str(at, "record")]
		x, known := t.place[str(at, "column")]
		if !ok || !known {
			continue
		}
		height, width := spanOf(m["rowSpan"]), spanOf(m["colSpan"])
		if y+height > len(t.Rows) || x+width > len(t.columns) || anyCell(out, y, x, height, width) {
			continue
		}
		for dy := range height {
			for dx := range width {
				out[[2]int{y + dy, x + dx}] = cellSpan{covered: true}
			}
		}
		out[[2]int{y, x}] = cellSpan{rows: height, columns: width}
	}
	return out
}

func spanOf(v any) int {
	f, ok := num(v)
	if !ok || f < 1 {
		return 1
	}
	return int(min(f, maxSpan))
}

func anyCell(taken map[[2]int]cellSpan, y, x, height, width int) bool {
	for dy := range height {
		for dx := range width {
			if _, ok := taken[[2]int{y + dy, x + dx}]; ok {
				return true
			}
		}
	}
	return false
}
