package markup

// The data of a node is a JSON object. Its fields are declared here, each with the
// kind of its values, so that a field that does not exist and a value of another
// kind are errors at compile time. The table of types says which type has which
// field.

type (
	// TextField is a field that holds a text.
	TextField struct{ name string }
	// FlagField is a field that holds true or false.
	FlagField struct{ name string }
	// NumberField is a field that holds a number.
	NumberField struct{ name string }
	// LengthField is a field that holds a length: a number of pixels, or an object
	// with a value and a unit.
	LengthField struct{ name string }
	// RefField is a field that holds a reference.
	RefField struct{ name string }
	// RefsField is a field that holds a list of references.
	RefsField struct{ name string }
	// TextsField is a field that holds a list of texts.
	TextsField struct{ name string }
	// ObjectField is a field that holds an object.
	ObjectField struct{ name string }
	// ListField is a field that holds a list of objects.
	ListField struct{ name string }
)

// Fields that several types have.
var (
	FieldAlign     = TextField{"align"}
	FieldAlt       = TextField{"alt"}
	FieldFormula   = TextField{"formula"}
	FieldFullWidth = FlagField{"fullWidth"}
	FieldHeight    = LengthField{"height"}
	FieldIcon      = TextField{"icon"}
	FieldMethod    = TextField{"method"}
	FieldName      = TextField{"name"}
	FieldPath      = TextField{"path"}
	FieldRef       = RefField{"ref"}
	FieldRefDark   = RefField{"refDark"} // instead of FieldRef, on dark pages
	FieldSize      = TextField{"size"}
	FieldSlug      = TextField{"slug"}
	FieldTitle     = TextField{"title"}
	FieldURL       = TextField{"url"}
	FieldWidth     = LengthField{"width"}

	// FieldExpression is a condition or an expression that is evaluated for each
	// reader.
	FieldExpression = TextField{"expression"}
)

// Fields of one type.
var (
	FieldID    = TextField{"id"}      // of a heading
	FieldLevel = NumberField{"level"} // of a heading in the source
	FieldClass = TextField{"class"}   // of a heading

	// fieldWideAnchor has an anchor that the pattern of clients for ids
	// (narrowAnchor) does not allow. Decode stores it as FieldID.
	fieldWideAnchor = TextField{"anchor"}

	FieldStart   = NumberField{"start"} // of an ordered list
	FieldChecked = FlagField{"checked"} // of a list item; an item without it is not a task

	FieldStyle = TextField{"style"} // of a hint

	FieldSyntax             = TextField{"syntax"} // of code
	FieldOverflow           = TextField{"overflow"}
	FieldLineNumbers        = FlagField{"lineNumbers"}
	FieldExpandable         = FlagField{"expandable"}
	FieldCollapsedLineCount = NumberField{"collapsedLineCount"}
	FieldHighlighted        = FlagField{"highlighted"} // of a line of code

	FieldWithFrame         = FlagField{"withFrame"}         // of images
	FieldDefaultExpanded   = FlagField{"defaultExpanded"}   // of an expandable
	FieldVerticalAlignment = TextField{"verticalAlignment"} // of a column

	FieldDefinition = ObjectField{"definition"} // of a table: its columns by id
	FieldView       = ObjectField{"view"}
	FieldRecords    = ObjectField{"records"} // its rows by id
	FieldSearch     = FlagField{"search"}
	FieldCellMerges = ListField{"cellMerges"}

	FieldIntegration       = TextField{"integration"}
	FieldBlock             = TextField{"block"} // of an integration
	FieldProps             = ObjectField{"props"}
	FieldIntegrationAction = ObjectField{"action"}

	FieldExpanded = FlagField{"expanded"} // of an operation of a specification in a file
	FieldSchemas  = TextsField{"schemas"} // of a specification
	FieldGrouped  = FlagField{"grouped"}

	FieldFormat = TextField{"format"} // of the dates of updates
	FieldDate   = TextField{"date"}   // of an update
	FieldTags   = RefsField{"tags"}   // of an update

	FieldDescription       = TextField{"description"} // of a prompt
	FieldOpenInAIProviders = FlagField{"openInAIProviders"}
	FieldPromptExpanded    = TextField{"defaultExpanded"}

	FieldCode    = TextField{"code"}    // of an emoji
	FieldColor   = TextField{"color"}   // of an icon
	FieldCaption = TextField{"caption"} // of an image in a line

	FieldLabel  = TextField{"label"} // of a button
	FieldKind   = TextField{"kind"}
	FieldAction = TextField{"action"}
	FieldQuery  = TextField{"query"}
)

// Fields that are kept from a source and that clients do not need. They are not in
// the table of types.
var (
	fieldBody     = TextField{"body"}     // the text in a tag that has no blocks
	fieldInfo     = TextField{"info"}     // the words after the language of code
	fieldTag      = TextField{"tag"}      // the name of the tag, if it has several
	fieldUntitled = TextField{"untitled"} // of a part of an API description
)

// A field is a name with the kind of its values.
type field interface {
	key() string
	holds() valueKind
}

func (f TextField) key() string   { return f.name }
func (f FlagField) key() string   { return f.name }
func (f NumberField) key() string { return f.name }
func (f LengthField) key() string { return f.name }
func (f RefField) key() string    { return f.name }
func (f RefsField) key() string   { return f.name }
func (f TextsField) key() string  { return f.name }
func (f ObjectField) key() string { return f.name }
func (f ListField) key() string   { return f.name }

func (TextField) holds() valueKind   { return textKind }
func (FlagField) holds() valueKind   { return flagKind }
func (NumberField) holds() valueKind { return numberKind }
func (LengthField) holds() valueKind { return lengthKind }
func (RefField) holds() valueKind    { return refKind }
func (RefsField) holds() valueKind   { return listKind }
func (TextsField) holds() valueKind  { return listKind }
func (ObjectField) holds() valueKind { return objectKind }
func (ListField) holds() valueKind   { return listKind }
