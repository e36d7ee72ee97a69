/** What a person is told of a rebase. */
export function rebaseText(reason: string): string {
  if (reason === "economy")
    return "old tool results are no longer sent, because that is cheaper now; the model can get them again, and you still see them"
  return `the prompt cache starts over (${reason}); nothing in the conversation is lost`
}
