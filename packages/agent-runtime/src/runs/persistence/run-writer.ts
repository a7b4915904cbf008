// Named import, so that tests that fake the global timers do not delay what is written.
import { clearImmediate, setImmediate } from 'node:timers'
import type { JournalEventType, JsonObject, RunEvent } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { InnerCall, ModelMessage } from '../../ports/message.ts'
import type { EffectOutcome, ParkedEffect, StoredEffect } from '../../store/ports/effect.ts'
import type { NewJournalEvent } from '../../store/ports/journal.ts'
import type { RunFinish, RunProgress, RunStepWrite } from '../../store/ports/run-store.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import type { RunSpan } from '../../store/ports/run-trace.ts'
import type { EventLog } from '../events/event-log.ts'
import { LostRun } from '../run-interrupts.ts'
import type { RunsContext } from '../runs-options.ts'
import { createStepQueue, endRun, type Step, type StepQueue } from './step-queue.ts'

/** What a `RunWriter` is built from. */
interface RunWriterOptions {
  readonly context: Pick<RunsContext, 'store' | 'leases' | 'logger' | 'random' | 'timestamp'>
  readonly runId: string
  /** Events of the run, which are written with its steps. */
  readonly log: EventLog
  /** How far the run is, without the number of its last event. */
  readonly progress: () => Omit<RunProgress, 'lastSeq'>
  /** Messages that the store has. @default none */
  readonly messages?: readonly ModelMessage[]
  /** Spans that the store has. @default none */
  readonly spans?: readonly RunSpan[]
  /** Ids of the newest answer's calls that were announced. @default none */
  readonly announced?: readonly string[]
  /** What the ledger has of calls without a result. @default nothing */
  readonly ledger?: readonly StoredEffect[]
  /** Ends the repetition of steps that fail. @default never */
  readonly signal?: AbortSignal
}

/** How a run ends: what the writer does not know itself. */
export interface RunEnding extends Pick<
  RunFinish,
  'owner' | 'status' | 'result' | 'finishedAt' | 'durationMs' | 'searched' | 'conversation' | 'report'
> {
  /** Last event of the run. */
  readonly last: RunEvent
}

/** What a run opens, and its result so far if it stops to wait. */
interface Waiting {
  readonly opens?: readonly StoredWait[]
  readonly result?: NonNullable<RunStepWrite['waitFor']>['result']
}

const noEvents: readonly RunEvent[] = []

/**
 * Writes a run to the store, as long as this process has it. What was added since the last write goes into the next one.
 * Events that are given to a write itself are shown once they are kept.
 */
export class RunWriter {
  /** All messages of the run, in order. */
  readonly messages: readonly ModelMessage[]
  /** What has ended in the run, in order. */
  readonly spans: readonly RunSpan[]
  readonly #messages: ModelMessage[]
  readonly #spans: RunSpan[]
  #savedSpans: number
  readonly #options: RunWriterOptions
  readonly #queue: StepQueue
  /** How many of the messages the store has. */
  #savedMessages: number
  #journal: NewJournalEvent[] = []
  #announced: string[]
  #ledger: readonly StoredEffect[]
  /** Entries of the ledger for the calls under way. */
  #intents: (() => readonly StoredEffect[]) | undefined
  /** Whether the newest write in the background failed. */
  #hasFailed = false
  /** Whether what was added is to be written in the background, unless another write takes it along. */
  #isDue = false
  #soon: NodeJS.Immediate | undefined

  constructor(options: RunWriterOptions) {
    const { context, messages = [], spans = [], announced = [], ledger = [], signal } = options
    this.#options = options
    this.#queue = createStepQueue(context, signal)
    this.#messages = [...messages]
    this.messages = this.#messages
    this.#savedMessages = messages.length
    this.#spans = [...spans]
    this.spans = this.#spans
    this.#savedSpans = spans.length
    this.#announced = [...announced]
    this.#ledger = ledger
  }

  addSpan(span: RunSpan): void {
    this.#spans.push(span)
  }

  /** Adds a message. Ids of calls count for one answer: providers use them again. */
  add(message: ModelMessage): void {
    if (message.role === 'assistant') this.#announced = []
    this.#messages.push(message)
  }

  /** The time as ISO 8601 text. */
  now(): string {
    return this.#options.context.timestamp()
  }

  /** Adds an event to the journal, which takes secrets out once more. @param timestamp default: now */
  note(type: JournalEventType, data: JsonObject, timestamp = this.#options.context.timestamp()): void {
    this.#journal.push({ type, timestamp, runId: this.#options.runId, data })
  }

  /** Notes that a call is shown to begin. @returns false when it was before: a repeat after a crash is not shown. */
  isNew(callId: string): boolean {
    if (this.#announced.includes(callId)) return false
    this.#announced.push(callId)
    return true
  }

  /** What the ledger has from before of a call without a result (A8). */
  findEffect(callId: string): StoredEffect | undefined {
    return this.#ledger.find((effect) => effect.callId === callId)
  }

  /** Calls that the program of a call without a result is known to have made. */
  innerCalls(callId: string): InnerCall[] {
    return this.#ledger.flatMap(({ inner, outcome }) =>
      inner?.of === callId && outcome ? { ...outcome.result, args: inner.args } : [],
    )
  }

  /**
   * Enters calls in the ledger before they are made, in one write with the model's answer (A8). Calls that only read need
   * not wait for it, because a crash leaves nothing of theirs that could be done twice; unless the last write failed.
   *
   * @param intents is asked when they are written: calls that end before that need no entry.
   */
  async announce(intents: () => readonly StoredEffect[], onlyReads: boolean): Promise<void> {
    this.#intents = intents
    if (onlyReads && !this.#hasFailed) this.flushSoon()
    else await this.flush()
  }

  /** The calls under way have ended: nothing of them goes into the ledger any more. */
  endCalls(): void {
    this.#intents = undefined
    this.#ledger = []
  }

  /**
   * Writes the outcome of a call, or that it waits, at once, while others of its turn go on. A failure is only logged: the next step holds
   * the outcome too.
   *
   * @throws {LostRun} when another process has the run.
   */
  async keepOutcome(outcome: EffectOutcome | ParkedEffect): Promise<void> {
    const { runId, context } = this.#options
    const { store, leases, logger } = context
    await this.flushIfDue() // the entry that the outcome belongs to
    try {
      if (await store.saveEffect({ runId, owner: leases.owner, outcome })) return
    } catch (error) {
      logger.warn('Saving the result of a tool call failed. Retrying.', { runId, error: String(error) })
      return
    }
    throw new LostRun()
  }

  /** Waits until the entries of the calls under way are stored. @throws as {@link flush} does. */
  async untilAnnounced(): Promise<void> {
    await this.flushIfDue()
    if (this.#hasFailed) await this.flush()
  }

  /**
   * Writes the entry of a call that a program makes, which belongs to the newest step.
   *
   * @throws {LostRun} when another process has the run; what the store fails with at last.
   */
  async keepInner(outcome: StoredEffect): Promise<void> {
    const { runId, context, signal } = this.#options
    const { store, leases } = context
    const save = () => store.saveEffect({ runId, owner: leases.owner, outcome })
    if (!(await whileStoreFails(context, save, signal))) throw new LostRun()
  }

  /**
   * Writes what was added, again while the store fails for a moment.
   *
   * @throws {LostRun} when another process has the run; what the store fails with at last.
   */
  flush(): Promise<void> {
    return this.#write(noEvents)
  }

  /**
   * Writes what was added without waiting for it: the next model call need not. The next write waits for this one, and
   * tells its failure. When the next one comes in the same turn of the event loop, both are one: a turn of a model that
   * answers at once costs one write.
   */
  flushSoon(): void {
    this.#isDue = true
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      if (this.#isDue) this.#writeInBackground()
    })
  }

  /** Writes now what {@link flushSoon} was to write, and waits for it. Never rejects. */
  async flushIfDue(): Promise<void> {
    if (this.#isDue) this.#writeInBackground()
    await this.#queue.idle()
  }

  /**
   * Writes that the run waits, for what it opens or for other runs.
   *
   * @param events tell of what it waits for: whoever answers at once has to find them in the store.
   * @param intents entries of the ledger for the calls that wait for other runs.
   * @throws as {@link flush} does.
   */
  async wait(
    waiting: Waiting,
    events: readonly RunEvent[] = noEvents,
    intents: readonly StoredEffect[] = [],
  ): Promise<void> {
    if (intents.length > 0) this.#intents = () => intents
    await this.#write(events, waiting)
  }

  /**
   * Ends the run in one write. When it throws it may be called again, with another ending.
   *
   * @returns false when it has ended before, or another process has it: nothing was written.
   * @throws {unknown} what the store fails with at last.
   */
  async finish({ last, ...end }: RunEnding): Promise<boolean> {
    this.#intents = undefined
    this.#isDue = false
    if (this.#soon) clearImmediate(this.#soon)
    this.#soon = undefined
    try {
      const missing = await this.#queue.settle()
      if (missing) this.#journal.unshift(...missing.journal)
    } catch (error) {
      if (error instanceof LostRun) return false
      throw error
    }
    const write = { ...this.#collect([last]), ...end }
    const isEnded = await endRun(this.#options.context, write)
    if (isEnded) this.#markSaved(write, [last])
    // it goes on if somebody has spoken to it
    else this.#journal = this.#journal.filter(({ type }) => type !== 'agent.completed')
    return isEnded
  }

  #write(events: readonly RunEvent[], waiting?: Waiting): Promise<void> {
    this.#isDue = false
    return this.#queue.write(() => this.#toStep(events, waiting))
  }

  #writeInBackground(): void {
    this.#isDue = false
    const settle = (hasFailed: boolean) => () => void (this.#hasFailed = hasFailed)
    this.#queue.writeOnce(() => this.#toStep(noEvents)).then(settle(false), settle(true))
  }

  /** All that the store does not have yet. What is added from now on goes into the next step. */
  #toStep(events: readonly RunEvent[], waiting?: Waiting): Step {
    const { owner } = this.#options.context.leases
    const { result, opens = [] } = waiting ?? {}
    const write = {
      ...this.#collect(events),
      owner,
      ...(opens.length > 0 && { opens }),
      ...(result && { waitFor: { result } }),
    }
    this.#journal = []
    return { write, onKept: () => this.#markSaved(write, events) }
  }

  /** All that the store does not have yet, with `more` after the events of the log. */
  #collect(more: readonly RunEvent[]) {
    const { runId, log, progress } = this.#options
    const { firstSeq, events } = log.batch()
    const all = [...events, ...more] // a copy: the log grows while it is written
    return {
      runId,
      messages: this.#messages.slice(this.#savedMessages),
      progress: { ...progress(), lastSeq: firstSeq + all.length - 1 },
      stream: { firstSeq, events: all },
      spans: this.#spans.slice(this.#savedSpans),
      journal: this.#journal,
      ...(this.#intents && { intents: this.#intents() }),
    }
  }

  #markSaved(
    { messages, spans = [], stream }: Pick<RunStepWrite, 'messages' | 'spans' | 'stream'>,
    more: readonly RunEvent[],
  ): void {
    this.#savedMessages += messages.length
    this.#savedSpans += spans.length
    this.#options.log.saved(stream.events.length - more.length, more)
  }
}
