/** The turn may take no step after this one. */
export const LAST_STEP = /maximum (?:number of )?steps|last step of th(?:is|e) turn/i

/**
 * What known harnesses say inside of conversations, recognised by a few words of each text. Written for this project from
 * the traffic of these harnesses and their public documentation; the texts themselves are theirs and are not kept here.
 * The first shape that matches names the kind. A text that matches none is grouped by its own shape.
 */
export interface ReminderShape {
  readonly kind: string
  readonly harness: "claude-code" | "opencode" | "codex" | "gemini-cli" | "cline" | "pi" | "sotto" | "any"
  readonly says: RegExp
}

export const SHAPES: readonly ReminderShape[] = [
  // Modes
  {
    kind: "plan_mode",
    harness: "any",
    says: /\bplan mode (?:is )?(?:still )?active|plan mode - system reminder/i,
  },
  { kind: "plan_mode_exit", harness: "claude-code", says: /\bexited plan mode/i },
  {
    kind: "build_switch",
    harness: "opencode",
    says: /operational mode has changed|mode changed from plan to build/i,
  },
  { kind: "auto_mode", harness: "any", says: /\bauto mode (?:is )?active/i },
  { kind: "max_steps", harness: "any", says: LAST_STEP },
  // Lists of work
  {
    kind: "todo_reminder",
    harness: "any",
    says: /\btodo(?:write|_write| list| tool)|todos? (?:has|have) (?:changed|not)/i,
  },
  { kind: "task_reminder", harness: "any", says: /\btask tools? (?:haven't|has not|have not)|task list/i },
  {
    kind: "task_status",
    harness: "any",
    says: /\b(?:background )?task\b.{0,40}\b(?:finished|completed|failed|running)/i,
  },
  // Files and editors
  {
    kind: "edited_text_file",
    harness: "any",
    says: /\bwas (?:modified|changed|edited)\b.{0,80}\b(?:user|linter|since|by)/i,
  },
  {
    kind: "file_reading",
    harness: "claude-code",
    says: /whenever you read a file|consider whether it (?:would be|looks) (?:considered )?malware/i,
  },
  {
    kind: "empty_file",
    harness: "claude-code",
    says: /file exists but (?:the contents are empty|is shorter)/i,
  },
  { kind: "diagnostics", harness: "any", says: /new-diagnostics|diagnostics? (?:were|was|has been|in)/i },
  { kind: "opened_file_in_ide", harness: "any", says: /\bopened the file\b|ide_opened_file/i },
  { kind: "selected_lines_in_ide", harness: "any", says: /\bselected (?:the )?lines?\b|ide_selection/i },
  { kind: "ide_context", harness: "gemini-cli", says: /editor context|\bIDE\b.{0,60}\bJSON/i },
  // Instructions and surroundings
  {
    kind: "instructions",
    harness: "any",
    says: /\b(?:AGENTS|CLAUDE|GEMINI)\.md\b|# claudeMd|<INSTRUCTIONS>/,
  },
  {
    kind: "session_context",
    harness: "gemini-cli",
    says: /session_context|setting up the context for our chat/i,
  },
  {
    kind: "skill_listing",
    harness: "any",
    says: /\bskills? (?:is|are) available|skills_instructions|available[ _]skills/i,
  },
  { kind: "agent_listing", harness: "any", says: /\bagents? (?:types )?(?:is|are) available/i },
  { kind: "permissions", harness: "codex", says: /permissions instructions|sandbox_mode|approval_policy/i },
  { kind: "collaboration_mode", harness: "codex", says: /collaboration_mode|collaboration mode/i },
  { kind: "model_switch", harness: "codex", says: /model_switch/i },
  { kind: "output_style", harness: "claude-code", says: /\boutput style is active/i },
  { kind: "date_change", harness: "any", says: /\bdate has changed|today'?s date is/i },
  { kind: "token_usage", harness: "any", says: /\btoken usage\b|tokens? (?:left|remaining)/i },
  // What happened
  {
    kind: "hook",
    harness: "claude-code",
    says: /\bhook (?:success|additional context|blocking|stopped)|-hook>/i,
  },
  {
    kind: "queued_command",
    harness: "any",
    says: /\bsent (?:a new|the following|this) message|new message while you/i,
  },
  {
    kind: "interrupted",
    harness: "any",
    says: /turn_aborted|\binterrupted (?:by|the)|task was interrupted/i,
  },
  {
    kind: "shell_command",
    harness: "any",
    says: /user_shell_command|local-command-|bash-(?:input|stdout|stderr)/i,
  },
  { kind: "slash_command", harness: "claude-code", says: /command-(?:name|message|args)/i },
  { kind: "no_tool_used", harness: "cline", says: /did not use a tool in your previous/i },
  { kind: "task_resumption", harness: "cline", says: /\[TASK RESUMPTION\]/i },
]

/** Tags between which a harness speaks, with the kind that the tag alone tells. */
export const TAGS: ReadonlyMap<string, string | undefined> = new Map([
  ["system-reminder", undefined],
  ["system_reminder", undefined],
  ["system-notification", undefined],
  ["environment_context", "environment_context"],
  ["environment_details", "environment_details"],
  ["session_context", "session_context"],
  ["user_instructions", "instructions"],
  ["instructions", "instructions"],
  ["permissions instructions", "permissions"],
  ["skills_instructions", "skill_listing"],
  ["collaboration_mode", "collaboration_mode"],
  ["model_switch", "model_switch"],
  ["turn_aborted", "interrupted"],
  ["user_shell_command", "shell_command"],
  ["ide_opened_file", "opened_file_in_ide"],
  ["ide_selection", "selected_lines_in_ide"],
  ["new-diagnostics", "diagnostics"],
  ["user-prompt-submit-hook", "hook"],
  ["local-command-stdout", "shell_command"],
  ["local-command-caveat", "shell_command"],
  ["command-name", "slash_command"],
  ["command-message", "slash_command"],
  ["command-args", "slash_command"],
])

/** The tags that stand for the harness inside of a tool result: everything else there is what the tool said. */
export const RESULT_TAGS: readonly string[] = ["system-reminder", "system_reminder"]
