import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Usage } from '@homeward/contract/agent-platform'
import { costOf } from '../../budgets/prices.ts'
import { promptTokens } from '../../files/load-prompt-files.ts'
import type { RunCost } from '../../store/ports/run-store.ts'
import type { ModelAttempt } from '../../store/ports/run-trace.ts'
import { addCost, addTokens } from '../cost.ts'
import { fitterOf } from '../stages/window.ts'
import type { OpenSpan } from '../trace/run-view.ts'
import { countedTokens, tokensOf, turnText, type ModelTurn } from './answer.ts'
import { readPart } from './answer-parts.ts'
import { callModel, type ModelCall, type ModelRetry } from './call.ts'
import { noteWarnings } from './model-warnings.ts'
import { withToolId } from './prompt.ts'
import type { Run } from './run.ts'
import type { Tell } from './stage.ts'

/**
 * Asks the model of a run for its next answer, shows the answer as it comes, and counts what it has used.
 *
 * @returns the answer, with the ids of the tools that it calls
 */
export async function askModel(
  run: Run,
  options: LanguageModelV4CallOptions,
  offersTools: boolean,
): Promise<ModelTurn> {
  const { context, chain } = run
  const startedAtMs = openCall(run)
  const answer = await callModel(context, chain, toCall(run, options, offersTools))
  run.model = chain.current.name
  if (answer.warnings.length > 0) noteWarnings(run, answer.warnings)
  addUsage(run, answer, { startedAtMs })
  return { ...answer, parts: answer.parts.map((part) => withToolId(run.tools, part)) }
}

/** Notes that a model call begins. @returns when, in milliseconds since the epoch */
export function openCall(run: Run): number {
  const startedAtMs = run.context.now()
  const startedAt = new Date(startedAtMs).toISOString()
  const attempts = [{ model: run.chain.current.name, startedAt, finishedAt: startedAt }]
  run.open = { startedAtMs, attempts, turn: undefined }
  return startedAtMs
}

function toCall(run: Run, options: LanguageModelV4CallOptions, offersTools: boolean): ModelCall {
  const { context, redact } = run
  let tell: Tell = (event) => run.log.push(event)
  let isHeld = false
  for (const stage of run.stages) {
    if (!stage.listen) continue
    tell = stage.listen(tell)
    isHeld = true
  }
  const call: ModelCall = {
    options,
    offersTools,
    redact,
    signal: run.signal,
    stages: run.stages,
    listener: {
      onDelta(delta, type) {
        if (type === 'text') return tell({ event: 'assistant', data: { delta } })
        if (isHeld) return // no guard sees the reasoning
        context.reasoning.add(run.row.id, run.log.lastSeq, redact.text(delta))
        run.log.wake()
      },
      onPart: (turn, part) => readPart(run, turn, part, tell),
    },
    onTurn: (turn) => {
      if (run.open) run.open.turn = turn
    },
    onRetry(retry) {
      nextAttempt(run, retry)
      run.log.push({ event: 'retry', data: retry })
    },
    fitter: () => fitterOf(run),
    // what no conversation gets can make none unusable
    ...(run.row.store && {
      findRefused: async (refusal) => (await import('../stages/refused.ts')).findRefused(run, call, refusal),
    }),
  }
  return call
}

/** Asks a run's model something beside its task; what it uses counts for the run. */
export async function askOnce(run: Run, prompt: LanguageModelV4Prompt): Promise<string> {
  const { context } = run
  const startedAtMs = context.now()
  const turn = await callModel(context, run.chain, {
    options: { prompt, abortSignal: run.signal },
    redact: run.redact,
    signal: run.signal,
    // what it may cost counts; what the run asks its model does not
    stages: run.stages.flatMap(({ name, admit, ended }) =>
      admit ? [{ name, admit, ...(ended && { ended }) }] : [],
    ),
    onRetry: (retry) => run.log.push({ event: 'retry', data: retry }),
    isSideCall: true,
  })
  if (turn.warnings.length > 0) noteWarnings(run, turn.warnings)
  addUsage(run, turn, { startedAtMs })
  return turnText(turn)
}

/** Counts what an answer that broke off has used. @returns what had come of it */
export function countPartial(run: Run, cause: unknown): ModelTurn | undefined {
  const { turn, startedAtMs = 0 } = run.open ?? {}
  if (!turn) return undefined
  const error = run.redact.text(cause instanceof Error ? cause.message : String(cause))
  if (turn.hasBegun || turn.usage) addUsage(run, turn, { startedAtMs, error })
  else endSpan(run, { error })
  return turn
}

/**
 * Adds what a model call used: also one that was stopped. What the provider does not tell, as for a call that was
 * stopped, or tells by what is no number of tokens, is estimated.
 *
 * @param call `error`: why it was stopped, without secrets
 */
export function addUsage(
  run: Run,
  turn: ModelTurn,
  { startedAtMs, error }: { readonly startedAtMs: number; readonly error?: string },
): void {
  const { context } = run
  const model = run.chain.current.name
  const used = usedBy(run, turn)
  const cost = costOf(context.priceOf(model), used)
  const usage = { ...run.progress.usage }
  addTokens(usage, used)
  const sum = addCost(run.progress.cost, cost)
  run.progressed(sum ? { usage, cost: sum } : { usage })
  endSpan(run, { usage: used, cost, ...(error !== undefined && { error }) })
  run.log.push({ event: 'usage', data: usage })
  context.tracing.current?.answered(run.row.id, () => ({
    prompt: turn.prompt ?? run.prompt,
    // what guards have not checked yet does not leave the run
    ...(!context.guards.output && { parts: turn.parts }),
    finish: turn.finish ?? 'unknown',
    redact: run.redact.kept,
  }))
  run.writer.note('model.completed', {
    agent_id: run.row.agentId,
    ...(run.row.userId !== undefined && { user_id: run.row.userId }),
    model,
    ...used,
    ...(!cost.isPartial && { cost_usd: cost.microUsd / 1_000_000 }),
    duration_ms: Math.max(0, context.now() - startedAtMs),
    finish: error === undefined ? (turn.finish ?? 'unknown') : 'stopped',
  })
}

/** Tokens of a model call, by their names in the API. */
function usedBy({ context, prompt }: Run, turn: ModelTurn) {
  const { input, output, cacheRead, cacheWrite } = tokensOf(context.estimateTokens, turn)
  const reasoning = countedTokens(turn.usage?.outputTokens.reasoning)
  return {
    input_tokens: input ?? promptTokens(context.estimateTokens, turn.prompt ?? prompt),
    output_tokens: output,
    ...(cacheRead && { cached_input_tokens: cacheRead }),
    ...(cacheWrite && { cache_write_input_tokens: cacheWrite }),
    ...(reasoning && { reasoning_tokens: reasoning }),
  }
}

/** Notes that the attempt under way failed, and when the next one begins. */
function nextAttempt({ open, context }: Run, { model, reason, in_ms }: ModelRetry): void {
  if (!open) return
  const nowMs = context.now()
  endAttempt(open.attempts, new Date(nowMs).toISOString(), reason)
  const startedAt = new Date(nowMs + in_ms).toISOString()
  open.attempts.push({ model, startedAt, finishedAt: startedAt })
}

function endAttempt(attempts: ModelAttempt[], finishedAt: string, error?: string): void {
  const last = attempts.at(-1)
  if (last) attempts[attempts.length - 1] = { ...last, finishedAt, ...(error !== undefined && { error }) }
}

/** Adds the model call under way to the run's spans: it has ended, well or not. */
function endSpan(
  run: Run,
  told: { readonly usage?: Usage; readonly cost?: RunCost; readonly error?: string },
): void {
  const finishedAt = run.context.timestamp()
  const { attempts = [] } = run.open ?? {}
  run.open = undefined
  endAttempt(attempts, finishedAt, told.error)
  run.writer.addSpan({
    kind: 'model',
    at: run.writer.messages.length,
    model: run.chain.current.name,
    attempts,
    startedAt: attempts[0]?.startedAt ?? finishedAt,
    finishedAt,
    ...told,
  })
}

/** The model call under way, if there is one. */
export function openSpanOf({ open, writer, stages, chain }: Run): OpenSpan | undefined {
  const [first] = open?.attempts ?? []
  if (!open || !first) return undefined
  return {
    kind: 'model',
    at: writer.messages.length,
    model: chain.current.name,
    attempts: open.attempts,
    startedAt: first.startedAt,
    // what guards have not seen is shown to nobody
    text: open.turn && !stages.some(({ listen }) => listen) ? turnText(open.turn) : '',
  }
}
