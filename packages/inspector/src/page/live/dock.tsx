import { useEffect, useRef, useState } from "preact/hooks"
import type { MessageDelivery, OpenQuestion, QueuedMessage } from "../../contract.js"
import { ServerRefusal } from "../data/reader.js"
import { useShown } from "../shell/context.js"
import { useKeys } from "../shell/keys.js"
import { Badge, Trouble } from "../shell/parts.js"
import { Markdown, Text } from "../text/text.js"

/** How often a server that did not answer is asked again, in milliseconds. */
const LOOKS = 1_000

const DELIVERIES: readonly (readonly [MessageDelivery, string])[] = [
  ["next-step", "steer: at the next step"],
  ["after-turn", "queue: after this turn"],
  ["now", "now: interrupt the model"],
  ["passive", "passive: if it goes on"],
]

/** Shows what the session does right now, and what a person can do about it. */
export function Dock() {
  const { reader, subject, session, live } = useShown()
  const [text, setText] = useState("")
  const [delivery, setDelivery] = useState<MessageDelivery>("next-step")
  const [error, setError] = useState<Error | undefined>(undefined)
  // On a narrow screen it would cover half of the page.
  const [folded, setFolded] = useState(() => innerWidth < 640)
  const field = useRef<HTMLTextAreaElement>(null)
  const isAway = error instanceof ServerRefusal && error.status === 0
  useEffect(() => {
    if (!isAway) return
    // What failed because the server was away says nothing any more once it answers.
    const look = () =>
      reader.session(subject.id).then(
        () => setError(undefined),
        () => undefined,
      )
    const timer = setInterval(() => void look(), LOOKS)
    return () => clearInterval(timer)
  }, [isAway, reader, subject.id])
  useKeys({
    i: () => {
      setFolded(false)
      field.current?.focus()
    },
  })
  if (!session) return null
  const isFolded = folded && live.questions.length === 0
  const act = async (method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<boolean> => {
    try {
      await reader.send(method, `/sessions/${encodeURIComponent(subject.id)}${path}`, body)
      setError(undefined)
      return true
    } catch (reason) {
      setError(reason instanceof Error ? reason : new Error(String(reason)))
      return false
    }
  }
  const isBusy = live.state === "running" || live.state === "asking"
  const say = async () => {
    if (text.trim() === "") return
    // At once: the next message may be typed before this one has arrived.
    setText("")
    // An id of the page's own: sent twice, the message still arrives once.
    const id = `page-${crypto.randomUUID()}`
    const isSent = await act("POST", "/say", { text, delivery: isBusy ? delivery : "next-step", id })
    if (!isSent) setText((typed) => (typed === "" ? text : typed))
  }
  return (
    <aside class={isFolded ? "dock folded" : "dock"} aria-label="Live">
      <div class="dock-head">
        <Badge tone={live.state === "running" ? "good" : live.state === "asking" ? "warn" : "plain"}>
          {live.link === "lost" ? "connection lost, trying again" : live.state}
        </Badge>
        {live.tools.map(({ id, name, line }) => (
          <span class="tool" key={id}>
            <Text value={name} />
            {line && (
              <span class="quiet">
                {" "}
                <Text value={line} />
              </span>
            )}
          </span>
        ))}
        <span class="live-text" aria-live="off">
          <Text value={tailOf(live.text || live.reasoning)} />
        </span>
        <span class="grow" />
        {isBusy && session.canSteer && (
          <button type="button" class="danger" onClick={() => void act("POST", "/abort", {})}>
            Interrupt
          </button>
        )}
        <button type="button" onClick={() => setFolded(!isFolded)} aria-expanded={!isFolded}>
          {isFolded ? "Show" : "Hide"}
        </button>
      </div>
      {!isFolded && (
        <>
          {error && <Trouble error={error} />}
          {live.trouble && <Trouble error={new Error(live.trouble)} />}
          {live.questions.map((question) => (
            <Question
              key={question.id}
              question={question}
              onAnswer={async (answer, words = "") => {
                // Words that come along are queued first, so that the next step delivers them with the answer.
                const id = `page-${crypto.randomUUID()}`
                const isSaid =
                  words === "" || (await act("POST", "/say", { text: words, delivery: "next-step", id }))
                if (isSaid) await act("POST", "/answer", { id: question.id, answer })
              }}
            />
          ))}
          {live.queue.length > 0 && (
            <ul class="queue" aria-label="Queued messages">
              {live.queue.map((message) => (
                <Queued key={message.id} message={message} act={act} />
              ))}
            </ul>
          )}
          {session.canSteer ? (
            <form
              class="composer"
              onSubmit={(event) => {
                event.preventDefault()
                void say()
              }}
            >
              <textarea
                ref={field}
                rows={1}
                value={text}
                aria-label="Message to the session"
                placeholder={isBusy ? "Steer the session" : "Prompt the session"}
                onInput={(event) => setText(event.currentTarget.value)}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
                  event.preventDefault()
                  void say()
                }}
              />
              {isBusy && (
                <select
                  value={delivery}
                  aria-label="Delivery"
                  onChange={(event) =>
                    setDelivery(
                      DELIVERIES.find(([name]) => name === event.currentTarget.value)?.[0] ?? "next-step",
                    )
                  }
                >
                  {DELIVERIES.map(([name, words]) => (
                    <option key={name} value={name}>
                      {words}
                    </option>
                  ))}
                </select>
              )}
              <button type="submit" class="primary" disabled={text.trim() === ""}>
                {isBusy ? "Send" : "Prompt"}
              </button>
            </form>
          ) : (
            <p class="quiet">This session can be watched, not steered.</p>
          )}
        </>
      )}
    </aside>
  )
}

function tailOf(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? ""
  return line.length > 160 ? `…${line.slice(-160)}` : line
}

function Queued({
  message,
  act,
}: {
  readonly message: QueuedMessage
  readonly act: (method: "PATCH" | "DELETE", path: string, body?: unknown) => Promise<boolean>
}) {
  const path = `/queue/${encodeURIComponent(message.id)}`
  return (
    <li>
      <Badge tone="accent">{message.delivery}</Badge> <Text value={message.text} />
      <span class="grow" />
      {message.delivery !== "after-turn" && (
        <button type="button" onClick={() => void act("PATCH", path, { delivery: "after-turn" })}>
          After the turn
        </button>
      )}
      <button type="button" onClick={() => void act("DELETE", path)}>
        Cancel
      </button>
    </li>
  )
}

function Question({
  question,
  onAnswer,
}: {
  readonly question: OpenQuestion
  /** Answers, with words to the model where there are any. */
  readonly onAnswer: (answer: string, words?: string) => Promise<void>
}) {
  const [words, setWords] = useState("")
  const own = (
    <form
      class="own-words"
      onSubmit={(event) => {
        event.preventDefault()
        if (words.trim() !== "") void onAnswer(question.kind === "permission" ? `no ${words}` : words)
      }}
    >
      <input
        value={words}
        aria-label="Answer in words"
        placeholder={question.kind === "permission" ? "No, and say why" : "Answer in words"}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <button type="submit" disabled={words.trim() === ""}>
        Answer
      </button>
    </form>
  )
  const answer = (value: string, label: string, tone = "") => (
    <button type="button" key={value} class={tone} onClick={() => void onAnswer(value)}>
      <Text value={label} />
    </button>
  )
  const by = question.agent && (
    <span class="quiet">
      <Text value={question.agent} /> asks
    </span>
  )
  switch (question.kind) {
    case "permission":
      return (
        <fieldset class="question" aria-label="Permission">
          <p>
            {by} May it use{" "}
            <b>
              <Text value={question.tool} />
            </b>{" "}
            ({question.permission}):{" "}
            <code>
              <Text value={question.target} />
            </code>
          </p>
          {question.detail && (
            <pre>
              <Text value={question.detail} />
            </pre>
          )}
          {question.accesses && question.accesses.length > 1 && (
            <ul class="quiet">
              {question.accesses.map(({ permission, target, needs }) => (
                <li key={`${permission}:${target}`}>
                  {needs ? "asks: " : "allowed: "}
                  {permission}{" "}
                  <code>
                    <Text value={target} />
                  </code>
                </li>
              ))}
            </ul>
          )}
          <div class="answers">
            {answer("allow", "Allow once", "primary")}
            {answer("session", "Allow for this session")}
            {question.always && answer(`always ${question.always}`, `Always ${question.always}`)}
            {answer("deny", "Deny", "danger")}
            {own}
          </div>
        </fieldset>
      )
    case "question":
      return (
        <fieldset class="question" aria-label="Question">
          <p>
            {by} <Text value={question.question} />
          </p>
          <div class="answers">
            {question.options?.map((option) => answer(option, option))}
            {own}
          </div>
        </fieldset>
      )
    case "plan":
      return (
        <fieldset class="question" aria-label="Plan">
          <p>
            {by} Carry out this plan?{" "}
            <code>
              <Text value={question.path} />
            </code>
          </p>
          <Markdown text={question.plan} label="Text of the plan" />
          <div class="answers">
            {answer("approve", "Approve", "primary")}
            <input
              class="words"
              value={words}
              aria-label="Words to the model"
              placeholder="Words to the model"
              onInput={(event) => setWords(event.currentTarget.value)}
            />
            <button
              type="button"
              disabled={words.trim() === ""}
              onClick={() => void onAnswer("approve", words)}
            >
              Approve with these words
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => void onAnswer(`no: ${words.trim() || "the user wants another plan"}`)}
            >
              Reject
            </button>
          </div>
        </fieldset>
      )
  }
}
