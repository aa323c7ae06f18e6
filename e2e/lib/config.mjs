// What the environment asks for.

import { fileURLToPath } from 'node:url';

const DEFAULT_BINARY = fileURLToPath(new URL('../../bin/octavo', import.meta.url));

/** Reads the configuration from the environment; throws when it contradicts itself. */
export function readConfig(env = process.env) {
    const config = {
        binary: env.OCTAVO_BIN || DEFAULT_BINARY,
        data: env.OCTAVO_E2E_DATA || undefined,
        database: env.OCTAVO_E2E_DATABASE || undefined,
        nodes: Number(env.OCTAVO_E2E_NODES || 1),
        urls: (env.OCTAVO_E2E_URL ?? '').split(',').filter(Boolean),
        keep: Boolean(env.OCTAVO_E2E_KEEP),
    };
    if (!Number.isInteger(config.nodes) || config.nodes < 1) {
        throw new Error('OCTAVO_E2E_NODES must be a positive number');
    }
    if (config.nodes > 1 && !config.database) {
        throw new Error('OCTAVO_E2E_NODES above 1 needs OCTAVO_E2E_DATABASE: SQLite belongs to one node');
    }
    if (config.urls.length > 0 && !config.database && !config.data) {
        throw new Error('OCTAVO_E2E_URL needs OCTAVO_E2E_DATABASE or OCTAVO_E2E_DATA, the store of those servers');
    }
    return config;
}
