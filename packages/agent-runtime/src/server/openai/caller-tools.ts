import type { ClientTool, OpenAiContent, Run, Wait } from '@homeward/contract/agent-platform'
import type { RunStartOptions } from '../../runs/runs.ts'
import type { PlatformContext } from '../platform-context.ts'
import { invalidField } from './openai-errors.ts'
import { readContent } from './read-content.ts'

/** A call of a tool of the caller. */
export interface ToolCall {
  /** Says which run made it, and which of the run's waits it is. */
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly arguments: string
}

/** The waits that a run has opened itself, in their order: the place of one is its number. */
const ownWaits = ({ id, waits }: Run) => waits.filter(({ run_id }) => run_id === id)

/** The calls of tools of the caller that a run waits for. */
export function openCallsOf(run: Run): ToolCall[] {
  return ownWaits(run).flatMap((wait, index) =>
    wait.kind === 'client_tool' && wait.status === 'open' ? [toToolCall(run, wait, index)] : [],
  )
}

function toToolCall({ id }: Run, { tool = '', args = {} }: Wait, index: number): ToolCall {
  return { id: `call_${id}.${index}`, name: tool, arguments: JSON.stringify(args) }
}

/** The run and the number of the wait that the id of a call names; undefined for one that this server did not make. */
function readCallId(id: string): { readonly runId: string; readonly index: number } | undefined {
  const [, runId, index] = /^(?:call|fc)_(.+)\.(\d{1,6})$/.exec(id) ?? []
  return runId === undefined ? undefined : { runId, index: Number(index) }
}

/** The number of the wait that the id of a call names. */
export const waitNumberOf = (id: string) => readCallId(id)?.index

/** Whether an id of a call is one that this server may have made. */
export const isOwnCall = (id: string) => readCallId(id) !== undefined

/** The call with an id, as its run has it; undefined for none of this model and user. */
export async function findCall(
  { services }: PlatformContext,
  id: string,
  { model, userId }: Owner,
): Promise<ToolCall | undefined> {
  const known = readCallId(id)
  const run = known && (await services.runs.find(known.runId))
  if (!known || !run || run.agent_id !== model || run.user_id !== userId) return undefined
  const wait = ownWaits(run)[known.index]
  return wait?.kind === 'client_tool' ? toToolCall(run, wait, known.index) : undefined
}

/** Whose runs a request may continue. */
export interface Owner {
  readonly model: string
  readonly userId: string | undefined
}

/** Where a request writes what belongs to its tools. */
interface ToolForm {
  /** Where a tool, or the choice of one, has its name. */
  named(given: unknown): unknown
  /** Where the choice of several has them. */
  allowed(given: unknown): unknown
  readonly shape: string
}

const fieldOf = (given: unknown, name: string): unknown => Reflect.get(Object(given) as object, name)

/** How each of the two APIs writes tools. */
export const toolForms = {
  chat: {
    named: (given) => fieldOf(given, 'function'),
    allowed: (given) => fieldOf(given, 'allowed_tools'),
    shape: '{"type": "function", "function": {"name": …}}',
  },
  response: {
    named: (given) => given,
    allowed: (given) => given,
    shape: '{"type": "function", "name": …}',
  },
} as const satisfies Record<string, ToolForm>

interface Fields {
  readonly tools?: readonly unknown[] | undefined
  readonly tool_choice?: unknown
}

/** The tools that a request brings along, and whether the model has to call one. @throws {HttpError} 400 */
export function readTools(
  { tools = [], tool_choice: choice = 'auto' }: Fields,
  form: ToolForm,
): {
  readonly tools: readonly ClientTool[]
  readonly choice: RunStartOptions['toolChoice']
} {
  const given = tools.map((tool, index): ClientTool => {
    const { name, description, parameters } = Object(form.named(tool)) as Partial<ClientTool>
    if (fieldOf(tool, 'type') !== 'function' || typeof name !== 'string')
      throw invalidField(`tools[${index}]`, `must be ${form.shape}. An agent has other tools of its own.`)
    return { name, ...(description && { description }), ...(parameters && { parameters }) }
  })
  if (choice === 'none') return { tools: [], choice: undefined }
  if (choice === 'auto') return { tools: given, choice: undefined }
  if (choice === 'required') return { tools: given, choice }
  if (fieldOf(choice, 'type') === 'allowed_tools') {
    const { mode = 'auto', tools: allowed } = Object(form.allowed(choice)) as Readonly<
      Record<string, unknown>
    >
    const names = Array.isArray(allowed) ? allowed.map((each) => fieldOf(form.named(each), 'name')) : []
    const left = given.filter(({ name }) => names.includes(name))
    if (left.length > 0 && (mode === 'auto' || mode === 'required'))
      return { tools: left, choice: mode === 'auto' ? undefined : mode }
  }
  const tool = fieldOf(form.named(choice), 'name')
  if (typeof tool === 'string' && given.some(({ name }) => name === tool))
    return { tools: given, choice: { tool } }
  throw invalidField('tool_choice', 'must be "auto", "none", "required" or the name of one of "tools".')
}

/** The output of a call, and where it stands in the request. */
export interface CallOutput {
  readonly callId: string
  readonly content: OpenAiContent | undefined
  readonly place: string
}

/** How a request ends that continues a run. */
export interface RequestEnd {
  readonly outputs: readonly CallOutput[]
  /** What the user says behind them. */
  readonly said: readonly Omit<CallOutput, 'callId'>[]
  /** @throws {HttpError} 400 that names the calls without an output */
  refuse(missing: readonly string[]): never
}

/** A run that continues. */
export interface ContinuedRun {
  readonly runId: string
  /** Ids of the waits that the request settled. */
  readonly answered: ReadonlySet<string>
  /** Number of the first wait that the run can open now. */
  readonly next: number
}

/**
 * Answers the calls that a run of this model and user waits for, if the request has their outputs. The run continues.
 *
 * @returns undefined for a request that starts a run: calls that this server did not make, and those of a run that does not
 * wait for them anymore or got other outputs, are plain history
 * @throws {HttpError} 400 if only some of the calls have an output, and if one has two
 * @throws {RuntimeError} `conflict` if a call gets another output at the same moment
 */
export async function continueCalls(
  { services: { runs } }: PlatformContext,
  { outputs, said, refuse }: RequestEnd,
  { model, userId }: Owner,
): Promise<ContinuedRun | undefined> {
  const calls = outputs.map((output) => ({ ...readCallId(output.callId), ...output }))
  const runId = calls[0]?.runId
  if (runId === undefined || calls.some((call) => call.runId !== runId)) return undefined
  const run = await runs.find(runId)
  if (!run || run.agent_id !== model || run.user_id !== userId) return undefined
  const own = ownWaits(run)
  const waits = calls.map(({ index = -1 }) => own[index])
  if (!waits.every((wait) => wait?.kind === 'client_tool' && canAnswer(wait))) return undefined
  const isOpen = waits.some((wait) => wait?.status === 'open')
  // what was said behind outputs that a run has is the next question
  if (said.length > 0 && !isOpen) return undefined
  const given = new Set(calls.map(({ callId }) => callId))
  const missing = openCallsOf(run).filter(({ id }) => !given.has(id))
  if (isOpen && missing.length > 0) refuse(missing.map(({ id }) => id))
  const twice = calls.find(({ callId }, index) => calls.findIndex((call) => call.callId === callId) < index)
  if (twice) throw invalidField(twice.place, `is a second output for the call "${twice.callId}". Send one.`)
  const texts = calls.map(toText)
  // other outputs for calls that are settled make another history
  if (!isOpen && waits.some((wait, index) => wait?.data !== texts[index])) return undefined
  const last = Math.max(...calls.map(({ index = 0 }) => index))
  const text = said.map(toText).join('\n\n')
  if (text !== '') await runs.message(runId, { text, idempotency_key: `said-${last}` })
  const ids = waits.map((wait) => wait!.id) // each was found
  for (const [place, id] of ids.entries()) await runs.answerWait(runId, id, { data: texts[place] ?? '' })
  return { runId, answered: new Set(ids), next: last + 1 }
}

/** @throws {HttpError} 400 for files: the run waits for text */
function toText({ content, place }: Omit<CallOutput, 'callId'>): string {
  const { text, files } = readContent(content, place)
  if (files.length === 0) return text
  throw invalidField(place, 'must be text, because a run waits for it. Send files with a later message.')
}

const canAnswer = ({ status }: Wait) => status === 'open' || status === 'answered'
