import { agent } from "./agent.js"
import { asides } from "./asides.js"
import { clear } from "./clear.js"
import type { Around, SlashCommand } from "./command.js"
import { compact } from "./compact.js"
import { copy } from "./copy.js"
import { cost } from "./cost.js"
import { diff } from "./diff.js"
import { exportSession } from "./export.js"
import { fork } from "./fork.js"
import { help } from "./help.js"
import { inspect } from "./inspect.js"
import { mcp } from "./mcp.js"
import { model } from "./model.js"
import { ownCommandsOf } from "./own.js"
import { permissions } from "./permissions.js"
import { quit } from "./quit.js"
import { resume } from "./resume.js"
import { rewind } from "./rewind.js"
import { rules } from "./rules.js"
import { style } from "./style.js"
import { subagents } from "./subagents.js"
import { tasks } from "./tasks.js"
import { theme } from "./theme.js"
import { think } from "./think.js"
import { tour } from "./tour.js"
import { transcript } from "./transcript.js"

/** Sotto's own commands, in the order in which they are listed. */
const OWN: readonly SlashCommand[] = [
  agent,
  model,
  think,
  compact,
  transcript,
  copy,
  diff,
  cost,
  asides,
  inspect,
  rules,
  permissions,
  resume,
  clear,
  rewind,
  fork,
  style,
  theme,
  exportSession,
  tasks,
  subagents,
  mcp,
  tour,
  help,
  quit,
]

/** Where commands come from. One that is found in several places is the first one's. */
export const SOURCES: readonly ((around: Around) => readonly SlashCommand[])[] = [() => OWN, ownCommandsOf]
