package rison_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/site/audience/rison"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"!t": `true`, "!f": `false`, "!n": `null`, "0": `0`, "-3": `-3`, "1.5": `1.5`, "1e30": `1e+30`, "1e-3": `0.001`,
		"a": `"a"`, "a-b": `"a-b"`, "''": `""`, "'0a'": `"0a"`, "'can!'t'": `"can't"`, "'wow!!'": `"wow!"`, "'a b'": `"a b"`, "ä": `"ä"`,
		"()": `{}`, "(a:0)": `{"a":0}`, "(id:!n,type:/common/document)": `{"id":null,"type":"/common/document"}`,
		"(any:json,yes:!t,'a b':(c:d),7:x)": `{"7":"x","a b":{"c":"d"},"any":"json","yes":true}`,
		"!()":                               `[]`, "!(!t,!f,!n,'')": `[true,false,null,""]`, "!(!(),())": `[[],{}]`,
	} {
		v, err := rison.Parse(text)
		b, _ := json.Marshal(v)
		if err != nil || string(b) != want {
			t.Errorf("%s gives %s, %v, want %s", text, b, err, want)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, text := range []string{
		"", " ", "(", ")", "!", "!x", "(a)", "(a:", "(a:1", "(a:1,", "(a:1,)", "(:1)", "(a:1)b", "!(", "!(1", "!(1,)", "!(1 2)", "'", "'a", "'!a'",
		"(a:1,a:2)", "-", "-a", "01", "1.", "1e", "1e999", "a b", "*", "$x", "\xff", "(a:\xff)", `{"a":1}:`,
		strings.Repeat("!(", 100) + strings.Repeat(")", 100), "!(" + strings.Repeat("1,", 1000) + "1)", strings.Repeat("a", rison.MaxBytes+1),
	} {
		if v, err := rison.Parse(text); err == nil || len(err.Error()) > 100 {
			t.Errorf("%.40q gives %v, %v", text, v, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"(a:!(1,'b!'c',!t),d:())", "(a:", "!(!n", "'", "1e-3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := rison.Parse(s)
		if err != nil {
			return
		}
		if _, err := json.Marshal(v); err != nil {
			t.Errorf("%q gives %v: %v", s, v, err)
		}
	})
}
