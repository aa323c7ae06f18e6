package revision

import (
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
)

// IDGenerator returns a function that returns a new id on each call, in ascending order.
func IDGenerator(now time.Time) func() string {
	return func() string {
		now = now.Add(1)
		return docs.NewID[string](now)
	}
}
