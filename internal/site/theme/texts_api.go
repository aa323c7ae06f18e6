package theme

import (
	"github.com/octavo-docs/octavo/internal/markup/html"
)

// Labels of API descriptions, by language.
var (
	germanAPI = html.APILabels{
		Authentication: "Authentifizierung", NoAuthentication: "Keine", Scopes: "Berechtigungen", Servers: "Server", PathParameters: "Pfadparameter", QueryParameters: "Abfrageparameter",
		HeaderParameters: "Header", CookieValues: "Cookies", Body: "Inhalt der Anfrage", Responses: "Antworten", ResponseHeaders: "Header der Antwort", Callbacks: "Rückrufe",
		Models: "Modelle", Webhook: "Webhook", Required: "erforderlich", Deprecated: "veraltet", Until: "bis", ReadOnly: "nur lesbar",
		WriteOnly: "nur schreibbar", Default: "Vorgabe", Values: "Werte", Always: "Immer", Example: "Beispiel", Request: "Beispielanfrage",
		Properties: "Eigenschaften", OneOf: "Eines von", AnyOf: "Beliebige von", ItemsOf: "Elemente", AnyName: "beliebiger Name", Recursive: "siehe oben", Try: "Ausprobieren", Send: "Anfrage senden", NoAnswer: "Es kam keine Antwort.",
		BaseURL: "Basis-URL", Kept: "Bleibt in diesem Browser-Tab, bis Sie ihn schließen.",
	}
	frenchAPI = html.APILabels{
		Authentication: "Authentification", NoAuthentication: "Aucune", Scopes: "Portées", Servers: "Serveurs", PathParameters: "Paramètres de chemin", QueryParameters: "Paramètres de requête",
		HeaderParameters: "En-têtes", CookieValues: "Cookies", Body: "Corps de la requête", Responses: "Réponses", ResponseHeaders: "En-têtes de la réponse", Callbacks: "Rappels",
		Models: "Modèles", Webhook: "Webhook", Required: "obligatoire", Deprecated: "obsolète", Until: "jusqu’au", ReadOnly: "lecture seule",
		WriteOnly: "écriture seule", Default: "Par défaut", Values: "Valeurs", Always: "Toujours", Example: "Exemple", Request: "Exemple de requête",
		Properties: "Propriétés", OneOf: "L’un de", AnyOf: "Au moins un de", ItemsOf: "Éléments", AnyName: "nom quelconque", Recursive: "voir plus haut", Try: "Essayer", Send: "Envoyer la requête", NoAnswer: "Aucune réponse n’est arrivée.",
		BaseURL: "URL de base", Kept: "Conservé dans cet onglet jusqu’à sa fermeture.",
	}
	spanishAPI = html.APILabels{
		Authentication: "Autenticación", NoAuthentication: "Ninguna", Scopes: "Ámbitos", Servers: "Servidores", PathParameters: "Parámetros de ruta", QueryParameters: "Parámetros de consulta",
		HeaderParameters: "Cabeceras", CookieValues: "Cookies", Body: "Cuerpo de la solicitud", Responses: "Respuestas", ResponseHeaders: "Cabeceras de la respuesta", Callbacks: "Devoluciones de llamada",
		Models: "Modelos", Webhook: "Webhook", Required: "obligatorio", Deprecated: "obsoleto", Until: "hasta", ReadOnly: "solo lectura",
		WriteOnly: "solo escritura", Default: "Por defecto", Values: "Valores", Always: "Siempre", Example: "Ejemplo", Request: "Solicitud de ejemplo",
		Properties: "Propiedades", OneOf: "Uno de", AnyOf: "Cualquiera de", ItemsOf: "Elementos", AnyName: "cualquier nombre", Recursive: "véase arriba", Try: "Probar", Send: "Enviar solicitud", NoAnswer: "No hubo respuesta.",
		BaseURL: "URL base", Kept: "Se conserva en esta pestaña hasta que la cierres.",
	}
	chineseAPI = html.APILabels{
		Authentication: "身份验证", NoAuthentication: "无", Scopes: "权限范围", Servers: "服务器", PathParameters: "路径参数", QueryParameters: "查询参数",
		HeaderParameters: "请求头", CookieValues: "Cookie", Body: "请求体", Responses: "响应", ResponseHeaders: "响应头", Callbacks: "回调",
		Models: "模型", Webhook: "Webhook", Required: "必填", Deprecated: "已弃用", Until: "截至", ReadOnly: "只读",
		WriteOnly: "只写", Default: "默认值", Values: "可选值", Always: "固定值", Example: "示例", Request: "请求示例",
		Properties: "属性", OneOf: "其中之一", AnyOf: "任意组合", ItemsOf: "元素", AnyName: "任意名称", Recursive: "见上文", Try: "试一试", Send: "发送请求", NoAnswer: "没有收到响应。",
		BaseURL: "基础 URL", Kept: "保存在此浏览器标签页中，关闭后即清除。",
	}
	japaneseAPI = html.APILabels{
		Authentication: "認証", NoAuthentication: "なし", Scopes: "スコープ", Servers: "サーバー", PathParameters: "パスパラメーター", QueryParameters: "クエリパラメーター",
		HeaderParameters: "ヘッダー", CookieValues: "Cookie", Body: "リクエスト本文", Responses: "レスポンス", ResponseHeaders: "レスポンスヘッダー", Callbacks: "コールバック",
		Models: "モデル", Webhook: "Webhook", Required: "必須", Deprecated: "非推奨", Until: "期限", ReadOnly: "読み取り専用",
		WriteOnly: "書き込み専用", Default: "既定値", Values: "値", Always: "常に", Example: "例", Request: "リクエスト例",
		Properties: "プロパティ", OneOf: "いずれか", AnyOf: "いずれか（複数可）", ItemsOf: "要素", AnyName: "任意の名前", Recursive: "上記を参照", Try: "試してみる", Send: "リクエストを送信", NoAnswer: "応答がありませんでした。",
		BaseURL: "ベース URL", Kept: "このブラウザーのタブを閉じるまで保持されます。",
	}
	dutchAPI = html.APILabels{
		Authentication: "Authenticatie", NoAuthentication: "Geen", Scopes: "Rechten", Servers: "Servers", PathParameters: "Padparameters", QueryParameters: "Queryparameters",
		HeaderParameters: "Headers", CookieValues: "Cookies", Body: "Inhoud van het verzoek", Responses: "Antwoorden", ResponseHeaders: "Headers van het antwoord", Callbacks: "Terugroepen",
		Models: "Modellen", Webhook: "Webhook", Required: "verplicht", Deprecated: "verouderd", Until: "tot", ReadOnly: "alleen lezen",
		WriteOnly: "alleen schrijven", Default: "Standaard", Values: "Waarden", Always: "Altijd", Example: "Voorbeeld", Request: "Voorbeeldverzoek",
		Properties: "Eigenschappen", OneOf: "Een van", AnyOf: "Een of meer van", ItemsOf: "Elementen", AnyName: "willekeurige naam", Recursive: "zie boven", Try: "Uitproberen", Send: "Verzoek versturen", NoAnswer: "Er kwam geen antwoord.",
		BaseURL: "Basis-URL", Kept: "Blijft in dit browsertabblad bewaard totdat u het sluit.",
	}
	norwegianAPI = html.APILabels{
		Authentication: "Autentisering", NoAuthentication: "Ingen", Scopes: "Rettigheter", Servers: "Tjenere", PathParameters: "Stiparametere", QueryParameters: "Spørreparametere",
		HeaderParameters: "Hoder", CookieValues: "Informasjonskapsler", Body: "Innhold i forespørselen", Responses: "Svar", ResponseHeaders: "Hoder i svaret", Callbacks: "Tilbakekall",
		Models: "Modeller", Webhook: "Webhook", Required: "påkrevd", Deprecated: "utgått", Until: "til", ReadOnly: "skrivebeskyttet",
		WriteOnly: "kun skriving", Default: "Standard", Values: "Verdier", Always: "Alltid", Example: "Eksempel", Request: "Eksempel på forespørsel",
		Properties: "Egenskaper", OneOf: "En av", AnyOf: "Minst en av", ItemsOf: "Elementer", AnyName: "valgfritt navn", Recursive: "se over", Try: "Prøv", Send: "Send forespørsel", NoAnswer: "Det kom ikke noe svar.",
		BaseURL: "Basis-URL", Kept: "Beholdes i denne nettleserfanen til du lukker den.",
	}
	portugueseAPI = html.APILabels{
		Authentication: "Autenticação", NoAuthentication: "Nenhuma", Scopes: "Escopos", Servers: "Servidores", PathParameters: "Parâmetros de caminho", QueryParameters: "Parâmetros de consulta",
		HeaderParameters: "Cabeçalhos", CookieValues: "Cookies", Body: "Corpo da requisição", Responses: "Respostas", ResponseHeaders: "Cabeçalhos da resposta", Callbacks: "Chamadas de retorno",
		Models: "Modelos", Webhook: "Webhook", Required: "obrigatório", Deprecated: "obsoleto", Until: "até", ReadOnly: "somente leitura",
		WriteOnly: "somente escrita", Default: "Padrão", Values: "Valores", Always: "Sempre", Example: "Exemplo", Request: "Requisição de exemplo",
		Properties: "Propriedades", OneOf: "Um de", AnyOf: "Qualquer um de", ItemsOf: "Itens", AnyName: "qualquer nome", Recursive: "veja acima", Try: "Experimentar", Send: "Enviar requisição", NoAnswer: "Não houve resposta.",
		BaseURL: "URL base", Kept: "Mantido nesta aba do navegador até que você a feche.",
	}
	russianAPI = html.APILabels{
		Authentication: "Аутентификация", NoAuthentication: "Нет", Scopes: "Области доступа", Servers: "Серверы", PathParameters: "Параметры пути", QueryParameters: "Параметры запроса",
		HeaderParameters: "Заголовки", CookieValues: "Cookie", Body: "Тело запроса", Responses: "Ответы", ResponseHeaders: "Заголовки ответа", Callbacks: "Обратные вызовы",
		Models: "Модели", Webhook: "Вебхук", Required: "обязательно", Deprecated: "устарело", Until: "до", ReadOnly: "только чтение",
		WriteOnly: "только запись", Default: "По умолчанию", Values: "Значения", Always: "Всегда", Example: "Пример", Request: "Пример запроса",
		Properties: "Свойства", OneOf: "Один из", AnyOf: "Любые из", ItemsOf: "Элементы", AnyName: "любое имя", Recursive: "см. выше", Try: "Попробовать", Send: "Отправить запрос", NoAnswer: "Ответ не получен.",
		BaseURL: "Базовый URL", Kept: "Хранится в этой вкладке браузера, пока вы её не закроете.",
	}
)
