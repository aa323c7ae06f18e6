// Synchronization with a repository: imports, exports, what is told of them, and a connection that
// keeps both sides the same. The other side is git itself.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

import { change, flatten, liveSpace } from '../lib/content.mjs';
import { answered, deletedOnce, paged, refused } from '../lib/expect.mjs';
import { operationEnded, serveRepository } from '../lib/git.mjs';

const REF = 'refs/heads/main';
const SECRET = 'a-password-that-is-told-nobody';

const FIRST = {
    'README.md': '# Home\n\nWelcome *there*.\n\n+ odd bullet\n',
    'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Setup](guides/setup.md)\n',
    'guides/setup.md': '---\ndescription: How to begin\n---\n\n# Setup\n\nFirst step.\n\nSecond step.\n',
};

export default async function git({ step, organization, alice, bob, mallory, world }) {
    const { spaces } = alice.api;
    const space = await liveSpace({ alice, organization }, 'Synchronized');
    const root = `/spaces/${space.id}/git`;
    const repository = await serveRepository({ user: 'octavo', password: SECRET });
    await world.enroll(bob, organization, 'edit');

    const operations = (query) => alice.call('GET', `${root}/operations`, { query });
    const latest = async () => (await operations({ limit: 1 })).data.items[0];
    // Waits until the operation of an answer has ended.
    const ended = async ({ headers }) => {
        const id = headers.get('location').split('/').at(-1);
        return await operationEnded(alice, `${root}/operations/${id}`);
    };
    const pages = async () => flatten((await spaces.listPages(space.id)).data.pages);

    try {
        await step('before anything was told, there is no provider', async () => {
            await refused(spaces.getSpaceGitInfo(space.id), 404);
            assert.equal((await spaces.getSpaceById(space.id)).data.gitSync, undefined);
            await answered(spaces.deleteLegacyGitInstallation(space.id), 204);
        });

        await step('bad requests are refused', async () => {
            const good = { url: repository.url, ref: REF };
            for (const body of [
                {},
                { ref: REF },
                { ...good, url: 'file:///etc/passwd' },
                { ...good, url: 'ext::sh -c id' },
                { ...good, ref: '--output=x' },
                { ...good, repoProjectDirectory: '../..' },
                { ...good, timestamp: '2999-01-01T00:00:00.000Z' },
                { ...good, repoTreeURL: 'javascript:alert(1)' },
                { ...good, gitInfo: { provider: 'elsewhere' } },
            ]) {
                await refused(spaces.importGitRepository(space.id, body), 400);
                await refused(spaces.exportToGitRepository(space.id, { commitMessage: 'x', ...body }), 400);
            }
            await refused(spaces.exportToGitRepository(space.id, good), 400);
        });

        await step('who may not synchronize does not', async () => {
            await refused(bob.api.spaces.importGitRepository(space.id, { url: repository.url, ref: REF }), 403);
            await refused(bob.api.spaces.exportToGitRepository(space.id, { url: repository.url, ref: REF, commitMessage: 'x' }), 403);
            await refused(mallory.api.spaces.importGitRepository(space.id, { url: repository.url, ref: REF }), 404);
            await refused(mallory.api.spaces.getSpaceGitInfo(space.id), 404);
            await refused(bob.call('GET', `${root}/connection`), 403);
        });

        await step('an import makes pages of files', async () => {
            const commit = await repository.commit(FIRST, 'Begin');
            const done = await ended(
                await spaces.importGitRepository(space.id, {
                    url: repository.secretURL,
                    ref: REF,
                    repoCacheID: 'e2e',
                    repoTreeURL: 'https://git.example.com/acme/docs/blob/main',
                    repoCommitURL: 'https://git.example.com/acme/docs/commit',
                    timestamp: new Date().toISOString(),
                    gitInfo: { provider: 'gitlab', url: 'https://git.example.com/acme/docs' },
                }),
            );
            assert.deepEqual([done.state, done.error, done.commit, done.url], ['success', undefined, commit, repository.url]);
            assert.deepEqual((await pages()).map(({ title }) => title), ['Home', 'Setup']);
            const { data: revision } = await spaces.getCurrentRevision(space.id);
            assert.equal(revision.id, done.revision);
            assert.equal(revision.git.oid, commit);
            assert.equal(revision.git.message.trim(), 'Begin');
            assert.equal(revision.git.createdByGitBook, false);
            assert.equal(revision.git.ref, REF);
            const setup = (await pages()).find(({ title }) => title === 'Setup');
            assert.equal(setup.git.path, 'guides/setup.md');
            assert.match(setup.git.oid, /^[0-9a-f]{40}$/);
        });

        await step('the space tells of its repository, without credentials', async () => {
            const { data: info } = await spaces.getSpaceGitInfo(space.id);
            assert.equal(info.repoName, 'acme/docs');
            assert.equal(info.installationProvider, 'gitlab');
            assert.equal(info.url, 'https://git.example.com/acme/docs');
            assert.deepEqual((await spaces.getSpaceById(space.id)).data.gitSync, info);
        });

        await step('an export without an edit makes no commit', async () => {
            const before = await repository.tip();
            const done = await ended(await spaces.exportToGitRepository(space.id, { url: repository.secretURL, ref: REF, commitMessage: 'Nothing' }));
            assert.deepEqual([done.state, done.reason], ['success', 'unchanged']);
            assert.equal(await repository.tip(), before);
        });

        await step('an export writes what was edited and nothing else', async () => {
            const setup = (await pages()).find(({ title }) => title === 'Setup');
            await change(alice, space, [
                { operation: 'update_page', page: setup.id, document: { markdown: FIRST['guides/setup.md'].replace('First step.', 'Better step.') } },
            ]);
            const done = await ended(await spaces.exportToGitRepository(space.id, { url: repository.secretURL, ref: REF, commitMessage: 'From {space_title}' }));
            assert.deepEqual([done.state, done.error], ['success', undefined]);
            assert.equal(done.commit, await repository.tip());
            assert.equal((await repository.message()).trim(), 'From Synchronized');
            assert.equal(await repository.file('guides/setup.md'), FIRST['guides/setup.md'].replace('First step.', 'Better step.'));
            assert.equal(await repository.file('README.md'), FIRST['README.md']);
            const { data: revision } = await spaces.getCurrentRevision(space.id);
            assert.equal(revision.git.oid, done.commit);
            assert.equal(revision.git.createdByGitBook, true);
        });

        await step('what fails says why, and nothing of the password', async () => {
            const wrong = repository.secretURL.replace(SECRET, 'wrong-password');
            const done = await ended(await spaces.importGitRepository(space.id, { url: wrong, ref: REF }));
            assert.deepEqual([done.state, done.reason], ['failure', 'authentication']);
            const gone = await ended(await spaces.importGitRepository(space.id, { url: repository.secretURL, ref: 'refs/heads/gone' }));
            assert.deepEqual([gone.state, gone.reason], ['failure', 'ref-not-found']);
            const told = JSON.stringify((await operations()).data) + JSON.stringify((await alice.call('GET', `/orgs/${organization.id}/audit`)).data);
            assert.ok(!told.includes(SECRET) && !told.includes('wrong-password'));
        });

        await step('operations are listed by page', async () => {
            const { data } = await operations();
            await paged(operations, ({ id }) => id, data.items.map(({ id }) => id));
            await answered(bob.call('GET', `${root}/operations/${data.items[0].id}`), 200);
            await refused(mallory.call('GET', `${root}/operations`), 404);
        });

        let hook;
        await step('a space is connected, and its secrets are not shown', async () => {
            const made = await answered(
                alice.call('PUT', `${root}/connection`, {
                    body: { url: repository.url, ref: 'main', credentials: { username: 'octavo', password: SECRET }, pollSeconds: 0 },
                }),
                200,
            );
            assert.equal(made.direction, 'both');
            hook = made.webhook;
            const seen = await answered(alice.call('GET', `${root}/connection`), 200);
            assert.equal(seen.hasCredentials, true);
            assert.ok(!JSON.stringify(seen).includes(SECRET) && !JSON.stringify(seen).includes(hook.secret));
        });

        await step('a connected space is synchronized on demand', async () => {
            const { items } = await answered(alice.call('POST', `${root}/sync`, { body: {} }), 202);
            assert.deepEqual(items.map(({ direction }) => direction), ['import', 'export']);
            for (const { id } of items) {
                assert.equal((await operationEnded(alice, `${root}/operations/${id}`)).state, 'success');
            }
        });

        await step('a push that the host tells of is imported', async () => {
            const commit = await repository.commit({ 'README.md': FIRST['README.md'].replace('Welcome', 'Hello') }, 'Greet');
            const body = JSON.stringify({ ref: REF, after: commit });
            const signature = (secret) => ({
                'X-GitHub-Event': 'push',
                'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
            });
            const tell = (headers) => world.anonymous.request('POST', `${root}/webhook`, body, headers);
            assert.equal((await tell({})).status, 401);
            assert.equal((await tell(signature('a-wrong-secret-of-theirs'))).status, 401);
            assert.equal((await tell(signature(hook.secret))).status, 204);
            const { id } = await latest();
            const done = await operationEnded(alice, `${root}/operations/${id}`);
            assert.deepEqual([done.state, done.commit], ['success', commit]);
        });

        await step('what was told of the provider is forgotten once', async () => {
            await deletedOnce(() => spaces.deleteLegacyGitInstallation(space.id));
            await refused(spaces.getSpaceGitInfo(space.id), 404);
        });

        await step('connections end once', async () => {
            await deletedOnce(() => alice.call('DELETE', `${root}/connection`));
            await refused(alice.call('GET', `${root}/connection`), 404);
            await refused(alice.call('POST', `${root}/sync`, { body: {} }), 404);
        });
    } finally {
        await repository.close();
    }
}
