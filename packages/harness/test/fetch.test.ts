import { createServer, type RequestListener, request } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { PDFDocument } from "pdf-lib"
import { describe, expect, it, onTestFinished } from "vitest"
import { isDirect } from "../src/platform/network/proxy.js"
import { isPrivateAddress, isPrivateName, PrivateAddress, publicLookup } from "../src/tools/web/addresses.js"
import { markdownOf } from "../src/tools/web/markdown.js"
import { workspace } from "./tools-support.js"

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** A server that answers with this, whatever it is asked. */
function serving(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return serve((_, response) => {
    response.writeHead(200, { "content-type": "text/html", ...headers })
    response.end(body)
  })
}

let now = 0
const reader = (more: object = {}) =>
  workspace({ web: () => ({ proxies: undefined, privateHosts: ["127.0.0.1"], now: () => now, ...more }) })

describe("addresses", () => {
  it.each(
    "127.0.0.1 127.255.255.254 0.0.0.0 10.1.2.3 100.64.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 192.0.2.1 198.18.0.1 224.0.0.1 255.255.255.255 ::1 :: fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd12:3456::1 ff02::1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::a00:1 64:ff9b:1::1 2002:a00:1::1 2002:7f00:1:: 2001:0:1::1 2001:db8::1 nonsense".split(
      " ",
    ),
  )("%s is private", (address) => expect(isPrivateAddress(address)).toBe(true))

  it.each(
    "8.8.8.8 1.1.1.1 11.0.0.1 100.128.0.1 172.32.0.1 192.169.0.1 223.255.255.255 2606:4700::1111 2001:4860:4860::8888 64:ff9b::808:808 ::ffff:8.8.8.8 2002:808:808::1".split(
      " ",
    ),
  )("%s is public", (address) => expect(isPrivateAddress(address)).toBe(false))

  it.each(
    "localhost localhost. app.localhost router printer.local metadata.google.internal nas.lan [::1]".split(
      " ",
    ),
  )("%s is a private name", (name) => expect(isPrivateName(name)).toBe(true))

  it("hands a connection nothing but public addresses", async () => {
    const found = await new Promise((resolve) => {
      publicLookup("localhost", { all: true }, (error, addresses) => resolve(error ?? addresses))
    })
    expect(found).toBeInstanceOf(PrivateAddress)
  })

  it("is asked by the very connection, so that a second answer changes nothing", async () => {
    const url = await serving("<p>Secret.")
    const connecting = new Promise((resolve) => {
      const sending = request(url.replace("127.0.0.1", "localhost"), { lookup: publicLookup, agent: false })
      sending.once("error", resolve)
      sending.once("response", resolve)
      sending.end()
    })
    expect(await connecting).toBeInstanceOf(PrivateAddress)
  })
})

describe("NO_PROXY", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["https://docs.example.com/", "example.com", true],
    ["https://docs.example.com/", ".example.com", true],
    ["https://docs.example.com/", "*.example.com", true],
    ["https://docs.example.com/", "other.test,  DOCS.EXAMPLE.COM ", true],
    ["https://docs.example.com/", "ample.com", false],
    ["https://docs.example.com/", "*", true],
    ["https://docs.example.com/", "docs.example.com:8443", false],
    ["https://docs.example.com:8443/", "docs.example.com:8443", true],
    ["https://docs.example.com/", "docs.example.com:443", true],
    ["https://10.1.2.3/", "10.0.0.0/8", true],
    ["https://11.1.2.3/", "10.0.0.0/8", false],
    ["https://10.1.2.3/", "10.0.0.0/99", false],
    ["https://[2001:db8::1]/", "2001:db8::/32", true],
    ["https://[2001:db8::1]/", "[2001:db8::1]", true],
    ["https://[2001:db8::1]/", "2001:db8::1", true],
    ["https://docs.example.com/", "", false],
    ["https://docs.example.com/", ",. ,", false],
    ["http://127.0.0.1:8080/", "", true],
    ["http://localhost/", "", true],
    ["http://[::1]/", "", true],
    ["http://127.0.0.1.example.com/", "", false],
  ]
  it.each(cases)("%s with %j: direct is %s", (url, except, direct) => {
    expect(isDirect(new URL(url), except)).toBe(direct)
  })
})

describe("Markdown from HTML", () => {
  const at = new URL("https://docs.example.com/guide/start")
  const text = (html: string) => markdownOf(html, at).text

  it.each([
    ["headings", "<h1>One <small>more</small></h1><h3>Three</h3>", "# One more\n\n### Three"],
    ["emphasis, with the blanks outside", "a<b> b </b>c <i></i><em>d</em>", "a **b** c *d*"],
    [
      "links, absolute",
      '<a href="../api?x=1#y">The API</a>',
      "[The API](https://docs.example.com/api?x=1#y)",
    ],
    ["links that lead nowhere as words", '<a href="#top">up</a> <a href="javascript:x()">run</a>', "up run"],
    ["lists without closing tags", "<ul><li>a<li>b<ol><li>c</ol><li>d</ul>e", "- a\n- b\n  1. c\n- d\n\ne"],
    ["code", '<pre class="language-ts"><code>a &lt; b\n  c</code></pre>', "```ts\na < b\n  c\n```"],
    ["code with a fence in it", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
    ["code in a line", "run <code>a`b</code> now", "run `` a`b `` now"],
    ["quotations", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
    [
      "tables",
      "<table><tr><th>a<th>b<tr><td>1 | 2<td><p>x</p><p>y</p></table>",
      "| a | b |\n| --- | --- |\n| 1 \\| 2 | x y |",
    ],
    [
      "images by their words",
      '<img src="a.png" alt="A cat"><img src="b.png">',
      "![A cat](https://docs.example.com/guide/a.png)",
    ],
    ["entities", "&lt;b&gt; &eacute;&#233;&#xe9; &hellip; &nosuch; &#0;", "<b> ééé … &nosuch; \ufffd"],
    [
      "nothing that is hidden",
      '<nav>n</nav><p hidden>h<p style="display:none">s<script>x</script><p>seen',
      "seen",
    ],
    ["tables that only place things", "<table><tr><td><h2>a</h2><td>b</table>", "## a\n\nb"],
    ["line breaks", "a<br>b<hr>c", "a\nb\n\n---\n\nc"],
    [
      "links whose address has no quotes",
      "<a href=/docs/>the docs</a> <p/>after",
      "[the docs](https://docs.example.com/docs/)\n\nafter",
    ],
    [
      "what follows a list of options that nobody closed",
      `<select>${"<option>o".repeat(90)}</select>after`,
      "after",
    ],
    ["what follows a drawing", `<svg>${"<g><path>".repeat(90)}</svg>after`, "after"],
    ["a title by itself", "<title>T</title>x", "x"],
  ])("keeps %s", (_, html, markdown) => {
    expect(text(html)).toBe(markdown)
  })

  const million = 1_000_000
  it.each([
    ["signs that begin no tag", "<".repeat(5 * million)],
    ["depth", "<div>".repeat(million)],
    ["depth that is closed", `${"<div>".repeat(300_000)}x${"</div>".repeat(300_000)}`],
    ["quotations in quotations", "<blockquote>x".repeat(300_000)],
    ["tables in tables", "<table><tr><td>x".repeat(300_000)],
    ["lists in lists", "<ul><li>x".repeat(400_000)],
    ["attributes that never end", '<a href="'.repeat(500_000)],
    ["tags that never end", "<a ".repeat(1_500_000)],
    ["comments that never end", "<!--".repeat(million)],
    ["scripts that never end", "<script></scrip".repeat(300_000)],
    ["emphasis that never ends", `${"<b>".repeat(100_000)}${"<p>x".repeat(300_000)}`],
    ["closing tags of nothing", `${"<p>".repeat(300_000)}${"</b>".repeat(500_000)}`],
    ["cells out of order", `<p><table><td>${"<span><div>".repeat(300_000)}`],
    ["ampersands", "&a".repeat(2 * million)],
    [
      "short links to long addresses",
      `<base href="https://e.example/${"x".repeat(1_900)}/">${"<a href=y>z</a>".repeat(300_000)}`,
    ],
  ])("takes time by length alone: %s", { timeout: 60_000 }, (_, html) => {
    const took = (page: string) => {
      const began = performance.now()
      expect(text(page).length).toBeLessThanOrEqual(2_000_000)
      return performance.now() - began
    }
    const half = took(html.slice(0, html.length / 2))
    // Four times as long would be the square of the length; the rest is for a busy machine.
    expect(took(html)).toBeLessThan(half * 3.5 + 2_000)
  })
})

describe("a page", () => {
  it.each([
    [
      "the header says it",
      { "content-type": "text/plain; charset=ISO-8859-1" },
      Buffer.from("caf\xe9", "latin1"),
    ],
    ["the page says it", {}, Buffer.from('<meta charset="windows-1252">caf\xe9', "latin1")],
    ["nobody says it", { "content-type": "text/plain" }, Buffer.from("caf\xe9", "latin1")],
    ["it is UTF-8", { "content-type": "text/plain" }, Buffer.from("café")],
    ["it begins with its mark", { "content-type": "text/plain" }, Buffer.from("\ufeffcafé", "utf16le")],
    ["it is compressed", { "content-encoding": "gzip" }, gzipSync("<p>café")],
  ])("is decoded where %s", async (_, headers, body) => {
    const { see } = await reader()
    expect(await see("fetch", { url: await serving(body, headers) })).toMatch(/\n\ncafé$/)
  })

  it("is given as it is where it is JSON, and long lines are broken so that none is lost", async () => {
    const { see } = await reader()
    const json = JSON.stringify({ long: "x".repeat(5_000) })
    const url = await serving(json, { "content-type": "application/vnd.api+json" })
    const shown = await see("fetch", { url })
    const [, ...lines] = shown.split("\n\n").join("\n").split("\n")
    expect(lines.join("")).toBe(json)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(2_000)
  })

  it("is the text of a PDF, whatever the server calls it", async () => {
    const document = await PDFDocument.create()
    document.addPage().drawText("Page one of it")
    const url = await serving(await document.save(), { "content-type": "application/octet-stream" })
    const { see } = await reader()
    expect(await see("fetch", { url })).toContain("Page one of it")
  })

  it("comes from the cache for a quarter of an hour, and says so", async () => {
    let asked = 0
    const url = await serve((_, response) => response.end(`answer ${++asked}`))
    const { see } = await reader()
    now = 0
    expect(await see("fetch", { url })).toContain("answer 1")
    now = 14 * 60_000
    expect(await see("fetch", { url: `${url}#part` })).toMatch(
      /from this session's cache, 14 minutes old\)\n\nanswer 1$/,
    )
    now = 15 * 60_000
    expect(await see("fetch", { url })).toContain("answer 2")
  })

  it("asks again about a host that a cached page was redirected to", async () => {
    const other = await serving("<p>There.")
    const url = await serve((_, response) => response.writeHead(302, { location: other }).end())
    const { run, context } = await reader()
    now = 0
    expect((await run("fetch", { url })).content).toContain("There.")
    Object.assign(context, { permit: async () => "not any more" })
    expect(await run("fetch", { url })).toEqual({ content: "not any more", error: true })
  })

  it("is given up after its time, and when the turn is", async () => {
    const slow = await serve((request, response) => {
      if (request.url === "/head") return
      response.writeHead(200, { "content-type": "text/plain" })
      response.write("drop")
    })
    const { refusal } = await reader({ longest: 300 })
    expect(await refusal("fetch", { url: slow })).toContain("took more than 0.3 s")
    expect(await refusal("fetch", { url: `${slow}head` })).toContain("took more than 0.3 s")
    const { run, turn } = await reader()
    const running = run("fetch", { url: slow })
    turn.abort(new Error("stopped by the user"))
    await expect(running).rejects.toThrow("stopped by the user")
  })
})
