import { runEvents } from '@homeward/contract/agent-platform'
import type { Run, RunEvent, RunResult } from '@homeward/contract/agent-platform'
import { readEvents } from '@homeward/contract/events'
import type { McpAnswers, McpQuestions, McpResult } from '@homeward/contract/mcp'
import { sleep } from '@homeward/kit'
import { isWaiting, waitsIn } from '../../ports/waiting-agent.ts'
import type { AgentContext } from './agent-tools.ts'
import { questionsOf, settleAnswers } from './ask-person.ts'
import { describeRun, toContent, toRunView, withLinks } from './run-view.ts'

/** A task for an agent. */
interface AgentTask {
  readonly agent_id: string
  readonly task: string
  readonly conversation_id?: string | undefined
}

/** Without progress, most clients give a call up after a minute: the answer comes before, and the run continues. */
const answersWithinMs = 50_000
/** With progress, clients know that the call is alive. Then {@link toRunView} of the state so far is the answer. */
const answersWithProgressWithinMs = 10 * 60_000
/** How often a run is looked at whose other calls have not ended. */
const looksEveryMs = 200
const looksSeldomEveryMs = 1000
/** Progress at least this often, because clients measure silence. */
const reportsEveryMs = 10_000

/** What the stream of a run has told so far. */
interface Seen {
  runId: string
  conversationId: string | undefined
  result: RunResult | undefined
  failure: { readonly message: string; readonly code: string } | undefined
  /** The run that waits: this one, or that of an agent that it called. */
  waitingRunId: string | undefined
  reported: string
}

/** Runs an agent by the streaming route, and answers when the run has stopped, or when the client would not wait longer. */
export async function runAgent(task: AgentTask, context: AgentContext): Promise<McpResult | McpQuestions> {
  if (context.answered?.state) return continueRun(context.answered, context)
  const seen = nothingSeen()
  const waiting = await inTime(context, seen, async (inner, tell) => {
    await follow(task, seen, inner, tell)
    // the stream of a run that waits stays open
    if (seen.waitingRunId === undefined) return undefined
    return answerWaiting(seen, seen.waitingRunId, inner)
  })
  return waiting ?? toAnswer(task, seen, context)
}

/** Settles what the user answered to the questions of a run, and answers when the run has stopped again. */
export async function continueRun(
  answered: McpAnswers,
  context: AgentContext,
): Promise<McpResult | McpQuestions> {
  const { client, signal } = context
  const find = async () => (await client.getRun({ params: { id: answered.state }, signal })).run
  const problems = await settleAnswers(await find(), answered, context)
  let run = await find()
  const isDismissed = Object.values(answered.answers).some(({ action }) => action === 'cancel')
  // the user has opened the link, and logs in now
  const isAccepted = ({ id, kind }: Run['waits'][number]) =>
    kind === 'login' && answered.answers[id]?.action === 'accept'
  const open = () => run.waits.filter((wait) => wait.status === 'open' && !isAccepted(wait))
  const seen = { ...nothingSeen(), runId: run.id, reported: `Run ${run.id} is working` }
  await inTime(context, seen, async (inner) => {
    for (let pauseMs = looksEveryMs; isOpen(run) && open().length === 0; pauseMs *= 1.2) {
      await sleep(Math.min(pauseMs, looksSeldomEveryMs), inner.signal)
      inner.signal.throwIfAborted()
      run = await find()
    }
  })
  const next = open().length > 0 && !isDismissed ? questionsOf(run, context, problems) : undefined
  return next ?? describeRun(run, context)
}

const isOpen = ({ status }: Pick<Run, 'status'>) => status === 'running' || status === 'waiting'

/**
 * Works for as long as a client waits for an answer, and reports progress meanwhile.
 *
 * @returns undefined if the time is over. The run continues without a reader.
 */
async function inTime<Result>(
  context: AgentContext,
  seen: Seen,
  work: (context: AgentContext, tell: () => Promise<void>) => Promise<Result>,
): Promise<Result | undefined> {
  const { signal, wantsProgress } = context
  const leave = new AbortController()
  const within = wantsProgress ? answersWithProgressWithinMs : answersWithinMs
  const timer = setTimeout(() => leave.abort(leaving), within)
  const reports = createReports(context, seen)
  try {
    return await work({ ...context, signal: AbortSignal.any([signal, leave.signal]) }, reports.tell)
  } catch (error) {
    if (!leave.signal.aborted || signal.aborted || seen.runId === '') throw error
    return undefined
  } finally {
    clearTimeout(timer)
    reports.end()
  }
}

const nothingSeen = (): Seen => ({
  runId: '',
  conversationId: undefined,
  result: undefined,
  failure: undefined,
  waitingRunId: undefined,
  reported: '',
})

/** Reads the events of the run until it has ended, or a person has to decide. */
async function follow(
  task: AgentTask,
  seen: Seen,
  { client, signal }: AgentContext,
  tell: () => Promise<void>,
) {
  const headers = { 'x-homeward-source': 'mcp' }
  const stream = await client.streamAgentRun({ query: {}, headers, body: task, signal })
  for await (const event of readEvents(stream, runEvents)) {
    note(seen, event)
    await tell()
    if (seen.waitingRunId !== undefined) return
  }
}

/** Waits until the other calls of the turn have ended, too: then everything that a person has to decide is there. */
async function answerWaiting(
  { runId }: Seen,
  waitingRunId: string,
  context: AgentContext,
): Promise<McpResult | McpQuestions> {
  const { client, signal } = context
  const find = async (id: string) => (await client.getRun({ params: { id }, signal })).run
  let waiting = await find(waitingRunId)
  while (waiting.status === 'running') {
    await sleep(looksEveryMs, signal)
    signal.throwIfAborted()
    waiting = await find(waitingRunId)
  }
  const run = waitingRunId === runId ? waiting : await find(runId)
  // the run waits for the agent that it called
  const shown = isOpen(run) ? { ...run, status: waiting.status, waits: waiting.waits } : run
  return questionsOf(shown, context) ?? describeRun(shown, context)
}

const leaving = new Error('The response is due before the run has ended.')

/** Sends what is new, and a sign of life every few seconds. */
function createReports({ progress, wantsProgress }: AgentContext, seen: Seen) {
  const startMs = Date.now()
  let told = 0
  let last = ''
  const send = async (message: string) => {
    told += 1
    await progress(message, told).catch(() => {}) // whoever is gone needs no progress
  }
  const seconds = () => Math.round((Date.now() - startMs) / 1000)
  const beat = () => void send(`${seen.reported} (${seconds()} s)`)
  const timer = wantsProgress ? setInterval(beat, reportsEveryMs) : undefined
  return {
    async tell() {
      if (!wantsProgress || seen.reported === last) return
      last = seen.reported
      await send(last)
    },
    end: () => clearInterval(timer),
  }
}

function note(seen: Seen, { event, data }: RunEvent): void {
  if (event === 'start') {
    seen.runId = data.run_id
    if ('conversation_id' in data) seen.conversationId = data.conversation_id
    seen.reported = `Run ${data.run_id} is working`
  }
  if (event === 'tool_start') seen.reported = `Calling ${data.name}`
  if (event === 'tool_progress') seen.reported = `${data.name}: ${data.text.slice(0, 200)}`
  if (event === 'tool_call') seen.reported = `${data.name} has ended`
  if (event === 'wait') {
    const { kind, tool, message, run_id } = data.wait
    seen.reported =
      kind === 'approval' ? `Waiting for approval of ${tool}` : `Waiting: ${message ?? tool ?? kind}`
    seen.waitingRunId = run_id
  }
  if (event === 'done' && 'turns' in data) seen.result = data
  if (event === 'error') seen.failure = data
}

function toAnswer(
  { agent_id }: AgentTask,
  { runId, conversationId, result, failure }: Seen,
  context: AgentContext,
): McpResult {
  const head = { run_id: runId, agent_id, conversation_id: conversationId }
  if (failure) {
    const { message: error, code } = failure
    return { value: toRunView({ ...head, status: 'failed' }, { error, code }, []), isError: true }
  }
  if (!result) return { value: toRunView({ ...head, status: 'running' }, {}, []) }
  const status = statusOf(result)
  const linked = withLinks(result, context)
  return {
    value: toRunView({ ...head, status }, linked, waitsIn(result)),
    content: toContent(linked.files),
    ...(status === 'failed' && { isError: true }),
  }
}

function statusOf(result: RunResult) {
  const { success, stop_reason } = result
  if (isWaiting(result)) return 'waiting'
  if (stop_reason === 'cancelled') return 'cancelled'
  return success ? 'completed' : 'failed'
}
