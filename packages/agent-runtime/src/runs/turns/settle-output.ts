import type { Json } from '@homeward/contract/agent-platform'
import { untilAborted } from '@homeward/kit'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { addMessage, addWarning, setOutput, type ActiveRun } from '../active-run.ts'
import type { ArgumentChecks } from '../calls/check-arguments.ts'
import { runGoesOn } from '../run-interrupts.ts'
import { isCorrection } from '../run-messages.ts'
import { parseOutput } from './parse-output.ts'

/** Why a run is about to stop whose output is checked. */
export type OutputStop = 'done' | 'max_turns' | 'max_tokens'

/** How a run ended, as far as its output says. */
export interface OutputEnd {
  /** A limit that was reached stays the reason, also when the output is invalid. */
  readonly stop: OutputStop | 'error'
  readonly error?: RuntimeError
}

/** How often a model may correct its output. */
const maxCorrections = 2

/**
 * Checks the output of a run that is about to stop. What is wrong with it goes back to the model as a message, which is stored
 * before the next call: a run that is resumed after a crash has no more corrections than any other.
 *
 * @param canGoOn - whether tokens are left for another call
 * @returns undefined when the model is to correct its output
 */
export async function settleOutput(
  checks: ArgumentChecks,
  run: ActiveRun,
  stop: OutputStop,
  canGoOn: boolean,
): Promise<OutputEnd | undefined> {
  const { outputSchema: schema } = run.run
  if (!schema) return { stop }
  const checked = await checkAnswer(checks, run, schema, run.output)
  if ('data' in checked) {
    setOutput(run, checked.data)
    return { stop }
  }
  const problem = stop === 'max_tokens' ? `${checked.problem}, because it was cut off` : checked.problem
  const made = run.writer.messages.filter(isCorrection).length
  // a check that takes too long holds up the whole process, so it is not made again
  if (!canGoOn || made >= maxCorrections || checked.isUnknown) {
    const reason = canGoOn ? 'error' : 'max_tokens'
    return { stop: stop === 'done' ? reason : stop, error: invalid(problem) }
  }
  const shorter = stop === 'max_tokens' ? ' Be shorter.' : ''
  const text =
    `Your answer does not match the required JSON Schema: ${problem}. ` +
    `Answer again with the corrected JSON value and nothing else.${shorter}`
  addMessage(run, { role: 'user', text, corrects: stop })
  run.log.push({
    event: 'retry',
    data: { model: run.model, reason: 'the output does not match output_schema', in_ms: 0 },
  })
  await run.writer.flush()
  run.signal.throwIfAborted()
  if (run.own.isLeaving) throw runGoesOn()
  return undefined
}

/** What a check of an answer found. */
export type CheckedAnswer =
  | { readonly data: Json }
  | { readonly problem: string; readonly isUnknown?: boolean | undefined }

/** Checks the text of an answer against the schema of its run. */
export async function checkAnswer(
  checks: ArgumentChecks,
  run: ActiveRun,
  schema: NonNullable<ActiveRun['run']['outputSchema']>,
  text: string,
): Promise<CheckedAnswer> {
  const parsed = parseOutput(text)
  if ('problem' in parsed) return parsed
  let problem: string | undefined
  for (const value of parsed.values) {
    const checked = await checks.checkOutput(schema, value)
    if (checked.unchecked !== undefined) noteUnchecked(run, checked.unchecked)
    if (checked.outcome === 'invalid' && checked.isUnknown) return checked
    const wrong = checked.outcome === 'valid' ? await checkOwn(run, value) : checked.problem
    if (wrong === undefined) return { data: value }
    problem ??= wrong
  }
  return { problem: problem ?? 'the output is empty' }
}

/** Asks the caller's own schema. It may wait for anything, but no longer than the run may take. */
const checkOwn = async (run: ActiveRun, value: Json): Promise<string | undefined> =>
  run.checkOutput && untilAborted(run.checkOutput(value), run.signal)

function noteUnchecked(run: ActiveRun, reason: string): void {
  const text = `"output_schema" could only be checked in part: ${reason}`.slice(0, 300)
  if (!run.warnings.includes(text)) addWarning(run, text)
}

const invalid = (problem: string) =>
  new RuntimeError(
    'output_invalid',
    `Checking the output failed: ${problem}. Simplify "output_schema", describe it in the task, or use another model.`,
  )
