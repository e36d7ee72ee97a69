import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"

/**
 * A program that does nothing but send: `node bare.js URL FILE` makes each line of the file, the body of a request, into
 * JSON again, sends it and reads the reply.
 */
const [url = "", file = ""] = process.argv.slice(2)
const bodies = readFileSync(file, "utf8").trimEnd().split("\n")
const agent = new Agent({ keepAlive: true })
const parsed = bodies.map((body) => JSON.parse(body) as unknown)
for (const body of parsed) await send(JSON.stringify(body))
agent.destroy()

function send(body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    const sent = request(url, { method: "POST", agent, headers }, (reply) => {
      reply.on("data", () => {})
      reply.on("end", resolve)
    })
    sent.on("error", reject)
    sent.end(body)
  })
}
