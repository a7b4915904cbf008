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
import { fitFiles, moveToolFiles } from './fit-files.ts'
import { fitMessages, isFitting } from './fit-messages.ts'
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
  /** Whose hosted tools the call offers; undefined if it offers none. */
  readonly owner: string | undefined
  /** Arguments that the model wrote, under the names that the tool knows. */
  restore(toolName: string, input: string): string
}

/**
 * Fits a call to the rules of its provider: history, ids of calls, and schemas of tools and of the answer. Pure: the same call always becomes the
 * same request, and nothing that is stored changes.
 */
export function fitCall(given: LanguageModelV4CallOptions, rules: WireRules): FittedCall {
  const options = given.responseFormat ? fitAnswerFormat(given, rules) : given
  const { tools, renamed, owner } = options.tools ? fitTools(options.tools) : noTools
  const offersTools = tools !== undefined && tools.length > 0
  const known = owner ?? (offersTools ? rules.knownHosted : undefined)
  const fitted = {
    ...options,
    prompt:
      renamed.size === 0 && isFitting(options.prompt, rules, offersTools)
        ? options.prompt
        : fitPrompt(
            offersTools ? renameInputs(options.prompt, renamed) : tellInWords(options.prompt),
            rules,
            known,
          ),
    ...(tools && { tools }),
    ...(rules.asksForThoughts && withThoughts(options)),
  }
  return {
    options: fitted.providerOptions || rules.cache ? applyPromptCache(fitted, rules) : fitted,
    hasRenamed: renamed.size > 0,
    owner,
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

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>

interface FittedTools {
  readonly tools: Tools | undefined
  /** By the tool, names of properties that differ on the wire. */
  readonly renamed: ReadonlyMap<string, PropertyNames>
  /** Whose hosted tools they are. */
  readonly owner: string | undefined
}

const noTools: FittedTools = { tools: undefined, renamed: new Map(), owner: undefined }
/** A run offers the same list in each turn. */
const knownTools = new WeakMap<Tools, FittedTools>()

function fitTools(given: Tools): FittedTools {
  const known = knownTools.get(given)
  if (known) return known
  const renamed = new Map<string, PropertyNames>()
  const tools = given.map((tool) => {
    if (tool.type !== 'function') return tool
    const { schema, names } = toWireSchema(tool.inputSchema)
    if (!names.isEmpty) renamed.set(tool.name, names)
    return { ...tool, inputSchema: schema }
  })
  const fitted = { tools, renamed, owner: hostedOwner({ tools: given }) }
  knownTools.set(given, fitted)
  return fitted
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
