import type { Usage } from '@homeward/contract/agent-platform'
import type { RunCost } from '../../store/ports/run-store.ts'
import type { ModelAttempt } from '../../store/ports/run-trace.ts'
import type { ActiveRun } from '../active-run.ts'
import type { ModelRetry } from '../turns/call-model.ts'
import { turnText } from '../turns/model-turn.ts'
import type { OpenSpan } from './run-view.ts'

/** Notes the first attempt at a model call. */
export function beginAttempts(run: ActiveRun, startedAt: string): void {
  run.attempts = [{ model: run.chain.current.name, startedAt, finishedAt: startedAt }]
}

/** Notes that the attempt under way failed, and when the next one begins. */
export function nextAttempt(run: ActiveRun, { model, reason, in_ms }: ModelRetry, nowMs: number): void {
  endAttempt(run, new Date(nowMs).toISOString(), reason)
  const startedAt = new Date(nowMs + in_ms).toISOString()
  run.attempts.push({ model, startedAt, finishedAt: startedAt })
}

function endAttempt({ attempts }: ActiveRun, finishedAt: string, error?: string): void {
  const last = attempts.at(-1)
  if (last) attempts[attempts.length - 1] = { ...last, finishedAt, ...(error !== undefined && { error }) }
}

/** Adds the model call under way to the run's spans: it has ended, well or not. */
export function endModelSpan(
  run: ActiveRun,
  finishedAt: string,
  { usage, cost, error }: { readonly usage?: Usage; readonly cost?: RunCost; readonly error?: string },
): void {
  endAttempt(run, finishedAt, error)
  const [first] = run.attempts
  run.writer.spans.add({
    kind: 'model',
    at: run.writer.messages.length,
    model: run.chain.current.name,
    attempts: run.attempts,
    startedAt: first?.startedAt ?? finishedAt,
    finishedAt,
    ...(usage && { usage }),
    ...(cost && { cost }),
    ...(error !== undefined && { error }),
  })
  run.attempts = []
}

/** The model call under way, if there is one. */
export function openSpanOf({ attempts, writer, turn, held, chain }: ActiveRun): OpenSpan | undefined {
  const first: ModelAttempt | undefined = attempts[0]
  if (!first) return undefined
  return {
    kind: 'model',
    at: writer.messages.length,
    model: chain.current.name,
    attempts,
    startedAt: first.startedAt,
    // what guards have not seen is shown to nobody
    text: turn && !held ? turnText(turn) : '',
  }
}
