package frontmatter

// MaxTitle, Clean and Same are for the tests in package frontmatter_test, which
// import markup for its inline parser.
const MaxTitle = maxTitle

func Clean(m Meta) Meta   { return m.clean() }
func Same(a, b Meta) bool { return a.equal(b) }
