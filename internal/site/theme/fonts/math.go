package fonts

// Math are the files of the font of formulas, with the characters that each has. A browser takes
// the measures of formulas from the first, because it has the space.
//
// Few systems have a font with the table MATH, without which fences, roots and matrices do not grow
// with what is in them.
var Math = []File{
	{Name: "stix-two-math-core.woff2", Weights: "400", Range: mathCore},
	{Name: "stix-two-math-letters.woff2", Weights: "400", Range: mathLetters},
	{Name: "stix-two-math-signs.woff2", Weights: "400", Range: mathSigns},
}

// Ranges of characters: Latin and Greek, upright and italic, with the signs that most formulas
// have; the other alphabets, such as bold and double-struck; other signs.
const (
	mathCore = "U+0020-007E,U+00A0-00FF,U+0131,U+0237,U+02C6-02DD,U+0300-0308,U+030A,U+030C,U+0311,U+0332,U+0338,U+0391-03F5," +
		"U+2002,U+2010-2026,U+2032-2037,U+203E,U+2057,U+2061-2064,U+20D0,U+20D1,U+20D6,U+20D7,U+20DB,U+210E,U+210F,U+2113,U+2190-2199,U+21A6,U+21A9-21AA,U+21BC-21CC,U+21D0-21D5," +
		"U+2200-2265,U+226A,U+226B,U+227A-227D,U+2282-228B,U+2291-229B,U+22A2-22A5,U+22C0-22C5,U+22EE-22F1,U+2308-230B,U+2320-2321,U+239B-23B3,U+23D0,U+23DC-23E1," +
		"U+25A1,U+25B3,U+25CB,U+27E6-27EB,U+27F5-27FA,U+2A00-2A02,U+2A7D,U+2A7E,U+2AAF,U+2AB0,U+1D434-1D467,U+1D6E2-1D71B"
	mathLetters = "U+2102,U+210A-210D,U+2110-2112,U+2115,U+2118-211D,U+2124,U+2128,U+212C-2131,U+2133,U+2134,U+213C-2140,U+2145-2149,U+1D400-1D433,U+1D468-1D6E1,U+1D71C-1D7FF"
	mathSigns   = "U+2127,U+2129,U+2132,U+2135-2138,U+2141-2144,U+214B,U+219A-21A5,U+21A7,U+21A8,U+21AB-21BB,U+21CD-21CF,U+21D6-21FF,U+2266-2269,U+226C-2279,U+227E-2281,U+228C-2290,U+229C-22A1," +
		"U+22A6-22BF,U+22C6-22ED,U+22F2-22FF,U+2300-2307,U+230C-231F,U+2322-2328,U+23B4-23CF,U+2500-25A0,U+25A2-25B2,U+25B4-25CA,U+25CC-25FF,U+2605,U+2606,U+2660-2667,U+266D-266F,U+2713,U+2720," +
		"U+27C0-27E5,U+27EC-27F4,U+27FB-27FF,U+2900-29FF,U+2A03-2A7C,U+2A7F-2AAE,U+2AB1-2AFF,U+2B00-2B55"
)
