package theme

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

// portuguese is Brazilian Portuguese.
var portuguese = Texts{
	Skip: "Ir para o conteúdo", Announcement: "Aviso", Menu: "Menu", Close: "Fechar", Search: "Pesquisar", Links: "Links", Scheme: "Claro ou escuro",
	Sections: "Seções", Pages: "Páginas", Privacy: "Política de privacidade", Version: "Versão", Outline: "Nesta página", Breadcrumbs: "Trilha de navegação",
	Page: "Página", Turn: "Página anterior e próxima página", Previous: "Anterior", Next: "Próximo", Updated: "Última atualização:",
	SearchHint: "Digite sua pesquisa acima.", Results: "Resultados para", NoResults: "Nenhum resultado para", Near: "Talvez você esteja procurando:", Everywhere: "Todas as seções",
	SystemScheme: "Sistema", LightScheme: "Claro", DarkScheme: "Escuro", NewsFeed: "Feed RSS", EditOn: "Editar no %s",
	ViewMarkdown: "Ver como Markdown", ConnectMCP: "Conectar via MCP", EditSource: "Editar o código-fonte",
	Missing: "Página não encontrada", MissingText: "Não há nenhuma página neste endereço.", Start: "Ir para a página inicial",
	MCP: "Servidor MCP", MCPText: "Assistentes de IA podem pesquisar e ler estas páginas. Adicione este endereço ao seu como servidor MCP (Streamable HTTP):",
	Documentation: "Documentação",
	SignIn:        "Entrar", SignInText: "Estas páginas são apenas para leitores conectados. Abra-as a partir do lugar onde você faz login.",
	SignInFailed: "Não foi possível entrar", SignInAgain: "Entrar novamente", Report: "Se isso acontecer de novo, envie esta mensagem aos responsáveis pelo site.",
	Refused: TokenErrors{
		Expired:   "O token de login expirou.",
		Early:     "O token de login ainda não é válido: o relógio do servidor que o emitiu está adiantado.",
		Lifetime:  "O token de login não expira ou só expira daqui a mais de 30 dias.",
		Signature: "O token de login não foi assinado com a chave deste site.",
		Algorithm: "O token de login não foi assinado com HS256.",
		Malformed: "O token de login está malformado.",
	},
	Copy: "Copiar", Copied: "Copiado", CopyPage: "Copiar página como Markdown", Diagrams: "Diagramas", Zoom: "Ampliar", More: "Mostrar mais", Less: "Mostrar menos",
	Play: "Reproduzir o vídeo", OpenHere: "Abrir aqui", LoadsFrom: "Carregado de %s, que saberá da sua visita",
	Finder: portugueseFinder,
	Wrap:   "Quebrar linhas", NoDiagram: "Não é possível desenhar este diagrama:",
	Review: Review{
		Label: "Pré-visualização", Request: "Solicitação de alteração", Revision: "Revisão", By: "por", Draft: "Rascunho", Open: "Aberta", Merged: "Mesclada",
		Archived: "Arquivada", Live: "Página publicada", Show: "Mostrar alterações", Pages: "Páginas alteradas", First: "Alterações nesta página:", Same: "Nada mudou nesta página.",
		Large: "Esta página é longa demais para ser comparada.", More: "Mais páginas:", Added: "Adicionado", Removed: "Removido", Changed: "Alterado", Moved: "Movido",
	},
	Feedback:    Feedback{Question: "Esta página foi útil?", Bad: "Não", OK: "Em parte", Good: "Sim", Thanks: "Obrigado pela sua opinião!", Back: "Voltar à página", Later: "Chegaram respostas demais daqui. Tente novamente em um minuto."},
	DownloadPDF: "Baixar como PDF", DownloadAll: "Baixar tudo como PDF", OpenIn: "Perguntar ao %s sobre esta página", AskAbout: "Leia %s e responda às minhas perguntas sobre o assunto.",
	PublishedWith: "Publicado com",
	Labels: html.Labels{
		Anchor: "Link para esta seção", ToDo: "pendente", Done: "concluído", Info: "Informação", Success: "Sucesso", Warning: "Atenção", Danger: "Perigo",
		Back: "Voltar ao texto", Yes: "sim", No: "não", Rating: "%s de %s", Dates: portugueseDates, API: portugueseAPI,
		Elsewhere: "O conteúdo desta página foi escrito para outro programa e não pode ser exibido aqui.",
	},
}

var portugueseDates = markup.Dates{
	Full: "D de MMMM de YYYY", Short: "D de MMMM de YYYY",
	Months:          [12]string{"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro"},
	ShortenedMonths: [12]string{"jan.", "fev.", "mar.", "abr.", "mai.", "jun.", "jul.", "ago.", "set.", "out.", "nov.", "dez."},
}
