package kernel

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
)

const apiAbout = "The HTTP interface of Octavo. Errors are `{\"error\":{\"code\",\"message\",\"details\"}}`; lists are `{\"items\",\"next\":{\"page\"},\"count\"}`."

func (k *Kernel) system() {
	Register(k, Op{
		ID: "getApiInformation", Route: "GET /{$}", Tag: "System", Allow: authz.Public(),
		Summary: "Get the version and build of this server.",
	}, k.information)
}

type information struct {
	Version string `json:"version"`
	Build   string `json:"build" doc:"When the program was built."`
}

func (k *Kernel) information(context.Context, *struct{}) (*Out[information], error) {
	return OK(information{Version: k.Version, Build: k.Build}), nil
}
