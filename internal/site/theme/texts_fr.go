package theme

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

var french = Texts{
	Skip: "Aller au contenu", Announcement: "Annonce", Menu: "Menu", Close: "Fermer", Search: "Rechercher", Links: "Liens", Scheme: "Clair ou sombre",
	Sections: "Sections", Pages: "Pages", Privacy: "Politique de confidentialité", Version: "Version", Outline: "Sur cette page", Breadcrumbs: "Fil d’Ariane",
	Page: "Page", Turn: "Pages précédente et suivante", Previous: "Précédent", Next: "Suivant", Updated: "Dernière mise à jour :",
	SearchHint: "Saisissez votre recherche ci-dessus.", Results: "Résultats pour", NoResults: "Aucun résultat pour", Near: "Vous cherchiez peut-être :", Everywhere: "Toutes les sections",
	SystemScheme: "Système", LightScheme: "Clair", DarkScheme: "Sombre", NewsFeed: "Flux RSS", EditOn: "Modifier sur %s",
	ViewMarkdown: "Afficher en Markdown", ConnectMCP: "Se connecter via MCP", EditSource: "Modifier la source",
	Missing: "Page introuvable", MissingText: "Il n’y a aucune page à cette adresse.", Start: "Aller à la page d’accueil",
	MCP: "Serveur MCP", MCPText: "Les assistants IA peuvent parcourir et lire ces pages. Ajoutez cette adresse au vôtre comme serveur MCP (Streamable HTTP) :",
	Documentation: "Documentation",
	SignIn:        "Connexion", SignInText: "Ces pages sont réservées aux lecteurs connectés. Ouvrez-les depuis l’endroit où vous vous connectez.",
	SignInFailed: "Échec de la connexion", SignInAgain: "Se reconnecter", Report: "Si le problème persiste, transmettez ce message aux responsables du site.",
	Refused: TokenErrors{
		Expired:   "Le jeton de connexion a expiré.",
		Early:     "Le jeton de connexion n’est pas encore valide : l’horloge du serveur qui l’a émis est en avance.",
		Lifetime:  "Le jeton de connexion n’expire jamais, ou seulement dans plus de 30 jours.",
		Signature: "Le jeton de connexion n’est pas signé avec la clé de ce site.",
		Algorithm: "Le jeton de connexion n’est pas signé avec HS256.",
		Malformed: "Le jeton de connexion est mal formé.",
	},
	Copy: "Copier", Copied: "Copié", CopyPage: "Copier la page en Markdown", Diagrams: "Diagrammes", Zoom: "Agrandir", More: "Afficher plus", Less: "Afficher moins",
	Play: "Lire la vidéo", OpenHere: "Ouvrir ici", LoadsFrom: "Chargé depuis %s, qui aura connaissance de votre visite",
	Finder: frenchFinder,
	Wrap:   "Renvoyer à la ligne", NoDiagram: "Ce diagramme ne peut pas être dessiné :",
	Review: Review{
		Label: "Aperçu", Request: "Demande de modification", Revision: "Révision", By: "par", Draft: "Brouillon", Open: "Ouverte", Merged: "Fusionnée",
		Archived: "Archivée", Live: "Page publiée", Show: "Afficher les modifications", Pages: "Pages modifiées", First: "Modifications sur cette page :", Same: "Cette page est inchangée.",
		Large: "Cette page est trop longue pour être comparée.", More: "Autres pages :", Added: "Ajouté", Removed: "Supprimé", Changed: "Modifié", Moved: "Déplacé",
	},
	Feedback:    Feedback{Question: "Cette page vous a-t-elle été utile ?", Bad: "Non", OK: "En partie", Good: "Oui", Thanks: "Merci pour votre avis !", Back: "Retour à la page", Later: "Trop de réponses sont venues d’ici. Réessayez dans une minute."},
	DownloadPDF: "Télécharger en PDF", DownloadAll: "Tout télécharger en PDF", OpenIn: "Interroger %s sur cette page", AskAbout: "Lis %s et réponds à mes questions à ce sujet.",
	PublishedWith: "Publié avec",
	Labels: html.Labels{
		Anchor: "Lien vers cette section", ToDo: "à faire", Done: "terminé", Info: "Information", Success: "Succès", Warning: "Attention", Danger: "Danger",
		Back: "Retour au texte", Yes: "oui", No: "non", Rating: "%s sur %s", Dates: frenchDates, API: frenchAPI,
		Elsewhere: "Le contenu de cette page est écrit pour un autre programme et ne peut pas être affiché ici.",
	},
}

var frenchDates = markup.Dates{
	Full: "D MMMM YYYY", Short: "D MMMM YYYY",
	Months:          [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
	ShortenedMonths: [12]string{"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."},
}
