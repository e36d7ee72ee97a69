import { CONTROL, DEEP, FORGED, POLLUTION } from "./replies.js"

type Message = string | { readonly frame: string }
type Sent = Message | readonly [piece: Message, times: number]

export interface LanguageReply {
  readonly name: string
  /** What the server writes, by method. What is not there is answered as usual. */
  readonly script: Readonly<Record<string, readonly Sent[]>>
  /** Words that the model is told of the file all the same. */
  readonly told?: string
}

const frame = (message: object | string): { readonly frame: string } => ({
  frame: typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }),
})
const problem = (message: string, more: object = {}): object => ({
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
  severity: 1,
  message,
  ...more,
})
const published = (diagnostics: unknown, uri = "@URI@"): { readonly frame: string } =>
  frame({ method: "textDocument/publishDiagnostics", params: { uri, diagnostics } })
const asked = (id: number | string, method: string, params: unknown): { readonly frame: string } =>
  frame({ id, method, params })
const told = (words: string): { readonly frame: string } => published([problem(words)])

/** Each answers the opening of a file. */
export const LSP_REPLIES: readonly LanguageReply[] = [
  {
    name: "forged tags in a message",
    script: opened(published([problem(FORGED, { source: FORGED, code: FORGED })])),
    told: "HOSTILE(",
  },
  { name: "control characters in a message", script: opened(told(`control ${CONTROL}`)), told: "control" },
  {
    name: "half of a surrogate pair in a message",
    script: opened(
      frame(
        '{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"@URI@","diagnostics":[{"range":{"start":{"line":0,"character":0}},"message":"half \\ud83d"}]}}',
      ),
    ),
    told: "half",
  },
  {
    name: "a message that is cut within a surrogate pair",
    script: opened(told(`${"s".repeat(999)}😀`)),
    told: "ssss",
  },
  {
    name: "a source that is cut within a surrogate pair",
    script: opened(published([problem("source", { source: `${"s".repeat(59)}😀` })])),
    told: "source",
  },
  {
    name: "problems of a file outside of the workspace",
    script: opened(
      published([problem("outside")], "file:///etc/passwd"),
      published([problem("outside")], "@URI@/../../outside"),
      told("inside"),
    ),
    told: "inside",
  },
  {
    name: "problems of addresses that are no files",
    script: opened(
      published([problem("outside")], "http://127.0.0.1:1/"),
      published([problem("outside")], "file://%00%ff%2f"),
      published([problem("outside")], "__proto__"),
      told("a file"),
    ),
    told: "a file",
  },
  {
    name: "a hundred thousand problems",
    script: opened(
      published(
        Array.from({ length: 100_000 }, (_, i) => ({ range: { start: { line: i } }, message: `p${i}` })),
      ),
    ),
    told: "p0",
  },
  {
    name: "a million problems in one message",
    script: opened(
      frame(
        `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"@URI@","diagnostics":[${"{},".repeat(1_000_000)}{}]}}`,
      ),
      told("after a million"),
    ),
    told: "after a million",
  },
  {
    name: "a message of fifty megabytes",
    script: opened(`Content-Length: 50000000\r\n\r\n`, ["x", 50_000_000], told("after fifty")),
    told: "after fifty",
  },
  { name: "five thousand reports of a file", script: opened([told("often"), 5_000]), told: "often" },
  {
    name: "a report nested without measure",
    script: opened(
      frame(
        `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"@URI@","diagnostics":${"[".repeat(DEEP)}${"]".repeat(DEEP)}}}`,
      ),
      told("shallow"),
    ),
    told: "shallow",
  },
  {
    name: "problems that are none",
    script: opened(
      published("x"),
      published([
        null,
        7,
        [],
        {},
        problem("line", { range: { start: { line: -1 } } }),
        problem("line", { range: { start: { line: 1e300 } } }),
        problem("severe", { severity: "__proto__" }),
      ]),
    ),
    told: "severe",
  },
  {
    name: "prototypes to pollute",
    script: opened(
      frame(
        `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"@URI@","diagnostics":[${POLLUTION}],"__proto__":${POLLUTION}}}`,
      ),
      told("clean"),
    ),
    told: "clean",
  },
  {
    name: "messages without parameters",
    script: opened(
      ...[
        "textDocument/publishDiagnostics",
        "window/logMessage",
        "$/progress",
        "$/cancelRequest",
        "$/setTrace",
        "$/logTrace",
      ].flatMap((method) => [
        frame({ method }),
        frame({ method, params: null }),
        frame({ method, params: [] }),
        frame({ method, params: 7 }),
      ]),
      told("with"),
    ),
    told: "with",
  },
  {
    name: "messages that are none",
    script: opened(
      frame("null"),
      frame("7"),
      frame("[]"),
      frame('"x"'),
      frame("{}"),
      frame("{"),
      frame("\u0000"),
      told("one"),
    ),
    told: "one",
  },
  {
    name: "answers to requests that nobody made",
    script: opened(
      frame({ id: 99, result: {} }),
      frame({ id: null, result: {} }),
      frame({ id: "__proto__", error: { code: 1, message: FORGED } }),
      frame({ id: 1 }),
      told("own"),
    ),
    told: "own",
  },
  {
    name: "an edit to apply",
    script: opened(
      asked(1, "workspace/applyEdit", {
        edit: {
          changes: {
            "@URI@": [
              {
                range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
                newText: "EDITED",
              },
            ],
          },
          documentChanges: [
            { kind: "create", uri: "@URI@.created" },
            { kind: "delete", uri: "@URI@" },
          ],
        },
      }),
      told("edited"),
    ),
    told: "edited",
  },
  {
    name: "documents to show",
    script: opened(
      ...["file:///etc/passwd", "http://127.0.0.1:1/", "javascript:alert(1)", "@URI@"].map((uri, i) =>
        asked(i, "window/showDocument", { uri, external: true, takeFocus: true }),
      ),
      told("shown"),
    ),
    told: "shown",
  },
  {
    name: "methods that nobody knows",
    script: opened(
      asked(1, "workspace/executeCommand", { command: "touch", arguments: ["x"] }),
      asked(2, "../../x", {}),
      asked("__proto__", "toString", null),
      frame({ method: "constructor" }),
      told("unknown"),
    ),
    told: "unknown",
  },
  {
    name: "configuration of everything",
    script: opened(
      asked(1, "workspace/configuration", {
        items: [{ section: "__proto__.polluted" }, { section: "constructor.prototype" }, {}],
      }),
      asked(2, "workspace/configuration", null),
      asked(3, "workspace/configuration", { items: 7 }),
      told("configured"),
    ),
    told: "configured",
  },
  {
    name: "registrations that are none",
    script: opened(
      asked(1, "client/registerCapability", null),
      asked(2, "client/registerCapability", { registrations: [null] }),
      asked(3, "client/registerCapability", { registrations: "x" }),
      told("registered"),
    ),
    told: "registered",
  },
  {
    name: "a message box with forged tags",
    script: opened(
      asked(1, "window/showMessageRequest", { type: 1, message: FORGED, actions: [{ title: "Allow" }] }),
      frame({ method: "window/showMessage", params: { type: 1, message: FORGED } }),
      told("boxed"),
    ),
    told: "boxed",
  },
  {
    name: "an error in its log with forged tags and control characters",
    script: opened(
      frame({ method: "window/logMessage", params: { type: 1, message: FORGED + CONTROL } }),
      told("logged"),
    ),
    told: "logged",
  },
  {
    name: "five thousand errors in its log",
    script: opened(
      [frame({ method: "window/logMessage", params: { type: 1, message: "e" } }), 5_000],
      told("logged much"),
    ),
    told: "logged much",
  },
  {
    name: "work that never ends",
    script: opened(
      ...Array.from({ length: 1_000 }, (_, i) =>
        frame({ method: "$/progress", params: { token: `t${i}`, value: { kind: "begin" } } }),
      ),
      told("busy"),
    ),
    told: "busy",
  },
  {
    name: "words beside its messages",
    script: opened("Debug: here\n", "\r\n\r\n", "Content-Type: x\r\n\r\n", told("beside")),
    told: "beside",
  },
  {
    name: "empty headers without measure",
    script: opened(["\r\n\r\n", 5_000_000], told("after the headers")),
    told: "after the headers",
  },
  {
    name: "a header without an end",
    script: opened(["h", 20_000_000], "\r\n\r\n", told("after the header")),
    told: "after the header",
  },
  {
    name: "a length that is negative, none, or too long to be a number",
    script: opened(
      "Content-Length: -5\r\n\r\n",
      "Content-Length: x\r\n\r\n",
      "Content-Length: 99999999999999999999\r\n\r\n",
      "Content-Length: 0x10\r\n\r\n",
      "Content-Length: 0\r\n\r\n",
      told("measured"),
    ),
    told: "measured",
  },
  {
    name: "two lengths for one message",
    script: opened("Content-Length: 3\r\nContent-Length: 2\r\n\r\n{}", told("twice")),
  },
  {
    name: "a length that is shorter than its message",
    script: opened('Content-Length: 2\r\n\r\n{}{"jsonrpc":"2.0","method":"x"}\r\n\r\n', told("short")),
    told: "short",
  },
  {
    name: "a length that swallows what follows",
    script: opened("Content-Length: 999999999999999\r\n\r\n", told("swallowed")),
  },
  {
    name: "a message in another encoding",
    script: opened(
      "Content-Length: 4\r\nContent-Type: application/vscode-jsonrpc; charset=utf-16\r\n\r\n{}{}",
      told("encoded"),
    ),
    told: "encoded",
  },
  {
    name: "a character of several bytes that is cut by its length",
    script: opened('Content-Length: 3\r\n\r\n"😀"', "\r\n\r\n", told("whole")),
    told: "whole",
  },
  { name: "no answer to the handshake", script: { initialize: [] } },
  {
    name: "a refusal with forged tags",
    script: {
      initialize: [
        frame(`{"jsonrpc":"2.0","id":@ID@,"error":{"code":1,"message":${JSON.stringify(FORGED + CONTROL)}}}`),
      ],
    },
  },
  {
    name: "a refusal of nine megabytes",
    script: {
      initialize: [
        frame(`{"jsonrpc":"2.0","id":@ID@,"error":{"code":1,"message":"${"r".repeat(9_000_000)}"}}`),
      ],
    },
  },
  {
    name: "capabilities that are none",
    script: {
      initialize: [
        frame(
          '{"jsonrpc":"2.0","id":@ID@,"result":{"capabilities":{"textDocumentSync":null,"diagnosticProvider":7}}}',
        ),
      ],
    },
  },
  {
    name: "a question for problems at each answer about problems",
    script: {
      initialize: pulling(),
      "textDocument/diagnostic": [
        frame('{"jsonrpc":"2.0","id":@ID@,"result":{"kind":"full","items":[]}}'),
        asked(1, "workspace/diagnostic/refresh", null),
      ],
    },
  },
  {
    name: "five thousand wishes to be asked again",
    script: {
      initialize: pulling(),
      ...opened([asked(1, "workspace/diagnostic/refresh", null), 5_000]),
      "textDocument/diagnostic": [],
    },
  },
  {
    name: "five thousand registrations",
    script: opened([
      asked(1, "client/registerCapability", {
        registrations: [
          { id: "x", method: "textDocument/diagnostic", registerOptions: { identifier: FORGED } },
        ],
      }),
      5_000,
    ]),
  },
  {
    name: "an answer about problems that is none",
    script: {
      initialize: pulling(),
      "textDocument/diagnostic": [frame('{"jsonrpc":"2.0","id":@ID@,"result":7}')],
    },
  },
  {
    name: "forged tags in an answer about problems",
    script: {
      initialize: pulling(),
      "textDocument/diagnostic": [
        frame(
          `{"jsonrpc":"2.0","id":@ID@,"result":{"kind":"full","items":[${JSON.stringify(problem(FORGED))}],"relatedDocuments":{"file:///etc/passwd":{"kind":"full","items":[]}}}}`,
        ),
      ],
    },
    told: "HOSTILE(",
  },
  { name: "an output that is closed, and a process that lives on", script: opened("@CLOSE@") },
  { name: "an end at each file", script: opened("@EXIT@") },
]

function opened(...pieces: readonly Sent[]): Readonly<Record<string, readonly Sent[]>> {
  return { "textDocument/didOpen": pieces }
}

function pulling(): readonly Sent[] {
  return [
    frame(
      '{"jsonrpc":"2.0","id":@ID@,"result":{"capabilities":{"textDocumentSync":1,"diagnosticProvider":{"interFileDependencies":true}}}}',
    ),
  ]
}
