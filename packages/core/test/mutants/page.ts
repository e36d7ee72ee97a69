import { FORMAT } from "../../src/vocabulary/request.js"
import { MUTANTS } from "./mutants.js"

const PROMISES: readonly (readonly [promise: string, shown: string])[] = [
  ["Append-only on the wire", "`promises.test.ts`, and a property in the test of each dialect"],
  [
    "Always valid",
    "`promises.test.ts`, with a strict validator of the conversation and that of each provider",
  ],
  ["Once and in order", "`promises.test.ts`, `inbox.test.ts`, `queue.test.ts`"],
  [
    "Nobody else speaks as the harness",
    "`promises.test.ts`, `guard.test.ts`, `forgery.test.ts`, `npm run test:attacks`",
  ],
  ["The view is clean", "`promises.test.ts`"],
  ["Bounded", "`promises.test.ts`, `budget.test.ts`"],
  ["Explained", "`promises.test.ts`, `ledger.test.ts`"],
  ["Deterministic", "`promises.test.ts`, `golden.test.ts`, `format.test.ts`"],
]

/** docs/promises.md: how each promise is tested, and what shows that the tests can fail. */
export function promisesPage(): string {
  return `# How the promises are tested

<!-- Written by \`npm run docs\`. Change packages/core/test/mutants/page.ts, and not this page. -->

The engine makes eight promises. Each is a property that is checked over random histories of commands: messages,
replies, results, aborts, compactions, rewinds, refused carriers, restarts. \`SOTTO_RUNS\` sets how many histories,
\`SOTTO_SEED\` sets which ones. The tests are in \`packages/core/test\`.

| | promise | where it is tested |
| --- | --- | --- |
${PROMISES.map(([promise, shown], i) => `| ${i + 1} | ${promise} | ${shown} |`).join("\n")}

Promises 1 to 4, 7 and 8 are checked on the bytes of every dialect too. The tests read those bytes with code of their
own (\`support/dialects.ts\`, \`support/oracle.ts\`): the code that wrote the bytes has no part in it. Where an epoch
begins is taken from the log.

## Another version of Sotto

The log holds what was rendered: reminders, frames, the system prompt, the tools, the capabilities of the model. It does
not hold what was placed. The *format* is the version of everything else that decides bytes: guard, tags, markers,
placement and encoders. It is ${FORMAT}, and every epoch is pinned to the format that it was written in.

- A session that was written in the present format is restored byte for byte.
- A session that was written in another format is restored as it was, and nothing is logged. When it next has something
  to send, it logs an entry \`format\`, and everything is placed anew. That is a rebase: the prompt cache starts over.
  System prompt and tools stay as they were, no rule speaks again, and a request that had no reply yet goes out again
  with another id. Reasoning before the open turn is stripped. In the open turn it comes back, unless the model ties it
  to earlier bytes.

\`packages/core/test/golden\` holds logs of each format, with the SHA-256 of every request in every dialect. A change that
gives other bytes for the same log fails there. If the change is meant, raise \`FORMAT\` and add logs of the new format.
Nobody edits an old log: sessions like it are on people's disks.

## Seeded faults

\`npm run test:mutants\` puts one fault after the other into the engine, in memory, and runs the tests that have to notice.
It fails if one of them does not. \`npm run test:mutants -- NAME\` runs one. \`npm test\` checks that each fault still
applies to the sources.

| fault | promise | what it does | has to fail |
| --- | --- | --- | --- |
${MUTANTS.toSorted((a, b) => a.promise - b.promise)
  .map(({ name, promise, fault, tests }) => `| ${name} | ${promise} | ${fault} | ${tests.join(" or ")} |`)
  .join("\n")}
`
}
