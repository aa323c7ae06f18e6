package theme

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

var norwegian = Texts{
	Skip: "Hopp til innholdet", Announcement: "Kunngjøring", Menu: "Meny", Close: "Lukk", Search: "Søk", Links: "Lenker", Scheme: "Lyst eller mørkt",
	Sections: "Seksjoner", Pages: "Sider", Privacy: "Personvernerklæring", Version: "Versjon", Outline: "På denne siden", Breadcrumbs: "Brødsmulesti",
	Page: "Side", Turn: "Forrige og neste side", Previous: "Forrige", Next: "Neste", Updated: "Sist oppdatert",
	SearchHint: "Skriv inn et søkeord ovenfor.", Results: "Resultater for", NoResults: "Ingen resultater for", Near: "Mente du:", Everywhere: "Alle seksjoner",
	SystemScheme: "System", LightScheme: "Lyst", DarkScheme: "Mørkt", NewsFeed: "RSS-strøm", EditOn: "Rediger på %s",
	ViewMarkdown: "Vis som Markdown", ConnectMCP: "Koble til via MCP", EditSource: "Rediger kilden",
	Missing: "Siden ble ikke funnet", MissingText: "Det finnes ingen side på denne adressen.", Start: "Gå til forsiden",
	MCP: "MCP-server", MCPText: "KI-assistenter kan søke i og lese disse sidene. Legg til denne adressen i din assistent som MCP-server (Streamable HTTP):",
	Documentation: "Dokumentasjon",
	SignIn:        "Logg inn", SignInText: "Disse sidene er bare for innloggede lesere. Åpne dem fra stedet der du logger inn.",
	SignInFailed: "Innloggingen mislyktes", SignInAgain: "Logg inn på nytt", Report: "Hvis det skjer igjen, send denne meldingen til dem som driver nettstedet.",
	Refused: TokenErrors{
		Expired:   "Innloggingstokenet er utløpt.",
		Early:     "Innloggingstokenet er ikke gyldig ennå: Klokken på serveren som utstedte det, går for fort.",
		Lifetime:  "Innloggingstokenet utløper aldri, eller først om mer enn 30 dager.",
		Signature: "Innloggingstokenet er ikke signert med nøkkelen til dette nettstedet.",
		Algorithm: "Innloggingstokenet er ikke signert med HS256.",
		Malformed: "Innloggingstokenet har ugyldig format.",
	},
	Copy: "Kopier", Copied: "Kopiert", CopyPage: "Kopier siden som Markdown", Diagrams: "Diagrammer", Zoom: "Forstørr", More: "Vis mer", Less: "Vis mindre",
	Play: "Spill av videoen", OpenHere: "Åpne her", LoadsFrom: "Lastes fra %s, som da får vite om besøket ditt",
	Finder: norwegianFinder,
	Wrap:   "Bryt linjer", NoDiagram: "Dette diagrammet kan ikke tegnes:",
	Review: Review{
		Label: "Forhåndsvisning", Request: "Endringsforslag", Revision: "Revisjon", By: "av", Draft: "Utkast", Open: "Åpent", Merged: "Flettet",
		Archived: "Arkivert", Live: "Publisert side", Show: "Vis endringer", Pages: "Endrede sider", First: "Endringer på denne siden:", Same: "Ingenting er endret på denne siden.",
		Large: "Denne siden er for lang til å sammenlignes.", More: "Flere sider:", Added: "Lagt til", Removed: "Fjernet", Changed: "Endret", Moved: "Flyttet",
	},
	Feedback:    Feedback{Question: "Var denne siden nyttig?", Bad: "Nei", OK: "Delvis", Good: "Ja", Thanks: "Takk for tilbakemeldingen!", Back: "Tilbake til siden", Later: "Det kom for mange svar herfra. Prøv igjen om et minutt."},
	DownloadPDF: "Last ned som PDF", DownloadAll: "Last ned alt som PDF", OpenIn: "Spør %s om denne siden", AskAbout: "Les %s og svar på spørsmålene mine om det.",
	PublishedWith: "Publisert med",
	Labels: html.Labels{
		Anchor: "Lenke til denne delen", ToDo: "gjenstår", Done: "ferdig", Info: "Info", Success: "Vellykket", Warning: "Advarsel", Danger: "Fare",
		Back: "Tilbake til teksten", Yes: "ja", No: "nei", Rating: "%s av %s", Dates: norwegianDates, API: norwegianAPI,
		Elsewhere: "Innholdet på denne siden er skrevet for et annet program og kan ikke vises her.",
	},
}

var norwegianDates = markup.Dates{
	Full: "D. MMMM YYYY", Short: "D. MMMM YYYY",
	Months:          [12]string{"januar", "februar", "mars", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "desember"},
	ShortenedMonths: [12]string{"jan.", "feb.", "mars", "apr.", "mai", "juni", "juli", "aug.", "sep.", "okt.", "nov.", "des."},
}
