package markup

import (
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// The data of a table. checkTable checks the columns, the view and the records, since
// each depends on the columns.
var (
	asColumns = valueType{kind: mapKind, each: &asColumn, read: readObject}
	asView    = valueType{kind: objectKind, fields: gridView, or: &asCards, read: readObject}
	asCards   = asObjectOf(false, cardsView)
	asRecords = valueType{kind: mapKind, each: &asRecord, read: readObject}

	asColumn = asObjectOf(false, columnFields)
	asRecord = asObjectOf(false, fieldsOf(needed(TextField{"orderIndex"}, asLine), needed(ObjectField{"values"}, asObject)))

	// asCellMerge is a cell that spans several rows or columns.
	asCellMerge = asObjectOf(true, fieldsOf(
		needed(ObjectField{"anchor"}, asCellName),
		otherwise(NumberField{"rowSpan"}, asWhole(1, maxSpan), 1),
		otherwise(NumberField{"colSpan"}, asWhole(1, maxSpan), 1),
	))
	asCellName = asObjectOf(true, fieldsOf(needed(TextField{"record"}, asLine), needed(TextField{"column"}, asLine)))

	// asCellImage is an image in a cell with more than its reference.
	asCellImage = asObjectOf(true, fieldsOf(
		needed(FieldRef, asRef(docs.RefFile, docs.RefURL)), optional(TextField{"objectFit"}, asOneOf(ObjectFits...)), optional(FieldAlt, asText),
	))
)

var gridView = fieldsOf(
	needed(TextField{"type"}, asOneOf("grid", "cards")), needed(TextsField{"columns"}, asList(asLine)), optional(ObjectField{"columnWidths"}, asObject),
	flag(FlagField{"hideHeader"}), flag(FlagField{"useNewSizing"}), flag(FlagField{"stickyHeader"}), flag(FlagField{"stickyFirstColumn"}),
)

var cardsView = fieldsOf(
	needed(TextField{"type"}, asOneOf("grid", "cards")), needed(TextsField{"columns"}, asList(asLine)), optional(TextField{"cardSize"}, asOneOf("medium", "large")),
	optional(TextField{"targetDefinition"}, asLine), optional(TextField{"coverDefinition"}, asLine), optional(TextField{"coverDefinitionDark"}, asLine),
	flag(FlagField{"hideColumnTitle"}), flag(FlagField{"wrap"}),
)

var columnFields = fieldsOf(
	needed(FieldID, asLine), needed(FieldTitle, asText), needed(TextField{"type"}, asOneOf(ColumnTypes...)),
	optional(TextField{"textAlignment"}, asOneOf(ColumnAlignments...)), optional(FieldVerticalAlignment, asOneOf(VerticalAlignments...)),
	flag(FlagField{"multiple"}), optional(NumberField{"max"}, asNumber), optional(ListField{"options"}, asList(asOption)),
)

var asOption = asObjectOf(false, fieldsOf(
	needed(TextField{"value"}, asLine), needed(FieldLabel, asLine), optional(FieldColor, asLine),
))

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
		column, err := asColumn.read(d, v)
		if err != nil {
			return nil, err
		}
		definition[id], types[id] = column, str(column.(map[string]any), "type")
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
	if cells > grammar.MaxTableCells {
		return d.fail("makes a table of more than %d cells; split it", grammar.MaxTableCells)
	}
	if d.cells += cells; d.cells > maxCells {
		return d.fail("makes more than %d cells of tables in one document; split the page", maxCells)
	}
	for id, v := range sortedPairs(records) {
		d.enter(id)
		kept, err := asRecord.read(d, v)
		if err != nil {
			return err
		}
		record := kept.(map[string]any)
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
		return asNumber.read(d, v)
	case "checkbox":
		return asFlag.read(d, v)
	case "content-ref":
		return asRef(refKinds...).read(d, v)
	case "image":
		if m, ok := v.(map[string]any); ok && m["kind"] == nil && m["ref"] != nil {
			return asCellImage.read(d, v)
		}
		return asRef(docs.RefFile, docs.RefURL).read(d, v)
	}
	return asList(asLine).read(d, v) // files, users, select
}
