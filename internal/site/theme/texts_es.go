package theme

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

var spanish = Texts{
	Skip: "Ir al contenido", Announcement: "Anuncio", Menu: "Menú", Close: "Cerrar", Search: "Buscar", Links: "Enlaces", Scheme: "Claro u oscuro",
	Sections: "Secciones", Pages: "Páginas", Privacy: "Política de privacidad", Version: "Versión", Outline: "En esta página", Breadcrumbs: "Ruta de navegación",
	Page: "Página", Turn: "Página anterior y siguiente", Previous: "Anterior", Next: "Siguiente", Updated: "Última actualización:",
	SearchHint: "Escribe arriba lo que buscas.", Results: "Resultados de", NoResults: "No hay resultados para", Near: "Quizá buscabas:", Everywhere: "Todas las secciones",
	SystemScheme: "Sistema", LightScheme: "Claro", DarkScheme: "Oscuro", NewsFeed: "Canal RSS", EditOn: "Editar en %s",
	ViewMarkdown: "Ver como Markdown", ConnectMCP: "Conectar mediante MCP", EditSource: "Editar el código fuente",
	Missing: "Página no encontrada", MissingText: "No hay ninguna página en esta dirección.", Start: "Ir a la página de inicio",
	MCP: "Servidor MCP", MCPText: "Los asistentes de IA pueden buscar y leer estas páginas. Añade esta dirección al tuyo como servidor MCP (Streamable HTTP):",
	Documentation: "Documentación",
	SignIn:        "Iniciar sesión", SignInText: "Estas páginas son solo para lectores que han iniciado sesión. Ábrelas desde el lugar donde inicias sesión.",
	SignInFailed: "No se pudo iniciar sesión", SignInAgain: "Volver a iniciar sesión", Report: "Si vuelve a ocurrir, envía este mensaje a los responsables del sitio.",
	Refused: TokenErrors{
		Expired:   "El token de inicio de sesión ha caducado.",
		Early:     "El token de inicio de sesión aún no es válido: el reloj del servidor que lo emitió está adelantado.",
		Lifetime:  "El token de inicio de sesión no caduca, o lo hace dentro de más de 30 días.",
		Signature: "El token de inicio de sesión no está firmado con la clave de este sitio.",
		Algorithm: "El token de inicio de sesión no está firmado con HS256.",
		Malformed: "El token de inicio de sesión tiene un formato incorrecto.",
	},
	Copy: "Copiar", Copied: "Copiado", CopyPage: "Copiar la página como Markdown", Diagrams: "Diagramas", Zoom: "Ampliar", More: "Mostrar más", Less: "Mostrar menos",
	Play: "Reproducir el vídeo", OpenHere: "Abrir aquí", LoadsFrom: "Se carga desde %s, que sabrá de tu visita",
	Finder: spanishFinder,
	Wrap:   "Ajustar líneas", NoDiagram: "Este diagrama no se puede dibujar:",
	Review: Review{
		Label: "Vista previa", Request: "Solicitud de cambio", Revision: "Revisión", By: "por", Draft: "Borrador", Open: "Abierta", Merged: "Fusionada",
		Archived: "Archivada", Live: "Página publicada", Show: "Mostrar cambios", Pages: "Páginas modificadas", First: "Cambios en esta página:", Same: "Esta página no tiene cambios.",
		Large: "Esta página es demasiado larga para compararla.", More: "Más páginas:", Added: "Añadido", Removed: "Eliminado", Changed: "Modificado", Moved: "Movido",
	},
	Feedback:    Feedback{Question: "¿Le ha resultado útil esta página?", Bad: "No", OK: "En parte", Good: "Sí", Thanks: "¡Gracias por su opinión!", Back: "Volver a la página", Later: "Han llegado demasiadas respuestas desde aquí. Inténtelo de nuevo en un minuto."},
	DownloadPDF: "Descargar como PDF", DownloadAll: "Descargar todo como PDF", OpenIn: "Preguntar a %s sobre esta página", AskAbout: "Lee %s y responde a mis preguntas al respecto.",
	PublishedWith: "Publicado con",
	Labels: html.Labels{
		Anchor: "Enlace a esta sección", ToDo: "pendiente", Done: "hecho", Info: "Información", Success: "Correcto", Warning: "Advertencia", Danger: "Peligro",
		Back: "Volver al texto", Yes: "sí", No: "no", Rating: "%s de %s", Dates: spanishDates, API: spanishAPI,
		Elsewhere: "El contenido de esta página está escrito para otro programa y no se puede mostrar aquí.",
	},
}

var spanishDates = markup.Dates{
	Full: "D de MMMM de YYYY", Short: "D MMMM YYYY",
	Months:          [12]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
	ShortenedMonths: [12]string{"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"},
}
