package content_test

import "io"

// memorySink keeps what is written.
type memorySink map[string]string

// WriteFile implements folder.Sink.
func (m memorySink) WriteFile(name string, data io.Reader) error {
	b, err := io.ReadAll(data)
	m[name] = string(b)
	return err
}
