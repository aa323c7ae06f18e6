package social_test

import (
	"bytes"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/publish/social"
)

var blue = color.RGBA{52, 109, 219, 255}

// cards are pictures of texts in many scripts.
var cards = map[string]social.Card{
	"latin":    {Title: "Getting started with the gateway", Description: "From nothing to a running gateway, in five minutes, on every system that you have.", Site: "Acme Gateway", Color: blue},
	"dark":     {Title: "Install", Description: "Short.", Site: "Acme", Color: color.RGBA{255, 190, 60, 255}, Dark: true},
	"long":     {Title: strings.Repeat("A very long title that goes on ", 20), Description: strings.Repeat("and on ", 300), Site: strings.Repeat("Name ", 40), Color: blue},
	"cyrillic": {Title: "Руководство администратора", Description: "Установка и настройка сервера.", Site: "Документация", Color: blue},
	"arabic":   {Title: "دليل المستخدم للإصدار 2.0", Description: "كل ما تحتاج إليه للبدء.", Site: "التوثيق", Color: blue, RightToLeft: true},
	"mixed":    {Title: "Ελληνικά, Türkçe, Tiếng Việt & עברית", Site: "Ünïcode", Color: blue},
	"missing":  {Title: "安装指南", Description: "入门", Site: "Acme", Color: blue},
	"empty":    {Color: blue},
	"hostile":  {Title: "\x00\u202e<script>\ufffd\U0001F680 rocket", Description: strings.Repeat("W", 100_000), Site: "\n\t", Color: blue},
}

func TestPNG(t *testing.T) {
	plain, err := social.Card{Color: blue}.PNG()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cards {
		b, err := c.PNG()
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil || img.Bounds().Dx() != social.Width || img.Bounds().Dy() != social.Height {
			t.Fatalf("%s: %v %v", name, img.Bounds(), err)
		}
		if name != "empty" && bytes.Equal(b, plain) {
			t.Errorf("%s: nothing is drawn", name)
		}
		if len(b) > 300<<10 {
			t.Errorf("%s has %d bytes", name, len(b))
		}
		if dir := os.Getenv("OCTAVO_TEST_CARDS"); dir != "" { // to look at them
			if err := os.WriteFile(dir+"/card-"+name+".png", b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A text that cannot be drawn whole is not drawn at all.
func TestMissingLettersAreNotDrawn(t *testing.T) {
	a, err := social.Card{Title: "安装", Site: "Acme", Color: blue}.PNG()
	if err != nil {
		t.Fatal(err)
	}
	b, err := social.Card{Title: "Acme", Site: "Acme", Color: blue}.PNG()
	if err != nil || !bytes.Equal(a, b) {
		t.Error("something is drawn of a text without letters for it", err)
	}
}

func TestParseColor(t *testing.T) {
	for s, want := range map[string]color.RGBA{"#346ddb": blue, "#fff": {255, 255, 255, 255}, "": blue, "#": blue, "fff": blue, "#12": blue, "#gggggg": blue, "#1234567": blue, "abcd": blue, "abcdefg": blue} {
		if got := social.ParseColor(s, blue); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestHash(t *testing.T) {
	a, b := social.Card{Title: "A"}, social.Card{Title: "A", Dark: true}
	if a.Hash() == b.Hash() || a.Hash() != (social.Card{Title: "A"}).Hash() || len(a.Hash()) != 16 {
		t.Error(a.Hash(), b.Hash())
	}
}
