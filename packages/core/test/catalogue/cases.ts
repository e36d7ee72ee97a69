import type { Case } from "./case.js"
import { files } from "./cases/files.js"
import { limits } from "./cases/limits.js"
import { memory } from "./cases/memory.js"
import { mentions } from "./cases/mentions.js"
import { mode } from "./cases/mode.js"
import { pinned } from "./cases/pinned.js"
import { session } from "./cases/session.js"
import { work } from "./cases/work.js"

/** Every kind of the catalogue, by family. */
export const CASES: readonly Case[] = [
  ...mentions,
  ...files,
  ...memory,
  ...work,
  ...mode,
  ...limits,
  ...session,
  ...pinned,
]
