import type { JsonObject } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { findMessage } from '../../conversations/replaced-answers.ts'
import { copyJson, cut, toBoundedJson } from '../../json/to-json.ts'
import { guardFailed, guardRefused } from '../../ports/guard-errors.ts'
import type { GuardedInput, GuardedToolResult, InputGuard, MaybeArray } from '../../ports/guard.ts'
import type { AssistantPart, ModelMessage, ToolCallPart, ToolResult } from '../../ports/message.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { isOwnConversation } from '../../store/own-conversation.ts'
import type { CheckedInput } from '../../store/ports/given-context.ts'
import { checkCall, maxCallsPerTurn, type CheckedCall } from '../calls/plan-calls.ts'
import { toQuestion } from '../given.ts'
import type { Run } from '../loop/run.ts'
import type { ResultQuestion, Stage } from '../loop/stage.ts'
import { isGivenUp } from '../run-interrupts.ts'
import { askGuards, copyFiles, GuardFault } from './ask-guards.ts'
import { createHeldAnswer, guardAnswer, type HeldAnswer } from './guard-answer.ts'

/** Asks the host's guards about what goes in and comes out of a run. */
export function guardsStage(run: Run): Stage {
  const { output, toolCall, toolResult } = run.context.guards
  let held: HeldAnswer | undefined
  return {
    name: 'guards',
    prepare: () => guardInput(run),
    ...(output && {
      listen(tell) {
        held = createHeldAnswer(tell)
        return held.add
      },
    }),
    // before it is stored: approvals, the ledger and a resumed run all see what the guards left
    async answer(turn) {
      const parts = output ? await guardAnswer(run, turn, output, held) : turn.parts
      return { ...turn, parts: toolCall ? await guardCalls(run, parts) : [...parts] }
    },
    async calls(questions) {
      for (const question of questions) {
        if (!question.isEdited) continue
        const checked = await guardCall(run, question.checked)
        if ('tool' in checked) question.checked = checked
        else question.ruling = { kind: 'deny', problem: checked.problem }
      }
    },
    ...(toolResult && { result: (question) => guardResult(run, question) }),
  }
}

/** Stands for an earlier message that a guard refused. */
const removed = '[This message was removed by a check.]'

type Guards = MaybeArray<InputGuard>

/**
 * Checks the input of a run once (D27): the outcome is stored before the first model call.
 *
 * @throws {RuntimeError} `guard_refused`, `guard_failed`; the signal's reason.
 */
async function guardInput(run: Run): Promise<void> {
  const { input: guards } = run.context.guards
  // the task of an undo is the platform's own
  if (!guards || run.progress.input || run.row.undoes) return
  const { task, files = [], instructions, history } = run.row
  const check = createCheck(run, guards)
  const checked: CheckedInput = {
    task: await check('task', { text: task, kind: 'task', files }),
    ...(instructions?.trim() && {
      instructions: await check('instructions', { text: instructions, kind: 'instructions', files: [] }),
    }),
    ...(history && { history: await checkHistory(check, history) }),
  }
  run.admitted(checked)
  await storeQuestion(run)
  await run.writer.flush()
}

/** Stores what the guards left of the question. A run that does so again, behind a crash, finds it there. */
async function storeQuestion(run: Run): Promise<void> {
  const { context, row, signal } = run
  const { questionId, questionSeq, conversationId } = row
  const { input } = run.progress
  if (questionId === undefined || questionSeq !== undefined || !input) return
  const found = await whileStoreFails(
    context,
    async () => {
      try {
        await context.store.appendMessages(toQuestion(row), signal)
      } catch (cause) {
        if (!RuntimeError.is(cause) || (cause.code !== 'conflict' && cause.code !== 'not_found')) throw cause
      }
      const conversation = await context.store.findConversation(conversationId, signal)
      if (!conversation || !isOwnConversation(conversation, row)) return undefined
      return { conversation, question: await findMessage(context.store, conversationId, questionId, signal) }
    },
    signal,
  )
  const { conversation, question } = found ?? {}
  if (!conversation || question?.runId !== row.id) return
  run.admitted({ ...input, conversationCreatedAt: conversation.createdAt, questionSeq: question.seq })
}

type Check = (key: string, value: GuardedInput) => Promise<string>

function createCheck(run: Run, guards: Guards): Check {
  return async (key, value) => {
    const outcome = await askGuards(run, {
      guards,
      subject: 'input',
      key: `input:${key}`,
      value,
      copy: copyInput,
      apply: (before, text) => ({ ...before, text: toText(text, before.text) }),
    })
    if (outcome.kind === 'passed') return outcome.value.text
    if (outcome.kind === 'failed') throw guardFailed('input', outcome.reason)
    if (value.kind === 'message') return removed
    throw guardRefused('input', outcome.reason)
  }
}

/** Messages that are checked at the same time. */
const atOnce = 8

async function checkHistory(check: Check, history: readonly ModelMessage[]): Promise<ModelMessage[]> {
  const checked: ModelMessage[] = []
  for (let from = 0; from < history.length; from += atOnce) {
    const some = history.slice(from, from + atOnce)
    const left = await Promise.all(some.map((message, index) => checkMessage(check, message, from + index)))
    checked.push(...left)
  }
  return checked
}

/** Answers in a history were checked when they were given. */
async function checkMessage(check: Check, message: ModelMessage, index: number): Promise<ModelMessage> {
  if (message.role !== 'user' || message.text.trim() === '') return message
  const { files, text, ...others } = message
  const left = await check(`message:${index}`, { text, kind: 'message', files: files ?? [] })
  // what was removed, was removed with its files
  return { ...others, text: left, ...(files && left !== removed && { files }) }
}

const copyInput = (value: GuardedInput): GuardedInput => ({ ...value, files: copyFiles(value.files) })

/** As long as a task may be. */
const maxChars = 1_000_000

function toText(text: unknown, before: string): string {
  if (text === before) return before
  if (typeof text === 'string' && text.trim() !== '' && text.length <= maxChars) return text.toWellFormed()
  throw new GuardFault(`its replacement must be a non-empty string of at most ${maxChars} characters`)
}

/** Checks the calls of an answer. Those that are too many to be made are not checked. */
async function guardCalls(run: Run, parts: readonly AssistantPart[]): Promise<AssistantPart[]> {
  let calls = 0
  return Promise.all(
    parts.map(async (call) => {
      if (call.type !== 'tool_call' || (calls += 1) > maxCallsPerTurn) return call
      const checked = await guardCall(run, await checkCall(run, call))
      if ('tool' in checked) return checked.args === call.args ? call : { ...call, args: checked.args }
      return checked.isRefused ? { ...call, refused: checked.problem } : call
    }),
  )
}

/** Checks one call that may be made otherwise. */
async function guardCall(run: Run, checked: CheckedCall): Promise<CheckedCall> {
  const { toolCall: guards } = run.context.guards
  if (!guards || !('tool' in checked)) return checked
  const { call, tool, args } = checked
  const outcome = await askGuards(run, {
    guards,
    subject: 'tool call',
    key: keyOf(run, call),
    value: { tool: tool.id, args },
    copy: (value) => ({ ...value, args: copyJson(value.args) }),
    apply: async (value, replacement) => ({ ...value, args: await toArgs(run, call, replacement) }),
  })
  if (outcome.kind === 'passed') {
    return outcome.isReplaced
      ? { call: { ...call, args: outcome.value.args }, tool, args: outcome.value.args }
      : checked
  }
  const why = outcome.kind === 'refused' ? 'A guard refused this call' : 'The guard of this call failed'
  return { call, problem: `Not called: ${why}: ${outcome.reason}`, isRefused: true }
}

/** Providers may give the same id to calls of different turns. */
const keyOf = (run: Run, { id }: ToolCallPart) => `call:${run.writer.messages.length}:${id}`

async function toArgs(run: Run, call: ToolCallPart, given: unknown): Promise<JsonObject> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new GuardFault('its replacement must be an object of arguments')
  }
  const args = toBoundedJson(given, Infinity) as JsonObject // it is an object
  const checked = await checkCall(run, { ...call, args })
  if ('tool' in checked) return args
  throw new GuardFault(`its replacement does not match the parameters of the tool: ${checked.problem}`)
}

const maxErrorChars = 4000

/**
 * Checks the result of a call that was made. Never rejects.
 *
 * @returns undefined when the run goes on somewhere else: the result is checked there.
 */
async function guardResult(
  run: Run,
  { key, args, result: made }: ResultQuestion,
): Promise<ToolResult | undefined> {
  const { toolResult: guards } = run.context.guards
  if (!guards) return made
  const { id, name } = made
  try {
    const outcome = await askGuards(run, {
      guards,
      subject: 'tool result',
      key: `result:${key}`,
      value: toResultValue(made, args),
      copy: copyResult,
      apply: (value, replacement) => replaceResult(run, value, replacement),
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
      ...(made.undo && { undo: made.undo }),
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

const toResultValue = (
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

function replaceResult(
  { redact, context }: Run,
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
