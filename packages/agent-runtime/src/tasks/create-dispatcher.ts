import { nextTick } from 'node:process'
import type { StoredTask } from '../store/ports/task-store.ts'
import type { Attempts } from './create-attempts.ts'

/** Takes tasks from the store and begins attempts at them. */
export interface Dispatcher {
  /** Takes tasks as long as there are any and workers are free. */
  pump(): void
  /**
   * Works on whatever is next in turn, for as long as there is something: what a queue delivers is only a ticket. Never
   * rejects.
   */
  workOnTicket(): Promise<void>
  /** Takes nothing more, and resolves when what was being taken has been begun and its tickets are used up. */
  close(): Promise<void>
}

/** What {@link createDispatcher} is built from. */
export interface DispatcherOptions {
  readonly claim: (limit: number) => Promise<readonly StoredTask[]>
  readonly attempts: Attempts
  /** There was less to take than there are free workers. */
  readonly onShort: () => Promise<void>
  readonly onError: (error: unknown) => void
}

export function createDispatcher({ claim, attempts, onShort, onError }: DispatcherOptions): Dispatcher {
  const tickets = new Set<Promise<void>>()
  const asking: PromiseWithResolvers<StoredTask | undefined>[] = []
  let isAnswering = false
  let pumping: Promise<void> | undefined
  let isWanted = false
  let isClosed = false

  function pump(): void {
    isWanted = true
    if (pumping || isClosed) return
    pumping = turnEnded()
      .then(takeTasks)
      .then(() => {
        pumping = undefined
        if (isWanted) pump() // asked for in the last moment
      })
  }

  async function takeTasks(): Promise<void> {
    try {
      while (isWanted && !isClosed) {
        isWanted = false
        const free = attempts.free()
        if (free <= 0) return
        const tasks = await claim(free)
        for (const task of tasks) void attempts.begin(task)
        if (tasks.length < free) await onShort()
      }
    } catch (error) {
      onError(error)
    }
  }

  function takeOne(): Promise<StoredTask | undefined> {
    const asked = Promise.withResolvers<StoredTask | undefined>()
    asking.push(asked)
    if (!isAnswering) void answer()
    return asked.promise
  }

  // Tickets that ask in the same turn, or while others are answered, take together: that is one write.
  async function answer(): Promise<void> {
    isAnswering = true
    await turnEnded()
    while (asking.length > 0) {
      const all = asking.splice(0)
      try {
        const tasks = await claim(all.length)
        for (const [index, asked] of all.entries()) asked.resolve(tasks[index])
      } catch (error) {
        for (const asked of all) asked.reject(error)
      }
    }
    isAnswering = false
  }

  async function useTicket(): Promise<void> {
    try {
      while (!isClosed) {
        const task = await takeOne()
        if (task === undefined) return
        await attempts.begin(task)
      }
    } catch (error) {
      onError(error)
    }
  }

  return {
    pump,
    async workOnTicket() {
      const ticket = useTicket()
      tickets.add(ticket)
      await ticket
      tickets.delete(ticket)
    },
    async close() {
      isClosed = true
      await Promise.all([pumping, ...tickets])
    },
  }
}

/**
 * Waits until all has been done that could be done at once: workers that become free together ask for tasks together, and
 * that goes into the same write as what they leave behind.
 */
async function turnEnded(): Promise<void> {
  return new Promise((resolve) => nextTick(resolve))
}
