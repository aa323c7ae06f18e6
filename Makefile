# make run     build, fill ./data with a demonstration, print how to use it, serve
# make test    everything that must hold; says what is missing for it, and how to install it
#              (with CI=1 it installs it); make test V=1 prints what passed, too
# make quick   what most changes need, in about three minutes
# make check   formatting, vet, linters and known vulnerabilities
# make bench   benchmarks, as ratios against references in the same run
# make golden  rewrite the committed descriptions; look at the diff
# make build   bin/octavo, static, without cgo
# make e2e     only the JavaScript client against the real binary
# make race    the tests of what happens at the same time, with the race detector (needs a
#              C compiler); make race-all runs all Go tests with it
# make random  the property tests with new cases
# make validate  the pages of sites and books by the W3C's checkers (needs Java)

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BUILD   ?= $(shell date -u +%Y-%m-%dT%H:%M:%SZ)
LDFLAGS  = -s -w -X main.version=$(VERSION) -X main.build=$(BUILD)
LISTEN  ?= 127.0.0.1:8080
DATA    ?= ./data

.PHONY: run build test quick formatted check race race-all random bench golden e2e validate

build:
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/octavo ./cmd/octavo

run: build
	./bin/octavo serve --demo --data $(DATA) --listen $(LISTEN)

# Checks, tests and the program that they run are compiled with the same flags, once: without
# C, as it is released. Only the paths in it are those of this machine.
check test quick: export CGO_ENABLED = 0

test:
	go build -ldflags '$(LDFLAGS)' -o bin/octavo ./cmd/octavo
	scripts/with-s3 scripts/with-acme scripts/with-memory scripts/with-postgres scripts/test $(if $(V),-v)

quick: formatted
	scripts/quick

# The form of the code.
formatted:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "run gofmt -w on: $$unformatted"; exit 1; fi

check: formatted
	go vet ./...
	go tool staticcheck ./...
	go tool unparam ./cmd/... ./internal/...
	scripts/vulncheck

race:
	scripts/with-memory scripts/with-postgres scripts/race

race-all:
	scripts/with-postgres go test -race -gcflags=modernc.org/...=-race=false -short ./...

random:
	scripts/random

bench: build
	go run ./bench -bin bin/octavo

golden:
	scripts/with-postgres go test ./internal/web/api ./internal/store -run 'TestDescription|TestWhoMayDoWhat|TestSchema|TestScripts/sqlite' -update

validate: build
	scripts/validate

e2e: build
	scripts/with-postgres scripts/e2e $(if $(V),-v)
