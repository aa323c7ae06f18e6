package theme

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

var dutch = Texts{
	Skip: "Naar de inhoud", Announcement: "Aankondiging", Menu: "Menu", Close: "Sluiten", Search: "Zoeken", Links: "Links", Scheme: "Licht of donker",
	Sections: "Onderdelen", Pages: "Pagina’s", Privacy: "Privacybeleid", Version: "Versie", Outline: "Op deze pagina", Breadcrumbs: "Kruimelpad",
	Page: "Pagina", Turn: "Vorige en volgende pagina", Previous: "Vorige", Next: "Volgende", Updated: "Laatst bijgewerkt op",
	SearchHint: "Typ hierboven een zoekterm.", Results: "Resultaten voor", NoResults: "Geen resultaten voor", Near: "Bedoelde je misschien:", Everywhere: "Alle secties",
	SystemScheme: "Systeem", LightScheme: "Licht", DarkScheme: "Donker", NewsFeed: "RSS-feed", EditOn: "Bewerken op %s",
	ViewMarkdown: "Als Markdown bekijken", ConnectMCP: "Verbinden via MCP", EditSource: "Bron bewerken",
	Missing: "Pagina niet gevonden", MissingText: "Er is geen pagina op dit adres.", Start: "Naar de startpagina",
	MCP: "MCP-server", MCPText: "AI-assistenten kunnen deze pagina’s doorzoeken en lezen. Voeg dit adres als MCP-server toe aan je assistent (Streamable HTTP):",
	Documentation: "Documentatie",
	SignIn:        "Inloggen", SignInText: "Deze pagina’s zijn alleen voor lezers die zijn ingelogd. Open ze vanaf de plek waar je inlogt.",
	SignInFailed: "Inloggen mislukt", SignInAgain: "Opnieuw inloggen", Report: "Gebeurt dit opnieuw, stuur dit bericht dan naar de beheerder van de site.",
	Refused: TokenErrors{
		Expired:   "Het inlogtoken is verlopen.",
		Early:     "Het inlogtoken is nog niet geldig: de klok van de server die het heeft uitgegeven loopt voor.",
		Lifetime:  "Het inlogtoken verloopt niet, of pas over meer dan 30 dagen.",
		Signature: "Het inlogtoken is niet ondertekend met de sleutel van deze site.",
		Algorithm: "Het inlogtoken is niet ondertekend met HS256.",
		Malformed: "Het inlogtoken heeft een ongeldige indeling.",
	},
	Copy: "Kopiëren", Copied: "Gekopieerd", CopyPage: "Pagina kopiëren als Markdown", Diagrams: "Diagrammen", Zoom: "Vergroten", More: "Meer tonen", Less: "Minder tonen",
	Play: "Video afspelen", OpenHere: "Hier openen", LoadsFrom: "Wordt geladen van %s, dat dan van uw bezoek weet",
	Finder: dutchFinder,
	Wrap:   "Regels afbreken", NoDiagram: "Dit diagram kan niet worden getekend:",
	Review: Review{
		Label: "Voorbeeld", Request: "Wijzigingsverzoek", Revision: "Revisie", By: "door", Draft: "Concept", Open: "Open", Merged: "Samengevoegd",
		Archived: "Gearchiveerd", Live: "Gepubliceerde pagina", Show: "Wijzigingen tonen", Pages: "Gewijzigde pagina’s", First: "Wijzigingen op deze pagina:", Same: "Op deze pagina is niets gewijzigd.",
		Large: "Deze pagina is te lang om te vergelijken.", More: "Meer pagina’s:", Added: "Toegevoegd", Removed: "Verwijderd", Changed: "Gewijzigd", Moved: "Verplaatst",
	},
	Feedback:    Feedback{Question: "Was deze pagina nuttig?", Bad: "Nee", OK: "Deels", Good: "Ja", Thanks: "Bedankt voor uw feedback!", Back: "Terug naar de pagina", Later: "Er kwamen te veel antwoorden van hier. Probeer het over een minuut opnieuw."},
	DownloadPDF: "Downloaden als pdf", DownloadAll: "Alles downloaden als pdf", OpenIn: "%s vragen over deze pagina", AskAbout: "Lees %s en beantwoord mijn vragen erover.",
	PublishedWith: "Gepubliceerd met",
	Labels: html.Labels{
		Anchor: "Link naar dit gedeelte", ToDo: "te doen", Done: "klaar", Info: "Info", Success: "Gelukt", Warning: "Waarschuwing", Danger: "Gevaar",
		Back: "Terug naar de tekst", Yes: "ja", No: "nee", Rating: "%s van %s", Dates: dutchDates, API: dutchAPI,
		Elsewhere: "De inhoud van deze pagina is voor een ander programma geschreven en kan hier niet worden getoond.",
	},
}

var dutchDates = markup.Dates{
	Full: "D MMMM YYYY", Short: "D MMMM YYYY",
	Months:          [12]string{"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"},
	ShortenedMonths: [12]string{"jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"},
}
