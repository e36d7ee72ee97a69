import { listing } from "./listing.js"

/** The system prompt lists the subagents this agent may call; what changes in the list is told as a difference. */
export const agentListing = listing({
  kind: "agent_listing",
  fact: "agents",
  first: "Subagents you can call, with the task tool:",
  changed: "The subagents you can call changed (+ added, - removed):",
  gone: "There are no subagents to call any more.",
})
