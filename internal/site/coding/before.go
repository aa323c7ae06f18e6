package coding

import "net/http"

// BeforeSending returns a writer that calls fn when the response begins, each time that
// something is written to it.
func BeforeSending(w http.ResponseWriter, fn func()) http.ResponseWriter { return &sender{w, fn} }

type sender struct {
	http.ResponseWriter
	begins func()
}

func (s *sender) WriteHeader(status int) {
	s.begins()
	s.ResponseWriter.WriteHeader(status)
}

func (s *sender) Write(b []byte) (int, error) {
	s.begins()
	return s.ResponseWriter.Write(b)
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (s *sender) Unwrap() http.ResponseWriter { return s.ResponseWriter }
