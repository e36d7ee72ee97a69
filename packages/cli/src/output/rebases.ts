/** What became of the conversation, by the reason of the rebase; for every other reason nothing of it is lost. */
const SAID: Readonly<Record<string, string>> = {
  economy:
    "old tool results are no longer sent, because that is cheaper now; the model can get them again, and you still see them",
  compaction:
    "the prompt cache starts over (compaction); a summary stands for the conversation so far, and you still see all of it",
  snip: "the prompt cache starts over (snip); the model no longer has the messages it dropped, and you still see them",
  rewind: "the prompt cache starts over (rewind); what came after the prompt you went back to is gone",
}

/** What a person is told of a rebase. */
export function rebaseText(reason: string): string {
  const otherwise = `the prompt cache starts over (${reason}); nothing in the conversation is lost`
  return Object.hasOwn(SAID, reason) ? (SAID[reason] ?? otherwise) : otherwise
}
