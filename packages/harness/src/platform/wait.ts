/** Resolves after a number of milliseconds, at once for none. It keeps no process alive. */
export async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

/** Waits for the work, or until the signal. The work goes on. Rejects if the work does so first. */
export async function until(
  work: Promise<unknown> | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted) return
  let stop = () => {}
  const aborted = new Promise<void>((resolve) => {
    stop = resolve
  })
  signal?.addEventListener("abort", stop)
  await Promise.race([work, aborted]).finally(() => signal?.removeEventListener("abort", stop))
}

/** Waits for the work, and no longer than a number of milliseconds. */
export async function within(
  milliseconds: number,
  work: Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), milliseconds)
  const ends = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
  await until(work, ends).finally(() => clearTimeout(timer))
}
