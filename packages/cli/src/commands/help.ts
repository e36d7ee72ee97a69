import { wrapped } from "../output/wrapped.js"
import { TALK_OPTIONS } from "../usage.js"
import { type CommandDescription, optionNames, optionText } from "./subcommand.js"
import { SUBCOMMANDS } from "./table.js"
import { TOPICS } from "./topics.js"

/** Where the sentences of the overview begin. */
const COLUMN = 28
const WIDTH = 120

/** Makes the text of `sotto --help`. */
export function overview(): string {
  const rows = [...SUBCOMMANDS].map(
    ([name, { args, summary }]) =>
      `  sotto ${args === undefined ? name : `${name} ${args}`}`.padEnd(COLUMN) + summary,
  )
  return `sotto: a coding agent in which everything the model is told can be seen

  sotto ["PROMPT"]          talk to the agent here; type while it works (--plain: a line at a time)
  sotto -p "PROMPT"         answer and end; the same as \`sotto run "PROMPT"\`
${rows.join("\n")}

  sotto COMMAND --help      more about one of them, like \`sotto help COMMAND\`
  sotto help TOPIC          ${[...TOPICS.keys()].join(", ")}
  --store PLACE             of every command that reads or writes sessions: where they are, a file or postgres://…
${ownOptionsText()}
  sotto --version

Models: anthropic/…, openai/…, openai-chat/…, google/…; keys by \`sotto login\`, or in ANTHROPIC_API_KEY, OPENAI_API_KEY,
GEMINI_API_KEY.
Without a key the terminal offers a tour with a stand-in; \`sotto run --model rehearsal\` asks for it by name.
`
}

/** Loads every subcommand for its description, in the order of the overview. */
export async function describeCommands(): Promise<readonly CommandDescription[]> {
  const loaded = [...SUBCOMMANDS].map(async ([name, { summary, load }]) => {
    const { help, options, manual } = (await load()).subcommand
    return { name, summary, help, options: optionNames(options), ...(manual && { manual }) }
  })
  return Promise.all(loaded)
}

function ownOptionsText(): string {
  const written = Object.entries(TALK_OPTIONS)
    .filter(([name]) => name !== "plain" && name !== "store")
    .map(([name, option]) => optionText(name, option))
  const last = written.pop()
  const text = `sotto takes --plain, --store, and of \`sotto run\`: ${written.join(", ")} and ${last}`
  return wrapped(text, WIDTH, "  ").join("\n")
}
