import { statSync } from "node:fs"
import type { Place } from "../config/places.js"
import { findSkills, type Skill, type Skills, skillFolders } from "./skills.js"

const NONE: Skills = { skills: [], problems: [] }
/** Changes closer to a look than this may share its time stamp. */
const UNSETTLED_MS = 100

/** The skills there are at the moment. What conversations of one directory share. */
export class SkillShelf implements Skills {
  readonly #folders: readonly string[]
  #stamps = new Map<string, string | undefined>()
  #found = NONE
  #reading: Promise<void> | undefined

  constructor(place: Place) {
    this.#folders = skillFolders(place)
  }

  get skills(): readonly Skill[] {
    return this.#found.skills
  }

  get problems(): readonly string[] {
    return this.#found.problems
  }

  /** Whether something may be different since they were read. Only asks for times: cheap enough for every boundary. */
  hasChanged(): boolean {
    if (this.#stamps.size === 0) return true
    for (const [path, stamp] of this.#stamps) if (stamp === undefined || stamp !== stampOf(path)) return true
    return false
  }

  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    const stamps = new Map<string, string | undefined>()
    this.#found = await findSkills(this.#folders, (path) => stamps.set(path, settledStamp(path)))
    this.#stamps = stamps
  }
}

export async function loadSkills(place: Place): Promise<SkillShelf> {
  const shelf = new SkillShelf(place)
  await shelf.read()
  return shelf
}

/** Undefined where one more change may still have the same time. */
function settledStamp(path: string): string | undefined {
  const { stamp, changed } = look(path)
  return Date.now() - changed < UNSETTLED_MS ? undefined : stamp
}

function stampOf(path: string): string {
  return look(path).stamp
}

function look(path: string): { readonly stamp: string; readonly changed: number } {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat !== undefined)
      return { stamp: [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(), changed: stat.ctimeMs }
  } catch {
    // What cannot be looked at is as good as not there.
  }
  return { stamp: "absent", changed: 0 }
}
