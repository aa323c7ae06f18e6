package markup

// HasFront tells whether a source begins with front matter that was read.
func (h Head) HasFront() bool { return h.front.root != nil }
