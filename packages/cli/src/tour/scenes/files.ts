import { call, says, type TourScene } from "../stage.js"
import { LANGUAGE_SERVER, MCP_SERVER, pdfOf } from "./programs.js"

const NOTES = { "notes.md": "# Notes\n\nThe build takes a minute.\n" }
/** Of every scene that shows what an editor tells. */
const EDITOR = "No editor runs here. The scene gives the session what `_sotto/editor` brings over ACP."

/** An MCP server of the workspace. */
export const WITH_MCP = {
  files: { "notes-server.mjs": MCP_SERVER },
  config: {
    mcp: { notes: { command: process.execPath, args: ["notes-server.mjs"] } },
    permission: { mcp: "allow" },
  },
}

/** Kinds about files, folders and other things that the model is shown. */
export const FILE_SCENES: readonly TourScene[] = [
  {
    kind: "file",
    when: "the user mentions `@path`",
    story: "The user's message names @notes.md. The harness reads the file before the model has to.",
    files: NOTES,
    answers: [says("The build takes a minute.")],
    play: (stage) => stage.ask("How long does the build take? See @notes.md"),
  },
  {
    kind: "pdf_reference",
    when: "the user mentions a PDF with more pages than can be shown at once",
    story: "The user's message names a PDF with 30 pages.",
    files: { "manual.pdf": pdfOf(30) },
    answers: [says("I will read the pages that I need.")],
    play: (stage) => stage.ask("What does @manual.pdf say?"),
  },
  {
    kind: "directory",
    when: "the user mentions `@dir/`",
    story: "The user's message names the folder @src/.",
    files: { "src/index.ts": "export {}\n", "src/parse.ts": "export {}\n" },
    answers: [says("There are two files.")],
    play: (stage) => stage.ask("What is in @src/ ?"),
  },
  {
    kind: "mcp_resource",
    when: "the user mentions `@server:uri`",
    story: "The user's message names a resource of an MCP server.",
    door: "The MCP server is a script of 30 lines in the workspace of the scene.",
    ...WITH_MCP,
    answers: [says("On Tuesdays.")],
    play: (stage) => stage.ask("When do we release? See @notes:notes://guide"),
  },
  {
    kind: "agent_mention",
    when: "the user mentions `@agent`",
    story: "The user's message names the subagent @explore.",
    answers: [says("I will have explore look.")],
    play: (stage) => stage.ask("Let @explore find the parser."),
  },
  {
    kind: "edited_text_file",
    when: "somebody else changed the content of a file that the model has read",
    story:
      "The model reads notes.md. Another program saves the file with another content. The user asks something else.",
    files: NOTES,
    answers: [call("read", { path: "notes.md" }), says("I have read it."), says("Now it takes two minutes.")],
    play: async (stage) => {
      await stage.ask("Read the notes.")
      stage.put("notes.md", "# Notes\n\nThe build takes two minutes.\n")
      await stage.ask("How long does the build take?")
    },
  },
  {
    kind: "compact_file_reference",
    when: "a file read before a compaction is too large to be shown again",
    story: "The model reads a large file. Then the conversation is compacted, and the user goes on.",
    files: { "large.log": "a line of the log\n".repeat(2_000) },
    answers: [
      call("read", { path: "large.log" }),
      says("I have read it."),
      says("The log was read."),
      says("I read it again if I need it."),
    ],
    play: async (stage) => {
      await stage.ask("Read the log.")
      stage.conversation.compact()
      await stage.ask("What next?")
    },
  },
  {
    kind: "diagnostics",
    when: "a language server reports problems that were not told before",
    story: "The model writes a file. A language server looks at the file and reports a problem.",
    door: "The language server is a script of 30 lines in the workspace of the scene.",
    files: { "language-server.mjs": LANGUAGE_SERVER },
    config: { lsp: { tour: { command: [process.execPath, "language-server.mjs"], extensions: [".tour"] } } },
    answers: [call("write", { path: "main.tour", content: "FIXME: later\n" }), says("I see a problem.")],
    play: (stage) => stage.ask("Write main.tour."),
  },
  {
    kind: "nested_memory",
    when: "a file was read below a directory that has instructions of its own",
    story: "The model reads db/schema.sql. The folder db has an AGENTS.md.",
    files: { "db/AGENTS.md": "Tables have names in the plural.\n", "db/schema.sql": "select 1;\n" },
    answers: [call("read", { path: "db/schema.sql" }), says("Names are in the plural.")],
    play: (stage) => stage.ask("Read the schema."),
  },
  {
    kind: "instructions_change",
    when: "an instruction file that the model knows changed, went, or a new one turned up",
    story: "The system prompt has AGENTS.md. The user edits that file between two turns.",
    files: { "AGENTS.md": "Answer in English.\n" },
    answers: [says("Hello."), says("Bonjour.")],
    play: async (stage) => {
      await stage.ask("Hello.")
      stage.put("AGENTS.md", "Answer in French.\n")
      await stage.ask("And now?")
    },
  },
  {
    kind: "relevant_memories",
    when: "stored memories match the task",
    story: "The project keeps a memory about deployment. The user asks for a deployment.",
    files: { ".sotto/memory/deploy.md": "---\nname: Deployment\n---\nAna has the token for staging.\n" },
    answers: [says("I ask Ana for the token.")],
    play: (stage) => stage.ask("Start the deployment to staging."),
  },
  {
    kind: "selected_lines_in_ide",
    when: "the selection in the editor changed",
    story: "The user selects two lines in the editor, and asks about them.",
    door: EDITOR,
    answers: [says("It adds two numbers.")],
    play: (stage) => {
      const text = "export const add = (a, b) =>\n  a + b"
      stage.session.observe("ide:selection", { file: "src/add.ts", from: 1, to: 2, text })
      return stage.ask("What does this do?")
    },
  },
  {
    kind: "opened_file_in_ide",
    when: "another file is open in the editor",
    story: "The user opens a file in the editor, and asks something.",
    door: EDITOR,
    answers: [says("You have src/add.ts open.")],
    play: (stage) => {
      stage.session.observe("ide:file", "src/add.ts")
      return stage.ask("Is this file tested?")
    },
  },
  {
    kind: "typed_command",
    when: "the user ran a command in the shell themselves",
    story: "The user types !git status in the terminal, and then asks about it.",
    door: "The scene does not run the command. It gives the session what the terminal gives it after a command.",
    answers: [says("One file is changed.")],
    play: (stage) => {
      stage.conversation.tellOfCommand({ command: "git status -s", output: " M notes.md", failed: false })
      return stage.ask("What does that mean?")
    },
  },
]
