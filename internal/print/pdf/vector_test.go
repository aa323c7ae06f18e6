package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// drawn returns the content of a page, and the numbers of its forms and images.
func (f *pdfFile) drawn(page pdfDict) (content string, forms, images int) {
	if xobjects, ok := f.dict(page["Resources"])["XObject"]; ok {
		for _, ref := range f.dict(xobjects) {
			if f.dict(ref)["Subtype"] == pdfName("Form") {
				forms++
			} else {
				images++
			}
		}
	}
	return string(f.stream(page["Contents"])), forms, images
}

// Emoji are pictures, each once in the file, and keep their text.
func TestEmojiAreDrawn(t *testing.T) {
	b := page("One 🎉, a 👩‍💻, a 👍🏽, a 🇫🇷, a 1️⃣, again 🎉.\n\n```\ncode 🎉\n```\n")
	f := b.write(t)
	if len(b.missing) > 0 {
		t.Errorf("missing: %U", b.missing)
	}
	body := f.pages()[1]
	content, forms, _ := f.drawn(body)
	if forms != 5 || strings.Count(content, " Do") != 7 {
		t.Errorf("%d pictures are drawn %d times", forms, strings.Count(content, " Do"))
	}
	if text := f.text(body); !strings.Contains(text, "One 🎉, a 👩‍💻, a 👍🏽, a 🇫🇷, a 1️⃣, again 🎉.") || !strings.Contains(text, "code 🎉") {
		t.Errorf("%q", text)
	}
}

// Icons are drawn as outlines in all blocks that have one.
func TestIconsAreDrawn(t *testing.T) {
	count := func(markdown string) int {
		f := page(markdown).write(t)
		content, _, _ := f.drawn(f.pages()[1])
		return strings.Count(content, " h  f Q")
	}
	for name, markdown := range map[string]string{
		"inline": "An <i class=\"fa-rocket\">:rocket:</i>.\n",
		"hint":   "{% hint style=\"info\" %}\nx\n{% endhint %}\n",
		"tab":    "{% tabs %}\n{% tab title=\"A\" icon=\"leaf\" %}\nx\n{% endtab %}\n{% endtabs %}\n",
		"step":   "{% stepper %}\n{% step icon=\"leaf\" %}\nx\n{% endstep %}\n{% endstepper %}\n",
		"button": "<a href=\"https://example.com\" class=\"button primary\" data-icon=\"leaf\">Go</a>\n",
		"file":   "{% embed url=\"https://example.com/x\" %}\n",
		"prompt": "{% prompt description=\"d\" icon=\"leaf\" %}\n```\nx\n```\n{% endprompt %}\n",
	} {
		if n := count(markdown); n != 1 {
			t.Errorf("%s: %d icons", name, n)
		}
	}
}

// An SVG picture becomes outlines and text, not pixels.
func TestDrawings(t *testing.T) {
	b := richBook(t)
	b.pages = []testPage{{"p", "Page", 0, "![x](diagram.svg)\n\n![y](cover.svg)\n\n![z](diagram.svg)\n"}}
	f := b.write(t)
	body := f.pages()[1]
	content, forms, images := f.drawn(body)
	if forms != 2 || images != 0 || strings.Count(content, " Do") != 3 {
		t.Errorf("%d forms, %d images, drawn %d times", forms, images, strings.Count(content, " Do"))
	}
	if !bytes.Contains(f.data, []byte("/ShadingType 2")) || !bytes.Contains(f.data, []byte("/ShadingType 3")) || !bytes.Contains(f.data, []byte("/ca 0.6")) {
		t.Error("gradients or opacity are missing")
	}
}

// Pictures that are too expensive or broken are not drawn.
func TestDrawingsAreBounded(t *testing.T) {
	var many strings.Builder
	many.WriteString(`<svg width="9" height="9"><g id="a0"><rect width="1" height="1"/></g>`)
	for i := range 20 {
		fmt.Fprintf(&many, `<g id="a%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use href="#a%d"/>`, i), 10))
	}
	many.WriteString(`</svg>`)
	for name, data := range map[string]string{"many": many.String(), "cut": `<svg width="9" height="9"><rect width="1`, "empty": `<svg/>`, "html": `<html><script>x</script></html>`} {
		b := page("![Alt](x.svg)\n")
		b.files = map[string][]byte{"x.svg": []byte(data)}
		f := b.write(t)
		if text := f.text(f.pages()[1]); !strings.Contains(text, "[Image: Alt]") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
