import type { Output } from "./tool.js"

/** What a command prints that a sandbox keeps from writing or from the network. */
const BY_SANDBOX =
  /Read-only file system|EROFS|ENETUNREACH|EAI_AGAIN|ENOTCACHED|Network is unreachable|name resolution|Could not resolve host/
/** What a program prints that may not become root. */
const BY_NAMESPACE = /no new privileges|effective uid is not 0|must be setuid root/i

/** Tells the model that the way a command ran is why it failed, as far as its words say so. */
export function hinderedBy(
  { content }: Output,
  confined: { readonly mayLeave: boolean } | undefined,
): string | undefined {
  const text = textOf(content)
  if (confined !== undefined && BY_SANDBOX.test(text)) {
    const way = confined.mayLeave
      ? " If it needs more, call again with unconfined: true: the user is asked."
      : ""
    return `It ran in a sandbox, which limits what it can write and reach.${way}`
  }
  if (BY_NAMESPACE.test(text))
    return 'Programs that Sotto starts cannot gain privileges. Tell the user to run this themselves, or to put "processes": "shared" into their own sotto.json.'
  return undefined
}

/** Tells the model that a command lacked variables that Sotto withheld, as far as its words say so. */
export function lackedBy(
  command: string,
  { content }: Output,
  withheld: readonly string[] = [],
): string | undefined {
  const text = `${command}\n${textOf(content)}`
  const words = new Set(command.toLowerCase().match(/[a-z][a-z0-9]*/g))
  const wanted = withheld.filter((name) => {
    const [first = ""] = name.toLowerCase().split("_")
    return text.includes(name) || words.has(first) || (first === "github" && words.has("gh"))
  })
  if (wanted.length === 0) return undefined
  const list = JSON.stringify(wanted)
  return `Sotto withheld ${wanted.join(", ")} from this command, because it looks like a secret. If it is needed, tell the user to put "env": {"pass": ${list}} into their own sotto.json.`
}

/** Puts notes below what a command printed. */
export function withNotes(output: Output, notes: readonly (string | undefined)[]): Output {
  const told = notes.filter((note) => note !== undefined).map((note) => `[${note}]`)
  if (told.length === 0 || typeof output.content !== "string") return output
  return { ...output, content: [output.content, ...told].join("\n") }
}

function textOf(content: Output["content"]): string {
  return typeof content === "string" ? content : ""
}
