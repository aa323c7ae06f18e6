package markup

import (
	"bytes"
	"os"
	"testing"
)

func benchSource(b *testing.B) []byte {
	src, err := os.ReadFile("testdata/everything.md")
	if err != nil {
		b.Fatal(err)
	}
	return bytes.Repeat(src, 20)
}

func BenchmarkParse(b *testing.B) {
	src := benchSource(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(src, Refs{})
	}
}

func BenchmarkPrint(b *testing.B) {
	src := benchSource(b)
	doc := Parse(src, Refs{})
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Print(doc, Refs{})
	}
}

func BenchmarkReprint(b *testing.B) {
	src := benchSource(b)
	old := Parse(src, Refs{})
	doc := Parse(src, Refs{})
	doc.Nodes[0] = plainParagraph("changed")
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Reprint(src, old, doc, Refs{})
	}
}
