package store

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const translationColumns = `t.id, t.org_id, t.source_space, t.source_language, t.language, t.instructions, t.result_space, t.run_on_merge, t.status, t.run,
	t.source_root, t.machine, t.settings, t.complete, t.error, t.done_pages, t.all_pages, t.stats, t.created_by, t.created_at, t.updated_at,
	(SELECT COUNT(*) FROM translation_blocks b WHERE b.translation_id = t.id AND b.status = 'stale'),
	(SELECT COUNT(*) FROM translation_blocks b WHERE b.translation_id = t.id AND b.status = 'untranslated'),
	COALESCE((SELECT s.revision_id FROM spaces s WHERE s.id = t.result_space AND s.deleted_at = 0), '')`

func scanTranslation(s engine.Scanner) (v docs.Translation, err error) {
	var instructions string
	err = s.Scan(&v.ID, &v.Org, &v.Source, &v.From, &v.To, &instructions, &v.Result, &v.RunOnMerge, &v.Status, &v.Run,
		&v.SourceRoot, &v.Machine, &v.Settings, &v.Complete, &v.Error, &v.DonePages, &v.AllPages, inJSON{&v.Stats}, &v.CreatedBy, &v.CreatedAt, &v.UpdatedAt,
		&v.Stale, &v.Untranslated, &v.Revision)
	v.Instructions = []byte(instructions)
	return v, err
}

// Translation returns a translation of an organization.
func (r translationReads) Translation(ctx context.Context, org docs.OrgID, id docs.TranslationID) (docs.Translation, error) {
	return engine.One(ctx, r, "translation", scanTranslation, `
		SELECT `+translationColumns+` FROM translations t WHERE t.id = $1 AND t.org_id = $2 AND `+inPresentOrg("t"), id, org)
}

// TranslationByID returns a translation of any organization.
func (r translationReads) TranslationByID(ctx context.Context, id docs.TranslationID) (docs.Translation, error) {
	return engine.One(ctx, r, "translation", scanTranslation, `
		SELECT `+translationColumns+` FROM translations t WHERE t.id = $1 AND `+inPresentOrg("t"), id)
}

// Translations lists the translations of an organization, oldest first.
func (r translationReads) Translations(ctx context.Context, org docs.OrgID, p Page) ([]docs.Translation, Key, error) {
	items, err := engine.Many(ctx, r, scanTranslation, `
		SELECT `+translationColumns+` FROM translations t WHERE t.org_id = $1 AND t.id > $2 ORDER BY t.id LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(v docs.Translation) Key { return Key{string(v.ID)} })
	return items, next, err
}

// CountTranslations counts what Translations lists.
func (r translationReads) CountTranslations(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM translations WHERE org_id = $1`, org)
}

// TranslationsOf returns the translations that a change of a space starts.
func (r translationReads) TranslationsOf(ctx context.Context, source docs.SpaceID) ([]docs.Translation, error) {
	return engine.Many(ctx, r, scanTranslation, `
		SELECT `+translationColumns+` FROM translations t WHERE t.source_space = $1 AND t.run_on_merge ORDER BY t.id`, source)
}

// TranslationsFrom returns all translations of a space.
func (r translationReads) TranslationsFrom(ctx context.Context, source docs.SpaceID) ([]docs.Translation, error) {
	return engine.Many(ctx, r, scanTranslation, `
		SELECT `+translationColumns+` FROM translations t WHERE t.source_space = $1 ORDER BY t.id`, source)
}

// TranslationInto returns the first translation of a space into a language.
func (r translationReads) TranslationInto(ctx context.Context, source docs.SpaceID, to string) (docs.Translation, error) {
	return engine.One(ctx, r, "translation", scanTranslation, `
		SELECT `+translationColumns+` FROM translations t WHERE t.source_space = $1 AND t.language = $2 ORDER BY t.id LIMIT 1`, source, to)
}

// AddTranslation stores a new translation.
func (tx translationWrites) AddTranslation(ctx context.Context, v docs.Translation) error {
	return engine.Put(ctx, tx, `
		INSERT INTO translations (id, org_id, source_space, source_language, language, instructions, result_space, run_on_merge, status, run,
			source_root, machine, settings, complete, error, done_pages, all_pages, stats, created_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		v.ID, v.Org, v.Source, v.From, v.To, string(v.Instructions), v.Result, v.RunOnMerge, v.Status, v.Run,
		v.SourceRoot, v.Machine, v.Settings, v.Complete, v.Error, v.DonePages, v.AllPages, toJSON(v.Stats), v.CreatedBy, v.CreatedAt, v.UpdatedAt)
}

// PutTranslation stores a changed translation.
func (tx translationWrites) PutTranslation(ctx context.Context, v docs.Translation) error {
	return engine.Put(ctx, tx, `
		UPDATE translations
		SET instructions = $2, run_on_merge = $3, status = $4, run = $5, source_root = $6, machine = $7, settings = $8, complete = $9,
			error = $10, done_pages = $11, all_pages = $12, stats = $13, updated_at = $14, created_by = $15
		WHERE id = $1`,
		v.ID, string(v.Instructions), v.RunOnMerge, v.Status, v.Run, v.SourceRoot, v.Machine, v.Settings, v.Complete,
		v.Error, v.DonePages, v.AllPages, toJSON(v.Stats), v.UpdatedAt, v.CreatedBy)
}

// ResetTranslations makes the translations of a pair of languages process all pages
// again in their next run.
func (tx translationWrites) ResetTranslations(ctx context.Context, org docs.OrgID, from, to string) error {
	return engine.Put(ctx, tx, `UPDATE translations SET settings = '' WHERE org_id = $1 AND source_language = $2 AND language = $3`, org, from, to)
}

// PutTranslationProgress stores the progress of a run, unless another one has started.
func (tx translationWrites) PutTranslationProgress(ctx context.Context, id docs.TranslationID, run, done, all int64) error {
	_, err := engine.Exec(ctx, tx, `UPDATE translations SET done_pages = $3, all_pages = $4 WHERE id = $1 AND run = $2`, id, run, done, all)
	return err
}

// dropMemory returns a statement that deletes the translation memory of languages that
// only some translations use. of is a condition on translations t.
func dropMemory(of string) string {
	const same = `t.org_id = translation_memory.org_id AND t.source_language = translation_memory.source_language AND t.language = translation_memory.language`
	return `DELETE FROM translation_memory WHERE org_id IN (SELECT t.org_id FROM translations t WHERE (` + of + `))
		AND EXISTS (SELECT 1 FROM translations t WHERE (` + of + `) AND ` + same + `)
		AND NOT EXISTS (SELECT 1 FROM translations t WHERE NOT (` + of + `) AND ` + same + `)`
}

// DropTranslation deletes a translation, and the memory if it was the last one of its languages. The
// space stays.
func (tx translationWrites) DropTranslation(ctx context.Context, id docs.TranslationID) error {
	for _, text := range []string{`DELETE FROM translation_blocks WHERE translation_id = $1`, dropMemory(`t.id = $1`)} {
		if err := engine.Put(ctx, tx, text, id); err != nil {
			return err
		}
	}
	return dropOne(ctx, tx, "translation", `DELETE FROM translations WHERE id = $1`, id)
}

func scanTranslationBlock(s engine.Scanner) (v docs.TranslationBlock, err error) {
	err = s.Scan(&v.ID, &v.Page, &v.Part, &v.Block, &v.Status, &v.Source, &v.Text)
	return v, err
}

// TranslationBlocks lists the blocks of a translation that need a person; an empty
// status is any.
func (r translationReads) TranslationBlocks(ctx context.Context, id docs.TranslationID, status docs.BlockStatus, p Page) ([]docs.TranslationBlock, Key, error) {
	items, err := engine.Many(ctx, r, scanTranslationBlock, `
		SELECT b.id, b.page_id, b.part, b.block, b.status, b.source, b.result FROM translation_blocks b
		WHERE b.translation_id = $1 AND b.id > $2 AND ($3 = '' OR b.status = $3) ORDER BY b.id LIMIT $4 + 0`, id, p.Text(0), status, p.Ask())
	items, next := engine.Cut(p, items, func(v docs.TranslationBlock) Key { return Key{v.ID} })
	return items, next, err
}

// TranslationBlock returns one of TranslationBlocks.
func (r translationReads) TranslationBlock(ctx context.Context, id docs.TranslationID, block string) (docs.TranslationBlock, error) {
	return engine.One(ctx, r, "block", scanTranslationBlock, `
		SELECT b.id, b.page_id, b.part, b.block, b.status, b.source, b.result FROM translation_blocks b
		WHERE b.translation_id = $1 AND b.id = $2`, id, block)
}

// TranslationBlockChange is a change of the list of blocks that need a person.
type TranslationBlockChange struct {
	Pages []string                // pages whose blocks are removed
	Drop  []string                // blocks that are removed
	Add   []docs.TranslationBlock // blocks that are added afterwards
}

// ChangeTranslationBlocks changes which blocks of a translation need a person.
func (tx translationWrites) ChangeTranslationBlocks(ctx context.Context, t docs.Translation, c TranslationBlockChange) error {
	for _, page := range c.Pages {
		if err := engine.Put(ctx, tx, `DELETE FROM translation_blocks WHERE translation_id = $1 AND page_id = $2`, t.ID, page); err != nil {
			return err
		}
	}
	for _, id := range c.Drop {
		if err := engine.Put(ctx, tx, `DELETE FROM translation_blocks WHERE translation_id = $1 AND id = $2`, t.ID, id); err != nil {
			return err
		}
	}
	return engine.InsertAll(ctx, tx, `INSERT INTO translation_blocks (org_id, translation_id, id, page_id, part, block, status, source, result)`, "", c.Add,
		func(b docs.TranslationBlock) []any {
			return []any{t.Org, t.ID, b.ID, b.Page, b.Part, b.Block, b.Status, b.Source, b.Text}
		})
}

// memoryBatch is the number of texts that one statement looks up.
const memoryBatch = 32

// Memory returns the entries of the translation memory for the hashes of texts, in any
// context.
func (r translationReads) Memory(ctx context.Context, org docs.OrgID, from, to string, hashes []string) ([]docs.MemoryEntry, error) {
	var out []docs.MemoryEntry
	text := `SELECT m.context, m.hash, m.source, m.target FROM translation_memory m
		WHERE m.org_id = $1 AND m.source_language = $2 AND m.language = $3 AND m.hash IN (`
	for i := range memoryBatch {
		if i > 0 {
			text += ", "
		}
		text += "$" + itoa(int64(4+i))
	}
	for some := range slices.Chunk(hashes, memoryBatch) {
		args := []any{org, from, to}
		for i := range memoryBatch { // padded with the last hash
			args = append(args, some[min(i, len(some)-1)])
		}
		found, err := engine.Many(ctx, r, scanMemory, text+`)`, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func scanMemory(s engine.Scanner) (v docs.MemoryEntry, err error) {
	err = s.Scan(&v.Context, &v.Hash, &v.Source, &v.Target)
	return v, err
}

// MemoryOf lists the memory of a pair of languages.
func (r translationReads) MemoryOf(ctx context.Context, org docs.OrgID, from, to string, p Page) ([]docs.MemoryEntry, Key, error) {
	items, err := engine.Many(ctx, r, scanMemory, `
		SELECT m.context, m.hash, m.source, m.target FROM translation_memory m
		WHERE m.org_id = $1 AND m.source_language = $2 AND m.language = $3 AND (m.hash, m.context) > ($4, $5)
		ORDER BY m.hash, m.context LIMIT $6 + 0`, org, from, to, p.Text(0), p.Text(1), p.Ask())
	items, next := engine.Cut(p, items, func(v docs.MemoryEntry) Key { return Key{v.Hash, v.Context} })
	return items, next, err
}

// PutMemory stores translations of texts.
func (tx translationWrites) PutMemory(ctx context.Context, org docs.OrgID, from, to string, entries []docs.MemoryEntry) error {
	return engine.InsertAll(ctx, tx, `INSERT INTO translation_memory (org_id, source_language, language, context, hash, source, target, created_at)`,
		`ON CONFLICT (org_id, source_language, language, hash, context) DO UPDATE SET target = excluded.target, created_at = excluded.created_at`, entries,
		func(m docs.MemoryEntry) []any {
			return []any{org, from, to, m.Context, m.Hash, m.Source, m.Target, tx.Now()}
		})
}

// CountMemory counts the texts in the memory of an organization.
func (r translationReads) CountMemory(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM translation_memory WHERE org_id = $1`, org)
}

// ForgetRefused deletes the records of texts that an engine could not translate, and returns their number.
func (tx translationWrites) ForgetRefused(ctx context.Context, org docs.OrgID, from, to string) (int64, error) {
	return engine.Exec(ctx, tx, `DELETE FROM translation_memory WHERE org_id = $1 AND source_language = $2 AND language = $3 AND target = ''`, org, from, to)
}

func scanGlossaryEntry(s engine.Scanner) (v docs.GlossaryEntry, err error) {
	err = s.Scan(&v.Org, &v.ID, inJSON{&v.Translations}, &v.CreatedAt, &v.UpdatedAt)
	return v, err
}

const glossaryColumns = `e.org_id, e.id, e.translations, e.created_at, e.updated_at`

// GlossaryEntry returns an entry of the glossary of an organization.
func (r translationReads) GlossaryEntry(ctx context.Context, org docs.OrgID, id docs.GlossaryEntryID) (docs.GlossaryEntry, error) {
	return engine.One(ctx, r, "glossary entry", scanGlossaryEntry, `SELECT `+glossaryColumns+` FROM glossary_entries e WHERE e.org_id = $1 AND e.id = $2`, org, id)
}

// Glossary lists the glossary of an organization, oldest entries first.
func (r translationReads) Glossary(ctx context.Context, org docs.OrgID, p Page) ([]docs.GlossaryEntry, Key, error) {
	items, err := engine.Many(ctx, r, scanGlossaryEntry, `
		SELECT `+glossaryColumns+` FROM glossary_entries e WHERE e.org_id = $1 AND e.id > $2 ORDER BY e.id LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(v docs.GlossaryEntry) Key { return Key{string(v.ID)} })
	return items, next, err
}

// CountGlossary counts what Glossary lists.
func (r translationReads) CountGlossary(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM glossary_entries WHERE org_id = $1`, org)
}

// AddGlossaryEntry stores a new entry.
func (tx translationWrites) AddGlossaryEntry(ctx context.Context, v docs.GlossaryEntry) error {
	return engine.Put(ctx, tx, `INSERT INTO glossary_entries (org_id, id, translations, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)`,
		v.Org, v.ID, toJSON(v.Translations), v.CreatedAt, v.UpdatedAt)
}

// PutGlossaryEntry stores the translations of an entry.
func (tx translationWrites) PutGlossaryEntry(ctx context.Context, v docs.GlossaryEntry) error {
	return engine.Put(ctx, tx, `UPDATE glossary_entries SET translations = $3, updated_at = $4 WHERE org_id = $1 AND id = $2`,
		v.Org, v.ID, toJSON(v.Translations), v.UpdatedAt)
}

// DropGlossaryEntry deletes an entry.
func (tx translationWrites) DropGlossaryEntry(ctx context.Context, org docs.OrgID, id docs.GlossaryEntryID) error {
	return dropOne(ctx, tx, "glossary entry", `DELETE FROM glossary_entries WHERE org_id = $1 AND id = $2`, org, id)
}
