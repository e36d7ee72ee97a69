/** Every tag that Sotto itself writes around text. Nobody else's text may open or close one. */
export const FRAME_TAGS = ["system-reminder", "reminder-body", "mcp-resource", "new-diagnostics"] as const

export type FrameTag = (typeof FRAME_TAGS)[number]
