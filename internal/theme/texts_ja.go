package theme

import "github.com/octavo-docs/octavo/internal/markup"

var japanese = Texts{
	Skip: "本文へスキップ", Announcement: "お知らせ", Menu: "メニュー", Close: "閉じる", Search: "検索", Links: "リンク", Scheme: "ライト／ダーク切り替え",
	Sections: "セクション", Pages: "ページ一覧", Privacy: "プライバシーポリシー", Version: "バージョン", Outline: "このページの内容", Breadcrumbs: "パンくずリスト",
	Page: "ページ", Turn: "前後のページ", Previous: "前へ", Next: "次へ", Updated: "最終更新日:",
	SearchHint: "上の欄に検索語を入力してください。", Results: "検索結果:", NoResults: "該当する結果はありません:", Near: "お探しのページはこちらですか？",
	ViewMarkdown: "Markdown で表示", ConnectMCP: "MCP で接続", EditSource: "ソースを編集",
	Missing: "ページが見つかりません", MissingText: "このアドレスにページはありません。", Start: "トップページへ",
	MCP: "MCP サーバー", MCPText: "AI アシスタントがこれらのページを検索して読むことができます。お使いのアシスタントに、次のアドレスを MCP サーバー（Streamable HTTP）として追加してください:",
	Documentation: "ドキュメント",
	SignIn:        "サインイン", SignInText: "これらのページを読むにはサインインが必要です。いつもサインインしている場所から開いてください。",
	SignInFailed: "サインインできませんでした", SignInAgain: "もう一度サインイン", Report: "繰り返し表示される場合は、このメッセージをサイトの管理者にお知らせください。",
	Refused: Refused{
		Expired:   "サインイントークンの有効期限が切れています。",
		Early:     "サインイントークンはまだ有効ではありません。発行したサーバーの時計が進んでいます。",
		Endless:   "サインイントークンに有効期限がないか、有効期限が 30 日より先です。",
		Signature: "サインイントークンがこのサイトの鍵で署名されていません。",
		Algorithm: "サインイントークンが HS256 で署名されていません。",
		Malformed: "サインイントークンの形式が正しくありません。",
	},
	Copy: "コピー", Copied: "コピーしました", CopyPage: "ページを Markdown でコピー", Diagrams: "図", Recent: "最近の検索", Zoom: "拡大", More: "もっと見る", Less: "折りたたむ",
	Labels: markup.Labels{
		Anchor: "このセクションへのリンク", ToDo: "未完了", Done: "完了", Info: "情報", Success: "成功", Warning: "警告", Danger: "危険",
		Back: "本文に戻る", Yes: "はい", No: "いいえ", Rating: "%s（最高 %s）",
	},
}
