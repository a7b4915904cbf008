import type { ResultFile, Run, RunResult, Wait } from '@homeward/contract/agent-platform'
import {
  truncateText,
  maxResultCharacters,
  truncateRows,
  type McpContent,
  type McpResult,
} from '@homeward/contract/mcp'
import type { AgentContext } from './agent-tools.ts'

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
  waits: readonly Wait[],
  offset = 0,
): View {
  const { output = '', error, code, stop_reason, files = [] } = result
  const open = waits.filter(({ status }) => status === 'open')
  const isAsked = ({ kind }: Wait) => kind === 'approval'
  const waiting = truncateRows(open.filter(isAsked).map(toApproval), 2000)
  const others = truncateRows(open.filter((wait) => !isAsked(wait)).map(toWaiting), 2000)
  const room =
    maxResultCharacters - 1000 - JSON.stringify([waiting.rows, others.rows, files.slice(0, 5)]).length
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
    ...(others.rows.length > 0 && { waits: others.rows }),
    ...(others.left > 0 && { more_waits: others.left }),
    ...nextStep(head.status, next < output.length, waiting.rows.length === 0),
  }
  return JSON.parse(JSON.stringify(view)) as View // without fields that are undefined
}

/** A run as `GET /api/runs/{id}` has it, for a model. A run that failed is an answer about a run: nothing went wrong with the call. */
export function describeRun(run: Run, context: Pick<AgentContext, 'toLink'>, offset?: number): McpResult {
  const { id, agent_id, conversation_id, status, waits } = run
  const result = withLinks(resultOf(run), context)
  return {
    value: toRunView({ run_id: id, agent_id, conversation_id, status }, result, waits, offset),
    content: toContent(result.files),
  }
}

/** A result whose files have absolute addresses. */
export function withLinks<Result extends { readonly files?: readonly ResultFile[] | undefined }>(
  result: Result,
  { toLink }: Pick<AgentContext, 'toLink'>,
): Result {
  const { files } = result
  return files ? { ...result, files: files.map((file) => ({ ...file, url: toLink(file.url) })) } : result
}

/** Files as links, for clients that show or fetch them. */
export const toContent = (files: readonly ResultFile[] = []): McpContent[] =>
  files.map(({ name, media_type, bytes, url }) => ({
    type: 'resource_link',
    uri: url,
    name,
    mimeType: media_type,
    size: bytes,
  }))

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

const toApproval = ({ id, run_id, tool, args, expires_at }: Wait) => ({
  approval_id: id,
  run_id,
  tool,
  args: truncateText(JSON.stringify(args), 600),
  ...(expires_at !== undefined && { expires_at }),
})

const toWaiting = ({ id, run_id, kind, message, tool, event, url, expires_at }: Wait) => ({
  wait_id: id,
  run_id,
  kind,
  ...(message !== undefined && { message: truncateText(message, 600) }),
  ...(tool !== undefined && { tool }),
  ...(event !== undefined && { event }),
  ...(url !== undefined && { url }),
  ...(expires_at !== undefined && { expires_at }),
})

function nextStep(status: Run['status'], isCut: boolean, needsNoApproval: boolean): { next?: string } {
  if (status === 'waiting' && needsNoApproval)
    return { next: 'The run waits for what "waits" says. When it has come, call get_run.' }
  if (status === 'waiting')
    return { next: 'The run waits for approval. Ask the user, call decide_approval, then get_run.' }
  if (status === 'running') return { next: 'The run is still working. Call get_run with this run_id later.' }
  return isCut ? { next: 'The output is longer. Call get_run with "offset" to read on.' } : {}
}
