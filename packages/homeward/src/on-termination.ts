/** Below the 3 s that both programs promise to end in. */
const closeWithinMs = 2500
const parentCheckMs = 250

/**
 * Calls `close` once, when the process is asked to end, then ends it: with code 0, or with 1 when closing fails or
 * takes longer than 2.5 s.
 */
export function onTermination(close: () => Promise<void>): void {
  let closing = false

  async function end(): Promise<void> {
    if (closing) return
    closing = true
    setTimeout(() => process.exit(1), closeWithinMs).unref()
    try {
      await close()
      process.exit(0)
    } catch (error) {
      console.error('Closing:', error)
      process.exit(1)
    }
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end())
  if (process.env['npm_lifecycle_event']) whenParentEnds(() => void end())
}

/** npm runs a script through a shell that dies of SIGTERM without passing it on; the parent's end stands for it. */
function whenParentEnds(listener: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    listener()
  }, parentCheckMs)
  timer.unref()
}
