package markup

// A document of a client may have addresses that are not safe to follow, if it is an
// edited version of a document that already has them.

const unsafeAddressMessage = "must be an http, https, mailto or tel address, or a relative one"

// checkAddress checks the address of a reference. It may be empty, because a
// reference may have no target yet. In an edit, an unsafe address is collected
// for CheckAddresses, because the edited document may already contain it.
func (d *decoder) checkAddress(url string) error {
	if _, ok := SafeURL(url); ok || url == "" {
		return nil
	}
	err := d.fail(unsafeAddressMessage)
	if d.unsafeAddresses == nil {
		return err
	}
	*d.unsafeAddresses = append(*d.unsafeAddresses, unsafeAddress{url, err})
	return nil
}

// unsafeAddress is an address that readers are not sent to, with the error that
// rejects it.
type unsafeAddress struct {
	url string
	err error
}

// CheckAddresses returns an error if the document has an address that is not safe
// to follow and that is not in the edited document. An address of the edited
// document came with the source: it is kept, but is never a link for readers. If
// edited is nil, every unsafe address is an error.
func (doc *Document) CheckAddresses(edited *Document) error {
	if len(doc.unsafeAddresses) == 0 {
		return nil
	}
	known := map[string]bool{}
	if edited != nil {
		eachNode(edited.Nodes, func(n *Node) {
			for _, w := range n.extra().written {
				known[w.ref().URL] = true
			}
			if n.Type == "integration" {
				known[n.Str(FieldURL)] = true
			}
		})
	}
	for _, a := range doc.unsafeAddresses {
		if !known[a.url] {
			return a.err
		}
	}
	return nil
}
