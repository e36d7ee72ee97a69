import { readdir, readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { nothingThere, type Place, projectFolders } from "../config/places.js"
import { configFolder, homeFolder } from "../folders.js"
import type { Observation } from "./observation.js"

/** In the order of precedence within one level, weakest first. */
const FOLDERS = [".claude", ".agents", ".sotto"]
const LONGEST_DESCRIPTION = 1_024

export interface Skill {
  readonly name: string
  readonly description: string
  /** Of its SKILL.md. */
  readonly path: string
}

export interface Skills {
  /** By name. Of two with one name the nearer counts. */
  readonly skills: readonly Skill[]
  /** What looked like a skill and could not be used, for people. */
  readonly problems: readonly string[]
}

/** Finds skills, the user's and the project's. They are often not the user's work: a bad one is left out, not fatal. */
export async function loadSkills(place: Place): Promise<Skills> {
  const home = homeFolder(place.env)
  const folders = [
    join(home, ".claude", "skills"),
    join(home, ".agents", "skills"),
    join(configFolder(place.env), "skills"),
    ...projectFolders(place).flatMap((folder) => FOLDERS.map((kind) => join(folder, kind, "skills"))),
  ]
  const found = (await Promise.all(folders.map(skillsIn))).flat()
  const skills = new Map<string, Skill>()
  for (const one of found) if (typeof one !== "string") skills.set(one.name, one)
  return {
    skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    problems: [...new Set(found.filter((one) => typeof one === "string"))],
  }
}

/** The fact that the system prompt lists; of the skills that an agent may use. */
export function skillsFact(skills: readonly Skill[]): Observation {
  return { key: "skills", value: skills.map(({ name, description }) => ({ name, description })) }
}

/** A skill with its instructions as they are now, as `invoked:*` expects it; undefined if there is none. */
export async function readSkill(
  { skills }: Skills,
  name: string,
): Promise<{ readonly name: string; readonly path: string; readonly content: string } | undefined> {
  const skill = skills.find((one) => one.name === name)
  const text = skill && (await readFile(skill.path, "utf8").catch(nothingThere))
  return skill && text !== undefined ? { name, path: skill.path, content: split(text).body } : undefined
}

async function skillsIn(folder: string): Promise<readonly (Skill | string)[]> {
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(names.sort().map((name) => skillAt(join(folder, name, "SKILL.md"))))
  return found.filter((one) => one !== undefined)
}

async function skillAt(path: string): Promise<Skill | string | undefined> {
  let text: string | undefined
  try {
    text = await readFile(path, "utf8").catch(nothingThere)
  } catch (cause) {
    return `${path}: ${cause instanceof Error ? cause.message : String(cause)}`
  }
  if (text === undefined) return undefined
  const { front } = split(text)
  const description = field(front, "description")?.slice(0, LONGEST_DESCRIPTION)
  if (!description)
    return `${path}: a skill needs a description: begin the file with front matter that has one.`
  return { name: field(front, "name") || basename(dirname(path)), description, path }
}

function split(text: string): { readonly front: string; readonly body: string } {
  const found = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*$/m.exec(text)
  if (found?.index !== 0) return { front: "", body: text.trim() }
  return { front: found[1] ?? "", body: text.slice(found[0].length).trim() }
}

/**
 * One text of the front matter, in one line: plain, quoted, or a block over several lines. Not a YAML parser on
 * purpose: loading one doubles the time to start, and many published skills have descriptions with a bare colon,
 * which YAML refuses.
 */
function field(front: string, name: string): string | undefined {
  const found = new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n(?:[ \\t]+.*|[ \\t]*(?=\\r?\\n)))*)`, "m").exec(
    front,
  )
  const value = (found?.[1] ?? "")
    .replace(/^[|>][+-]?\d?[ \t]*(?=\r?\n)/, "")
    .replace(/\s+/g, " ")
    .trim()
  if (found === null) return undefined
  const quoted = /^(["'])(.*)\1$/.exec(value)
  if (quoted === null) return value.replace(/ #.*$/, "")
  const inner = quoted[2] ?? ""
  return quoted[1] === "'" ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\])/g, "$1")
}
