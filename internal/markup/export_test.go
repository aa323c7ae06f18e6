package markup

// What tests of this package share with those that are outside of it, because package
// html and the generator of documents (testing/testmarkup) import it.
var (
	AttackFiles          = attackFiles
	Attacks              = attacks
	CheckLaws            = checkLaws
	CheckSameAfterDecode = checkSameAfterDecode
	CountIDs             = countIDs
	CountRefs            = countRefs
	Decodable            = decodable
	EachNode             = eachNode
	Edit                 = edit
	IncludeNode          = includeNode
	VisibleWords         = visibleWords
	InParagraph          = inParagraph
	Marshal              = marshal
	OutlineOf            = outlineOf
	SentBack             = sentBack
	TableJSON            = tableJSON
	Wrap                 = wrap
)

const TextJSON = textJSON
