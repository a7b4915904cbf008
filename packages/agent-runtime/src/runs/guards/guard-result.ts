import type { JsonObject } from '@homeward/contract/agent-platform'
import { copyJson, cut, toBoundedJson } from '../../json/to-json.ts'
import type { GuardedToolResult } from '../../ports/guard.ts'
import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import type { StoredEffect } from '../../store/ports/effect.ts'
import type { ActiveRun } from '../active-run.ts'
import { isGivenUp } from '../run-interrupts.ts'
import type { RunsContext } from '../runs-options.ts'
import { askGuards, GuardFault } from './ask-guards.ts'
import { copyFiles } from './guard-input.ts'

const maxErrorChars = 4000

/** A result that is to be checked. */
export interface ResultQuestion {
  /** What the ledger knows the call by. */
  readonly key: string
  readonly args: JsonObject
  readonly result: ToolResult
}

/**
 * Checks the result of a call that was made. Never rejects.
 *
 * @returns undefined when the run goes on somewhere else: the result is checked there.
 */
export async function guardResult(
  context: RunsContext,
  run: ActiveRun,
  { key, args, result: made }: ResultQuestion,
): Promise<ToolResult | undefined> {
  const { toolResult: guards } = context.guards
  if (!guards) return made
  const { id, name } = made
  try {
    const outcome = await askGuards(context, run, {
      guards,
      subject: 'tool result',
      key: `result:${key}`,
      value: toValue(made, args),
      copy: copyResult,
      apply: (value, replacement) => replace(context, run, value, replacement),
    })
    if (outcome.kind !== 'passed') {
      const why = outcome.kind === 'refused' ? 'a guard refused it' : 'its guard failed'
      return { id, name, error: `The call was made, but its result is withheld: ${why}: ${outcome.reason}` }
    }
    if (!outcome.isReplaced) return made
    const { result, error, files } = outcome.value
    return {
      id,
      name,
      ...(error === undefined ? { result: result ?? null } : { error }),
      ...(made.files && { files }),
      ...(made.edited_args && { edited_args: made.edited_args }),
    }
  } catch {
    // only an abort of the run gets here
    if (isGivenUp(run.signal.reason)) return undefined
    return {
      id,
      name,
      error: 'The call was made, but its result is withheld: the run ended before the result was checked',
    }
  }
}

/** Checks results that the ledger holds since before a crash, and that no guard has seen. */
export async function guardOutcomes(
  context: RunsContext,
  run: ActiveRun,
  calls: readonly ToolCallPart[],
  effects: readonly StoredEffect[],
): Promise<StoredEffect[]> {
  return Promise.all(
    effects.map(async (effect) => {
      const { outcome, callId, key } = effect
      if (!outcome?.isUnchecked) return effect
      const { args } = calls.find(({ id }) => id === callId) ?? {}
      const question = { key, args: outcome.result.edited_args ?? toArgs(args), result: outcome.result }
      const result = await guardResult(context, run, question)
      run.signal.throwIfAborted()
      const { isUnchecked: _, ...others } = outcome
      return { ...effect, outcome: { ...others, result: result ?? outcome.result } }
    }),
  )
}

/** The arguments of a call that was made are an object. */
const toArgs = (args: ToolCallPart['args'] | undefined) => (args ?? {}) as JsonObject

const toValue = (
  { name: tool, result, error, files = [] }: ToolResult,
  args: JsonObject,
): GuardedToolResult => ({
  tool,
  args,
  files,
  ...(error === undefined ? { result: result ?? null } : { error }),
})

const copyResult = (value: GuardedToolResult): GuardedToolResult => ({
  ...value,
  args: copyJson(value.args),
  files: copyFiles(value.files),
  ...(value.result !== undefined && { result: copyJson(value.result) }),
})

function replace(
  context: RunsContext,
  { redact }: ActiveRun,
  { tool, args, files }: GuardedToolResult,
  given: unknown,
): GuardedToolResult {
  const { result, error } = (given ?? {}) as { readonly result?: unknown; readonly error?: unknown } // read below
  const head = { tool, args, files }
  if (typeof error === 'string' && result === undefined) {
    return { ...head, error: cut(redact.text(error.toWellFormed()), maxErrorChars) }
  }
  if (result !== undefined && error === undefined) {
    return { ...head, result: redact.json(toBoundedJson(result, context.maxResultChars)) }
  }
  throw new GuardFault('its replacement must be { result } or { error: text }')
}
