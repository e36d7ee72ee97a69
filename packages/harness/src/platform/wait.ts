/** Resolves after a number of milliseconds, at once for none. It keeps no process alive. */
export async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

/** Waits for the work, or until the signal. The work goes on. Rejects if the work does so first. */
export async function until(
  work: Promise<unknown> | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!signal?.aborted) await firstOf(work, signal)
}

/** Waits for the work, and no longer than a number of milliseconds. */
export async function within(
  milliseconds: number,
  work: Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  if (!signal?.aborted) await firstOf(work, signal, milliseconds)
}

/** Waits for the first of these. Every step does, so it makes no controller, which would cost more than the rest. */
function firstOf(
  work: Promise<unknown> | undefined,
  signal: AbortSignal | undefined,
  milliseconds?: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", stop)
      settle()
    }
    const stop = () => end(resolve)
    const timer = milliseconds === undefined ? undefined : setTimeout(stop, milliseconds)
    signal?.addEventListener("abort", stop)
    Promise.resolve(work).then(stop, (error: unknown) => end(() => reject(error)))
  })
}
