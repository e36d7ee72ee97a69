import type { ContentPart } from "@sotto/core"
import type { Project } from "../../platform/workspace/project.js"
import { type CommandFile, readCommand } from "../../settings/config/command-file.js"
import { markdownIn } from "../../settings/config/files.js"
import { definitionFolders } from "../../settings/trust/definitions.js"
import { type InvokedSkill, readSkill, type Skills } from "../skills/skills.js"
import { expand } from "./expand.js"

/** A command that its user has written, a skill, or a prompt of an MCP server, as it is typed: `/name what follows`. */
export interface OwnCommand {
  readonly name: string
  readonly description: string
  readonly argument?: string
  readonly from: "command" | "skill" | "prompt"
  /** The file that it is written in, or the server that has it. */
  readonly path: string
  prompt(typed: string): Promise<OwnPrompt>
}

export interface OwnPrompt {
  readonly content: readonly ContentPart[]
  /** The skill whose instructions are part of it. */
  readonly skill?: InvokedSkill
}

/**
 * Loads the user's own `commands/*.md`, and those of a folder that is trusted; of two with one name the nearer counts.
 */
export function loadCommands(place: Project): readonly CommandFile[] {
  const found = definitionFolders(place, "commands")
    .flatMap(({ path }) => markdownIn(path))
    .map(readCommand)
  return [...new Map(found.map((command) => [command.name, command])).values()]
}

/**
 * Lists everything of the user's own that can be typed after a slash. A command counts more than a skill of the same
 * name.
 */
export function ownCommands(commands: readonly CommandFile[], skills: Skills): readonly OwnCommand[] {
  const names = new Set(commands.map(({ name }) => name))
  const others = skills.skills.filter(({ name }) => !names.has(name.toLowerCase()))
  return [...commands.map(asCommand), ...others.map((skill) => asSkill(skill, skills))]
}

/** Adds the commands that Sotto brings along. One of the user's own goes before that of the same name. */
export function withStandardCommands(own: readonly OwnCommand[]): readonly OwnCommand[] {
  return own.some(({ name }) => name === INIT.name) ? own : [...own, INIT]
}

/** Has the agent write what every later session should know of the project. */
const INIT: OwnCommand = {
  name: "init",
  description: "look at the project and write AGENTS.md: what every session should know of it",
  argument: "[WHAT MATTERS]",
  from: "command",
  path: "",
  prompt: async (typed) => {
    const wish = typed === "" ? "" : `\n\nWhat matters to me: ${typed}`
    return { content: saidAs("/init", typed, `${WRITE_INSTRUCTIONS}${wish}`) }
  },
}

const WRITE_INSTRUCTIONS = `Look at this project and write AGENTS.md in its root folder: what a coding agent has to know to work here.

Read the README, the manifests, the scripts, the settings of continuous integration and a few typical source files first. Then write
about a page: how to install, build, run and test, also a single test; what stands in which folder, and how the parts depend on each
other; conventions that the code follows and that its tools do not enforce; what is easy to get wrong. Say only what you have seen in
the project, and nothing that holds for any project. If AGENTS.md, CLAUDE.md or rules for other agents are there already, keep what
is right in them and mend the rest.`

/** A text that is a command: which one, and what follows its name. */
export interface InvokedCommand {
  readonly command: OwnCommand
  readonly typed: string
}

/** Finds the command that a text is, if it is one. `otherwise` is asked for a name, in small letters, that none has. */
export function ownCommandIn(
  text: string,
  commands: readonly OwnCommand[],
  otherwise: (name: string) => OwnCommand | undefined = () => undefined,
): InvokedCommand | undefined {
  const [, given = "", typed = ""] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  const name = given.toLowerCase()
  const command = commands.find((one) => one.name === name) ?? otherwise(name)
  return command && { command, typed: typed.trim() }
}

function asCommand({ name, description, argument, path, text }: CommandFile): OwnCommand {
  return {
    name,
    description,
    ...(argument !== undefined && { argument }),
    from: "command",
    path,
    prompt: async (typed) => ({ content: saidAs(`/${name}`, typed, expand(text, typed)) }),
  }
}

function asSkill(
  { name, description, path, untrusted }: Skills["skills"][number],
  skills: Skills,
): OwnCommand {
  const said = (typed: string, text: string) => saidAs(`/${name.toLowerCase()}`, typed, text)
  return {
    name: name.toLowerCase(),
    description,
    argument: "[WHAT]",
    from: "skill",
    path,
    prompt: async (typed) => {
      const wish = typed === "" ? "" : `\n\nWhat the user wants of it: ${typed}`
      // The text of a folder that the user has not vouched for never stands among their words: the model loads it.
      if (untrusted) return { content: said(typed, `Use the skill "${name}".${wish}`) }
      const skill = await readSkill(skills, name)
      if (skill === undefined) throw new Error(`The skill "${name}" cannot be read any more: ${path}.`)
      const text = `The user invoked the skill "${name}" (${path}). Follow its instructions:\n\n${skill.content}${wish}`
      return { content: said(typed, text), skill }
    },
  }
}

/** Makes two forms: the user sees what they typed, and the model what it stands for. */
function saidAs(name: string, typed: string, text: string): readonly ContentPart[] {
  return [
    { type: "text", text: typed === "" ? name : `${name} ${typed}`, ignored: true },
    { type: "text", text, synthetic: true },
  ]
}
