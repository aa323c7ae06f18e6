package markup

// What tests of this package share with its tests of HTML, which are outside of it
// because package html imports it.
var (
	AttackFiles          = attackFiles
	Attacks              = attacks
	CheckLaws            = checkLaws
	CheckSameAfterDecode = checkSameAfterDecode
	Edit                 = edit
	GenDocument          = genDocument
	InParagraph          = inParagraph
	Marshal              = marshal
	OutlineOf            = outlineOf
	SentBack             = sentBack
	TableJSON            = tableJSON
	Wrap                 = wrap
)

const TextJSON = textJSON
