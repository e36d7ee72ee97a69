import { type Mentionable, Mentions } from "../mentions/mentions.js"
import type { Source, SourceContext } from "../source.js"
import { EditedFiles, type FileRecords } from "./edited.js"
import { showAgain } from "./shown-again.js"

/**
 * Files that the user mentions, and files that others change. What is mentioned is read first, so that no change of it
 * is told beside it. A subagent's prompt is a model's, who may mention nothing that it may not read.
 */
export function files(context: SourceContext, among: FileRecords & Mentionable): readonly Source[] {
  const edited = new EditedFiles(context, among)
  const mentions = context.isSubagent ? undefined : new Mentions(context, among)
  let compacted = false
  let reading: Promise<void> | undefined
  const restore = async () => {
    compacted = false
    await showAgain(context)
  }
  const own: Source = {
    name: "mentioned and edited files",
    isAwaited: true,
    collect: (signal) => {
      reading = mentions?.collect(signal) ?? undefined
      if (reading === undefined && !compacted) return edited.collect()
      return Promise.resolve(reading)
        .then(() => (compacted ? restore() : undefined))
        .then(() => edited.collect())
    },
    said: (message) => mentions?.said(message),
    touched: (touch) => edited.touched(touch),
    called: (call) => edited.called(call),
    compacted: () => {
      compacted = true
    },
    close: () => edited.checker.close(),
  }
  if (mentions === undefined) return [own]
  // Apart, because servers may keep one waiting and files do not.
  const resources: Source = {
    name: "mentioned resources",
    collect: () => mentions.fetched(reading),
  }
  return [own, resources]
}
