import type { ChatCompletionRequest, ClientTool, Wait } from '@homeward/contract/agent-platform'
import type { RunStartOptions } from '../../runs/runs.ts'
import type { PlatformCaller } from '../access/platform-caller.ts'
import type { PlatformContext } from '../platform-context.ts'
import { invalidField } from './openai-errors.ts'
import { readContent } from './read-content.ts'

/** A call of a tool of the caller, as the API writes it. */
export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

const head = 'call_'

/** What a run waits for, as a call. Its id says which run and which wait it is. */
export const toToolCall = ({ id, run_id, tool = '', args = {} }: Wait): ToolCall => ({
  id: `${head}${run_id}.${id}`,
  type: 'function',
  function: { name: tool, arguments: JSON.stringify(args) },
})

type Fields = Pick<ChatCompletionRequest, 'tools' | 'tool_choice'>

/** The tools that a request brings along, and whether the model has to call one. @throws {HttpError} 400 */
export function readTools({ tools = [], tool_choice: choice = 'auto' }: Fields): {
  readonly tools: readonly ClientTool[]
  readonly choice: RunStartOptions['toolChoice']
} {
  const given = tools.map((tool, index): ClientTool => {
    const { type, function: named } = Object(tool) as { readonly type?: unknown; readonly function?: unknown }
    const { name, description, parameters } = Object(named) as Partial<ClientTool>
    if (type !== 'function' || typeof name !== 'string')
      throw invalidField(`tools[${index}]`, 'must be {"type": "function", "function": {"name": …}}.')
    return { name, ...(description && { description }), ...(parameters && { parameters }) }
  })
  if (choice === 'none') return { tools: [], choice: undefined }
  if (choice === 'auto') return { tools: given, choice: undefined }
  if (choice === 'required') return { tools: given, choice }
  const { function: named } = Object(choice) as { readonly function?: { readonly name?: unknown } }
  const tool = named?.name
  if (typeof tool === 'string' && given.some(({ name }) => name === tool))
    return { tools: given, choice: { tool } }
  throw invalidField('tool_choice', 'must be "auto", "none", "required" or the name of one of "tools".')
}

/**
 * The run that a request continues: the request ends with the results of calls that a run of this model waits for. This function
 * answers those calls.
 *
 * @returns undefined for a request that starts a run: calls that this server did not make are plain history
 * @throws {RuntimeError} `conflict` if a call has another result by now
 */
export async function continueCalls(
  { services: { runs } }: PlatformContext,
  { messages, model, user }: ChatCompletionRequest,
  { userId = user }: PlatformCaller,
): Promise<string | undefined> {
  const start = messages.findLastIndex(({ role }) => role !== 'tool') + 1
  const results = messages.slice(start).map(({ tool_call_id: id = '', content }, index) => {
    const [runId = '', waitId = ''] = id.startsWith(head) ? id.slice(head.length).split('.') : []
    return { runId, waitId, text: readContent(content, `messages[${start + index}]`).text }
  })
  const runId = results[0]?.runId
  if (!runId || results.some((one) => one.runId !== runId)) return undefined
  const run = await runs.find(runId)
  if (!run || run.agent_id !== model || run.user_id !== userId) return undefined
  const known = new Set(run.waits.flatMap(({ id, kind }) => (kind === 'client_tool' ? [id] : [])))
  if (!results.every(({ waitId }) => known.has(waitId))) return undefined
  for (const { waitId, text } of results) await runs.answerWait(runId, waitId, { data: text })
  return runId
}
