// A repository on a server of its own, and the other side of a synchronization: git itself.

import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Where repositories are served. The server under test may call this address and no other private one. */
export const GIT_HOST = '127.0.0.83';

const NAME = 'acme/docs.git';
const ENDS_WITHIN = 300_000; // only a failure waits so long
const CALM = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' };

/** Serves an empty repository to one user over HTTP. */
export async function serveRepository({ user, password }) {
    const root = await mkdtemp(join(tmpdir(), 'octavo-e2e-git-'));
    const served = join(root, NAME);
    const tree = join(root, 'tree');
    await mkdir(dirname(served));
    await git(root, 'init', '-q', '--bare', '-b', 'main', served);
    await git(served, 'config', 'http.receivepack', 'true');
    await git(root, 'init', '-q', '-b', 'main', tree);
    const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const server = createServer((request, response) => {
        if (request.headers.authorization !== expected) {
            response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
            return;
        }
        backend(root, user, request, response);
    });
    await new Promise((done, fail) => server.once('error', fail).listen(0, GIT_HOST, done));
    const address = `${GIT_HOST}:${server.address().port}/${NAME}`;
    return {
        /** The address, and the same with the credentials in it. */
        url: `http://${address}`,
        secretURL: `http://${user}:${password}@${address}`,

        /** Commits files on top of what is there, and gives the name of the commit. */
        async commit(files, message = 'Edit') {
            if (await tip(served)) {
                await git(tree, 'pull', '-q', served, 'main');
            }
            for (const [name, text] of Object.entries(files)) {
                await mkdir(dirname(join(tree, name)), { recursive: true });
                await writeFile(join(tree, name), text);
            }
            await git(tree, 'add', '-A');
            await git(tree, '-c', 'user.name=Grace', '-c', 'user.email=grace@example.com', 'commit', '-q', '-m', message);
            await git(tree, 'push', '-q', served, 'HEAD:main');
            return await tip(served);
        },

        /** The name of the newest commit. */
        tip: () => tip(served),

        /** A file as the newest commit has it. */
        file: (name) => git(served, 'show', `main:${name}`),

        /** What the newest commit says. */
        message: () => git(served, 'log', '-1', '--format=%B', 'main'),

        async close() {
            server.closeAllConnections();
            await new Promise((done) => server.close(done));
            await rm(root, { recursive: true, force: true });
        },
    };
}

/** Waits until an operation has ended, and gives it. */
export async function operationEnded(person, path) {
    for (const deadline = Date.now() + ENDS_WITHIN; Date.now() < deadline; await sleep(100)) {
        const { data } = await person.call('GET', path);
        if (data.completedAt) {
            return data;
        }
    }
    throw new Error(`${path} did not end within ${ENDS_WITHIN} ms`);
}

async function git(dir, ...args) {
    const { stdout } = await promisify(execFile)('git', ['-C', dir, ...args], { env: { ...process.env, ...CALM } });
    return stdout;
}

async function tip(dir) {
    return (await git(dir, 'for-each-ref', '--format=%(objectname)', 'refs/heads/main')).trim();
}

// git speaks CGI: the request in the environment, the answer with its headers on the output.
function backend(root, user, request, response) {
    const { pathname, search } = new URL(request.url, 'http://git');
    const child = spawn('git', ['http-backend'], {
        env: {
            ...process.env,
            ...CALM,
            GIT_PROJECT_ROOT: root,
            GIT_HTTP_EXPORT_ALL: '1',
            GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
            PATH_INFO: decodeURIComponent(pathname),
            QUERY_STRING: search.slice(1),
            REQUEST_METHOD: request.method,
            REMOTE_USER: user,
            REMOTE_ADDR: request.socket.remoteAddress,
            CONTENT_TYPE: request.headers['content-type'] ?? '',
            HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
            ...(request.headers['content-length'] ? { CONTENT_LENGTH: request.headers['content-length'] } : {}),
        },
        stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(child.stdin).on('error', () => {});
    let head = Buffer.alloc(0);
    child.stdout.on('data', (chunk) => {
        if (head === null) {
            response.write(chunk);
            return;
        }
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) {
            return;
        }
        const fields = head.subarray(0, end).toString().split('\r\n').map((line) => line.split(/: (.*)/s));
        const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
        response.writeHead(parseInt(status, 10), Object.fromEntries(fields.filter(([name]) => name !== 'Status')));
        response.write(head.subarray(end + 4));
        head = null;
    });
    child.on('close', () => response.end());
    child.on('error', () => response.writeHead(500).end());
}
