package theme

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

var chinese = Texts{
	Skip: "跳到正文", Announcement: "公告", Menu: "菜单", Close: "关闭", Search: "搜索", Links: "链接", Scheme: "浅色或深色",
	Sections: "板块", Pages: "页面", Privacy: "隐私政策", Version: "版本", Outline: "本页内容", Breadcrumbs: "面包屑导航",
	Page: "页面", Turn: "上一页和下一页", Previous: "上一页", Next: "下一页", Updated: "最后更新于",
	SearchHint: "请在上方输入关键词。", Results: "搜索结果：", NoResults: "未找到相关结果：", Near: "您要找的可能是：", Everywhere: "所有版块",
	SystemScheme: "跟随系统", LightScheme: "浅色", DarkScheme: "深色", NewsFeed: "RSS 订阅", EditOn: "在 %s 上编辑",
	ViewMarkdown: "以 Markdown 格式查看", ConnectMCP: "通过 MCP 连接", EditSource: "编辑源文件",
	Missing: "找不到页面", MissingText: "此地址没有对应的页面。", Start: "前往首页",
	MCP: "MCP 服务器", MCPText: "AI 助手可以搜索和阅读这些页面。请将以下地址作为 MCP 服务器（Streamable HTTP）添加到您的助手：",
	Documentation: "文档",
	SignIn:        "登录", SignInText: "这些页面仅供已登录的读者阅读。请从您登录的地方打开。",
	SignInFailed: "登录失败", SignInAgain: "重新登录", Report: "如果再次出现此问题，请将此消息发送给网站管理员。",
	Refused: TokenErrors{
		Expired:   "登录令牌已过期。",
		Early:     "登录令牌尚未生效：签发令牌的服务器时钟偏快。",
		Lifetime:  "登录令牌没有过期时间，或有效期超过 30 天。",
		Signature: "登录令牌不是用此网站的密钥签名的。",
		Algorithm: "登录令牌未使用 HS256 签名。",
		Malformed: "登录令牌格式有误。",
	},
	Copy: "复制", Copied: "已复制", CopyPage: "以 Markdown 格式复制页面", Diagrams: "图表", Zoom: "放大", More: "展开", Less: "收起",
	Play: "播放视频", OpenHere: "在此处打开", LoadsFrom: "内容从 %s 加载，该网站会得知您的访问",
	Finder: chineseFinder,
	Wrap:   "自动换行", NoDiagram: "无法绘制此图表：",
	Review: Review{
		Label: "预览", Request: "变更请求", Revision: "修订版", By: "作者：", Draft: "草稿", Open: "进行中", Merged: "已合并",
		Archived: "已归档", Live: "已发布的页面", Show: "显示更改", Pages: "更改的页面", First: "本页的更改：", Same: "本页没有更改。",
		Large: "本页太长，无法比较。", More: "其他页面：", Added: "新增", Removed: "删除", Changed: "修改", Moved: "移动",
	},
	Feedback:    Feedback{Question: "本页对您有帮助吗？", Bad: "没有", OK: "部分有", Good: "有", Thanks: "感谢您的反馈！", Back: "返回页面", Later: "来自此处的反馈过多，请稍后再试。"},
	DownloadPDF: "下载 PDF", DownloadAll: "下载全部内容的 PDF", OpenIn: "就本页询问 %s", AskAbout: "请阅读 %s 并回答我的相关问题。",
	PublishedWith: "发布工具：",
	Labels: html.Labels{
		Anchor: "本节链接", ToDo: "未完成", Done: "已完成", Info: "信息", Success: "成功", Warning: "警告", Danger: "危险",
		Back: "返回正文", Yes: "是", No: "否", Rating: "%s（满分 %s）", Dates: eastAsianDates, API: chineseAPI,
		Elsewhere: "本页内容是为其他程序编写的，无法在此处显示。",
	},
}

// eastAsianDates are those of Chinese and Japanese.
var eastAsianDates = markup.Dates{Full: "YYYY年M月D日", Short: "YYYY年M月D日"}
