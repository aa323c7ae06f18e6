package markup

import "github.com/octavo-docs/octavo/internal/docs"

// asCellMerge reads a cell that spans several rows or columns.
func asCellMerge(d *decoder, v any) (any, error) {
	return d.object(v, true, map[string]dataField{
		"anchor":  needed(asCellName),
		"rowSpan": optional(asWhole(1, maxSpan)),
		"colSpan": optional(asWhole(1, maxSpan)),
	})
}

func asCellName(d *decoder, v any) (any, error) {
	return d.object(v, true, map[string]dataField{"record": needed(asLine), "column": needed(asLine)})
}

var gridView = map[string]dataField{
	"type": needed(asOneOf("grid", "cards")), "columns": needed(asList(asLine)), "columnWidths": optional(asObject),
	"hideHeader": optional(asFlag), "useNewSizing": optional(asFlag), "stickyHeader": optional(asFlag), "stickyFirstColumn": optional(asFlag),
}

var cardsView = map[string]dataField{
	"type": needed(asOneOf("grid", "cards")), "columns": needed(asList(asLine)), "cardSize": optional(asOneOf("medium", "large")),
	"targetDefinition": optional(asLine), "coverDefinition": optional(asLine), "coverDefinitionDark": optional(asLine),
	"hideColumnTitle": optional(asFlag), "wrap": optional(asFlag),
}

var columnFields = map[string]dataField{
	"id": needed(asLine), "title": needed(asText), "type": needed(asOneOf(columnTypes...)),
	"textAlignment": optional(asOneOf(columnAlignments...)), "verticalAlignment": optional(asOneOf(verticalAlignments...)),
	"multiple": optional(asFlag), "max": optional(asNumber), "options": optional(asList(asOption)),
}

func asOption(d *decoder, v any) (any, error) {
	return d.object(v, false, map[string]dataField{"value": needed(asLine), "label": needed(asLine), "color": optional(asLine)})
}

// checkTable checks the columns, the view and the records of a table. A value
// must have the type of its column. names are the names of the table's fragments.
func (d *decoder) checkTable(data map[string]any, names map[string]bool) error {
	d.enter("data")
	types, err := d.checkColumns(data["definition"].(map[string]any))
	if err != nil {
		return err
	}
	if data["view"], err = d.checkView(data["view"].(map[string]any), types); err != nil {
		return err
	}
	if err := d.checkRecords(data["records"].(map[string]any), types, names); err != nil {
		return err
	}
	d.leave()
	return nil
}

// checkColumns checks the definition of a table and returns the types of its
// columns.
func (d *decoder) checkColumns(definition map[string]any) (map[string]string, error) {
	types := make(map[string]string, len(definition))
	d.enter("definition")
	for id, v := range sortedPairs(definition) {
		d.enter(id)
		column, err := d.object(v, false, columnFields)
		if err != nil {
			return nil, err
		}
		definition[id], types[id] = column, column["type"].(string)
		d.leave()
	}
	d.leave()
	return types, nil
}

// checkView checks how a table is displayed. types are the types of its columns.
func (d *decoder) checkView(view map[string]any, types map[string]string) (map[string]any, error) {
	d.enter("view")
	fields := gridView
	if view["type"] == "cards" {
		fields = cardsView
	}
	view, err := d.object(view, false, fields)
	if err != nil {
		return nil, err
	}
	columns := view["columns"].([]any)
	seen := make(map[string]bool, len(columns))
	for i, v := range columns {
		id := v.(string)
		if types[id] == "" || seen[id] {
			d.enter("columns")
			d.enterIndex(i)
			return nil, d.fail("must name a column of the definition, each once, and is %s", quoted(id))
		}
		seen[id] = true
	}
	for _, key := range []string{"targetDefinition", "coverDefinition", "coverDefinitionDark"} {
		if id, ok := view[key].(string); ok && types[id] == "" {
			return nil, d.failAt(key, "names the column %s that the definition does not have", quoted(id))
		}
	}
	if widths, ok := view["columnWidths"].(map[string]any); ok {
		for id, w := range sortedPairs(widths) {
			if _, ok := w.(float64); !ok {
				return nil, d.failAt("columnWidths", "must have a number for %s", quoted(id))
			}
		}
	}
	d.leave()
	return view, nil
}

// checkRecords checks the rows of a table, see checkTable.
func (d *decoder) checkRecords(records map[string]any, types map[string]string, names map[string]bool) error {
	d.enter("records")
	// A displayed row has a cell for every column, with or without a value.
	cells := len(records) * len(types)
	if cells > maxTableCells {
		return d.fail("makes a table of more than %d cells; split it", maxTableCells)
	}
	if d.cells += cells; d.cells > maxCells {
		return d.fail("makes more than %d cells of tables in one document; split the page", maxCells)
	}
	for id, v := range sortedPairs(records) {
		d.enter(id)
		record, err := d.object(v, false, map[string]dataField{"orderIndex": needed(asLine), "values": needed(asObject)})
		if err != nil {
			return err
		}
		records[id] = record
		values := record["values"].(map[string]any)
		d.enter("values")
		for column, v := range sortedPairs(values) {
			d.enter(column)
			kept, err := d.cell(types[column], v, names)
			if err != nil {
				return err
			}
			values[column] = kept
			d.leave()
		}
		d.leave()
		d.leave()
	}
	d.leave()
	return nil
}

func (d *decoder) cell(columnType string, v any, names map[string]bool) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch columnType {
	case "":
		return nil, d.fail("belongs to no column of the definition")
	case "text":
		name, ok := v.(string)
		if !ok || name != "" && !names[name] {
			return nil, d.fail("must be the name of a fragment of this table that no other cell names")
		}
		names[name] = false // each fragment may be used once: in many cells it would multiply the size of the output
		return name, d.spend(len(name))
	case "number", "rating":
		return asNumber(d, v)
	case "checkbox":
		return asFlag(d, v)
	case "content-ref":
		return asRef(refKinds...)(d, v)
	case "image":
		if m, ok := v.(map[string]any); ok && m["kind"] == nil && m["ref"] != nil {
			return d.object(v, true, map[string]dataField{
				"ref": needed(asRef(docs.RefFile, docs.RefURL)), "objectFit": optional(asOneOf(objectFits...)), "alt": optional(asText),
			})
		}
		return asRef(docs.RefFile, docs.RefURL)(d, v)
	}
	return asList(asLine)(d, v) // files, users, select
}
