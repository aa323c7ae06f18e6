package api

import (
	_ "embed"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

//go:embed examples.json
var exampleFile []byte

// Examples returns the examples by operation id.
func Examples() map[string]kernel.Example {
	var out map[string]kernel.Example
	if err := json.Unmarshal(exampleFile, &out); err != nil {
		panic(err) // the file is embedded in the program
	}
	return out
}
