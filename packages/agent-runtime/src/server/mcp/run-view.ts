import type { Approval, Run, RunResult } from '@homeward/contract/agent-platform'
import { truncateText, maxResultCharacters, truncateRows, type McpResult } from '@homeward/contract/mcp'

type View = Readonly<Record<string, never>>

/** What every answer about a run begins with. */
interface RunHead {
  readonly run_id: string
  readonly agent_id?: string | undefined
  readonly conversation_id?: string | undefined
  readonly status: Run['status']
}

/** A run as a model reads it: the state, the output from `offset` on, and what it waits for. */
export function toRunView(
  head: RunHead,
  result: Partial<Pick<RunResult, 'output' | 'error' | 'code' | 'stop_reason' | 'files'>>,
  approvals: readonly Approval[],
  offset = 0,
): View {
  const { output = '', error, code, stop_reason, files = [] } = result
  const waiting = truncateRows(approvals.filter(({ status }) => status === 'pending').map(toWaiting), 2000)
  const room = maxResultCharacters - 1000 - JSON.stringify([waiting.rows, files.slice(0, 5)]).length
  const shown = cut(output.slice(offset), room)
  const next = offset + shown.length
  const view = {
    ...head,
    ...(stop_reason !== undefined && { stop_reason }),
    output: shown,
    ...(next < output.length && { next_offset: next, output_characters: output.length }),
    ...(error !== undefined && { error: truncateText(error, 1000) }),
    ...(code !== undefined && { code }),
    ...(files.length > 0 && {
      files: files.slice(0, 5).map(({ name, media_type, url }) => ({ name, media_type, url })),
    }),
    ...(waiting.rows.length > 0 && { approvals: waiting.rows }),
    ...(waiting.left > 0 && { more_approvals: waiting.left }),
    ...nextStep(head.status, next < output.length),
  }
  return JSON.parse(JSON.stringify(view)) as View // without fields that are undefined
}

/** A run as `GET /api/runs/{id}` has it, for a model. A run that failed is an answer about a run: nothing went wrong with the call. */
export function describeRun(run: Run, offset?: number): McpResult {
  const { id, agent_id, conversation_id, status, approvals } = run
  return {
    value: toRunView({ run_id: id, agent_id, conversation_id, status }, resultOf(run), approvals, offset),
  }
}

/** What an agent or a graph answered; a graph's result has fewer fields. */
function resultOf({ result }: Run): Parameters<typeof toRunView>[1] {
  if (!result) return {}
  if ('turns' in result) return result
  const { error, output } = result
  return { ...(error !== undefined && { error }), output }
}

/** As many characters as fit as JSON, and no half of a surrogate pair. */
function cut(text: string, room: number): string {
  let end = Math.min(text.length, room)
  while (end > 0 && JSON.stringify(text.slice(0, end)).length > room) end = Math.floor(end * 0.8)
  return /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') && end < text.length
    ? text.slice(0, end - 1)
    : text.slice(0, end)
}

const toWaiting = ({ id, run_id, tool, args, expires_at }: Approval) => ({
  approval_id: id,
  run_id,
  tool,
  args: truncateText(JSON.stringify(args), 600),
  ...(expires_at !== undefined && { expires_at }),
})

function nextStep(status: Run['status'], isCut: boolean): { next?: string } {
  if (status === 'waiting')
    return { next: 'The run waits for approval. Ask the user, call decide_approval, then get_run.' }
  if (status === 'running') return { next: 'The run is still working. Call get_run with this run_id later.' }
  return isCut ? { next: 'The output is longer. Call get_run with "offset" to read on.' } : {}
}
