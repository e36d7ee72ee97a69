import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { Compare } from "../compare/compare.js"
import type { DataReader } from "../data/reader.js"
import type { Rows } from "../data/rows.js"
import { saveAsFile } from "../export/export.js"
import { List } from "../list/list.js"
import { NewSession } from "../list/new-session.js"
import { hashOf, type PageRoute, parseRoute } from "../route/route.js"
import { Text } from "../text/text.js"
import { Help } from "./help.js"
import { useKeys } from "./keys.js"
import { Missing, Trouble } from "./parts.js"
import { SubjectViews } from "./subject.js"
import { applyTheme, currentTheme, nextTheme, type ThemeChoice } from "./theme.js"

const THEMES: Readonly<Record<ThemeChoice, string>> = {
  system: "Theme: system",
  light: "Theme: light",
  dark: "Theme: dark",
}

export function App({ reader }: { readonly reader: DataReader }) {
  const [route, setRoute] = useState(() => parseRoute(location.hash))
  const [shown, setShown] = useState<{ title: string; rows: Rows } | undefined>(undefined)
  const [theme, setTheme] = useState(currentTheme)
  const [isHelp, setHelp] = useState(false)
  const [saving, setSaving] = useState<"no" | "yes" | Error>("no")
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const changed = () => setRoute(parseRoute(location.hash))
    addEventListener("hashchange", changed)
    return () => removeEventListener("hashchange", changed)
  }, [])
  useEffect(() => applyTheme(theme), [theme])
  const go = useCallback((to: PageRoute) => {
    // A window that moves, or a word that is being typed, is not a place to come back to.
    if ((to.at === "timeline" || to.at === "list") && parseRoute(location.hash).at === to.at) {
      history.replaceState(null, "", hashOf(to))
      setRoute(to)
    } else location.hash = hashOf(to)
  }, [])
  const isSubject = "subject" in route
  const title = isSubject ? shown?.title : undefined
  useEffect(() => {
    document.title = title ? `${title} · sotto inspect` : "sotto inspect"
  }, [title])
  const save = async () => {
    if (!isSubject || !shown || !reader.isLive) return
    setSaving("yes")
    try {
      await saveAsFile(reader, route.subject, shown.rows, shown.title)
      setSaving("no")
    } catch (error) {
      setSaving(error instanceof Error ? error : new Error(String(error)))
    }
  }
  useKeys({
    "?": () => setHelp(true),
    "/": () => field.current?.focus(),
    t: () => setTheme(nextTheme(theme)),
    e: () => void save(),
  })
  return (
    <>
      <header class="top">
        <a class="skip" href={hashOf(route)} onClick={() => document.getElementById("main")?.focus()}>
          To the content
        </a>
        <a class="brand" href="#/">
          sotto <span>inspect</span>
        </a>
        {title && (
          <span class="title">
            <Text value={title} />
          </span>
        )}
        <span class="grow" />
        {isSubject && (
          <form
            role="search"
            onSubmit={(event) => {
              event.preventDefault()
              const q = field.current?.value ?? ""
              if (q.trim() !== "") go({ at: "search", subject: route.subject, q })
            }}
          >
            <input
              ref={field}
              type="search"
              aria-label="Search"
              placeholder="Search  /"
              defaultValue={route.at === "search" ? route.q : ""}
            />
          </form>
        )}
        {isSubject && reader.isLive && (
          <button type="button" onClick={() => void save()} disabled={saving === "yes"}>
            {saving === "yes" ? "Saving…" : "Save as HTML"}
          </button>
        )}
        {reader.isLive && <CopyLink />}
        <button type="button" onClick={() => setTheme(nextTheme(theme))}>
          {THEMES[theme]}
        </button>
        <button type="button" onClick={() => setHelp(true)} aria-label="Keys">
          ?
        </button>
      </header>
      {saving instanceof Error && <Trouble error={saving} />}
      {isSubject ? (
        <SubjectViews
          key={`${route.subject.type}:${route.subject.id}`}
          reader={reader}
          route={route}
          go={go}
          onShown={setShown}
        />
      ) : (
        <main id="main" tabIndex={-1}>
          {route.at === "list" && <List reader={reader} route={route} go={go} field={field} />}
          {route.at === "new" && <NewSession reader={reader} go={go} />}
          {route.at === "compare" && <Compare reader={reader} route={route} go={go} />}
          {route.at === "unknown" && <Missing what={`This page has nothing at ${route.hash}.`} />}
        </main>
      )}
      {isHelp && <Help onClose={() => setHelp(false)} />}
    </>
  )
}

/** Copies the address of the view. It works in every browser that is signed in to this server. */
function CopyLink() {
  const [state, setState] = useState("Copy link")
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href)
      setState("Copied")
    } catch {
      setState("Copy the address")
    }
    setTimeout(() => setState("Copy link"), 1_500)
  }
  return (
    <button type="button" onClick={() => void copy()}>
      {state}
    </button>
  )
}
