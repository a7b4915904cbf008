import type { LanguageModelV4ToolCall, LanguageModelV4ToolResult } from '@ai-sdk/provider'
import { isDeep, toBoundedJson } from '../../json/to-json.ts'
import type { HostedCallPart, HostedResultPart, ProviderData } from '../../ports/message.ts'
import { parseArguments } from './parse-arguments.ts'

/** What a tool did that the provider ran itself. */
export type HostedPart = HostedCallPart | HostedResultPart

/** Characters of one result. */
const maxResultChars = 1_000_000

/** A call of a hosted tool as it is stored. */
export function toHostedCall(part: LanguageModelV4ToolCall): HostedCallPart {
  const { toolCallId: id, toolName, input } = part
  return { type: 'hosted_call', id, name: toName(toolName), args: parseArguments(input), ...dataOf(part) }
}

/**
 * A result of a hosted tool as it is stored: exactly as it came. One that is too large is dropped, and with it the provider's
 * data: other turns are told of the call in words.
 */
export function toHostedResult(part: LanguageModelV4ToolResult): HostedResultPart {
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
