import { nextTick } from 'node:process'
import type { StoredTask } from '../store/ports/task-store.ts'
import type { Attempts } from './create-attempts.ts'

/** Takes tasks from the store and begins attempts at them. */
export interface Dispatcher {
  /** Takes tasks as long as there are any and workers are free. */
  pump(): void
  /** Takes what may have become possible to take: a worker is free, or a task has changed. */
  resume(): void
  /**
   * Takes the task that a ticket names, or the one of its subject that goes first. Resolves when its attempt has ended,
   * or when there is nothing to take; never rejects.
   */
  workOnTicket(taskId: string): Promise<void>
  /** Takes nothing more, and resolves when the tasks that were being taken have been begun. */
  close(): Promise<void>
}

/** What {@link createDispatcher} is built from. */
interface DispatcherOptions {
  /** Takes tasks: those of tickets, or whatever is next in turn. */
  readonly claim: (limit: number, ticketsFor?: readonly string[]) => Promise<readonly StoredTask[]>
  readonly isQueued: (taskId: string) => Promise<boolean>
  readonly attempts: Attempts
  /** Whether tickets say when there are tasks to take; else every change of a task is a reason to look. */
  readonly hasTickets: boolean
  /** There was less to take than there are free workers. */
  readonly onShort: () => Promise<void>
  readonly onError: (error: unknown) => void
}

interface Ticket {
  readonly taskId: string
  readonly used: PromiseWithResolvers<void>
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { claim, isQueued, attempts, hasTickets, onShort, onError } = options
  let tickets: Ticket[] = []
  let isWanted = false
  // Some tasks wait without a ticket: it came while their subject had no room, or was lost.
  let isBehind = !hasTickets
  let taking: Promise<void> | undefined
  let isClosed = false

  function go(): void {
    const mayTake = (isWanted || tickets.length > 0) && attempts.free() > 0
    if (!mayTake || taking || isClosed) return
    taking = turnEnded()
      .then(takeTasks)
      .then(() => {
        taking = undefined
        go() // asked for in the last moment
      })
  }

  async function takeTasks(): Promise<void> {
    try {
      for (let free = attempts.free(); free > 0 && !isClosed; free = attempts.free()) {
        if (tickets.length > 0) await useTickets(tickets.splice(0, free))
        else if (isWanted) await takeNext(free)
        else return
      }
    } catch (error) {
      onError(error)
    }
  }

  async function takeNext(free: number): Promise<void> {
    isWanted = false
    const tasks = await claim(free)
    for (const task of tasks) void attempts.begin(task)
    if (tasks.length > 0) isBehind = true
    else if (attempts.isIdle()) isBehind = !hasTickets
    if (tasks.length < free) await onShort()
  }

  /** Tickets that come in the same turn, or while others are used, take together: that is one write. */
  async function useTickets(used: readonly Ticket[]): Promise<void> {
    let begun: readonly Promise<void>[] = []
    try {
      const ids = used.map(({ taskId }) => taskId)
      const tasks = await claim(ids.length, ids)
      begun = tasks.map((task) => attempts.begin(task))
      if (tasks.length < ids.length)
        await noteHeldUp(ids.filter((id) => !tasks.some((task) => task.id === id)))
    } finally {
      for (const [index, ticket] of used.entries()) ticket.used.resolve(begun[index])
    }
  }

  async function noteHeldUp(ids: readonly string[]): Promise<void> {
    if (isBehind || !(await Promise.all(ids.map(isQueued))).includes(true)) return
    isBehind = true
    isWanted = true // there may be room since the look
  }

  return {
    pump() {
      isWanted = true
      go()
    },
    resume() {
      isWanted ||= isBehind
      go()
    },
    async workOnTicket(taskId) {
      if (isClosed) return
      const ticket: Ticket = { taskId, used: Promise.withResolvers() }
      tickets.push(ticket)
      go()
      await ticket.used.promise
    },
    async close() {
      isClosed = true
      for (const { used } of tickets) used.resolve()
      tickets = []
      await taking
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
