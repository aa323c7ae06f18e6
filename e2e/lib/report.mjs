// What the run tells: a table by operation, everything that was wrong, one line to remember.

import { compare } from './today.mjs';

const MAX_PROBLEMS = 5;
const MAX_BODY = 600;

/**
 * Prints the report and returns whether the run passed.
 *
 * @param wire the Wire that carried the run
 * @param failures the failed steps: { scenario, step, error }
 * @param required the names of operations that must have succeeded; none: only some scenarios were played
 * @param reads the Reads of the client of today
 * @param nouns the operations of the interface among them, by noun
 * @param log the end of the servers' log, printed when the run failed
 * @param verbose whether to print the table and the operations of the interface too
 */
export function report({ wire, reads, failures, required, nouns, log, verbose }) {
    const called = [...wire.ledger.entries()].sort(([a], [b]) => a.localeCompare(b));
    const missing = required.filter((name) => !wire.ledger.get(name)?.succeeded);
    const valid = called.reduce((sum, [, { valid }]) => sum + valid, 0);
    const beyond = called.reduce((sum, [, { beyond }]) => sum + beyond, 0);

    if (verbose) {
        printTable(called);
    }
    if (required.length > 0) {
        printInterface(nouns, wire, verbose);
    }
    printList('kinds of invalid responses', alike(wire.invalid).map(describeInvalid));
    printList('reads that the client of today refuses', reads.refused().map(describeRead));
    printList('failed steps', failures.map(describeFailure));
    printList('required operations that never succeeded', missing);

    const passed = wire.invalid.length === 0 && failures.length === 0 && missing.length === 0 && reads.refused().length === 0;
    if (!passed && log) {
        console.log(`\nend of the server log:\n${log}`);
    }
    const operations = called.filter(([, { operation }]) => operation).length;
    console.log(`e2e: required operations that succeeded: ${required.length - missing.length} of ${required.length}`);
    console.log(`e2e: failed steps: ${failures.length}`);
    console.log(readsLine(reads));
    console.log(`e2e: responses valid only with what goes beyond the description: ${beyond}`);
    console.log(`e2e: operations called: ${operations}, responses valid: ${valid}, invalid: ${wire.invalid.length}`);
    return passed;
}

/**
 * Prints which operations of a client are answered, missing and refused, and which of its reads its schemas
 * accept. Returns whether they accept all, and no step failed.
 *
 * @param client the OpenAPI document of the client
 * @param served that of the server
 */
export function reportClient(client, { reads, failures, served }) {
    const { answered, missing, refused } = compare(client, served);
    printList('operations that are missing', missing);
    printList('operations that are answered and refuse names that the client knows', refused);
    printList('reads that its schemas refuse', reads.refused().map(describeRead));
    printList('failed steps', failures.map(describeFailure));
    const all = answered.length + missing.length + refused.length;
    console.log(`\ne2e: operations answered: ${answered.length + refused.length} of ${all}, missing: ${missing.length}, refused with some names: ${refused.length}`);
    console.log(readsLine(reads));
    return failures.length === 0 && reads.refused().length === 0;
}

function readsLine(reads) {
    const all = reads.byOperation.size;
    return `e2e: reads that the schemas of the client of today accept: ${all - reads.refused().length} of ${all}`;
}

function describeRead({ name, problems }) {
    const more = problems.length > MAX_PROBLEMS ? [`… and ${problems.length - MAX_PROBLEMS} more`] : [];
    return [name, ...[...problems.slice(0, MAX_PROBLEMS), ...more].map((problem) => `* ${problem}`)].join('\n');
}

function printTable(called) {
    const rows = called.map(([name, { operation, calls, valid, statuses }]) => [
        name,
        operation ? `${operation.method} ${operation.template}` : '',
        String(calls),
        String(calls - valid || ''),
        Object.entries(statuses).map(([status, count]) => `${status}×${count}`).join(' '),
    ]);
    const header = ['operation', 'request', 'calls', 'invalid', 'statuses'];
    const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));

    console.log();
    for (const row of [header, ...rows]) {
        console.log(row.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd());
    }
}

/** Counts the operations of the interface that succeeded, and names them one by one if verbose. */
function printInterface(nouns, wire, verbose) {
    const succeeded = (name) => wire.ledger.get(name)?.succeeded;
    for (const [noun, names] of verbose ? Object.entries(nouns) : []) {
        console.log(`\n${noun}: ${names.filter(succeeded).length} of ${names.length}`);
        names.forEach((name) => console.log(`${succeeded(name) ? '+' : '-'} ${name}`));
    }
    const all = Object.values(nouns).flat();
    console.log(`e2e: operations of the interface that succeeded: ${all.filter(succeeded).length} of ${all.length}`);
}

function printList(title, items) {
    if (items.length > 0) {
        console.log(`\n${title}: ${items.length}`);
        items.forEach((item) => console.log(`- ${item.replaceAll('\n', '\n  ')}`));
    }
}

// One fault of the server shows in many responses: tells the first of each kind, with their number.
function alike(invalid) {
    const kinds = new Map();
    for (const { exchange, problems } of invalid) {
        const key = JSON.stringify([exchange.name, exchange.status, problems]);
        const kind = kinds.get(key) ?? { exchange, problems, times: 0 };
        kinds.set(key, { ...kind, times: kind.times + 1 });
    }
    return [...kinds.values()];
}

function describeInvalid({ exchange, problems, times }) {
    const { name, method, url, sent, status, received } = exchange;
    const more = problems.length > MAX_PROBLEMS ? [`… and ${problems.length - MAX_PROBLEMS} more`] : [];
    return [
        `${name}: ${method} ${url}${times > 1 ? ` (the first of ${times})` : ''}`,
        ...(sent ? [`sent ${shorten(String(sent))}`] : []),
        `received ${status} ${shorten(received ?? '(no body)')}`,
        ...[...problems.slice(0, MAX_PROBLEMS), ...more].map((problem) => `* ${problem}`),
    ].join('\n');
}

function describeFailure({ scenario, step, error }) {
    const [place] = error.stack?.match(/scenarios\/[\w-]+\.mjs:\d+/) ?? [];
    const message = error.errorMessage ? `${error.code} ${error.errorMessage} (${error.response.url})` : error.message;
    return `${scenario}: ${step}${place ? ` (${place})` : ''}\n${message}`;
}

function shorten(text) {
    return text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}…` : text;
}
