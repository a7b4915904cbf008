import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import { parseExactJson } from '@homeward/kit'
import { filesIn } from '../../files/prompt-files.ts'
import { fitAnswerFormat } from './answer-format.ts'
import { isObject } from './clean-schema.ts'
import { hostedOwner } from '../hosted-tools.ts'
import { fitFiles } from './fit-files.ts'
import { moveToolFiles } from './move-tool-files.ts'
import { fitMessages } from './fit-messages.ts'
import { applyPromptCache } from './prompt-cache.ts'
import type { PropertyNames } from './property-names.ts'
import { tellInWords } from './tell-in-words.ts'
import { toWireSchema } from './wire-schema.ts'
import type { WireRules } from './wire-rules.ts'

/** A call as its provider accepts it. */
export interface FittedCall {
  readonly options: LanguageModelV4CallOptions
  /** Whether {@link restore} changes anything. */
  readonly hasRenamed: boolean
  /** Arguments that the model wrote, under the names that the tool knows. */
  restore(toolName: string, input: string): string
}

/**
 * Fits a call to the rules of its provider: history, ids of calls, and schemas of tools and of the answer. Pure: the same call always becomes the
 * same request, and nothing that is stored changes.
 */
export function fitCall(given: LanguageModelV4CallOptions, rules: WireRules): FittedCall {
  const options = fitAnswerFormat(given, rules)
  const renamed = new Map<string, PropertyNames>()
  const tools = options.tools?.map((tool) => {
    if (tool.type !== 'function') return tool
    const { schema, names } = toWireSchema(tool.inputSchema)
    if (!names.isEmpty) renamed.set(tool.name, names)
    return { ...tool, inputSchema: schema }
  })
  const offers = tools !== undefined && tools.length > 0
  const owner = hostedOwner(options) ?? (offers ? rules.knownHosted : undefined)
  const told = offers ? renameInputs(options.prompt, renamed) : tellInWords(options.prompt)
  return {
    options: applyPromptCache(
      {
        ...options,
        prompt: fitPrompt(told, rules, owner),
        ...(tools && { tools }),
        ...(rules.asksForThoughts && withThoughts(options)),
      },
      rules,
    ),
    hasRenamed: renamed.size > 0,
    restore(toolName, input) {
      const names = renamed.get(toolName)
      if (!names) return input
      try {
        return JSON.stringify(names.restore(parseExactJson(input) as JSONValue)) // what JSON.parse gives
      } catch {
        return input // no JSON: whoever reads the call says so to the model
      }
    },
  }
}

/** Asks Gemini for the thoughts of a call that has a reasoning effort, as the other providers return them. */
function withThoughts({ reasoning, providerOptions }: LanguageModelV4CallOptions) {
  if (!reasoning || reasoning === 'none' || reasoning === 'provider-default') return undefined
  const google = providerOptions?.['google']
  const given = google?.['thinkingConfig']
  const thinkingConfig = { includeThoughts: true, ...(isObject(given) && given) }
  return { providerOptions: { ...providerOptions, google: { ...google, thinkingConfig } } }
}

/** Most prompts have no files. */
function fitPrompt(prompt: LanguageModelV4Prompt, rules: WireRules, owner: string | undefined) {
  if (filesIn(prompt).length === 0) return fitMessages(prompt, rules, owner)
  return moveToolFiles(fitMessages(fitFiles(prompt, rules), rules, owner), rules)
}

/** Earlier calls as the model wrote them. */
function renameInputs(
  prompt: LanguageModelV4Prompt,
  renamed: ReadonlyMap<string, PropertyNames>,
): LanguageModelV4Prompt {
  if (renamed.size === 0) return prompt
  return prompt.map((message): LanguageModelV4Message => {
    if (message.role !== 'assistant') return message
    const content = message.content.map((part) => {
      const names = part.type === 'tool-call' ? renamed.get(part.toolName) : undefined
      if (part.type !== 'tool-call' || !names) return part
      return { ...part, input: names.rename(part.input as JSONValue) } // what is stored of arguments is JSON
    })
    return { ...message, content }
  })
}
