import { type Case, casesOf } from "./cases.js"
import { APIS } from "./wire.js"

const BEFORE = `# What happens when a provider fails

\`npm run docs\` writes this page from the table that \`packages/harness/test/faults\` plays against a real conversation.
Each cell is the reason of \`turn-end\` and the number of requests that the provider received. After every case the next
prompt was answered, with a request that the API accepts and that has everything in it once.

| turn ends with | means | exit code of \`sotto run\` |
| --- | --- | --- |
| \`done\` | the model came to its end | 0 |
| \`max-steps\` | the agent may take no more steps | 3 |
| \`length\` | the answer was cut at the model's limit on output | 3 |
| \`refused\` | the model refused | 3 |
| \`filtered\` | the provider's filter withheld the answer, or the prompt | 3 |
| \`overflow\` | the conversation is longer than the model takes, also after a compaction | 3 |
| \`limit\` | a limit of tokens, steps or money that you set | 3 |
| \`interrupted\` | somebody stopped it | 0 for an \`abort\` in JSONL; 129, 130, 143 for a signal; 141 for a closed standard output |
| \`error\` | anything else; an \`error\` event before it says what | 1 |

How it is decided:

- A reply counts only if every event of it could be read, and if it ended as its API says: \`message_stop\` after a reason
  to stop (Anthropic), \`response.completed\` or \`.incomplete\` (Responses), a \`finish_reason\` or \`[DONE]\` (Chat
  Completions), a \`finishReason\` and the end of the body (Gemini). Anything else is asked for again with the same bytes,
  8 times at most. No tool runs before that.
- A status that may pass (408, 409, 429, 5xx) is tried 8 times at most, unless the provider asks for more than two minutes.
- A provider that sends no byte for five minutes (ten at an address that is not its own; \`models.NAME.silence\` in
  \`sotto.json\` sets it, in seconds) is asked once more, and then given up.
- A good status with something that is no message is an error at once, with the beginning of what came.
- A reply that reached the limit on output inside a call: the call is not made, the model is told and goes on, once in a turn.
- A context that is full is compacted, and the turn goes on, once. With \`compaction.auto: false\` it ends instead.
- A turn that the provider pauses goes on, 20 times at most.
- Of a refused or filtered reply no call is made.
- A call that Gemini itself could not read (\`MALFORMED_FUNCTION_CALL\`) is asked for once more, and is then an error.
- A repeated piece of text cannot be told from two equal ones where the API numbers nothing. It is taken as it comes.
- An event of more than 32 MB, or a reply of more than 128 MB, is an error.
`

export function faultsPage(): string {
  const all = APIS.map((api) => ({ name: api.name, cases: casesOf(api) }))
  const groups = [...new Set(all.flatMap(({ cases }) => cases.map(({ group }) => group)))]
  return [BEFORE, ...groups.map((group) => section(group, all))].join("\n")
}

function section(
  group: string,
  all: readonly { readonly name: string; readonly cases: readonly Case[] }[],
): string {
  const own = all.map(({ name, cases }) => ({ name, cases: cases.filter((one) => one.group === group) }))
  const faults = [...new Set(own.flatMap(({ cases }) => cases.map(({ fault }) => fault)))]
  const rows = faults.map((fault) => {
    const cells = own.map(({ cases }) => cellOf(cases.find((one) => one.fault === fault)))
    return `| ${[fault, ...cells].join(" | ")} |`
  })
  const head = `| | ${own.map(({ name }) => name).join(" | ")} |`
  const title = group[0]?.toUpperCase() + group.slice(1)
  return [`## ${title}\n`, head, `| --- |${" --- |".repeat(own.length)}`, ...rows, ""].join("\n")
}

function cellOf(one: Case | undefined): string {
  return one === undefined ? "" : `${one.expected.reason} · ${one.expected.requests}`
}
