import type {
  AcceptanceBatch,
  AcceptanceOutcome,
  MessageAcceptance,
} from '../../store/ports/channel-acceptance.ts'
import type { Logger } from '../../ports/logger.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { NewTask, TaskCancellation } from '../../store/ports/task-store.ts'
import type { InboundMessage } from '../../ports/channel.ts'
import type { ActiveChannel } from '../channel-set.ts'
import type { ChatAnswers } from '../questions/answer-question.ts'
import type { ApprovalNotices } from '../approvals/create-approval-notices.ts'
import { findCommand } from '../commands/commands.ts'
import { reasonOf } from '../../ports/reason-of.ts'
import { createJudge, type InboxOutcome, type Judged, type JudgeOptions } from './judge-message.ts'

/** Takes messages in. */
export interface Inbox {
  /**
   * Keeps messages with the tasks that answer them, in one write; a command and what stands before it are written first.
   *
   * @returns what came of each; undefined, and nothing more is kept, when somebody else asks the source by now.
   */
  accept(
    active: ActiveChannel,
    messages: readonly InboundMessage[],
    polled?: AcceptanceBatch['polled'],
  ): Promise<readonly InboxOutcome[] | undefined>
}

/** What {@link createInbox} is built from. */
export interface InboxOptions {
  readonly store: RuntimeStore
  readonly findAgent: JudgeOptions['findAgent']
  readonly listAgents: JudgeOptions['listAgents']
  /** Tells the workers of a task that was put into the queue. */
  readonly deliver: (task: NewTask) => Promise<void>
  /** Stops the work of a task that a command has cancelled. */
  readonly stopTask: (cancellation: TaskCancellation) => Promise<void>
  /** Looks for answers to send. */
  readonly wake: () => void
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
  readonly approvals: ApprovalNotices
  readonly answers: ChatAnswers
}

/** How often a message is judged again because its sender was decided about at the same time. */
const maxJudgements = 10

/** Longest that the answer to a press may take, in milliseconds. */
const pressMs = 10_000
const mayNot = 'You are not allowed to decide this.'

type Given = Parameters<Inbox['accept']>

export function createInbox(options: InboxOptions): Inbox {
  const { store, findAgent, listAgents, deliver, stopTask, wake, logger, now, createId } = options

  const { approvals, answers } = options
  const judge = createJudge({ store, findAgent, listAgents, now, createId, approvals, answers })

  /**
   * Judges messages and keeps them, again when somebody has decided about a sender in between. Messages after the answer to a
   * question are left for the next call: they have to be judged once it is stored.
   */
  async function keep(
    ...[active, messages, lastPolled]: Given
  ): Promise<readonly InboxOutcome[] | undefined> {
    for (let tries = 0; tries < maxJudgements; tries += 1) {
      const judged: Judged[] = []
      for (const message of messages) {
        judged.push(await judge(active, message))
        if (judged.at(-1)?.acceptance?.step) break
      }
      const polled = judged.length === messages.length ? lastPolled : undefined
      const acceptances = judged.flatMap(({ acceptance }) => acceptance ?? [])
      if (acceptances.length === 0 && polled === undefined) return judged.map(({ outcome }) => outcome)
      const at = new Date(now()).toISOString()
      const kept = await store.acceptMessages({ now: at, acceptances, ...(polled && { polled }) })
      if (kept === undefined) return undefined
      if (kept === 'changed') continue
      const outcomes = new Map(acceptances.map((acceptance, index) => [acceptance, kept[index]]))
      for (const [acceptance, outcome] of outcomes) await follow(acceptance, outcome)
      answerPresses(active, messages, judged)
      return judged.map(({ acceptance, outcome }) =>
        toOutcome(acceptance && outcomes.get(acceptance), outcome),
      )
    }
    throw new RuntimeError(
      'storage_error',
      'Receiving a message failed: the record of its sender was changed at the same time. Send the message again.',
    )
  }

  /** Starts what a message that was kept asks for. All of it is in the store: the next look finds it too. */
  async function follow(
    { entry, step }: MessageAcceptance,
    outcome: AcceptanceOutcome | undefined,
  ): Promise<void> {
    if (outcome?.kind !== 'kept') return
    if (!entry?.task) wake() // a decision without an answer of its own changes an announcement
    if (step?.settles) answers.resume(step.runId)
    const { cancellation } = outcome
    // stopping may take a while: the platform gets its response before that
    if (cancellation) void attempt('Stopping a canceled task failed.', () => stopTask(cancellation))
    const task = entry?.task
    if (task) await attempt('Notifying the workers of a message failed.', () => deliver(task))
  }

  /** Tells people at once what came of the buttons that they pressed. */
  function answerPresses(
    { channel }: ActiveChannel,
    messages: readonly InboundMessage[],
    judged: readonly Judged[],
  ): void {
    for (const [index, { press }] of messages.entries()) {
      const one = judged[index]
      if (!press || !one || !channel.answerPress) continue
      const text = one.outcome === 'accepted' ? (one.acceptance?.entry?.message.answer ?? '') : mayNot
      const signal = timeLimit(pressMs)
      void attempt('Replying to a button press failed.', async () =>
        channel.answerPress?.(press, text, signal),
      )
    }
  }

  async function attempt(failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      logger.error(failure, { reason: reasonOf(error) })
    }
  }

  return {
    async accept(active, messages, polled) {
      const outcomes: InboxOutcome[] = []
      // a command sees what the messages before it have begun, and those after it what it has done
      const groups = toGroups(messages)
      for (const [index, group] of groups.entries()) {
        const isLast = index === groups.length - 1
        let done = 0
        do {
          const kept = await keep(active, group.slice(done), isLast ? polled : undefined)
          if (kept === undefined) return undefined
          outcomes.push(...kept)
          done += kept.length
        } while (done < group.length)
      }
      return outcomes
    },
  }
}

/** Splits messages before and after each command. There is at least one group. */
function toGroups(messages: readonly InboundMessage[]): readonly (readonly InboundMessage[])[] {
  const groups: InboundMessage[][] = [[]]
  for (const message of messages) {
    const isCommand = findCommand(message.text) !== undefined
    if (isCommand && groups.at(-1)?.length !== 0) groups.push([])
    groups.at(-1)?.push(message)
    if (isCommand) groups.push([])
  }
  return groups.length > 1 && groups.at(-1)?.length === 0 ? groups.slice(0, -1) : groups
}

function toOutcome(kept: AcceptanceOutcome | undefined, outcome: Judged['outcome']): InboxOutcome {
  if (kept?.kind === 'duplicate') return 'duplicate'
  return kept?.kind === 'silent' ? 'refused' : outcome
}

function timeLimit(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms).unref()
  return controller.signal
}
