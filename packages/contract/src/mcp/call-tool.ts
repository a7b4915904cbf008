import type { InputRequiredResult } from '@modelcontextprotocol/server'
import * as z from 'zod/mini'
import { ClientError } from '../client/client-error.ts'
import { describeIssues, describeIssue } from '../handler/describe-issues.ts'
import type { OperationTable, Schema } from '../operation.ts'
import type { McpResult, McpContent, McpContext, McpQuestion, McpQuestions, McpTool } from './mcp-tool.ts'

/** A result as the protocol has it. */
interface McpToolResult {
  content: ({ type: 'text'; text: string } | McpContent)[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  [key: string]: unknown
}

/** Calls a tool. A failure is a result too: the model reads what was wrong, and can do it right. */
export async function callTool<Table extends OperationTable>(
  tool: McpTool<Table>,
  given: unknown,
  context: McpContext<Table>,
  onError: (error: unknown) => void,
): Promise<McpToolResult | InputRequiredResult> {
  const input = parse(tool, given ?? {})
  if (!input.success) {
    const problem = describeIssues(input.error.issues, 'arguments')
    return toResult(toolError(`Calling "${tool.name}" failed: ${problem}.`))
  }
  try {
    const outcome = await tool.execute(input.data as never, context) // parsed by the tool's own schema
    return 'questions' in outcome ? toInputRequired(outcome) : toResult(outcome)
  } catch (error) {
    context.signal.throwIfAborted()
    return toResult(toFailure(error, tool.name, onError))
  }
}

/** Models that must name every argument write `null` for one that they leave out. */
function parse({ inputSchema }: { readonly inputSchema: Schema }, given: unknown) {
  const first = z.safeParse(inputSchema, given, { error: describeIssue })
  if (first.success || !first.error.issues.some(({ path }) => valueAt(given, path) === null)) return first
  const copy = structuredClone(given)
  for (const { path } of first.error.issues) {
    const key = path.at(-1)
    const holder = valueAt(copy, path.slice(0, -1))
    if (key !== undefined && isHolder(holder) && holder[key] === null) delete holder[key]
  }
  return z.safeParse(inputSchema, copy, { error: describeIssue })
}

const isHolder = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((one, key) => (isHolder(one) ? one[key] : undefined), value)

/** The same words as over HTTP. */
function toFailure(error: unknown, name: string, onError: (error: unknown) => void): McpResult {
  if (ClientError.is(error) && error.status !== undefined) {
    const { status, detail, retryAfterMs } = error
    return toolError(detail ?? error.error ?? error.message, {
      status,
      ...(retryAfterMs !== undefined && { retry_after_seconds: Math.ceil(retryAfterMs / 1000) }),
    })
  }
  onError(error)
  return toolError(`Calling "${name}" failed: the server could not process it. Try again later.`, {
    status: 500,
  })
}

/** Creates a result for a failed tool call. */
export const toolError = (error: string, more: McpResult['value'] = {}): McpResult => ({
  value: { error, ...more },
  isError: true,
})

function toInputRequired({ questions, state }: McpQuestions): InputRequiredResult {
  const requests = Object.entries(questions).map(([key, question]) => [key, toElicitation(question)])
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(requests) as NonNullable<InputRequiredResult['inputRequests']>,
    requestState: state,
  }
}

function toElicitation(question: McpQuestion) {
  if (question.mode === 'url') return { method: 'elicitation/create', params: question }
  const { schema, ...params } = question
  return { method: 'elicitation/create', params: { ...params, requestedSchema: schema } }
}

function toResult({ value, content = [], isError }: McpResult): McpToolResult {
  return {
    // older clients read the text, newer ones the structured content, and then nothing else: no picture beside it
    content: [{ type: 'text', text: JSON.stringify(value) }, ...content],
    ...(content.every(({ type }) => type === 'resource_link') && { structuredContent: value }),
    ...(isError === true && { isError }),
  }
}
