/** Every tag that Sotto itself writes around text. No other text may open or close one. */
export const FRAME_TAGS = ["system-reminder", "reminder-body", "mcp-resource", "new-diagnostics"] as const

/** Whatever begins so is a tag of a rule's own: the guard knows it without a list, in every session and every version. */
export const OWN_TAGS = "reminder-"

/**
 * A tag around outside text. Any name that begins with "reminder-" is free for rules of your own: no other text can
 * open or close it either. The tag of the reminders themselves is not among them: outside text in it would speak with
 * the harness's voice.
 */
export type FrameTag = Exclude<(typeof FRAME_TAGS)[number], "system-reminder"> | `reminder-${string}`

/** True for a tag that outside text may stand in. */
export function isFrameTag(name: string): name is FrameTag {
  return name !== "system-reminder" && isGuardedTag(name)
}

/** True for a tag that the guard knows. Logs of earlier versions may hold outside text in any of them. */
export function isGuardedTag(name: string): boolean {
  return FRAME_TAGS.some((tag) => tag === name) || /^reminder-[a-z0-9-]+$/.test(name)
}
