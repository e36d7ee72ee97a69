import { render } from "preact"
import type { Embedded } from "../embedded.js"
import { embeddedReader } from "./data/embedded.js"
import type { DataReader } from "./data/reader.js"
import { ServerRefusal } from "./data/reader.js"
import { serverReader } from "./data/server.js"
import { hashOf, onceIn } from "./route/route.js"
import { App } from "./shell/app.js"
import { Trouble } from "./shell/parts.js"

const place = document.getElementById("page")
const own = document.getElementById("data")

async function open(): Promise<DataReader> {
  if (own?.textContent) {
    const data = JSON.parse(own.textContent) as Embedded
    if (location.hash.length < 3)
      history.replaceState(
        null,
        "",
        hashOf({ at: data.trace ? "findings" : "timeline", subject: data.subject }),
      )
    return embeddedReader(data)
  }
  const reader = serverReader()
  const link = onceIn(location.hash)
  if (link) {
    // Before anything else, so that the word is in no history, bookmark or referrer.
    history.replaceState(null, "", link.to)
    await reader.send("POST", "/browser", { once: link.once })
  }
  return reader
}

if (place)
  open().then(
    (reader) => render(<App reader={reader} />, place),
    (error: unknown) =>
      render(
        <main>
          <Trouble error={error instanceof Error ? error : new ServerRefusal(String(error), 0)} />
        </main>,
        place,
      ),
  )
