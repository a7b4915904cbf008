import { hash } from 'node:crypto'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { ToolCallPart } from '../../ports/message.ts'
import type { ProgramQuestion } from '../../ports/program-question.ts'
import type { ProgramEnd, ProgramReport } from '../../tools/code/program-messages.ts'
import { startProgramThread, type ProgramThread } from '../../tools/code/program-thread.ts'
import type { Run } from '../loop/run.ts'
import type { Asking } from '../waits/ask.ts'
import { createInnerCalls, type InnerCalls } from './inner-calls.ts'
import { differs } from './program-ledger.ts'

/** Programs of a run that work: the next one waits for the one before, because each takes a thread and memory. */
const working = new WeakMap<Run, Promise<unknown>>()

/**
 * Runs a program whose calls are calls of the run. A program that was stopped by a wait or a crash is started again from its
 * beginning: its calls get the outcomes that the ledger has, in the order in which it got them before.
 *
 * @returns `value` and `log`
 * @throws {Error} for a program that fails, which the model reads
 */
export async function runProgram(
  run: Run,
  call: ToolCallPart,
  asking: Asking,
  program: ProgramQuestion,
): Promise<Json> {
  const turn = (working.get(run) ?? Promise.resolve()).then(() => work(run, call, asking, program))
  working.set(
    run,
    turn.catch(() => {}),
  )
  return turn
}

async function work(run: Run, call: ToolCallPart, asking: Asking, program: ProgramQuestion): Promise<Json> {
  run.signal.throwIfAborted()
  await run.writer.untilAnnounced()
  const known = [...(run.known?.ledger.values() ?? [])].filter(({ inner }) => inner?.of === call.id)
  const calls = createInnerCalls(run, call, asking.key, known)
  const thread = startProgramThread()
  const stop = () => thread.end()
  run.signal.addEventListener('abort', stop)
  let failure: { readonly error: unknown } | undefined
  let end: ProgramEnd | undefined
  try {
    end = await drive(thread, calls, asking.key, program)
  } catch (error) {
    failure = { error: run.signal.aborted ? run.signal.reason : error }
  } finally {
    run.signal.removeEventListener('abort', stop)
    thread.end()
    // what was begun has an effect: its outcome is stored, also if nobody waits for it
    await calls.settled()
  }
  asking.inner = calls.shown()
  run.signal.throwIfAborted()
  const uncertain = calls.uncertain()
  if (uncertain.length > 0) asking.uncertain = uncertain
  if (failure) throw failure.error
  if (uncertain.length > 0) throw new Error('A call of the program may or may not have been made')
  if (end?.kind === 'error' && end.isFatal) throw toError(end)
  if (calls.park(asking)) throw new Error('The program waits')
  if (calls.hasMissed()) throw differs()
  if (!end) throw new Error('The program waits for a promise that nothing can settle')
  if (end.kind === 'error') throw toError(end)
  return toResult(end)
}

/** Runs a program until it can do nothing more. @returns undefined if it has not ended */
async function drive(
  thread: ProgramThread,
  calls: InnerCalls,
  key: string,
  { code, tools }: ProgramQuestion,
): Promise<ProgramEnd | undefined> {
  const seed = Number.parseInt(hash('sha256', key).slice(0, 10), 16)
  let report: ProgramReport = await thread.step({ kind: 'start', code, tools, seed, now: calls.begunAt })
  for (;;) {
    for (const made of report.calls) calls.begin(made)
    if (report.end?.kind === 'error' && report.end.isFatal) return report.end
    const settled = await calls.next()
    if (!settled) return report.end
    report = await thread.step({ kind: 'settle', ...settled })
  }
}

function toResult({ value, log }: Extract<ProgramEnd, { kind: 'value' }>): JsonObject {
  return {
    ...(value !== undefined && { value: JSON.parse(value) as Json }), // the sandbox wrote it
    ...(log !== '' && { log }),
  }
}

const toError = ({ message, log }: Extract<ProgramEnd, { kind: 'error' }>) =>
  new Error(log === '' ? message : `${message}\nIts log:\n${log}`)
