package markup

// syntaxCases are sources with the outline that they are read as.
var syntaxCases = []struct{ name, source, want string }{
	{"paragraph", "a **b** c", ""},
}
