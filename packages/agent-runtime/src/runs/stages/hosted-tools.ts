import type {
  LanguageModelV4CallOptions,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
} from '@ai-sdk/provider'
import type { HostedTool } from '@homeward/contract/agent-platform'
import { toReadableResult } from '../../json/readable-result.ts'
import { cut, isDeep, isSmallJson, toBoundedJson } from '../../json/to-json.ts'
import type { ResolvedModel } from '../../models/models.ts'
import type { HostedCallPart, HostedResultPart, ProviderData } from '../../ports/message.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { journalArgs } from '../calls/call-events.ts'
import { BrokenAnswer, parseArguments, type ModelTurn } from '../loop/answer.ts'
import type { Run } from '../loop/run.ts'
import type { Attempt, Stage, Tell } from '../loop/stage.ts'

/** Characters of one result, and of all calls and results in one turn. */
const maxResultChars = 1_000_000
const maxTurnChars = 4_000_000
/** Characters of a result that is shown. */
const maxShownChars = 20_000

/** Offers the model tools that its provider runs. */
export const hostedToolsStage: Stage = { name: 'hosted-tools', fit: offerHosted }

/** @throws {RuntimeError} `validation_error` if the model's provider does not run these tools. */
export function assertHostedTools({ hosted, name }: ResolvedModel, wanted: readonly HostedTool[]): void {
  const missing = wanted.find((tool) => hosted?.tools[tool] === undefined)
  if (missing === undefined) return
  throw new RuntimeError(
    'validation_error',
    `Starting a run failed: the model ${name} has no hosted tool "${missing}". ` +
      'Use a model of openai (Responses API), anthropic or google, or remove the tool from "hosted_tools".',
  )
}

/** The options with the hosted tools of the chain, as the provider of its current model knows them. */
function offerHosted(
  options: LanguageModelV4CallOptions,
  { chain, offersTools, warnings }: Attempt,
): LanguageModelV4CallOptions {
  const { hostedTools } = chain
  const { hosted } = chain.current
  if (!offersTools || !hosted) return options
  if (!hosted.mixes && options.tools) {
    const names = hostedTools.join(', ')
    warnings.push(`The model cannot use ${names} together with other tools. It was called without ${names}.`)
    return options
  }
  const tools = [...(options.tools ?? []), ...new Set(hostedTools.map((name) => hosted.tools[name]))]
  return { ...options, tools, toolChoice: options.toolChoice ?? { type: 'auto' } }
}

/** Whether a call offers tools, and none that the provider runs. */
export const offersOnlyFunctions = ({ tools }: LanguageModelV4CallOptions): boolean =>
  tools !== undefined && tools.every(({ type }) => type === 'function')

/** What a tool did that the provider ran itself. */
type HostedPart = HostedCallPart | HostedResultPart

/** Adds a call that the provider made with its own tool, or the result, to the turn, and tells of it. */
export function readHosted(
  run: Run,
  turn: ModelTurn,
  given: LanguageModelV4ToolCall | LanguageModelV4ToolResult,
  tell: Tell,
): void {
  const part = given.type === 'tool-call' ? toHostedCall(given) : toHostedResult(given)
  turn.hostedChars += JSON.stringify(part).length
  if (turn.hostedChars > maxTurnChars)
    throw new BrokenAnswer(`the tools of the provider returned more than ${maxTurnChars} characters`)
  turn.parts.push(part)
  tellHosted(run, part, tell)
}

function toHostedCall(part: LanguageModelV4ToolCall): HostedCallPart {
  const { toolCallId: id, toolName, input } = part
  return { type: 'hosted_call', id, name: toName(toolName), args: parseArguments(input), ...dataOf(part) }
}

/**
 * A result of a hosted tool as it is stored: exactly as it came. One that is too large is dropped, and with it the provider's
 * data: other turns are told of the call in words.
 */
function toHostedResult(part: LanguageModelV4ToolResult): HostedResultPart {
  const { toolCallId: id, toolName, isError = false } = part
  const isWhole = !isDeep(part.result) && JSON.stringify(part.result).length <= maxResultChars
  return {
    type: 'hosted_result',
    id,
    name: toName(toolName),
    result: isWhole ? toBoundedJson(part.result, maxResultChars) : 'The result was too large.',
    ...(isError && { failed: true }),
    ...(isWhole && dataOf(part)),
  }
}

/** Google's package names its search `server:GOOGLE_SEARCH_WEB`. */
const toName = (name: string) => (name.startsWith('server:') ? 'web_search' : name)

// provider metadata is JSON by its contract
const dataOf = ({ providerMetadata }: { readonly providerMetadata?: object | undefined }) =>
  providerMetadata ? { provider_data: providerMetadata as ProviderData } : {}

/** Tells of a call or its result. What such a tool found is a stranger's (A20). */
function tellHosted(run: Run, part: HostedPart, tell: Tell): void {
  const { id, name } = part
  const known = { agent_id: run.row.agentId, tool: cut(name, 200), call_id: id }
  if (part.type === 'hosted_call') {
    const args = run.redact.json(part.args)
    tell({ event: 'tool_start', data: { id, name, args } })
    run.writer.note('tool.called', { ...known, args: journalArgs(args) })
    return
  }
  run.taint()
  const shown = run.redact.json(toReadableResult(part.result))
  const text = JSON.stringify(shown)
  const result = isSmallJson(shown, maxShownChars) ? shown : `${cut(text, maxShownChars)}…`
  const ok = !part.failed
  const error = cut(text, 500)
  tell({ event: 'tool_call', data: ok ? { id, name, result } : { id, name, error } })
  const durationMs = Math.max(0, run.context.now() - (run.open?.startedAtMs ?? 0))
  run.writer.note('tool.completed', { ...known, ok, duration_ms: durationMs, ...(!ok && { error }) })
}
