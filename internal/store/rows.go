package store

import (
	"github.com/octavo-docs/octavo/internal/store/engine"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

// Reader has every read of the store. It is part of Store and of Tx.
//
// Reads and writes are grouped by the nouns whose rows they are about. A group does not call
// the methods of others: what two of them need is a function that takes an engine.Querier or
// an engine.Writer.
type Reader struct {
	*engine.Reader
	peopleReads
	orgReads
	containerReads
	contentReads
	reviewReads
	siteReads
	integrationReads
	translationReads
	conversationReads
	serverReads
	searchrows.IndexReads
}

func readerOf(r *engine.Reader) Reader {
	return Reader{
		r, peopleReads{r}, orgReads{r}, containerReads{r}, contentReads{r}, reviewReads{r}, siteReads{r},
		integrationReads{r}, translationReads{r}, conversationReads{r}, serverReads{r}, searchrows.IndexReads{Reader: r},
	}
}

// Tx is one transaction. Its methods see its own writes.
type Tx struct {
	Reader
	*engine.Tx
	writes
}

// writes are all writes of a transaction. They are one level further down than the reads of
// Reader, which each group of writes has too.
type writes struct {
	peopleWrites
	orgWrites
	containerWrites
	contentWrites
	reviewWrites
	siteWrites
	integrationWrites
	translationWrites
	conversationWrites
	serverWrites
	searchrows.IndexWrites
}

// txOf returns the rows of a transaction.
func (s *Store) txOf(tx *engine.Tx) *Tx {
	r := readerOf(tx.Reads())
	return &Tx{r, tx, writes{
		peopleWrites{r.peopleReads, tx},
		orgWrites{r.orgReads, tx},
		containerWrites{r.containerReads, tx},
		contentWrites{r.contentReads, tx, s.known},
		reviewWrites{r.reviewReads, tx},
		siteWrites{r.siteReads, tx},
		integrationWrites{r.integrationReads, tx},
		translationWrites{r.translationReads, tx},
		conversationWrites{r.conversationReads, tx},
		serverWrites{r.serverReads, tx, s.jobs},
		s.In(tx),
	}}
}

type (
	// peopleReads are the reads of accounts, of their tokens, and of how people sign in.
	peopleReads struct{ *engine.Reader }

	// peopleWrites are the writes of accounts.
	peopleWrites struct {
		peopleReads
		*engine.Tx
	}
)

type (
	// orgReads are the reads of organizations: who belongs to them, and what they may use.
	orgReads struct{ *engine.Reader }

	// orgWrites are the writes of organizations.
	orgWrites struct {
		orgReads
		*engine.Tx
	}
)

type (
	// containerReads are the reads of collections and spaces, and of who was granted access to them.
	containerReads struct{ *engine.Reader }

	// containerWrites are the writes of collections and spaces.
	containerWrites struct {
		containerReads
		*engine.Tx
	}
)

type (
	// contentReads are the reads of revisions, of their objects, and of the links in them.
	contentReads struct{ *engine.Reader }

	// contentWrites are the writes of revisions.
	contentWrites struct {
		contentReads
		*engine.Tx
		known *knownBases
	}
)

type (
	// reviewReads are the reads of change requests, reviews and comments.
	reviewReads struct{ *engine.Reader }

	// reviewWrites are the writes of change requests, reviews and comments.
	reviewWrites struct {
		reviewReads
		*engine.Tx
	}
)

type (
	// siteReads are the reads of sites: their structure, settings and numbers.
	siteReads struct{ *engine.Reader }

	// siteWrites are the writes of sites.
	siteWrites struct {
		siteReads
		*engine.Tx
	}
)

type (
	// integrationReads are the reads of connections to git, descriptions of APIs, and webhooks.
	integrationReads struct{ *engine.Reader }

	// integrationWrites are the writes of integrations.
	integrationWrites struct {
		integrationReads
		*engine.Tx
	}
)

type (
	// translationReads are the reads of translations, their glossaries and memories.
	translationReads struct{ *engine.Reader }

	// translationWrites are the writes of translations.
	translationWrites struct {
		translationReads
		*engine.Tx
	}
)

type (
	// conversationReads are the reads of conversations, and of the issues in them.
	conversationReads struct{ *engine.Reader }

	// conversationWrites are the writes of conversations.
	conversationWrites struct {
		conversationReads
		*engine.Tx
	}
)

type (
	// serverReads are the reads of what belongs to the installation: jobs, notices, the
	// audit log, certificates, and where files are.
	serverReads struct{ *engine.Reader }

	// serverWrites are the writes of the installation.
	serverWrites struct {
		serverReads
		*engine.Tx
		jobs chan<- struct{}
	}
)
