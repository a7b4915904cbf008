import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { HostedTool } from '@homeward/contract/agent-platform'
import type { ResolvedModel } from '../../models/models.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ModelChain } from './model-chain.ts'

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
export function withHostedTools(
  { current, hostedTools }: ModelChain,
  options: LanguageModelV4CallOptions,
): { readonly options: LanguageModelV4CallOptions; readonly warnings: readonly string[] } {
  const { hosted } = current
  if (hostedTools.length === 0 || !hosted) return { options, warnings: [] }
  if (!hosted.mixes && options.tools) {
    const names = hostedTools.join(', ')
    const warning = `The model cannot use ${names} together with other tools. It was called without ${names}.`
    return { options, warnings: [warning] }
  }
  const tools = [...(options.tools ?? []), ...new Set(hostedTools.map((name) => hosted.tools[name]))]
  return { options: { ...options, tools, toolChoice: options.toolChoice ?? { type: 'auto' } }, warnings: [] }
}

/** Whether a call offers tools, and none that the provider runs. */
export const offersOnlyFunctions = ({ tools }: LanguageModelV4CallOptions): boolean =>
  tools !== undefined && tools.every(({ type }) => type === 'function')
