// oxlint-disable unicorn/require-post-message-target-origin -- this is a thread, not a window
import { Worker } from 'node:worker_threads'
import type { ErrorObject } from 'ajv'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import { inSharedTurn } from './compile-schema.ts'
import type { ThreadRequest } from './schema-worker.ts'

/** What a thread found. */
interface ThreadAnswer {
  readonly findings: readonly ErrorObject[]
  readonly unchecked?: string
}

/** Compiles and checks in a thread of its own, which can be ended at any time. */
interface CheckingThread {
  /**
   * Requests run one after another. The time limit of each starts with its turn.
   *
   * @returns undefined if it took too long, needed too much memory, or no thread could be started
   */
  ask(request: ThreadRequest): Promise<ThreadAnswer | undefined>
}

/** Longest that a check may take, in milliseconds. An ordinary one takes a hundredth of it. */
export const threadLimitMs = 1000
/** For loading the compiler in a new thread, and for compiling a schema: its size is bounded, so this ends. */
export const compileLimitMs = 5000
/** A thread without a request ends after this time, in milliseconds. */
const idleMs = 5000

const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 1 }
/** A bundler has to emit this file next to the one that it makes of this module. */
const file = new URL(
  import.meta.url.endsWith('.ts') ? './schema-worker.ts' : './schema-worker.js',
  import.meta.url,
)

/** A file cannot be started with the option that says what a text on standard input is. */
const execArgv = process.execArgv.filter((option) => !option.startsWith('--input-type'))

/** Starts its thread at the first request. The thread does not keep the process alive. */
export function createCheckingThread(): CheckingThread {
  let worker: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let open = 0
  let idle: NodeJS.Timeout | undefined

  function end(): void {
    void worker?.terminate()
    worker = undefined
  }

  async function start(): Promise<Worker | undefined> {
    if (worker) return worker
    const started = new Worker(file, { resourceLimits, execArgv })
    started.on('error', () => {}) // the request in progress hears of it
    worker = started
    const ready = await nextMessage(started, compileLimitMs)
    if (ready === undefined) end()
    return worker
  }

  async function request(given: ThreadRequest): Promise<ThreadAnswer | undefined> {
    const thread = await start()
    thread?.ref()
    const compiled = thread && nextMessage(thread, compileLimitMs)
    // copies the value
    await inSharedTurn(() => thread?.postMessage(given))
    const found = (await compiled) && thread && (await nextMessage(thread, threadLimitMs))
    if (found === undefined) end()
    thread?.unref()
    return found as ThreadAnswer | undefined // the worker sends nothing else
  }

  return {
    async ask(given) {
      clearTimeout(idle)
      open += 1
      const asked = last.then(() => request(given)).catch(() => undefined)
      last = asked
      try {
        return await asked
      } finally {
        open -= 1
        if (open === 0) idle = setTimeout(end, idleMs).unref()
      }
    },
  }
}

/** The next message of a thread; undefined if it ends first, or sends none in time. */
function nextMessage(thread: Worker, limitMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const settle = (message?: unknown) => {
      clearTimeout(timer)
      thread.off('message', settle)
      thread.off('exit', settleEmpty)
      resolve(message)
    }
    const settleEmpty = () => settle()
    // On a busy machine this process may be what was late: a message that is there by now is read first.
    const timer = setTimeout(() => void yieldToEventLoop().then(settleEmpty), limitMs)
    thread.on('message', settle)
    thread.on('exit', settleEmpty)
  })
}
