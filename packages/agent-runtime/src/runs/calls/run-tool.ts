import { untilAborted } from '@homeward/kit'
import type { Json } from '@homeward/contract/agent-platform'
import { startLimit } from '../../concurrency/start-limit.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { isToolContent, takeFiles } from '../../files/tool-content.ts'
import { bigintToText, cut, toBoundedJson } from '../../json/to-json.ts'
import type { InnerCall, ToolCallPart, ToolResult } from '../../ports/message.ts'
import type { DataOptions, Question, ToolContext } from '../../ports/tool.ts'
import type { ToolContent } from '../../ports/tool-content.ts'
import { WaitingAgent } from '../../ports/waiting-agent.ts'
import type { OpenedWait, Run } from '../loop/run.ts'
import type { Asking } from '../waits/ask.ts'
import { isGivenUp } from '../run-interrupts.ts'
import { saveRunFiles } from '../stages/files.ts'
import { ownArguments, type RunnableCall } from './plan-calls.ts'

const maxErrorChars = 4000

/**
 * Calls a tool within its time and gives its result, bounded and without secrets. Never rejects.
 *
 * @param tainted whether the run had read what a stranger may have made when its model asked for the call
 * @returns undefined when the run goes on somewhere else: how the call ended is not known here.
 */
export async function runTool(
  run: Run,
  { call, tool, args }: RunnableCall,
  idempotencyKey: string,
  tainted: boolean,
): Promise<ToolResult | WaitingAgent | ParkedTool | UncertainProgram | undefined> {
  const { context, redact } = run
  const asking: Asking = { key: idempotencyKey, count: 0, opens: [], elicited: [], suspended: [], kept: [] }
  const headOf = () => ({ id: call.id, name: tool.id, ...(asking.inner && { inner: asking.inner }) })
  const workspace = await run.workspace()
  // of a run that was aborted meanwhile it is the abort that the call ends with
  if (workspace === undefined && !run.signal.aborted)
    return { ...headOf(), error: "Opening the agent's workspace failed. Read the log of the server." }
  const limit = tool.timeoutMs === undefined ? undefined : startLimit(tool.timeoutMs, run.signal)
  const signal = limit?.signal ?? run.signal
  const reports = createProgressReports(run, call)
  const about = {
    ...run.about(),
    tainted,
    idempotencyKey,
    workspace: workspace ?? '',
    progress: reports.report,
    writeData: reports.writeData,
    ask: toAsk(run, call, asking),
    signal,
  }
  try {
    if (signal.aborted) throw signal.reason
    const execute = async () => tool.execute(ownArguments(tool, args), about)
    const traced = { kind: 'tool', run: run.row, callId: call.id, tool: tool.id } as const
    const work = context.tracing.current?.inside(traced, execute) ?? execute()
    const abandon = () => context.detached.add(work)
    const value: unknown = await (tool.settlesOnAbort === true ? work : untilAborted(work, signal, abandon))
    // a tool may have caught what stopped it
    if (isParked(asking)) return toParked(asking)
    if (mayHoldFiles(value) && isToolContent(value)) return { ...headOf(), ...(await keepFiles(run, value)) }
    return { ...headOf(), result: redact.json(toResult(value, context.maxResultChars)) }
  } catch (error) {
    if (run.signal.aborted && isGivenUp(run.signal.reason)) return undefined
    // an agent that it waited for was stopped by the shutdown, a moment before itself
    if (run.own.isLeaving && isGivenUp(error)) return undefined
    if (run.signal.aborted) return { ...headOf(), error: 'The call was stopped because the run ended' }
    if (limit?.isOver())
      return { ...headOf(), error: `The call took longer than ${tool.timeoutMs} ms and was stopped` }
    if (asking.uncertain) return { uncertain: asking.uncertain, inner: asking.inner ?? [] }
    if (isParked(asking)) return toParked(asking)
    if (error instanceof WaitingAgent) return error
    return { ...headOf(), error: cut(redact.text(toMessage(error)), maxErrorChars) }
  } finally {
    limit?.end()
    reports.end()
  }
}

/** A tool that has stopped to wait for answers, or a program whose calls wait. */
interface ParkedTool extends Pick<Asking, 'suspended' | 'kept'> {
  readonly parked: readonly OpenedWait[]
}

/** A program of which a call may have been made before a crash, and must not be made twice. */
interface UncertainProgram {
  readonly uncertain: readonly string[]
  readonly inner: readonly InnerCall[]
}

const isParked = ({ opens, suspended }: Asking) => opens.length > 0 || suspended.length > 0

const toParked = ({ opens, suspended, kept }: Asking): ParkedTool => ({ parked: opens, suspended, kept })

/** See {@link ToolContext.ask}. */
function toAsk(run: Run, call: ToolCallPart, asking: Asking): ToolContext['ask'] {
  const asks = async (question: Question): Promise<unknown> => {
    asking.count += 1
    const place = asking.count
    const { ask } = await import('../waits/ask.ts')
    return ask(run, call, asking, place, question)
  }
  return asks as ToolContext['ask'] // the answer is what the schema of the question says
}

const mayHoldFiles = (value: unknown) => typeof value === 'object' && value !== null && 'content' in value

/** Stores the files of a result, before anything refers to them. */
async function keepFiles(
  { context, row, redact }: Run,
  value: ToolContent,
): Promise<Pick<ToolResult, 'result' | 'files'>> {
  const taken = await takeFiles(value, context.createId).catch((cause: unknown) => {
    throw unusable(cause)
  })
  const files = taken.files.map((file) => ({ ...file, name: redact.text(file.name) }))
  const result = redact.json(toResult(taken.result, context.maxResultChars))
  try {
    await whileStoreFails(context, () => saveRunFiles(context, row, { files, contents: taken.contents }))
  } catch (cause) {
    throw new Error(
      'Storing the result of the call failed: the call was made, but its files could not be stored. Do not repeat the call.',
      { cause },
    )
  }
  return { result, files }
}

function toResult(value: unknown, maxChars: number): Json {
  try {
    return toBoundedJson(value, maxChars)
  } catch (cause) {
    throw unusable(cause)
  }
}

function unusable(cause: unknown): Error {
  const why = cause instanceof Error ? cause.message.split('\n', 1)[0] : 'unknown'
  return new Error(`The result of the tool is invalid: ${why}`, { cause })
}

function toMessage(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error)
    return text || 'The tool failed without a reason'
  } catch {
    return 'The tool failed without a reason'
  }
}

const maxReports = 1000
const maxReportChars = 1000
/** Reports that follow more closely are left out: they are for people, and each is stored. */
const everyMs = 200

const maxDataChars = 65_536

/** @throws {TypeError} that the tool gets */
function toShownData({ redact }: Run, name: string, given: unknown, { id, transient }: DataOptions = {}) {
  const fail = (fact: string) => new TypeError(`Writing data failed: ${fact}.`)
  if (!/^[\w-]{1,100}$/.test(name)) throw fail('"name" must be at most 100 letters, digits, "_" and "-"')
  const text = JSON.stringify(given ?? null, bigintToText) as string | undefined
  if (text === undefined) throw fail('"data" must be a JSON value')
  if (text.length > maxDataChars)
    throw fail(`"data" must have at most ${maxDataChars} characters as JSON, got ${text.length}`)
  const data = redact.json(JSON.parse(text) as Json)
  const options = {
    ...(id !== undefined && { id: cut(id, 200) }),
    ...(transient && { transient: true as const }),
  }
  return { event: 'data' as const, data: { name, ...options, data } }
}

/** Shows what a tool reports of a call that is being made. Nothing is shown of a call that has ended. */
function createProgressReports(run: Run, { id, name }: Pick<ToolCallPart, 'id' | 'name'>) {
  const { now } = run.context
  let left = maxReports
  let isOver = false
  let nextAtMs = -Infinity
  return {
    // an app without types may give anything
    report(given: unknown) {
      if (left <= 0 || now() < nextAtMs) return
      const text = cut(run.redact.text(String(given)), maxReportChars)
      if (text === '') return
      left -= 1
      nextAtMs = now() + everyMs
      run.log.push({ event: 'tool_progress', data: { id, name: cut(name, 200), text } })
    },
    writeData(...[part, data, options]: Parameters<ToolContext['writeData']>) {
      if (isOver) return
      const shown = toShownData(run, part, data, options)
      // what is not stored has no number of its own
      if (!shown.data.transient) return run.log.push(shown)
      run.context.reasoning.add(run.row.id, run.log.lastSeq, '', shown)
      run.log.wake()
    },
    end() {
      left = 0
      isOver = true
    },
  }
}
