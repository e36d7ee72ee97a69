import { connect, createServer } from "node:net"

// Stands between a store and its database, in a process of its own: a store that waits for an answer keeps its own
// process from doing anything else. The parent says what passes; each word is answered when it holds.
const target = Number(process.argv[2])
const pairs = new Set()
let mode = "pass"
let wanted
const muted = new Set()
let held = []

const server = createServer((client) => {
  const upstream = connect(target, "127.0.0.1")
  const pair = [client, upstream]
  pairs.add(pair)
  const end = () => {
    pairs.delete(pair)
    for (const socket of pair) socket.destroy()
  }
  for (const socket of pair) socket.on("error", end).on("close", end)
  client.on("data", (bytes) => {
    if (mode === "hold") held.push(() => upstream.write(bytes))
    else upstream.write(bytes)
    if (wanted !== undefined && bytes.includes(wanted)) {
      muted.add(pair)
      process.send({ is: "seen" })
    }
  })
  upstream.on("data", (bytes) => {
    if (mode === "hold") held.push(() => client.write(bytes))
    else if (!muted.has(pair)) client.write(bytes)
  })
})

process.on("message", ({ is, text }) => {
  if (is === "mute") wanted = text
  else if (is === "cut") for (const pair of [...pairs]) for (const socket of pair) socket.destroy()
  else mode = is
  if (is === "pass") {
    wanted = undefined
    muted.clear()
    for (const send of held) send()
    held = []
  }
  process.send({ is: "done" })
})
process.on("disconnect", () => process.exit())
server.listen(0, "127.0.0.1", () => process.send({ is: "listening", port: server.address().port }))
