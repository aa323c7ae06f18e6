package api

import (
	_ "embed"
	"encoding/json"
)

//go:embed examples.json
var exampleFile []byte

// Examples returns the examples by operation id.
func Examples() map[string]Example {
	var out map[string]Example
	if err := json.Unmarshal(exampleFile, &out); err != nil {
		panic(err) // the file is embedded in the program
	}
	return out
}
