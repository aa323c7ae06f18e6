package theme

import (
	"fmt"
	"strings"
)

// CodeTheme names the colours of code in light and in dark mode, as in a customization.
type CodeTheme struct{ Light, Dark string }

// ownCode names the default colours of the style sheet.
var ownCode = CodeTheme{"default-light", "default-dark"}

// palette holds the colours of code, as rrggbb: the background, and the types of tokens.
type palette struct{ paper, text, comment, keyword, quoted, number, function string }

// style returns the style of code, or an empty string if it is the default of the style sheet.
func (t CodeTheme) style() string {
	if t == ownCode {
		return ""
	}
	return t.colors()
}

// colors returns the style of code. All colours are made darker or lighter until they have
// the minimum contrast of text.
func (t CodeTheme) colors() string {
	light, ok := palettes[t.Light]
	dark, both := palettes[t.Dark]
	if !ok || !both {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--code-paper:light-dark(#%s,#%s);", light.paper, dark.paper)
	for _, part := range []struct{ name, light, dark string }{
		{"code-ink", light.text, dark.text}, {"code-soft", light.comment, dark.comment}, {"com", light.comment, dark.comment}, {"kw", light.keyword, dark.keyword},
		{"str", light.quoted, dark.quoted}, {"num", light.number, dark.number}, {"fun", light.function, dark.function},
	} {
		on, in := Tone{"#" + part.light, "#" + part.dark}, Tone{"#" + light.paper, "#" + dark.paper}
		l, d, _ := on.parse()
		fmt.Fprintf(&b, "--%s:light-dark(%s,%s);", part.name, l.readable(in.Light), d.readable(in.Dark))
	}
	for _, part := range changedLines {
		l, d, _ := part.tone.parse()
		fmt.Fprintf(&b, "--%s:light-dark(%s,%s);--%[1]s-paper:light-dark(%[4]s,%[5]s);", part.name,
			l.readable("#"+light.paper), d.readable("#"+dark.paper), washed("#"+light.paper, l), washed("#"+dark.paper, d))
	}
	return b.String()
}

// changedLines are the colours of added and removed lines of code, before they are made readable.
// They do not follow the colours of hints that a site chooses, which need not be red and green.
var changedLines = []struct {
	name string
	tone Tone
}{{"added-code", Tone{"#1b6f39", "#7fd39a"}}, {"removed-code", Tone{"#b8261d", "#ff9c94"}}}

// washed returns a background that is tinted with a color. Text of the color that readable returns
// has enough contrast on it.
func washed(paper string, with color) color {
	on, _ := parseColor(paper)
	return on.mix(with, wash)
}

// palettes are the palettes that a customization can name. They have the main colours of themes
// of editors.
var palettes = map[string]palette{
	"default-light":              {"f6f7f9", "343a43", "5f6873", "8226c9", "0a6640", "9a3412", "1a5fb4"},
	"default-dark":               {"181b20", "c5cad2", "8f99a6", "cfaeff", "8fd6a8", "ffb38a", "8ab8ff"},
	"monochrome-light":           {"fafafa", "24292e", "6a737d", "000000", "4a4f55", "4a4f55", "24292e"},
	"monochrome-dark":            {"161618", "d4d4d8", "8b8b93", "ffffff", "b4b4bb", "b4b4bb", "d4d4d8"},
	"andromeeda":                 {"23262e", "d5ced9", "a0a1a7", "c74ded", "96e072", "f39c12", "ffe66d"},
	"aurora-x":                   {"07090f", "bbbbbb", "546e7a", "c792ea", "c3e88d", "f78c6c", "82aaff"},
	"ayu-dark":                   {"0b0e14", "bfbdb6", "5a6673", "ff8f40", "aad94c", "d2a6ff", "ffb454"},
	"catppuccin-frappe":          {"303446", "c6d0f5", "949cbb", "ca9ee6", "a6d189", "ef9f76", "8caaee"},
	"catppuccin-latte":           {"eff1f5", "4c4f69", "7c7f93", "8839ef", "40a02b", "fe640b", "1e66f5"},
	"catppuccin-macchiato":       {"24273a", "cad3f5", "939ab7", "c6a0f6", "a6da95", "f5a97f", "8aadf4"},
	"catppuccin-mocha":           {"1e1e2e", "cdd6f4", "9399b2", "cba6f7", "a6e3a1", "fab387", "89b4fa"},
	"dark-plus":                  {"1e1e1e", "d4d4d4", "6a9955", "569cd6", "ce9178", "b5cea8", "dcdcaa"},
	"dracula":                    {"282a36", "f8f8f2", "6272a4", "ff79c6", "f1fa8c", "bd93f9", "50fa7b"},
	"dracula-soft":               {"282a36", "f6f6f4", "7b7f8b", "f286c4", "e7ee98", "bf9eee", "62e884"},
	"everforest-dark":            {"2d353b", "d3c6aa", "859289", "e67e80", "dbbc7f", "d699b6", "a7c080"},
	"everforest-light":           {"fdf6e3", "5c6a72", "939f91", "f85552", "dfa000", "df69ba", "8da101"},
	"github-dark":                {"24292e", "e1e4e8", "6a737d", "f97583", "9ecbff", "79b8ff", "b392f0"},
	"github-dark-default":        {"0d1117", "e6edf3", "8b949e", "ff7b72", "a5d6ff", "79c0ff", "d2a8ff"},
	"github-dark-dimmed":         {"22272e", "adbac7", "768390", "f47067", "96d0ff", "6cb6ff", "dcbdfb"},
	"github-dark-high-contrast":  {"0a0c10", "f0f3f6", "bdc4cc", "ff9492", "addcff", "91cbff", "dbb7ff"},
	"github-light":               {"ffffff", "24292e", "6a737d", "d73a49", "032f62", "005cc5", "6f42c1"},
	"github-light-default":       {"ffffff", "1f2328", "6e7781", "cf222e", "0a3069", "0550ae", "8250df"},
	"github-light-high-contrast": {"ffffff", "0e1116", "66707b", "a0111f", "032563", "023b95", "622cbc"},
	"gruvbox-dark-hard":          {"1d2021", "ebdbb2", "928374", "fb4934", "b8bb26", "d3869b", "fabd2f"},
	"gruvbox-dark-medium":        {"282828", "ebdbb2", "928374", "fb4934", "b8bb26", "d3869b", "fabd2f"},
	"gruvbox-dark-soft":          {"32302f", "ebdbb2", "928374", "fb4934", "b8bb26", "d3869b", "fabd2f"},
	"gruvbox-light-hard":         {"f9f5d7", "3c3836", "928374", "9d0006", "79740e", "8f3f71", "b57614"},
	"gruvbox-light-medium":       {"fbf1c7", "3c3836", "928374", "9d0006", "79740e", "8f3f71", "b57614"},
	"gruvbox-light-soft":         {"f2e5bc", "3c3836", "928374", "9d0006", "79740e", "8f3f71", "b57614"},
	"houston":                    {"17191e", "eef0f9", "8f919c", "54b9ff", "ffd493", "4bf3c8", "00daef"},
	"kanagawa-dragon":            {"181616", "c5c9c5", "737c73", "8992a7", "8a9a7b", "a292a3", "8ba4b0"},
	"kanagawa-lotus":             {"f2ecbc", "545464", "716e61", "624c83", "6f894e", "b35b79", "4d699b"},
	"kanagawa-wave":              {"1f1f28", "dcd7ba", "727169", "957fb8", "98bb6c", "d27e99", "7e9cd8"},
	"laserwave":                  {"27212e", "ffffff", "91889b", "40b4c4", "b4dce7", "b381c5", "eb64b9"},
	"light-plus":                 {"ffffff", "000000", "008000", "0000ff", "a31515", "098658", "795e26"},
	"material-theme":             {"263238", "eeffff", "546e7a", "c792ea", "c3e88d", "f78c6c", "82aaff"},
	"material-theme-darker":      {"212121", "eeffff", "545454", "c792ea", "c3e88d", "f78c6c", "82aaff"},
	"material-theme-lighter":     {"fafafa", "90a4ae", "90a4ae", "9c3eda", "91b859", "f76d47", "6182b8"},
	"material-theme-ocean":       {"0f111a", "babed8", "464b5d", "c792ea", "c3e88d", "f78c6c", "82aaff"},
	"material-theme-palenight":   {"292d3e", "babed8", "676e95", "c792ea", "c3e88d", "f78c6c", "82aaff"},
	"min-dark":                   {"1f1f1f", "d4d4d4", "6b737c", "f97583", "9db1c5", "f8f8f8", "b392f0"},
	"min-light":                  {"ffffff", "24292e", "c2c3c5", "d32f2f", "2b5581", "1976d2", "6f42c1"},
	"monokai":                    {"272822", "f8f8f2", "88846f", "f92672", "e6db74", "ae81ff", "a6e22e"},
	"night-owl":                  {"011627", "d6deeb", "637777", "c792ea", "ecc48d", "f78c6c", "82aaff"},
	"nord":                       {"2e3440", "d8dee9", "616e88", "81a1c1", "a3be8c", "b48ead", "88c0d0"},
	"one-dark-pro":               {"282c34", "abb2bf", "7f848e", "c678dd", "98c379", "d19a66", "61afef"},
	"one-light":                  {"fafafa", "383a42", "a0a1a7", "a626a4", "50a14f", "986801", "4078f2"},
	"plastic":                    {"21252b", "a9b2c3", "5f6672", "e06c75", "98c379", "56b6c2", "b57edc"},
	"poimandres":                 {"1b1e28", "a6accd", "767c9d", "91b4d5", "5de4c7", "5de4c7", "add7ff"},
	"red":                        {"390000", "f8f8f8", "e7c0c0", "f12727", "cd8d8d", "994646", "ffb454"},
	"rose-pine":                  {"191724", "e0def4", "6e6a86", "31748f", "f6c177", "ebbcba", "ebbcba"},
	"rose-pine-dawn":             {"faf4ed", "575279", "9893a5", "286983", "ea9d34", "d7827e", "d7827e"},
	"rose-pine-moon":             {"232136", "e0def4", "6e6a86", "3e8fb0", "f6c177", "ea9a97", "ea9a97"},
	"slack-dark":                 {"222222", "e6e6e6", "6a9955", "569cd6", "ce9178", "b5cea8", "dcdcaa"},
	"slack-ochin":                {"ffffff", "002339", "357b42", "7b30d0", "a44185", "174781", "0991b6"},
	"snazzy-light":               {"fafbfc", "565869", "adb1c2", "f767bb", "cf9c00", "2dae58", "09a1ed"},
	"solarized-dark":             {"002b36", "839496", "586e75", "859900", "2aa198", "d33682", "268bd2"},
	"solarized-light":            {"fdf6e3", "657b83", "93a1a1", "859900", "2aa198", "d33682", "268bd2"},
	"synthwave-84":               {"262335", "ffffff", "848bbd", "fede5d", "ff8b39", "f97e72", "36f9f6"},
	"tokyo-night":                {"1a1b26", "a9b1d6", "51597d", "bb9af7", "9ece6a", "ff9e64", "7aa2f7"},
	"vesper":                     {"101010", "ffffff", "8b8b8b", "a0a0a0", "99ffe4", "ffc799", "ffc799"},
	"vitesse-black":              {"000000", "dbd7ca", "758575", "4d9375", "c98a7d", "4c9a91", "80a665"},
	"vitesse-dark":               {"121212", "dbd7ca", "758575", "4d9375", "c98a7d", "4c9a91", "80a665"},
	"vitesse-light":              {"ffffff", "393a34", "a0ada0", "1e754f", "b56959", "2f798a", "59873a"},
}
