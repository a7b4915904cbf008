import { setTimeout as sleep } from 'node:timers/promises'

/** Below the 3 s that both programs promise to end in. */
const closeWithinMs = 2500
const parentCheckMs = 250

/**
 * Calls `close` once, when the process is asked to end, then ends it: with code 0, or with 1 when closing fails or
 * takes longer than 2.5 s. A process with a disk call that does not return ends by SIGTERM instead.
 */
export function onTermination(close: () => Promise<void>): void {
  let closing = false

  async function end(): Promise<void> {
    if (closing) return
    closing = true
    setTimeout(() => exit(1), closeWithinMs).unref()
    try {
      await close()
      for (let waits = 0; isPoolBusy() && waits < 20; waits += 1) await sleep(25)
      exit(0)
    } catch (error) {
      console.error('Closing:', error)
      exit(1)
    }
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end())
  if (process.env['npm_lifecycle_event']) whenParentEnds(() => void end())
}

/** Whether threads of Node's pool are at work, which `process.exit` waits for. */
const isPoolBusy = (): boolean =>
  process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfo)/.test(name))

/** Ends the process. A disk that does not respond would hold `process.exit` forever: then a signal ends it. */
function exit(code: number): void {
  if (!isPoolBusy()) process.exit(code)
  process.removeAllListeners('SIGTERM')
  process.kill(process.pid, 'SIGTERM')
  process.kill(process.pid, 'SIGKILL')
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
