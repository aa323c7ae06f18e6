package translate

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/outbound"
)

// Config selects and configures an engine. The zero value selects None.
type Config struct {
	Engine  string        // one of Engines
	URL     string        // of a service
	Key     string        // of a service, if it needs one
	Model   string        // of a language model
	Timeout time.Duration // of one call; 0 is one minute
}

// Engines are the names of engines.
var Engines = []string{"none", "apertium", "apertium-http", "libretranslate", "openai"}

// Open returns the configured engine. The engine may be in the operator's own network,
// so Open adds the host of the URL to the hosts that the policy allows, for this engine
// only.
func (c Config) Open(p outbound.Policy) (Engine, error) {
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	switch c.Engine {
	case "", "none":
		return None{}, nil
	case "apertium":
		return Apertium{Timeout: c.Timeout}, nil
	case "apertium-http", "libretranslate", "openai":
	default:
		return nil, fmt.Errorf("there is no translation engine %q; it is one of %s", c.Engine, strings.Join(Engines, ", "))
	}
	s, err := c.service(p)
	if err != nil {
		return nil, err
	}
	switch c.Engine {
	case "apertium-http":
		return Apy{s}, nil
	case "libretranslate":
		return Libre{s, c.Key}, nil
	}
	if c.Key != "" {
		s.header = map[string]string{"Authorization": "Bearer " + c.Key}
	}
	return Chat{s, c.Model}, nil
}

func (c Config) service(p outbound.Policy) (service, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return service{}, fmt.Errorf("the translation engine %s needs the address of a service, such as http://127.0.0.1:5000", c.Engine)
	}
	if p, err = p.Allowing(u.Hostname()); err != nil {
		return service{}, fmt.Errorf("the address of the translation engine: %w", err)
	}
	return service{poster: p.SlowPoster(c.Timeout), base: strings.TrimSuffix(c.URL, "/")}, nil
}
