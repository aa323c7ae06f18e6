package theme

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

var german = Texts{
	Skip: "Zum Inhalt springen", Announcement: "Ankündigung", Menu: "Menü", Close: "Schließen", Search: "Suchen", Links: "Links", Scheme: "Hell oder dunkel",
	Sections: "Bereiche", Pages: "Seiten", Privacy: "Datenschutzerklärung", Version: "Version", Outline: "Auf dieser Seite", Breadcrumbs: "Navigationspfad",
	Page: "Seite", Turn: "Vorherige und nächste Seite", Previous: "Zurück", Next: "Weiter", Updated: "Zuletzt aktualisiert:",
	SearchHint: "Geben Sie oben einen Suchbegriff ein.", Results: "Ergebnisse für", NoResults: "Keine Ergebnisse für", Near: "Meinten Sie:", Everywhere: "Alle Bereiche",
	SystemScheme: "System", LightScheme: "Hell", DarkScheme: "Dunkel", NewsFeed: "RSS-Feed", EditOn: "Auf %s bearbeiten",
	ViewMarkdown: "Als Markdown anzeigen", ConnectMCP: "Über MCP verbinden", EditSource: "Quelle bearbeiten",
	Missing: "Seite nicht gefunden", MissingText: "Unter dieser Adresse gibt es keine Seite.", Start: "Zur Startseite",
	MCP: "MCP-Server", MCPText: "KI-Assistenten können diese Seiten durchsuchen und lesen. Fügen Sie Ihrem Assistenten diese Adresse als MCP-Server hinzu (Streamable HTTP):",
	Documentation: "Dokumentation",
	SignIn:        "Anmelden", SignInText: "Diese Seiten sind nur für angemeldete Leser. Öffnen Sie sie von dort aus, wo Sie sich anmelden.",
	SignInFailed: "Anmeldung fehlgeschlagen", SignInAgain: "Erneut anmelden", Report: "Wenn das wieder passiert, leiten Sie diese Meldung an den Betreiber der Website weiter.",
	Refused: TokenErrors{
		Expired:   "Das Anmeldetoken ist abgelaufen.",
		Early:     "Das Anmeldetoken ist noch nicht gültig: Die Uhr des Servers, der es ausgestellt hat, geht vor.",
		Lifetime:  "Das Anmeldetoken läuft nie oder erst in mehr als 30 Tagen ab.",
		Signature: "Das Anmeldetoken ist nicht mit dem Schlüssel dieser Website signiert.",
		Algorithm: "Das Anmeldetoken ist nicht mit HS256 signiert.",
		Malformed: "Das Anmeldetoken ist fehlerhaft.",
	},
	Copy: "Kopieren", Copied: "Kopiert", CopyPage: "Seite als Markdown kopieren", Diagrams: "Diagramme", Zoom: "Vergrößern", More: "Mehr anzeigen", Less: "Weniger anzeigen",
	Play: "Video abspielen", OpenHere: "Hier öffnen", LoadsFrom: "Wird von %s geladen; der Anbieter erfährt dann von Ihrem Besuch",
	Finder: germanFinder,
	Wrap:   "Zeilen umbrechen", NoDiagram: "Dieses Diagramm lässt sich nicht zeichnen:",
	Review: Review{
		Label: "Vorschau", Request: "Änderungsvorschlag", Revision: "Revision", By: "von", Draft: "Entwurf", Open: "Offen", Merged: "Übernommen",
		Archived: "Archiviert", Live: "Veröffentlichte Seite", Show: "Änderungen anzeigen", Pages: "Geänderte Seiten", First: "Änderungen auf dieser Seite:", Same: "Auf dieser Seite ist alles unverändert.",
		Large: "Diese Seite ist zu lang für einen Vergleich.", More: "Weitere Seiten:", Added: "Hinzugefügt", Removed: "Entfernt", Changed: "Geändert", Moved: "Verschoben",
	},
	Feedback:    Feedback{Question: "War diese Seite hilfreich?", Bad: "Nein", OK: "Teilweise", Good: "Ja", Thanks: "Vielen Dank für Ihre Rückmeldung!", Back: "Zurück zur Seite", Later: "Von hier kamen zu viele Antworten. Versuchen Sie es in einer Minute erneut."},
	DownloadPDF: "Als PDF herunterladen", DownloadAll: "Alles als PDF herunterladen", OpenIn: "%s zu dieser Seite befragen", AskAbout: "Lies %s und beantworte meine Fragen dazu.",
	PublishedWith: "Veröffentlicht mit",
	Labels: html.Labels{
		Anchor: "Link zu diesem Abschnitt", ToDo: "offen", Done: "erledigt", Info: "Info", Success: "Erfolg", Warning: "Warnung", Danger: "Gefahr",
		Back: "Zurück zum Text", Yes: "ja", No: "nein", Rating: "%s von %s", Dates: germanDates, API: germanAPI,
		Elsewhere: "Der Inhalt dieser Seite ist für ein anderes Programm geschrieben und kann hier nicht gezeigt werden.",
	},
}

var germanDates = markup.Dates{
	Full: "D. MMMM YYYY", Short: "D. MMMM YYYY",
	Months:          [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
	ShortenedMonths: [12]string{"Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."},
}
