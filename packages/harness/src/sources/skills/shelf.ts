import type { Project } from "../../platform/workspace/project.js"
import { areSame, type Stamp, settledStamp } from "../../platform/workspace/stamp.js"
import { findSkills, type Skill, type SkillFolder, type Skills, skillFolders } from "./skills.js"

const NONE: Skills = { skills: [], problems: [] }

/** The skills there are at the moment. What conversations of one directory share. */
export class SkillShelf implements Skills {
  readonly #folders: readonly SkillFolder[]
  #stamps = new Map<string, Stamp | undefined>()
  #found = NONE
  #reading: Promise<void> | undefined

  constructor(place: Project) {
    this.#folders = skillFolders(place)
  }

  get skills(): readonly Skill[] {
    return this.#found.skills
  }

  get problems(): readonly string[] {
    return this.#found.problems
  }

  /** True if something may be different since they were read. Only asks for times: cheap enough for every boundary. */
  hasChanged(): boolean {
    return this.#stamps.size === 0 || !areSame(this.#stamps)
  }

  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    const stamps = new Map<string, Stamp | undefined>()
    this.#found = await findSkills(this.#folders, (path) => stamps.set(path, settledStamp(path)))
    this.#stamps = stamps
  }
}

export async function loadSkills(place: Project): Promise<SkillShelf> {
  const shelf = new SkillShelf(place)
  await shelf.read()
  return shelf
}
