import { scriptedServer } from "./server.js"

/**
 * The scripted server as a process of its own, for who measures the CPU time of theirs: many conversations of the steps
 * that the argument says, each told by what it holds. Asked for anything, it sends the bodies of its first one.
 */
const steps = Number(process.argv[2])
const first: string[] = []
let opening: string | undefined

const server = await scriptedServer((_, bytes) => {
  const body = bytes.toString()
  const said = body.split('"role":"assistant"').length - 1
  const whose = /conversation \d+/.exec(body)?.[0]
  opening ??= whose
  if (whose === opening) first.push(body)
  return said < steps
    ? { call: { name: "read", input: { path: `notes/${said + 1}.txt` } } }
    : { text: "That is all." }
})

process.on("message", () => process.send?.({ bodies: first }))
process.on("disconnect", () => void server.close())
process.send?.({ url: server.url })
