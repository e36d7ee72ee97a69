import type { Around, SlashCommand } from "./command.js"

/** The commands that the user has written, and skills by their names. They are said, not carried out. */
export function ownCommandsOf({ workplace }: Around): readonly SlashCommand[] {
  return workplace.ownCommands().map(({ name, description, argument, from }) => ({
    name,
    ...(argument !== undefined && { argument }),
    help: from === "skill" ? `${description} (skill)` : description,
    isOwn: true,
    run: () => undefined,
  }))
}
