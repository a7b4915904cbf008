import type { RerunRequest } from '@homeward/contract/agent-platform'
import type { ModelMessage } from '../../ports/message.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Redactor } from '../../secrets/redact.ts'
import type { StoredEffect } from '../../store/ports/effect.ts'
import type { RunBeginning } from '../../store/ports/new-run.ts'
import { hashArgs } from '../calls/effect-ledger.ts'
import { noProgress } from '../active-run.ts'
import { lastCalls } from '../run-messages.ts'
import type { RunView } from '../trace/run-view.ts'
import { toPlacedSteps, type StepPlace } from '../trace/to-steps.ts'

/**
 * What a run takes over from another one that it begins in the middle of: the messages before a step, and the results of
 * calls before it in the same turn, so that none of them is made again.
 *
 * @param runId Id of the new run.
 * @returns undefined for the first step: everything is done again.
 * @throws {RuntimeError} `validation_error` if there is no such step.
 */
export function toBeginning(
  view: RunView,
  from: NonNullable<RerunRequest['from_step']>,
  runId: string,
  redact: Redactor,
): RunBeginning | undefined {
  const steps = toPlacedSteps(view, redact)
  const index = typeof from === 'number' ? from : steps.findIndex(({ id }) => id === from)
  const step = steps[index]
  if (!step) {
    throw new RuntimeError(
      'validation_error',
      `Running again failed: "from_step" must be the index or the id of one of the run's ${steps.length} steps. ` +
        'List them with GET /api/runs/{id}/steps.',
    )
  }
  const { place } = step
  if (place.messages === 0) return undefined
  const messages = view.messages.slice(0, place.messages)
  const spans = spansBefore(view, place)
  const isTainted = view.run.tainted || view.run.progress.tainted
  const intents = place.call === undefined ? [] : resultsBefore(view, messages, place.call, runId, isTainted)
  return { messages, spans, intents, progress: { ...noProgress, tainted: isTainted } }
}

/** What ended before the step. */
function spansBefore({ spans, messages }: RunView, { messages: count, call }: StepPlace) {
  const calls = call === undefined ? [] : lastCalls(messages.slice(0, count)).slice(0, call)
  const ids = new Set(calls.map(({ id }) => id))
  return spans
    .filter((span) => {
      if (span.kind === 'model') return span.at < count
      return span.at < count || (call !== undefined && span.at === count && ids.has(span.callId))
    })
    .map((span) => ({ ...span, isReused: true }))
}

/** Entries of the ledger for the calls before the step: they have ended. */
function resultsBefore(
  view: RunView,
  messages: readonly ModelMessage[],
  before: number,
  runId: string,
  untrusted: boolean,
): StoredEffect[] {
  const later = view.messages.slice(messages.length)
  const end = later.findIndex(({ role }) => role === 'assistant')
  const results = later.slice(0, end < 0 ? undefined : end).flatMap((message) => {
    return message.role === 'tool' ? message.results : []
  })
  return lastCalls(messages)
    .slice(0, before)
    .flatMap((call, index): StoredEffect[] => {
      const known = view.effects.find(({ callId }) => callId === call.id)?.outcome?.result
      const result = results.find(({ id }) => id === call.id) ?? known
      // a call without an outcome was not made: it waited
      if (!result) return []
      const key = `${runId}:0:${index}`
      const head = { key, callId: call.id, tool: call.name, argsHash: hashArgs(call.args) }
      return [{ ...head, repeat: 'safe', outcome: { key, result, untrusted } }]
    })
}
