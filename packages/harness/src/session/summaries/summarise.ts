import { capabilitiesOf, pastOf } from "@sotto/core"
import { modelOf } from "../../settings/agents/selection.js"
import { askAbout, type HiddenAgentParts } from "./ask.js"
import { transcriptOf } from "./transcript.js"

/** What of the window is tried: a server may take less than is known of the model. */
const SHARES = [1, 1 / 2, 1 / 4, 1 / 8]

/**
 * Has the hidden agent write what stands for the conversation so far, but for its newest `tail` tokens. Throws if nothing
 * comes of it.
 */
export function summarise(tail: number, focus: string | undefined, parts: HiddenAgentParts): Promise<string> {
  const { session, agents } = parts
  const agent = agents.find(({ name }) => name === "compaction")
  const choice = parts.modelNamed((agent && modelOf(agent)) ?? session.model)
  const window = choice.capabilities?.contextWindow ?? capabilitiesOf(choice).contextWindow
  const wish = focus === undefined ? "" : ` The user asks to keep in particular: ${focus}`
  const past = pastOf(session, tail)
  const keeps = past.length < pastOf(session).length
  const rest = keeps ? " The newest exchanges stay behind it as they are: do not repeat them." : ""
  return askAbout(
    {
      agent: "compaction",
      purpose: "summary",
      ask: `Summarise this conversation.${rest} Answer with the summary alone.${wish}`,
      transcripts: SHARES.map(
        (share) => () => `Summarise this conversation.${wish}\n\n${transcriptOf(past, window * share)}`,
      ),
    },
    parts,
  )
}
