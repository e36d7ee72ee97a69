import { readdir } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import type { FactValue } from "@sotto/core"
import { reasonOf } from "../../platform/text/errors.js"
import { configFolder, homeFolder } from "../../platform/workspace/folders.js"
import { leadsInside } from "../../platform/workspace/location.js"
import { type Project, projectFolders } from "../../platform/workspace/project.js"
import { readRegularText } from "../../platform/workspace/regular-file.js"
import { listField, splitFront, textField } from "../../settings/config/loose-front-matter.js"
import { trustFolder } from "../../settings/trust/folder.js"
import type { Observation } from "../source.js"

/** In the order of precedence within one level, weakest first. */
const FOLDERS = [".claude", ".agents", ".sotto"]
const LONGEST_DESCRIPTION = 1_024
const MOST_FILES = 60
const DEEPEST = 4
/** In one directory, and in bytes of each. */
const MOST_SKILLS = 500
const LONGEST_SKILL = 256_000

export interface Skill {
  readonly name: string
  readonly description: string
  /** Of its SKILL.md. */
  readonly path: string
  /** Globs of the files it is about: `paths` or `globs` of its front matter. */
  readonly paths: readonly string[]
  /** Words that it is about: `topics` or `keywords`. */
  readonly topics: readonly string[]
  /** It is the text of a folder that the user has not vouched for. */
  readonly untrusted?: true
}

/** A directory of skills. */
export interface SkillFolder {
  readonly path: string
  /** The untrusted folder that it is part of: nothing from outside of that counts as its skill. */
  readonly within?: string
}

export interface Skills {
  /** By name. Of two with one name the nearer counts. */
  readonly skills: readonly Skill[]
  /** What looked like a skill and could not be used, for people. */
  readonly problems: readonly string[]
}

/** Lists where skills are kept, the user's and the project's: nearer ones come later. */
export function skillFolders(place: Project): readonly SkillFolder[] {
  const home = homeFolder(place.env)
  const own = [
    join(home, ".claude", "skills"),
    join(home, ".agents", "skills"),
    join(configFolder(place.env), "skills"),
  ]
  const project = projectFolders(place).flatMap((folder) =>
    FOLDERS.map((kind) => join(folder, kind, "skills")),
  )
  const within = place.trusted === true ? {} : { within: place.folder ?? trustFolder(place, () => false) }
  return [
    ...own.map((path) => ({ path })),
    ...project.filter((path) => !own.includes(path)).map((path) => ({ path, ...within })),
  ]
}

/**
 * Finds skills. They are often not the user's work: a bad one is left out, not fatal. `look` hears of every path that
 * the outcome depends on, before it is read.
 */
export async function findSkills(
  folders: readonly SkillFolder[],
  look: (path: string) => void = () => undefined,
): Promise<Skills> {
  const found = (await Promise.all(folders.map((folder) => skillsIn(folder, look)))).flat()
  const skills = new Map<string, Skill>()
  for (const one of found) {
    // A folder that the user has not vouched for does not take the place of a skill of the user's.
    if (
      typeof one === "string" ||
      (one.untrusted && skills.get(one.name)?.untrusted === undefined && skills.has(one.name))
    )
      continue
    skills.set(one.name, one)
  }
  return {
    skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    problems: [...new Set(found.filter((one) => typeof one === "string"))],
  }
}

/** Makes the fact that the system prompt lists; of the skills that an agent may use. */
export function skillsFact(skills: readonly Skill[]): Observation<"skills", FactValue<"skills">> {
  return { key: "skills", value: skills.map(listedSkill) }
}

function listedSkill({ name, description, untrusted }: Skill) {
  return { name, description, ...(untrusted && { untrusted }) }
}

/**
 * Reads a skill with its instructions as they are now and the files that come with it, as `invoked:*` expects it;
 * undefined if no skill has that name.
 */
export async function readSkill({ skills }: Skills, name: string): Promise<InvokedSkill | undefined> {
  const skill = skills.find((one) => one.name === name)
  const text = skill && readRegularText(skill.path, LONGEST_SKILL)
  if (skill === undefined || text === undefined) return undefined
  const files = await filesBeside(skill.path)
  const { body } = splitFront(text)
  const content =
    files.length === 0
      ? body
      : `${body}\n\nFiles of this skill, to read or run as it says:\n${files.join("\n")}`
  return { name, path: skill.path, content, ...(skill.untrusted && { untrusted: true }) }
}

export interface InvokedSkill {
  readonly name: string
  readonly path: string
  readonly content: string
  readonly untrusted?: true
}

/** Lists absolute paths, so that they can be read from anywhere. */
async function filesBeside(path: string): Promise<readonly string[]> {
  const root = dirname(path)
  const within = async (folder: string): Promise<readonly string[]> => {
    if (relative(root, folder).split(/[\\/]/).length > DEEPEST) return []
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    const kept = entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    const inner = kept
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(async (entry) => {
        const full = join(folder, entry.name)
        return entry.isDirectory() ? within(full) : [full]
      })
    return (await Promise.all(inner)).flat()
  }
  const files = (await within(root)).filter((file) => file !== path)
  if (files.length <= MOST_FILES) return files
  return [...files.slice(0, MOST_FILES), `[and ${files.length - MOST_FILES} more in ${root}]`]
}

async function skillsIn(
  { path: folder, within }: SkillFolder,
  look: (path: string) => void,
): Promise<readonly (Skill | string)[]> {
  look(folder)
  const names = await readdir(folder).catch(() => [])
  return names
    .sort()
    .slice(0, MOST_SKILLS)
    .flatMap((name) => {
      const path = join(folder, name, "SKILL.md")
      look(path)
      const found = skillAt(path, within)
      return found === undefined ? [] : [found]
    })
}

function skillAt(path: string, within: string | undefined): Skill | string | undefined {
  let text: string | undefined
  try {
    text = readRegularText(path, LONGEST_SKILL)
  } catch (cause) {
    return `${path}: ${reasonOf(cause)}`
  }
  if (text === undefined) return undefined
  if (within !== undefined && !leadsInside(path, within))
    return `${path}: it leads outside the folder, which is not trusted.`
  const { front } = splitFront(text)
  const description = textField(front, "description")?.slice(0, LONGEST_DESCRIPTION)
  if (!description)
    return `${path}: a skill needs a description: begin the file with front matter that has one.`
  return {
    name: textField(front, "name") || basename(dirname(path)),
    description,
    path,
    paths: [...listField(front, "paths"), ...listField(front, "globs")],
    topics: [...listField(front, "topics"), ...listField(front, "keywords")],
    ...(within !== undefined && { untrusted: true }),
  }
}
