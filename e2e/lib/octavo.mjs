// The program under test: its store, its command line, its processes.

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { GIT_HOST } from './git.mjs';

/** Sites with a basename are hosts of this domain. */
export const SITES_DOMAIN = 'sites.test';

const READY_WITHIN = 180_000; // only a failure waits so long
const STOP_WITHIN = 120_000;

/**
 * One store and the servers on it. Servers that someone else runs (config.urls) are used as they
 * are; otherwise config.nodes of them are started here and stopped by close().
 */
export class Octavo {
    #binary;
    #store;
    #scratch;
    #processes = [];

    /** The base addresses of the servers. */
    nodes = [];

    static async open(config) {
        const octavo = new Octavo();
        octavo.#binary = resolve(config.binary);
        octavo.#scratch = await mkdtemp(join(tmpdir(), 'octavo-e2e-'));
        octavo.#store = ['--data', config.data ?? octavo.#scratch];
        if (config.database) {
            octavo.#store.push('--database', config.database);
        }
        if (config.database && !config.data && config.urls.length === 0) {
            // The database may be that of an earlier run, whose files are gone.
            await promisify(execFile)(octavo.#binary, ['files', 'adopt', '--yes', ...octavo.#store]);
        }
        return octavo;
    }

    /**
     * Creates a user with a verified address and an organization of their own.
     * Returns { user, organization, token, email } with plain ids.
     */
    async bootstrap(email, organization) {
        const run = promisify(execFile);
        const args = ['bootstrap', ...this.#store, '--email', email, '--organization', organization];
        const { stdout } = await run(this.#binary, args);
        const account = JSON.parse(stdout);
        return {
            email,
            token: account.token,
            user: account.user.id ?? account.user,
            organization: account.organization.id ?? account.organization,
        };
    }

    /** Makes a folder the content of a space. Returns what the program printed. */
    async import(folder, space) {
        const args = ['import', ...this.#store, '--base-url', this.nodes[0], '--space', space, folder];
        const { stdout } = await promisify(execFile)(this.#binary, args);
        return stdout;
    }

    /** Makes the servers ready to be called. */
    async serve(config) {
        if (config.urls.length > 0) {
            this.nodes = config.urls;
        } else {
            for (let node = 0; node < config.nodes; node++) {
                this.nodes.push(await this.#start(node));
            }
        }
        await Promise.all(this.nodes.map((url) => this.#untilReady(url)));
    }

    /** Stops the servers started here. Returns what went wrong in stopping, [] when nothing did. */
    async close({ keep = false } = {}) {
        const problems = await Promise.all(this.#processes.map(stop));
        if (!keep) {
            await rm(this.#scratch, { recursive: true, force: true });
        }
        return problems.filter(Boolean);
    }

    /** The end of what the servers logged, to explain a failure. */
    async logs(lines = 40) {
        const logs = await Promise.all(this.#processes.map(({ log }) => readFile(log, 'utf8')));
        return logs.map((text) => text.trimEnd().split('\n').slice(-lines).join('\n')).join('\n---\n');
    }

    async #start(node) {
        const port = await freePort();
        const log = join(this.#scratch, `server-${node}.log`);
        const file = await open(log, 'w');
        const url = `http://127.0.0.1:${port}`;
        // Nodes of one installation have one public address, as behind a load balancer.
        const args = ['serve', '--listen', `127.0.0.1:${port}`, '--organizations-per-day', '0', '--base-url', this.nodes[0] ?? url, '--outbound-allow', GIT_HOST, '--trusted-proxies', '127.0.0.1', '--embeds', '--site-hostnames', 'acme.example', '--email-domains', '*.people.test',
            '--sites-domain', SITES_DOMAIN, ...this.#store];
        const child = spawn(this.#binary, args, { stdio: ['ignore', file.fd, file.fd] });
        const exited = new Promise((done) => child.once('exit', (code, signal) => done({ code, signal })));
        await file.close();
        process.once('exit', () => child.kill());
        this.#processes.push({ child, exited, log });
        return url;
    }

    async #untilReady(url) {
        const deadline = Date.now() + READY_WITHIN;
        while (Date.now() < deadline) {
            const response = await fetch(`${url}/readyz`).catch(() => undefined);
            if (response?.status === 200) {
                return;
            }
            if (this.#processes.some(({ child }) => child.exitCode !== null)) {
                break;
            }
            await sleep(100);
        }
        throw new Error(`${url} did not become ready\n${await this.logs()}`);
    }
}

async function stop({ child, exited }) {
    if (child.exitCode === null) {
        child.kill('SIGTERM');
    } else {
        return `the server ended by itself with code ${child.exitCode}`;
    }
    const ended = await Promise.race([exited, sleep(STOP_WITHIN, undefined, { ref: false })]);
    if (!ended) {
        child.kill('SIGKILL');
        return `the server did not stop within ${STOP_WITHIN} ms of SIGTERM`;
    }
    return ended.code === 0 ? undefined : `the server stopped with ${ended.signal ?? `code ${ended.code}`}`;
}

function freePort() {
    return new Promise((done, fail) => {
        const server = createServer();
        server.once('error', fail);
        server.listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => done(port));
        });
    });
}
