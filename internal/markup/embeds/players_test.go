package embeds

import (
	"reflect"
	"strings"
	"testing"
)

func TestPlayers(t *testing.T) {
	all := Providers()
	for address, want := range map[string]string{
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ":                 "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
		"https://youtube.com/watch?feature=x&v=dQw4w9WgXcQ&t=42s":     "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=42",
		"https://m.youtube.com/watch?v=dQw4w9WgXcQ":                   "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
		"https://youtu.be/dQw4w9WgXcQ?t=7":                            "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=7",
		"https://www.youtube.com/shorts/dQw4w9WgXcQ":                  "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
		"https://www.youtube.com/embed/dQw4w9WgXcQ?autoplay=1":        "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
		"https://www.youtube.com/playlist?list=PL-abc_1":              "https://www.youtube-nocookie.com/embed/videoseries?list=PL-abc_1",
		"https://www.youtube.com/@somebody":                           "",
		"https://www.youtube.com/channelname":                         "", // as long as an id
		"https://www.youtube.com/watch?v=\"><script>":                 "",
		"https://www.youtube.com/watch?v=a/../../x":                   "",
		"https://youtu.be/":                                           "",
		"https://vimeo.com/76979871":                                  "https://player.vimeo.com/video/76979871?dnt=1",
		"https://vimeo.com/76979871/8272103f6e":                       "https://player.vimeo.com/video/76979871?dnt=1&h=8272103f6e",
		"https://player.vimeo.com/video/76979871?h=8272103f6e":        "https://player.vimeo.com/video/76979871?dnt=1&h=8272103f6e",
		"https://vimeo.com/somebody":                                  "",
		"https://www.loom.com/share/0281766fa2d04bb788eaf19e65135184": "https://www.loom.com/embed/0281766fa2d04bb788eaf19e65135184",
		"https://codepen.io/team/pen/abcDEF":                          "https://codepen.io/team/embed/abcDEF?default-tab=result",
		"https://codepen.io/team":                                     "",
		"https://codesandbox.io/s/new-x1":                             "https://codesandbox.io/embed/new-x1",
		"https://codesandbox.io/p/sandbox/new-x1?file=/a":             "https://codesandbox.io/embed/new-x1",
		"https://stackblitz.com/edit/node-abc?file=src/a.ts":          "https://stackblitz.com/edit/node-abc?embed=1&file=src%2Fa.ts",
		"https://stackblitz.com/docs":                                 "",
		"https://www.figma.com/file/AbC123/Name?node-id=1-2":          "https://embed.figma.com/design/AbC123?embed-host=octavo&node-id=1-2",
		"https://www.figma.com/proto/AbC123/Name?node-id=x":           "https://embed.figma.com/proto/AbC123?embed-host=octavo",
		"https://www.figma.com/community":                             "",
		"http://youtu.be/dQw4w9WgXcQ":                                 "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
		"https://youtube.com.evil.test/watch?v=dQw4w9WgXcQ":           "",
		"https://evil.test/watch?v=dQw4w9WgXcQ":                       "",
		"https://youtube.com@evil.test/watch?v=dQw4w9WgXcQ":           "",
		"https://somebody@youtube.com/watch?v=dQw4w9WgXcQ":            "",
		"https://youtube.com:8443/watch?v=dQw4w9WgXcQ":                "",
		"javascript://youtube.com/watch?v=dQw4w9WgXcQ":                "",
		"//youtube.com/watch?v=dQw4w9WgXcQ":                           "",
		"%":                                                           "", "": "",
	} {
		p, ok := PlayerOf(address, all)
		if p.Address = ifOK(p.Address, ok); p.Address != want {
			t.Errorf("%s: %q, want %q", address, p.Address, want)
		}
		if ok && !strings.HasPrefix(p.Address, p.Origin()+"/") {
			t.Errorf("%s is not at %s", p.Address, p.Origin())
		}
		if _, ok := PlayerOf(address, []string{"none"}); ok {
			t.Errorf("%s has a player that is not allowed", address)
		}
		if _, ok := PlayerOf(address, nil); ok {
			t.Errorf("%s has a player that is not allowed", address)
		}
	}
	if want := []string{"codepen", "codesandbox", "figma", "loom", "stackblitz", "vimeo", "youtube"}; !reflect.DeepEqual(all, want) {
		t.Errorf("providers %v, want %v", all, want)
	}
}

func ifOK(s string, ok bool) string {
	if !ok {
		return ""
	}
	return s
}
