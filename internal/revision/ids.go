package revision

import (
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
)

// IDsFrom returns ids that sort in the order in which they are asked for.
func IDsFrom(now time.Time) func() string {
	return func() string {
		now = now.Add(1)
		return docs.NewID[string](now)
	}
}
