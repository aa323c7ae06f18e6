// A run: starts the program, plays scenarios, stops the program.

import { randomBytes } from 'node:crypto';

import { GitBookAPI as RendererAPI } from 'gitbook-api-renderer';

import { REQUIRED, RENDERER_PREFIX, REQUIRED_BY_RENDERER, REQUIRED_OWN } from '../operations.mjs';
import { SCENARIOS } from '../scenarios/index.mjs';
import { Actor } from './actor.mjs';
import { loadDescription, loadRendererDescription } from './description.mjs';
import { Octavo } from './octavo.mjs';
import { runScenarios, World } from './suite.mjs';
import { Reads } from './today.mjs';
import { Wire } from './wire.mjs';

/**
 * Plays the scenarios with these names; none: all. Prints each step if verbose. tell gets { wire, reads, failures, required, served, log }
 * before the servers stop, and returns whether the run passed. Returns that, false too when the servers did
 * not stop cleanly.
 */
export async function play(config, { names, verbose }, tell) {
    const scenarios = select(names);
    const description = loadDescription();
    const required = requiredOperations(description);

    const octavo = await Octavo.open(config);
    let passed = false;
    try {
        const { accounts, ...scene } = await bootstrap(octavo);
        await octavo.serve(config);
        console.log(`e2e: ${octavo.nodes.join(', ')}`);

        const reads = new Reads(loadRendererDescription());
        const wire = new Wire(octavo.nodes, description, { reads });
        const people = Object.fromEntries(
            Object.entries(accounts).map(([name, account]) => [name, new Actor(wire, account)]),
        );
        const renderer = new Actor(wire.judgedBy(loadRendererDescription(), RENDERER_PREFIX), undefined, RendererAPI);
        const failures = await runScenarios(scenarios, new World({ people, renderer, description, octavo, ...scene }), verbose);

        // A run of chosen scenarios is for looking closer: it is not expected to call everything.
        const served = await (await fetch(`${octavo.nodes[0]}/v1/openapi.json`)).json();
        passed = tell({ wire, reads, failures, required: names.length > 0 ? [] : required, served, log: await octavo.logs() });
    } finally {
        for (const problem of await octavo.close(config)) {
            console.log(`e2e: ${problem}`);
            passed = false;
        }
    }
    return passed;
}

/** Creates the people of the scenarios. Names carry a word of this run, so that a store can be used again. */
async function bootstrap(octavo) {
    const run = randomBytes(4).toString('hex');
    const domain = `acme-${run}.people.test`;
    const accounts = {
        alice: await octavo.bootstrap(`alice@${domain}`, 'Acme'),
        bob: await octavo.bootstrap(`bob@${domain}`, 'Bob & Co'),
        carol: await octavo.bootstrap(`carol@${domain}`, 'Carol & Co'),
        mallory: await octavo.bootstrap(`mallory@elsewhere-${run}.test`, 'Elsewhere'),
        anonymous: undefined,
    };
    return { accounts, domain, run };
}

function requiredOperations(description) {
    REQUIRED_OWN.forEach((name) => description.addUndeclared(name));
    const required = [...Object.values(REQUIRED).flat(), ...REQUIRED_OWN];
    const unknown = required.filter((name) => !description.operation(name));
    if (unknown.length > 0) {
        throw new Error(`operations.mjs or interface.mjs names what the description does not know: ${unknown.join(', ')}`);
    }
    return [...required, ...REQUIRED_BY_RENDERER.map((name) => RENDERER_PREFIX + name)];
}

/** Reads what a command was called with: `[-v] [scenario…]`. */
export function chosen(words) {
    const names = words.filter((word) => word !== '-v');
    return { names, verbose: names.length < words.length || names.length > 0 };
}

function select(names) {
    if (names.length === 0) {
        return SCENARIOS;
    }
    const unknown = names.filter((name) => !(name in SCENARIOS));
    if (unknown.length > 0) {
        throw new Error(`no such scenario: ${unknown.join(', ')}; there are ${Object.keys(SCENARIOS).join(', ')}`);
    }
    return Object.fromEntries(names.map((name) => [name, SCENARIOS[name]]));
}

// Interrupted, leave no server behind: the exit handlers stop them.
for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => process.exit(1));
}
