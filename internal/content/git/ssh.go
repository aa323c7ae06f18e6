package git

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
)

const (
	privateDir = "private" // folder in an entry that exists while the entry is open
	sshConfig  = "ssh_config"
	sshKey     = "key"
	sshHosts   = "known_hosts"
	// trustedHosts holds the keys of servers that were called before. All entries share
	// the file, so that evicting an entry does not lose a key.
	trustedHosts = "known_hosts"

	sshConnect = 10 // seconds until a connection is established
	sshAlive   = 15 // seconds without data after which the server is probed …
	sshMissed  = 4  // … and the maximum number of unanswered probes
)

// writeSSH writes the ssh configuration for connecting to the resolved address with the
// given key, without prompts. Paths are relative to the entry, because ssh expands some
// characters in paths.
func (p *Repo) writeSSH(operatorHosts string) error {
	alias := p.address.host
	if p.address.port != "" {
		alias = "[" + alias + "]:" + p.address.port
	}
	hosts, check := filepath.Join("..", trustedHosts), "accept-new"
	given := p.credentials.KnownHosts
	if len(given) == 0 && operatorHosts != "" {
		b, err := os.ReadFile(operatorHosts)
		if err != nil {
			return fail(Internal, "the file with the keys of ssh servers cannot be read; ask the operator to check it", err.Error())
		}
		given = append(b, '\n')
	}
	if len(given) > 0 {
		hosts, check = filepath.Join(privateDir, sshHosts), "yes"
		if err := os.WriteFile(p.private(sshHosts), given, 0o600); err != nil {
			return err
		}
	}
	key, auth := "none", "no"
	if len(p.credentials.PrivateKey) > 0 {
		key, auth = filepath.Join(privateDir, sshKey), "yes"
		// ssh rejects a key without a final line break, and web forms send
		// Windows line breaks.
		text := append(bytes.TrimSpace(bytes.ReplaceAll(p.credentials.PrivateKey, []byte("\r"), nil)), '\n')
		if err := os.WriteFile(p.private(sshKey), text, 0o600); err != nil {
			return err
		}
	}
	config := strings.Join([]string{
		"Host *",
		"HostName " + p.connect.String(),
		"HostKeyAlias " + alias,
		"CheckHostIP no",
		"StrictHostKeyChecking " + check,
		"UserKnownHostsFile " + hosts,
		"GlobalKnownHostsFile " + os.DevNull,
		"HashKnownHosts no",
		"UpdateHostKeys no",
		"VerifyHostKeyDNS no",
		"IdentityFile " + key,
		"IdentityAgent none",
		"IdentitiesOnly yes",
		"PubkeyAuthentication " + auth,
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"GSSAPIAuthentication no",
		"HostbasedAuthentication no",
		"BatchMode yes",
		"CanonicalizeHostname no",
		"ProxyCommand none",
		"ProxyJump none",
		"PermitLocalCommand no",
		"ForwardAgent no",
		"ForwardX11 no",
		"ClearAllForwardings yes",
		"Tunnel no",
		"ControlMaster no",
		"ControlPath none",
		"RequestTTY no",
		fmt.Sprintf("ConnectTimeout %d", sshConnect),
		fmt.Sprintf("ServerAliveInterval %d", sshAlive),
		fmt.Sprintf("ServerAliveCountMax %d", sshMissed),
		"",
	}, "\n")
	return os.WriteFile(p.private(sshConfig), []byte(config), 0o600)
}

func bracketed(addr netip.Addr) string {
	if addr.Is6() {
		return "[" + addr.String() + "]"
	}
	return addr.String()
}
