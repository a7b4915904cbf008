import type { Kysely } from 'kysely'
import { all, buildOnce, change, each, first } from '@homeward/kit/sql'
import type { AcceptanceBatch, AcceptanceOutcome, MessageAcceptance } from '../../ports/channel-acceptance.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { InputPlans } from '../runs/input-plans.ts'
import type { WaitPlans } from '../runs/wait-plans.ts'
import type { TaskPlans } from '../tasks/task-plans.ts'
import { createSourceStatements } from './channel-statements.ts'
import { createSeeChat } from './chat-plans.ts'
import { createChatStatements } from './chat-statements.ts'
import { createAddMessage } from './message-plans.ts'
import { createPutRoute } from './route-plans.ts'
import { createLinkPlans, type MemoryMoves } from './link-plans.ts'
import { createKnockPlan } from './sender-plans.ts'
import { createTakeStep } from './notice-plans.ts'
import { createSenderStatements } from './sender-statements.ts'

type Parts = MemoryMoves &
  Pick<JournalPlans, 'addEvents'> &
  Pick<TaskPlans, 'addTask' | 'cancelTask'> &
  Pick<WaitPlans, 'settleWait'> &
  Pick<InputPlans, 'insertRunInput' | 'canSteer'>

/** Accepting messages, with everything that belongs to them, as a plan. */
export function createAcceptPlans(db: Kysely<RuntimeTables>, parts: Parts) {
  const { addTask, addEvents, cancelTask, insertRunInput, canSteer } = parts
  const questions = createTakeStep(db, parts)
  const sources = buildOnce(db, createSourceStatements)
  const senders = buildOnce(db, createSenderStatements)
  const chats = buildOnce(db, createChatStatements)
  const { isLinkable, link } = createLinkPlans(db, parts)
  const knockAt = createKnockPlan(db)
  const see = createSeeChat(db)
  const putRoute = createPutRoute(db)
  const addMessage = createAddMessage(db)

  function* claimKeys({ keys, keysUntil }: MessageAcceptance, now: string): Plan<boolean> {
    const distinct = [...new Set(keys)]
    const taken = yield* each(
      sources.findKey,
      distinct.map((key) => ({ key, now })),
    )
    if (taken.length > 0) return false
    yield* each(
      sources.takeKey,
      distinct.map((key) => ({ key, until: keysUntil, now })),
    )
    return true
  }

  function* writeEntry({ entry }: MessageAcceptance): Plan<void> {
    if (entry === undefined) return
    const { message, task } = entry
    yield* addMessage(message)
    if (task !== undefined) yield* addTask(task, [])
  }

  function* accept(acceptance: MessageAcceptance, now: string): Plan<AcceptanceOutcome> {
    if (!(yield* claimKeys(acceptance, now))) return { kind: 'duplicate' }
    const { knock, chat, begins, routes, links, cancels, journal } = acceptance
    const seen = (acceptance.senders ?? []).filter(({ status }) => status !== undefined)
    for (const { peer } of seen) yield* change(senders.touch, { ...peer, name: peer.name ?? null, now })
    if (knock !== undefined && !(yield* knockAt(knock, now))) return { kind: 'silent' }
    if (acceptance.step) yield* questions.take(acceptance.step)
    if (acceptance.steers) yield* insertRunInput(acceptance.steers)
    yield* writeEntry(acceptance)
    if (chat !== undefined) yield* see(chat, now)
    if (begins !== undefined) yield* change(chats.begin, begins)
    if (routes !== undefined) yield* putRoute(routes)
    if (links !== undefined) yield* link(links, now)
    const cancellation = cancels && (yield* cancelTask(cancels.taskId, now, cancels.toEvent))
    yield* addEvents(journal)
    return { kind: 'kept', ...(cancellation && { cancellation }) }
  }

  function* isAsJudged(acceptance: MessageAcceptance, now: string): Plan<boolean> {
    const { senders: judged = [], links, step, steers } = acceptance
    if (steers && !(yield* canSteer(steers.runId))) return false
    if (step && !(yield* questions.isCurrent(step))) return false
    for (const { peer, status, userId = null } of judged) {
      const row = yield* first(senders.find, { channel: peer.channel, id: peer.id })
      if (row?.status !== status || (row?.user_id ?? null) !== userId) return false
    }
    return links === undefined || (yield* isLinkable(links, now))
  }

  return {
    *acceptMessages({
      now,
      acceptances,
      polled,
    }: AcceptanceBatch): Plan<readonly AcceptanceOutcome[] | 'changed' | undefined> {
      if (polled !== undefined) {
        const poll = yield* first(sources.findPoll, { source: polled.source })
        if (poll?.lease_owner !== polled.owner) return undefined
      }
      for (const acceptance of acceptances) if (!(yield* isAsJudged(acceptance, now))) return 'changed'
      if (polled !== undefined) {
        yield* change(sources.movePoll, { source: polled.source, offset: polled.nextOffset })
      }
      const outcomes: AcceptanceOutcome[] = []
      for (const acceptance of acceptances) outcomes.push(yield* accept(acceptance, now))
      const old = yield* all(sources.listOldKeys, { now })
      if (old.length > 0) {
        yield* each(
          sources.deleteKey,
          old.map(({ key }) => ({ key, now })),
        )
      }
      return outcomes
    },
  }
}
