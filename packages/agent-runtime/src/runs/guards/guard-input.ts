import type { FileReference } from '../../ports/file.ts'
import type { GuardedInput, InputGuard, OneOrMore } from '../../ports/guard.ts'
import type { ModelMessage } from '../../ports/message.ts'
import type { CheckedInput } from '../../store/ports/given-context.ts'
import { setCheckedInput, type ActiveRun } from '../active-run.ts'
import type { RunsContext } from '../runs-options.ts'
import { askGuards, GuardFault } from './ask-guards.ts'
import { guardFailed, guardRefused } from '../../ports/guard-errors.ts'

/** Stands for an earlier message that a guard refused. */
const removed = '[This message was removed by a check.]'

type Guards = OneOrMore<InputGuard>

/**
 * Checks what came in with a run, once: the outcome is stored before the first model call.
 *
 * @throws {RuntimeError} `guard_refused`, `guard_failed`; the signal's reason.
 */
export async function guardInput(context: RunsContext, run: ActiveRun): Promise<void> {
  const { input: guards } = context.guards
  if (!guards || run.checkedInput) return
  const { task, files = [], instructions, history } = run.run
  const check = createCheck(context, run, guards)
  const checked: CheckedInput = {
    task: await check('task', { text: task, kind: 'task', files }),
    ...(instructions?.trim() && {
      instructions: await check('instructions', { text: instructions, kind: 'instructions', files: [] }),
    }),
    ...(history && { history: await checkHistory(check, history) }),
  }
  setCheckedInput(run, checked)
  await run.writer.flush()
}

type Check = (key: string, value: GuardedInput) => Promise<string>

function createCheck(context: RunsContext, run: ActiveRun, guards: Guards): Check {
  return async (key, value) => {
    const outcome = await askGuards(context, run, {
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

/** Files as a guard gets them. */
export const copyFiles = (files: readonly FileReference[]): FileReference[] =>
  files.map((file) => ({ ...file }))

/** As long as a task may be. */
const maxChars = 1_000_000

function toText(text: unknown, before: string): string {
  if (text === before) return before
  if (typeof text === 'string' && text.trim() !== '' && text.length <= maxChars) return text.toWellFormed()
  throw new GuardFault(`its replacement must be a non-empty string of at most ${maxChars} characters`)
}
