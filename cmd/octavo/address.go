package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// addressFlag is the public address of the server, which content and links refer to.
type addressFlag struct {
	BaseURL string `help:"Public address of the server; that of the last octavo serve with this data folder without it." name:"base-url" env:"OCTAVO_BASE_URL" placeholder:"URL"`
}

// guessedAddress is the address of a server with the defaults.
const guessedAddress = "http://127.0.0.1:8080"

// address returns the address without a slash at its end, or an error if it is invalid.
func (f addressFlag) address(data storeFlags) (string, error) {
	base, _ := f.knownAddress(data)
	return base, checkBaseURL(base)
}

// knownAddress returns the address of the flag, or that of the last server of a data folder. It
// reports false if neither is known, so that the address is a guess.
func (f addressFlag) knownAddress(data storeFlags) (base string, known bool) {
	if f.BaseURL != "" {
		return strings.TrimSuffix(f.BaseURL, "/"), true
	}
	if base = data.lastAddress(); base != "" {
		return base, true
	}
	return guessedAddress, false
}

// addressFile returns the name of the file with the address of the last server of the data folder.
func (f storeFlags) addressFile() string { return filepath.Join(f.Data, "address") }

const maxAddressFile = 1 << 10

// lastAddress returns the address of the last server of the data folder, or "" if it is not known.
func (f storeFlags) lastAddress() string {
	in, err := os.Open(f.addressFile())
	if err != nil {
		return ""
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, maxAddressFile))
	base := strings.TrimSpace(string(b))
	if err != nil || checkBaseURL(base) != nil {
		return ""
	}
	return base
}

// keepAddress stores the address of the server for commands that print links. They work without
// it, so that it cannot be stored is no failure.
func (f storeFlags) keepAddress(base string, log *slog.Logger) {
	if f.lastAddress() == base {
		return
	}
	next := f.addressFile() + ".new"
	err := os.WriteFile(next, []byte(base+"\n"), 0o600)
	if err == nil {
		err = os.Rename(next, f.addressFile())
	}
	if err != nil {
		log.Debug("the address of the server cannot be stored in the data folder", "error", err)
	}
}
