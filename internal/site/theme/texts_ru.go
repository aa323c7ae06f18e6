package theme

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

var russian = Texts{
	Skip: "Перейти к содержанию", Announcement: "Объявление", Menu: "Меню", Close: "Закрыть", Search: "Поиск", Links: "Ссылки", Scheme: "Светлая или тёмная тема",
	Sections: "Разделы", Pages: "Страницы", Privacy: "Политика конфиденциальности", Version: "Версия", Outline: "На этой странице", Breadcrumbs: "Навигационная цепочка",
	Page: "Страница", Turn: "Предыдущая и следующая страницы", Previous: "Назад", Next: "Далее", Updated: "Последнее обновление:",
	SearchHint: "Введите запрос в поле выше.", Results: "Результаты по запросу", NoResults: "Ничего не найдено по запросу", Near: "Возможно, вы искали:", Everywhere: "Все разделы",
	SystemScheme: "Как в системе", LightScheme: "Светлая", DarkScheme: "Тёмная", NewsFeed: "RSS-лента", EditOn: "Редактировать на %s",
	ViewMarkdown: "Открыть как Markdown", ConnectMCP: "Подключить через MCP", EditSource: "Редактировать исходный текст",
	Missing: "Страница не найдена", MissingText: "По этому адресу нет страницы.", Start: "Перейти на главную",
	MCP: "MCP-сервер", MCPText: "ИИ-ассистенты могут искать и читать эти страницы. Добавьте этот адрес в свой ассистент как MCP-сервер (Streamable HTTP):",
	Documentation: "Документация",
	SignIn:        "Вход", SignInText: "Эти страницы доступны только после входа. Откройте их там, где вы входите в свою учётную запись.",
	SignInFailed: "Не удалось войти", SignInAgain: "Войти снова", Report: "Если это повторится, отправьте это сообщение владельцам сайта.",
	Refused: TokenErrors{
		Expired:   "Срок действия токена входа истёк.",
		Early:     "Токен входа ещё не действует: часы выдавшего его сервера спешат.",
		Lifetime:  "У токена входа нет срока действия, или он больше 30 дней.",
		Signature: "Токен входа подписан не ключом этого сайта.",
		Algorithm: "Токен входа подписан не алгоритмом HS256.",
		Malformed: "Неверный формат токена входа.",
	},
	Copy: "Копировать", Copied: "Скопировано", CopyPage: "Скопировать страницу как Markdown", Diagrams: "Диаграммы", Zoom: "Увеличить", More: "Показать больше", Less: "Показать меньше",
	Finder: russianFinder,
	Review: Review{
		Label: "Предпросмотр", Request: "Запрос на изменение", Revision: "Версия", By: "автор:", Draft: "Черновик", Open: "Открыт", Merged: "Принят",
		Archived: "В архиве", Live: "Опубликованная страница", Show: "Показать изменения", Pages: "Изменённые страницы", First: "Изменения на этой странице:", Same: "На этой странице нет изменений.",
		Large: "Эта страница слишком длинная для сравнения.", More: "Ещё страниц:", Added: "Добавлено", Removed: "Удалено", Changed: "Изменено", Moved: "Перемещено",
	},
	Feedback:    Feedback{Question: "Была ли эта страница полезной?", Bad: "Нет", OK: "Отчасти", Good: "Да", Thanks: "Спасибо за отзыв!", Back: "Вернуться на страницу", Later: "Отсюда пришло слишком много ответов. Повторите попытку через минуту."},
	DownloadPDF: "Скачать в PDF", DownloadAll: "Скачать всё в PDF", OpenIn: "Спросить %s об этой странице", AskAbout: "Прочитай %s и ответь на мои вопросы об этом.",
	PublishedWith: "Опубликовано с помощью",
	Labels: html.Labels{
		Anchor: "Ссылка на этот раздел", ToDo: "не выполнено", Done: "выполнено", Info: "Информация", Success: "Успешно", Warning: "Внимание", Danger: "Опасно",
		Back: "Вернуться к тексту", Yes: "да", No: "нет", Rating: "%s из %s", Dates: russianDates, API: russianAPI,
		Elsewhere: "Содержание этой страницы написано для другой программы и не может быть показано здесь.",
	},
}

var russianDates = markup.Dates{
	Full: "D MMMM YYYY г.", Short: "D MMMM YYYY г.",
	Months:          [12]string{"января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря"},
	ShortenedMonths: [12]string{"янв.", "февр.", "мар.", "апр.", "мая", "июн.", "июл.", "авг.", "сент.", "окт.", "нояб.", "дек."},
}
