/** What a terminal says for a person who watches the tour. By these words the stand-in knows which scene is played. */
export const TOUR_PROMPTS = {
  /** It looks around, and asks to write a file. */
  around: "Show me around.",
  /** In plan mode: it writes a plan and has it approved. */
  plan: "Plan a small change.",
} as const
