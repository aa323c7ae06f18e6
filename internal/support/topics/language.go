package topics

import (
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/search"
)

// functionWords are the most frequent words of languages, in lower case and without accents.
// They indicate the language of a text, but not its topic.
var functionWords = map[string]string{
	"en": "a about after all also am an and any are as at be because been before but by can cannot could did do does doing dont for from get got had has have having he her here him his how i if im in into is isnt it its just like me more my need no not now of on one only or our out over please same she should since so some still than that the their them then there these they this those to too try tried trying up us use used using very want was way we were what when where whether which while who why will with without wont work working works would you your doesnt cant ive id there's keep keeps every again anymore anyone make makes made see seem seems say says going go goes even back each always never us",
	"de": "aber alle als am an auch auf aus bei beim bin bis bitte da damit dann das dass dem den denn der des die diese diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es etwas euch euer fur gibt habe haben hat hatte hier ich ihr ihre im immer in ist ja jetzt kann kein keine keinen konnen konnte man mehr mein meine meinem meinen meiner mich mir mit mochte muss nach nicht nichts noch nur ob oder ohne schon sehr sein seit sich sie sind so soll sollte uber um und uns unser unsere unseren unserer von vor war warum was weil wenn werden wie wieder wir wird wo wurde zu zum zur zwischen geht gehen gibt's leider",
	"fr": "a afin ai alors apres au aucun aucune aussi autre aux avant avec avez avoir avons bien c ca car ce cela ces cet cette chaque comme comment d dans de depuis des deux donc du elle en encore est et etait etre fait faire faut il ils j je l la le les leur lors lui m ma mais me meme mes moi mon n ne nos notre nous on ont ou par pas peut peux plus pour pourquoi pouvez puis qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sur t ta toujours tous tout toute toutes tres trop un une vers veux voici votre vos vous y",
	"es": "a al algo algun alguna ante antes asi aun aunque cada como con contra cual cuando de del desde donde dos durante e el ella ellos en entre era es esa ese eso esta estaba estan estar este esto estos estoy fue ha hace hacer han hasta hay he la las le les lo los mas me mi mis mucho muy nada ni no nos nosotros nuestra nuestro o otra otro para pero poco por porque puede puedo que quien quiero se sea ser si sido siempre sin sobre solo son su sus tambien tan tengo tiene tienen todo todos tras tu un una uno unos y ya yo",
	"it": "a abbiamo ad ai al alla alle anche ancora avere c che chi ci col come con cosa così cosi cui da dai dal dalla dalle degli dei del della delle dello di dopo dove e ed era essere fa fare gli ha hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio molto ne nei nel nella nelle no noi non nostra nostro o ogni per perche piu poi posso puo qual quale quando questa questo qui se sempre senza si sia solo sono sta su sua sul sulla suo ti tra tu tutti tutto un una uno vi voglio",
	"pt": "a ainda ao aos as ate com como da das de dela dele depois do dos e ela ele eles em entre era essa esse esta estao estar este estou eu faz fazer foi ha isso isto ja la lhe mais mas me mesmo meu meus minha minhas muito na nao nas nem no nos nossa nosso num numa o onde os ou para pela pelo por porque posso pode quando que quem quero se sem ser seu sua sao so sobre tambem tem tenho ter teve todo todos tudo um uma uns voce voces",
	"nl": "aan al als altijd andere bij dan dat de deze die dit doen door een en er geen had heb hebben heeft het hier hij hoe ik in is ja je kan kunnen maar mag me meer met mij mijn moet na naar niet niets nog nu of om omdat onder ons onze ook op over te toch toen tot u uit van veel voor waar waarom wanneer was wat we wel werd wie wil worden wordt zal ze zich zijn zo zonder",
	"sv": "alla att av blir da de den denna det detta dig din du efter eller en er ett fran for ga har hur i ingen inte jag kan man med men mig min mina mitt mycket nar nu och om pa sa sig sin som till under upp ut vad var varfor vi vid vill vill",
	"pl": "a ale bez bo by byc byl co czy dla do gdy gdzie go i ich jak jako je jest jestem juz kiedy ktory ktora ktore ma mam mi mnie moge moj moja moze na nie nic niz o od on po pod prosze przez przy sa sie ta tak tam te tego ten to tu tylko w wszystko z za ze zeby",
	"ru": "а без бы был быть в вам вас во вот все вы где для до его ее если есть еще же за и из или их к как когда ли мне мой мы на не нет но о он она они от по почему при с свои со так то только у уже что чтобы это этот я моя можно нужно",
	"tr": "ama bana ben bir biz bu cok da daha de degil diye en gibi hem hic icin ile ise kadar ki mi ne neden nasil olan olarak sonra su ve veya var yok",
}

var (
	languageCodes = []string{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "ru", "tr"}
	wordSets      = sets()
)

func sets() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for code, list := range functionWords {
		set := map[string]bool{}
		for _, w := range strings.Fields(list) {
			set[w] = true
		}
		out[code] = set
	}
	return out
}

// scripts maps scripts to languages, for languages that a script identifies.
var scripts = []struct {
	table    *unicode.RangeTable
	language string
}{
	{unicode.Hiragana, "ja"}, {unicode.Katakana, "ja"}, {unicode.Hangul, "ko"}, {unicode.Han, "zh"},
	{unicode.Arabic, "ar"}, {unicode.Hebrew, "he"}, {unicode.Thai, "th"}, {unicode.Greek, "el"}, {unicode.Devanagari, "hi"},
}

// languageWords is the number of words that Language examines.
const languageWords = 200

// Language returns the code of the language of a text, judged by its script and its
// function words. It returns "" if they do not identify a language.
func Language(text string) string {
	letters, found := 0, map[string]int{}
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				found[s.language]++
				break
			}
		}
	}
	if found["ja"] > 0 && found["ja"]+found["zh"] > letters/2 {
		return "ja"
	}
	for _, s := range scripts {
		if found[s.language] > letters/2 {
			return s.language
		}
	}
	counts := map[string]int{}
	n := 0
	search.EachStem(text, "", func(word, _ string) bool {
		for _, code := range languageCodes {
			if wordSets[code][word] {
				counts[code]++
			}
		}
		n++
		return n < languageWords
	})
	best := ""
	for _, code := range languageCodes {
		if counts[code] > counts[best] {
			best = code
		}
	}
	return best
}
