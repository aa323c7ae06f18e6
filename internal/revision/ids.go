package revision

import (
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
)

// IDGenerator returns a function that returns ids, which sort in the order in which they are asked for.
func IDGenerator(now time.Time) func() string {
	return func() string {
		now = now.Add(1)
		return docs.NewID[string](now)
	}
}
