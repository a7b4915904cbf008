import { ConversationId } from '@homeward/contract/agent-platform'
import { createSchemaCompiler } from '../json-schema/schema-compiler.ts'
import { toTraceparent } from '../ports/instrumentation.ts'
import { signalKnownMs } from '../store/ports/signal-store.ts'
import type { NewTask } from '../store/ports/task-store.ts'
import type { NewTriggerCall, StoredTrigger } from '../store/ports/trigger-store.ts'
import { toCreatedEvent } from '../tasks/task-events.ts'
import { toReportTo } from '../tasks/to-report-to.ts'
import type { TriggersOptions } from './create-triggers.ts'
import {
  type CallBody,
  deliveryKeyOf,
  isTooDeep,
  readCallBody,
  renderData,
  renderTemplate,
} from './read-call.ts'
import type { Triggers } from './triggers.ts'
import { isValidCall } from './verify-call.ts'

/** How long a repeated delivery is known, in milliseconds. */
const keptMs = 7 * 24 * 60 * 60 * 1000
/** Longest task, in characters. */
const maxInput = 1_000_000

type Refusal = Pick<NewTriggerCall, 'outcome' | 'reason'>
type Work = Refusal | Pick<NewTriggerCall, 'outcome' | 'task' | 'signal' | 'journal'>

/** Builds {@link Triggers.receive}. */
export function createReceiveCall({
  store,
  find,
  announce,
  tracing,
  deliver,
  logger,
  now,
  createId,
}: TriggersOptions): Triggers['receive'] {
  const compiler = createSchemaCompiler()
  const at = (ms: number) => new Date(ms).toISOString()

  /** Why a call does not start work, if it does not. */
  async function problemOf({ filter }: StoredTrigger, body: CallBody): Promise<Refusal | undefined> {
    if (isTooDeep(body)) return { outcome: 'refused', reason: 'The body nests deeper than 100 levels.' }
    if (filter === undefined) return undefined
    const findings = await (await compiler.compile(filter)).check(body.value)
    if ('unknown' in findings) return { outcome: 'ignored', reason: `The body ${findings.unknown}.` }
    return findings.length > 0 ? { outcome: 'ignored', reason: 'The filter does not match.' } : undefined
  }

  function toSignal(id: string, event: string, template: string, body: CallBody): Work {
    const data = renderData(template, body)
    if (JSON.stringify(data).length > maxInput)
      return { outcome: 'refused', reason: `The data of the signal has more than ${maxInput} characters.` }
    const nowMs = now()
    const signal = { id, event, data, createdAt: at(nowMs), knownSince: at(nowMs - signalKnownMs) }
    return { outcome: 'signalled', signal, journal: [] }
  }

  async function toWork(id: string, trigger: StoredTrigger, body: CallBody): Promise<Work> {
    const problem = await problemOf(trigger, body)
    if (problem) return problem
    const { target, input = '{{body}}' } = trigger
    if (target.kind === 'event') return toSignal(id, target.id, input, body)
    const subject = { kind: target.kind, id: target.id } as const
    const found = await find(subject)
    if (!found) return { outcome: 'refused', reason: `The ${target.kind} does not exist.` }
    const text = renderTemplate(input, body)
    if (text.length > maxInput)
      return { outcome: 'refused', reason: `The task has more than ${maxInput} characters.` }
    const conversationId = renderTemplate(trigger.conversation ?? '', body).trim()
    if (conversationId !== '' && !ConversationId.safeParse(conversationId).success)
      return { outcome: 'refused', reason: 'The conversation id must have at most 200 printable characters.' }
    const task: NewTask = {
      id: createId(),
      subject,
      input: text.trim() === '' ? '(empty)' : text,
      untrusted: true,
      triggerId: trigger.id,
      // calls about one conversation run in their order
      ...(conversationId !== '' && { conversationId, serialKey: `trigger conversation ${conversationId}` }),
      ...toReportTo(found.report_to),
      ...toTraceparent(tracing),
      priority: 0,
      maxAttempts: 3,
      createdAt: at(now()),
      runAt: at(now()),
    }
    return { outcome: 'started', task, journal: [toCreatedEvent(task)] }
  }

  return async (id, call) => {
    const trigger = await store.findTrigger(id)
    if (!trigger?.enabled) return { kind: 'unknown' }
    const bytes = await call.body()
    if (!isValidCall(trigger, call.header, bytes, now())) return { kind: 'unauthorized' }
    const body = readCallBody(bytes, call.header('content-type'))
    const key = deliveryKeyOf(trigger.verify, call.header, body)
    const callId = createId()
    const work = await toWork(callId, trigger, body)
    const { outcome, taskId, task } = await store.acceptTriggerCall({
      journal: [],
      ...work,
      id: callId,
      triggerId: id,
      at: at(now()),
      ...(key !== undefined && { key }),
      keptSince: at(now() - keptMs),
      limit: { since: at(now() - 60_000), calls: trigger.perMinute },
    })
    if (outcome === 'gone') return { kind: 'unknown' }
    if (outcome === 'limited') return { kind: 'limited' }
    if (task) await announce(task)
    if (outcome === 'signalled' && 'signal' in work && work.signal) {
      const { id: signalId, event, data } = work.signal
      // it is stored: what goes wrong now is done later
      await deliver({ id: signalId, event, data }).catch((error: unknown) =>
        logger.error('Delivering a signal failed', { signalId, error: String(error) }),
      )
    }
    return { kind: 'accepted', outcome, ...(taskId !== undefined && { taskId }) }
  }
}
