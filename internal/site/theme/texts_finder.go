package theme

// Texts of the search, by language. Count has no noun that would need a plural.
var (
	englishFinder = FinderTexts{
		Recent: "Recently opened", Suggested: "Suggested pages", Count: "Results: %s",
		Advice: "Check the spelling, or try fewer or more general words.",
		Failed: "The search does not answer. Check your connection and try again.", Choose: "Choose", Open: "Open",
	}
	germanFinder = FinderTexts{
		Recent: "Zuletzt geöffnet", Suggested: "Vorgeschlagene Seiten", Count: "Ergebnisse: %s",
		Advice: "Prüfen Sie die Schreibweise, oder suchen Sie mit weniger oder allgemeineren Wörtern.",
		Failed: "Die Suche antwortet nicht. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.", Choose: "Auswählen", Open: "Öffnen",
	}
	frenchFinder = FinderTexts{
		Recent: "Ouvertes récemment", Suggested: "Pages suggérées", Count: "Résultats : %s",
		Advice: "Vérifiez l’orthographe, ou essayez avec moins de mots ou des mots plus généraux.",
		Failed: "La recherche ne répond pas. Vérifiez votre connexion et réessayez.", Choose: "Choisir", Open: "Ouvrir",
	}
	spanishFinder = FinderTexts{
		Recent: "Abiertas recientemente", Suggested: "Páginas sugeridas", Count: "Resultados: %s",
		Advice: "Compruebe la ortografía o pruebe con menos palabras o más generales.",
		Failed: "La búsqueda no responde. Compruebe su conexión e inténtelo de nuevo.", Choose: "Elegir", Open: "Abrir",
	}
	portugueseFinder = FinderTexts{
		Recent: "Abertas recentemente", Suggested: "Páginas sugeridas", Count: "Resultados: %s",
		Advice: "Verifique a ortografia ou tente menos palavras ou palavras mais gerais.",
		Failed: "A busca não responde. Verifique sua conexão e tente novamente.", Choose: "Escolher", Open: "Abrir",
	}
	dutchFinder = FinderTexts{
		Recent: "Onlangs geopend", Suggested: "Voorgestelde pagina’s", Count: "Resultaten: %s",
		Advice: "Controleer de spelling, of probeer minder of algemenere woorden.",
		Failed: "De zoekfunctie antwoordt niet. Controleer uw verbinding en probeer het opnieuw.", Choose: "Kiezen", Open: "Openen",
	}
	norwegianFinder = FinderTexts{
		Recent: "Nylig åpnet", Suggested: "Foreslåtte sider", Count: "Resultater: %s",
		Advice: "Kontroller stavemåten, eller prøv færre eller mer generelle ord.",
		Failed: "Søket svarer ikke. Kontroller tilkoblingen og prøv igjen.", Choose: "Velg", Open: "Åpne",
	}
	russianFinder = FinderTexts{
		Recent: "Недавно открытые", Suggested: "Рекомендуемые страницы", Count: "Результаты: %s",
		Advice: "Проверьте написание или попробуйте меньше слов либо более общие слова.",
		Failed: "Поиск не отвечает. Проверьте соединение и повторите попытку.", Choose: "Выбрать", Open: "Открыть",
	}
	chineseFinder = FinderTexts{
		Recent: "最近打开", Suggested: "推荐页面", Count: "结果数：%s",
		Advice: "请检查拼写，或尝试更少或更宽泛的词。",
		Failed: "搜索没有响应。请检查网络连接后重试。", Choose: "选择", Open: "打开",
	}
	japaneseFinder = FinderTexts{
		Recent: "最近開いたページ", Suggested: "おすすめのページ", Count: "検索結果: %s 件",
		Advice: "つづりを確認するか、語を減らすか、より一般的な語でお試しください。",
		Failed: "検索が応答しません。接続を確認して、もう一度お試しください。", Choose: "選択", Open: "開く",
	}
)
