import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isDeeperThan, parseExactJson, untilAborted } from '@homeward/kit'
import { toWellFormed } from '../../json/to-json.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Run } from '../loop/run.ts'
import type { Stage, Stopping, SumUp } from '../loop/stage.ts'
import { runGoesOn } from '../run-interrupts.ts'
import { isCorrection } from '../run-messages.ts'

/** How often a model may correct its output. */
const maxCorrections = 2

const sumUp: SumUp = {
  task:
    'You have used all the turns of this task and cannot call tools anymore. ' +
    'Answer now with what you have, as JSON that matches the required schema.',
  isOptional: false,
}

/** Asks for an output of a form (`output_schema`), and has the model correct one that does not match. */
export const outputSchemaStage = (run: Run, schema: JsonObject): Stage => ({
  name: 'output-schema',
  prompt: (options) => ({ ...options, responseFormat: { type: 'json', name: 'output', schema } }),
  turn(next) {
    const corrected = run.writer.messages.at(-1)
    const before = isCorrection(corrected) ? corrected.corrects : undefined
    // A correction is no turn of its own: it takes none away from the task.
    if (before !== undefined) next.counts = false
    if (before === 'done' || before === 'max_tokens') next.sumUp = undefined
    else if (next.sumUp) next.sumUp = sumUp
  },
  end: (stopping) => settleOutput(run, schema, stopping),
})

/**
 * Checks the output of a run that is about to stop. What is wrong with it goes back to the model as a message, which is stored
 * before the next call: a run that is resumed after a crash has no more corrections than any other.
 */
async function settleOutput(run: Run, schema: JsonObject, stopping: Stopping): Promise<void> {
  const { stop, canGoOn } = stopping
  if (stop === 'error') return
  const checked = await checkAnswer(run, schema, run.output)
  if ('data' in checked) return run.answered(JSON.stringify(checked.data), checked.data)
  const problem = stop === 'max_tokens' ? `${checked.problem}, because it was cut off` : checked.problem
  const made = run.writer.messages.filter(isCorrection).length
  // a check that takes too long holds up the whole process, so it is not made again
  if (!canGoOn || made >= maxCorrections || checked.isUnknown) {
    if (stop === 'done') stopping.stop = canGoOn ? 'error' : 'max_tokens'
    stopping.error = invalid(problem)
    return
  }
  const shorter = stop === 'max_tokens' ? ' Be shorter.' : ''
  const text =
    `Your answer does not match the required JSON Schema: ${problem}. ` +
    `Answer again with the corrected JSON value and nothing else.${shorter}`
  run.add({ role: 'user', text, corrects: stop })
  run.log.push({
    event: 'retry',
    data: { model: run.model, reason: 'the output does not match output_schema', in_ms: 0 },
  })
  await run.writer.flush()
  run.signal.throwIfAborted()
  if (run.own.isLeaving) throw runGoesOn()
  stopping.goesOn = true
}

/** What a check of an answer found. */
type CheckedAnswer =
  | { readonly data: Json }
  | { readonly problem: string; readonly isUnknown?: boolean | undefined }

/** Checks the text of an answer against the schema of its run. */
export async function checkAnswer(run: Run, schema: JsonObject, text: string): Promise<CheckedAnswer> {
  const parsed = parseOutput(text)
  if ('problem' in parsed) return parsed
  let problem: string | undefined
  for (const value of parsed.values) {
    const checked = await run.context.checks.checkOutput(schema, value)
    if (checked.unchecked !== undefined) noteUnchecked(run, checked.unchecked)
    if (checked.outcome === 'invalid' && checked.isUnknown) return checked
    const wrong = checked.outcome === 'valid' ? await checkOwn(run, checked.value) : checked.problem
    if (wrong === undefined) return { data: checked.value }
    problem ??= wrong
  }
  return { problem: problem ?? 'the output is empty' }
}

/** Asks the caller's own schema. It may wait for anything, but no longer than the run may take. */
const checkOwn = async (run: Run, value: Json): Promise<string | undefined> =>
  run.checkOutput && untilAborted(run.checkOutput(value), run.signal)

function noteUnchecked(run: Run, reason: string): void {
  const text = `"output_schema" could only be checked in part: ${reason}`.slice(0, 300)
  if (!run.progress.warnings.includes(text)) run.warn(text)
}

const invalid = (problem: string) =>
  new RuntimeError(
    'output_invalid',
    `Checking the output failed: ${problem}. Simplify "output_schema", describe it in the task, or use another model.`,
  )

/** What a text may hold, the likeliest first, or why it holds nothing. */
type ParsedOutput = { readonly values: readonly Json[] } | { readonly problem: string }

/** As bodies of requests. What walks deeper values overflows its stack. */
const maxDepth = 100

/**
 * Reads the JSON of a model's answer. Text around it is ignored: models explain themselves, and put JSON into a code fence,
 * also when they are asked not to.
 */
export function parseOutput(text: string): ParsedOutput {
  if (text.trim() === '') return { problem: 'the output is empty' }
  const candidates = new Set([...candidatesOf(text)].map((candidate) => candidate.trim()))
  const found = [...candidates].map(tryParse).filter((value) => value !== undefined)
  const values = found.filter((value) => !isDeeperThan(value, maxDepth))
  if (values.length > 0) return { values }
  return { problem: found.length > 0 ? `the output nests deeper than ${maxDepth} levels` : notJson }
}

const notJson = 'the output is not valid JSON'

/**
 * The whole text, the last code fence, what stands between the first and the last bracket, and each value that begins at a
 * bracket, the last one first.
 */
function* candidatesOf(text: string): Generator<string, void> {
  yield text
  const end = text.lastIndexOf('```')
  const start = text.lastIndexOf('```', end - 1)
  if (end > 0 && start >= 0 && start < end) yield text.slice(start + 3, end).replace(/^[A-Za-z0-9]*\s/, '')
  for (const [first, last] of ['{}', '[]']) {
    const [open, close] = [text.indexOf(first ?? ''), text.lastIndexOf(last ?? '')]
    if (open >= 0 && close > open) yield text.slice(open, close + 1)
  }
  yield* bracketed(text).toReversed()
}

/** Longest texts that are searched for values, and how many brackets are tried. */
const maxSearched = 200_000
const maxTried = 50

/** Texts between a bracket and the one that closes it. What is inside of such a text that is JSON is not looked at again. */
function bracketed(text: string): string[] {
  if (text.length > maxSearched) return []
  const found: string[] = []
  const brackets = /[{[]/g
  let tried = 0
  for (let next = brackets.exec(text); next && tried < maxTried; next = brackets.exec(text), tried += 1) {
    const end = endOfValue(text, next.index)
    if (end === undefined) continue
    const value = text.slice(next.index, end)
    if (tryParse(value) === undefined) continue
    found.push(value)
    brackets.lastIndex = end
  }
  return found
}

function endOfValue(text: string, start: number): number | undefined {
  let depth = 0
  const marks = /["{}[\]\\]/g
  marks.lastIndex = start
  let isText = false
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    const [sign] = mark
    if (sign === '\\') marks.lastIndex += 1
    else if (sign === '"') isText = !isText
    else if (!isText) depth += sign === '{' || sign === '[' ? 1 : -1
    if (depth === 0) return mark.index + 1
  }
  return undefined
}

function tryParse(text: string): Json | undefined {
  try {
    return parseExactJson(text, toWellFormed) as Json // JSON.parse gives nothing else
  } catch {
    return undefined
  }
}
