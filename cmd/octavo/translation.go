package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/translation/translate"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// translationFlags configure the translation of spaces.
type translationFlags struct {
	TranslationEngine   string        `help:"What translates spaces: none, apertium (the program), apertium-http, libretranslate or openai (any chat endpoint of that form)." name:"translation-engine" default:"none" enum:"none,apertium,apertium-http,libretranslate,openai" env:"OCTAVO_TRANSLATION_ENGINE"`
	TranslationURL      string        `help:"Address of the engine, such as http://127.0.0.1:5000 or https://api.example.com/v1. It may be a private one." name:"translation-url" env:"OCTAVO_TRANSLATION_URL" placeholder:"URL"`
	TranslationKeyFile  string        `help:"File with the key of the engine; or set OCTAVO_TRANSLATION_KEY." name:"translation-key-file" env:"OCTAVO_TRANSLATION_KEY_FILE" placeholder:"FILE"`
	TranslationModel    string        `help:"With openai: the model." name:"translation-model" env:"OCTAVO_TRANSLATION_MODEL" placeholder:"NAME"`
	TranslationTimeout  time.Duration `help:"Time that one call of the engine may take." name:"translation-timeout" default:"1m" env:"OCTAVO_TRANSLATION_TIMEOUT"`
	TranslationInterval time.Duration `help:"Time from one call of the engine to the next; 0 is no limit." name:"translation-interval" default:"0s" env:"OCTAVO_TRANSLATION_INTERVAL"`
	TranslationWords    int           `help:"Words that one run sends to the engine; 0 is no limit." name:"translation-words" default:"0" env:"OCTAVO_TRANSLATION_WORDS"`
	ConversationsModel  bool          `help:"Let the language model of --translation-engine openai write titles and summaries of what users ask in conversations. Their texts are sent there, with personal data masked." name:"conversations-model" env:"OCTAVO_CONVERSATIONS_MODEL"`
}

// keyVariable is the environment variable with the key of the engine. There is no flag,
// because other users of the machine can see the arguments of a process.
const keyVariable = "OCTAVO_TRANSLATION_KEY"

// translation returns the configuration of the translation of spaces.
func (f translationFlags) translation() (services.Translation, error) {
	key := os.Getenv(keyVariable)
	if f.TranslationKeyFile != "" {
		b, err := os.ReadFile(f.TranslationKeyFile)
		if err != nil {
			return services.Translation{}, fmt.Errorf("--translation-key-file: %w", err)
		}
		key = strings.TrimSpace(string(b))
	}
	t := services.Translation{
		Config: translate.Config{Engine: f.TranslationEngine, URL: f.TranslationURL, Key: key, Model: f.TranslationModel, Timeout: f.TranslationTimeout},
		Words:  f.TranslationWords, Interval: f.TranslationInterval, Conversations: f.ConversationsModel,
	}
	if f.ConversationsModel && f.TranslationEngine != "openai" {
		return t, errors.New("--conversations-model needs --translation-engine openai")
	}
	if _, err := t.Open(outbound.Policy{}); err != nil {
		return t, fmt.Errorf("--translation-engine, --translation-url: %w", err)
	}
	return t, nil
}

type translationCmd struct {
	Export memoryExportCmd `cmd:"" help:"Write what was translated as TMX, for translators and their tools."`
	Import memoryImportCmd `cmd:"" help:"Read translations of people from TMX. They are used before those of the engine, from the next run on."`
}

// memoryFlags select a translation memory.
type memoryFlags struct {
	storeFlags
	Organization string `help:"Id of the organization." required:"" placeholder:"ID"`
	From         string `help:"Language of the source." required:"" placeholder:"CODE"`
	To           string `help:"Language of the translation." required:"" placeholder:"CODE"`
}

type memoryExportCmd struct {
	memoryFlags
	Output string `help:"File to write; standard output without it." short:"o" placeholder:"FILE"`
}

func (c *memoryExportCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) (err error) {
		var to io.Writer = s.out
		if c.Output != "" {
			f, oerr := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
			if oerr != nil {
				return oerr
			}
			defer func() {
				if cerr := f.Close(); err == nil {
					err = cerr
				}
			}()
			to = f
		}
		n, err := sv.Translations.ExportMemory(ctx, docs.OrgID(c.Organization), c.From, c.To, to)
		if err == nil {
			fmt.Fprintf(s.err, "%d texts written\n", n)
		}
		return err
	})
}

type memoryImportCmd struct {
	memoryFlags
	File string `arg:"" help:"TMX file." type:"existingfile"`
}

func (c *memoryImportCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		f, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer f.Close()
		n, skipped, err := sv.Translations.ImportMemory(ctx, docs.OrgID(c.Organization), c.From, c.To, f)
		if err == nil {
			fmt.Fprintf(s.out, "%d texts read, %d left out\n", n, skipped)
		}
		return err
	})
}
