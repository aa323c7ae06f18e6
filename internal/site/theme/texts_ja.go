package theme

import (
	"github.com/octavo-docs/octavo/internal/markup/html"
)

var japanese = Texts{
	Skip: "本文へスキップ", Announcement: "お知らせ", Menu: "メニュー", Close: "閉じる", Search: "検索", Links: "リンク", Scheme: "ライト／ダーク切り替え",
	Sections: "セクション", Pages: "ページ一覧", Privacy: "プライバシーポリシー", Version: "バージョン", Outline: "このページの内容", Breadcrumbs: "パンくずリスト",
	Page: "ページ", Turn: "前後のページ", Previous: "前へ", Next: "次へ", Updated: "最終更新日:",
	SearchHint: "上の欄に検索語を入力してください。", Results: "検索結果:", NoResults: "該当する結果はありません:", Near: "お探しのページはこちらですか？", Everywhere: "すべてのセクション",
	SystemScheme: "システム", LightScheme: "ライト", DarkScheme: "ダーク", NewsFeed: "RSS フィード", EditOn: "%s で編集",
	ViewMarkdown: "Markdown で表示", ConnectMCP: "MCP で接続", EditSource: "ソースを編集",
	Missing: "ページが見つかりません", MissingText: "このアドレスにページはありません。", Start: "トップページへ",
	MCP: "MCP サーバー", MCPText: "AI アシスタントがこれらのページを検索して読むことができます。お使いのアシスタントに、次のアドレスを MCP サーバー（Streamable HTTP）として追加してください:",
	Documentation: "ドキュメント",
	SignIn:        "サインイン", SignInText: "これらのページを読むにはサインインが必要です。いつもサインインしている場所から開いてください。",
	SignInFailed: "サインインできませんでした", SignInAgain: "もう一度サインイン", Report: "繰り返し表示される場合は、このメッセージをサイトの管理者にお知らせください。",
	Refused: TokenErrors{
		Expired:   "サインイントークンの有効期限が切れています。",
		Early:     "サインイントークンはまだ有効ではありません。発行したサーバーの時計が進んでいます。",
		Lifetime:  "サインイントークンに有効期限がないか、有効期限が 30 日より先です。",
		Signature: "サインイントークンがこのサイトの鍵で署名されていません。",
		Algorithm: "サインイントークンが HS256 で署名されていません。",
		Malformed: "サインイントークンの形式が正しくありません。",
	},
	Copy: "コピー", Copied: "コピーしました", CopyPage: "ページを Markdown でコピー", Diagrams: "図", Zoom: "拡大", More: "もっと見る", Less: "折りたたむ",
	Play: "動画を再生", OpenHere: "ここで開く", LoadsFrom: "%s から読み込まれ、訪問したことが相手に伝わります",
	Finder: japaneseFinder,
	Wrap:   "行を折り返す", NoDiagram: "この図は描画できません:",
	Review: Review{
		Label: "プレビュー", Request: "変更リクエスト", Revision: "リビジョン", By: "作成者:", Draft: "下書き", Open: "オープン", Merged: "マージ済み",
		Archived: "アーカイブ済み", Live: "公開中のページ", Show: "変更を表示", Pages: "変更されたページ", First: "このページの変更:", Same: "このページに変更はありません。",
		Large: "このページは長すぎるため比較できません。", More: "その他のページ:", Added: "追加", Removed: "削除", Changed: "変更", Moved: "移動",
	},
	Feedback:    Feedback{Question: "このページは役に立ちましたか？", Bad: "いいえ", OK: "一部", Good: "はい", Thanks: "ご意見ありがとうございます。", Back: "ページに戻る", Later: "回答が多すぎます。1 分後にもう一度お試しください。"},
	DownloadPDF: "PDF をダウンロード", DownloadAll: "すべてを PDF でダウンロード", OpenIn: "このページについて %s に質問", AskAbout: "%s を読んで、私の質問に答えてください。",
	PublishedWith: "公開ツール:",
	Labels: html.Labels{
		Anchor: "このセクションへのリンク", ToDo: "未完了", Done: "完了", Info: "情報", Success: "成功", Warning: "警告", Danger: "危険",
		Back: "本文に戻る", Yes: "はい", No: "いいえ", Rating: "%s（最高 %s）", Dates: eastAsianDates, API: japaneseAPI,
		Elsewhere: "このページの内容は別のプログラム用に書かれているため、ここでは表示できません。",
	},
}
