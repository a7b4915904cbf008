import type {
  JSONObject,
  JSONValue,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { createHostedFit, isHosted } from './hosted-parts.ts'
import type { WireRules } from './wire-rules.ts'

type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>
type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>
type AssistantPart = AssistantMessage['content'][number]
type ToolPart = ToolMessage['content'][number]
type ToolResultPart = Extract<ToolPart, { type: 'tool-result' }>

/** A call that waits for its result: its stored id, the one on the wire, and the tool. */
interface OpenCall {
  readonly stored: string
  readonly id: string
  readonly tool: string
}

/** Stands where a provider requires a message and the history has none. */
export const placeholder = '…'

/** Said of a call whose result the history does not have. */
const noResult = 'No result: the call was interrupted.'

/**
 * Brings a history into the order and form that providers accept. Whatever was stored, the result has no blank text, no two
 * neighbors of one role, a result for each call and a call for each result, a question before the first answer, and only data
 * of the provider that it goes to.
 *
 * @param owner - whose hosted tools the call offers; undefined if it offers none
 */
export function fitMessages(
  prompt: LanguageModelV4Prompt,
  rules: WireRules,
  owner?: string,
): LanguageModelV4Prompt {
  const fitted: LanguageModelV4Message[] = []
  const ids = createCallIds()
  const hosted = createHostedFit(prompt, owner)
  const lastQuestion = prompt.findLastIndex(({ role }) => role === 'user')
  /** Calls of the newest answer that have no result yet. */
  let open: OpenCall[] = []

  const closeCalls = () => {
    if (open.length === 0) return
    const content = open.map(({ id, tool }): ToolResultPart => {
      const output = { type: 'error-text', value: noResult } as const
      return { type: 'tool-result', toolCallId: id, toolName: tool, output }
    })
    open = []
    add(fitted, { role: 'tool', content }, rules)
  }

  for (const [index, message] of prompt.entries()) {
    if (message.role === 'system') {
      if (message.content.trim() !== '') fitted.push(message)
    } else if (message.role === 'user') {
      closeCalls()
      add(fitted, fitUser(message), rules)
    } else if (message.role === 'assistant') {
      closeCalls()
      const content = fitAssistant(message, rules, index > lastQuestion, hosted)
      if (content.length === 0) continue
      const changed = new Map<string, string>()
      const renamed = content.map((part): AssistantPart => {
        if (part.type !== 'tool-call' || part.providerExecuted) return part
        const id = ids.take(part.toolCallId)
        open.push({ stored: part.toolCallId, id, tool: part.toolName })
        if (id === part.toolCallId) return part
        changed.set(part.toolCallId, id)
        return { ...part, toolCallId: id }
      })
      add(fitted, { ...message, content: renameDetails(renamed, changed) }, rules)
    } else {
      const content = message.content.flatMap((part) => answerTo(part, open))
      if (content.length > 0) add(fitted, { ...message, content }, rules)
    }
  }
  closeCalls()
  if (fitted.at(-1)?.role !== 'user' && fitted.at(-1)?.role !== 'tool' && !hosted.isPaused)
    add(fitted, question(placeholder), rules)
  return fitted
}

/**
 * Whether a prompt is already as {@link fitMessages} would make it, as nearly all are: text, and calls with a result each. Makes
 * next to nothing, because every model call asks for it.
 *
 * @param offersTools - whether the call offers tools: without any, a prompt must hold no calls
 */
export function isFitting(prompt: LanguageModelV4Prompt, rules: WireRules, offersTools: boolean): boolean {
  const taken = new Set<string>()
  const open: string[] = []
  let before: LanguageModelV4Message['role'] = 'system'
  for (const [index, message] of prompt.entries()) {
    if (message.role === 'system') {
      if (index > 0 || message.content.trim() === '') return false
    } else if (message.role === 'tool') {
      if (before !== 'assistant' || !message.content.every((part) => closesCall(part, open))) return false
    } else {
      if (open.length > 0 || message.content.length === 0 || !follows(message.role, before, rules))
        return false
      const parts: readonly (UserMessage['content'][number] | AssistantPart)[] = message.content
      if (!parts.every((part) => isPlainText(part) || (offersTools && opensCall(part, open, taken))))
        return false
    }
    before = message.role
  }
  return open.length === 0 && (before === 'user' || before === 'tool')
}

const follows = (role: 'user' | 'assistant', before: LanguageModelV4Message['role'], rules: WireRules) =>
  role === 'assistant'
    ? before === 'user' || before === 'tool'
    : before !== 'user' && !(before === 'tool' && rules.answersBeforeUser)

const isPlainText = (part: UserMessage['content'][number] | AssistantPart) =>
  part.type === 'text' && part.providerOptions === undefined && part.text.trim() !== ''

function opensCall(
  part: UserMessage['content'][number] | AssistantPart,
  open: string[],
  taken: Set<string>,
): boolean {
  if (part.type !== 'tool-call' || part.providerExecuted || part.providerOptions) return false
  const id = part.toolCallId
  if (taken.has(id) || !acceptedId.test(id)) return false
  taken.add(id)
  open.push(id)
  return true
}

function closesCall(part: ToolPart, open: string[]): boolean {
  if (part.type !== 'tool-result') return false
  const { type } = part.output
  if (type === 'content' || ((type === 'text' || type === 'error-text') && part.output.value.trim() === ''))
    return false
  const place = open.indexOf(part.toolCallId)
  if (place === -1) return false
  open.splice(place, 1)
  return true
}

const question = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }] })

function fitUser(message: UserMessage): UserMessage {
  const content = message.content.filter((part) => part.type !== 'text' || part.text.trim() !== '')
  if (content.length === 0) return { ...message, content: question(placeholder).content }
  return content.length === message.content.length ? message : { ...message, content }
}

function fitAssistant(
  message: AssistantMessage,
  rules: WireRules,
  isLatest: boolean,
  hosted: ReturnType<typeof createHostedFit>,
): readonly AssistantPart[] {
  const told: AssistantPart[] = []
  for (const part of message.content) {
    if (part.type === 'text') {
      told.push(hosted.fitText(part))
      continue
    }
    const parts = isHosted(part) ? hosted.fit(part) : [part]
    // Reasoning belongs to the call behind it, not to words that stand for that.
    if (parts[0] !== part) while (told.at(-1)?.type === 'reasoning') told.pop()
    told.push(...parts)
  }
  const kept = told.flatMap((part): AssistantPart[] => {
    const owner = reasoningOwner(part.providerOptions)
    const data = ownData(part.providerOptions, rules)
    if (part.type === 'text' && part.text.trim() === '' && !(data && rules.keepsBlankText)) return []
    if (part.type === 'reasoning' && !goesBack(rules, data, owner, isLatest)) return []
    return [data === part.providerOptions ? part : withData(part, data)]
  })
  // Reasoning that nothing follows is refused (OpenAI: "without its required following item").
  const last = kept.findLastIndex(({ type }) => type !== 'reasoning')
  return kept.slice(0, last + 1)
}

function goesBack(
  rules: WireRules,
  data: SharedV4ProviderOptions | undefined,
  owner: string | undefined,
  isLatest: boolean,
): boolean {
  if (rules.reasoning === 'all') return true
  if (rules.reasoning === 'latest') return isLatest && owner === rules.provider
  return data !== undefined
}

/** The data that the provider reads; undefined when there is none of it. */
function ownData(
  data: SharedV4ProviderOptions | undefined,
  { dataKeys }: WireRules,
): SharedV4ProviderOptions | undefined {
  if (data === undefined || dataKeys === undefined) return data
  const own = Object.entries(data).filter(([key]) => dataKeys.includes(key))
  if (own.length === 0) return undefined
  return own.length === Object.keys(data).length ? data : Object.fromEntries(own)
}

function withData<Part extends AssistantPart>(part: Part, data: SharedV4ProviderOptions | undefined): Part {
  const { providerOptions: _, ...rest } = part
  return (data ? { ...rest, providerOptions: data } : rest) as Part // the same part but for its data
}

/** A result under the id of its call on the wire; nothing for a call that there is not, or that was answered before. */
function answerTo(part: ToolPart, open: OpenCall[]): readonly ToolPart[] {
  if (part.type !== 'tool-result') return [part]
  const place = open.findIndex(({ stored }) => stored === part.toolCallId)
  const [call] = place === -1 ? [] : open.splice(place, 1)
  if (!call) return []
  const { output } = part
  const isBlank = (output.type === 'text' || output.type === 'error-text') && output.value.trim() === ''
  if (!isBlank && call.id === part.toolCallId) return [part]
  const filled: ToolResultPart['output'] = isBlank ? { ...output, value: '(no output)' } : output
  return [{ ...part, toolCallId: call.id, output: filled }]
}

/** Adds a message, together with its neighbor when both have one role. */
function add(fitted: LanguageModelV4Message[], message: LanguageModelV4Message, rules: WireRules): void {
  const last = fitted.at(-1)
  if (message.role === 'assistant' && (last === undefined || last.role === 'system')) {
    fitted.push(question(placeholder), message)
  } else if (message.role === 'user' && last?.role === 'user') {
    fitted[fitted.length - 1] = { ...last, content: joinTexts(last.content, message.content) }
  } else if (message.role === 'assistant' && last?.role === 'assistant') {
    fitted[fitted.length - 1] = { ...last, content: [...last.content, ...message.content] }
  } else if (message.role === 'tool' && last?.role === 'tool') {
    fitted[fitted.length - 1] = { ...last, content: [...last.content, ...message.content] }
  } else {
    if (message.role === 'user' && last?.role === 'tool' && rules.answersBeforeUser) {
      fitted.push({ role: 'assistant', content: [{ type: 'text', text: placeholder }] })
    }
    fitted.push(message)
  }
}

/** One text instead of two neighbors: servers with a chat template of their own may read only texts. */
function joinTexts(before: UserMessage['content'], after: UserMessage['content']): UserMessage['content'] {
  const last = before.at(-1)
  const [first, ...rest] = after
  if (last?.type !== 'text' || first?.type !== 'text') return [...before, ...after]
  return [...before.slice(0, -1), { ...last, text: `${last.text}\n\n${first.text}` }, ...rest]
}

/** Ids that every provider accepts: OpenAI allows 40 characters, Anthropic letters, digits, `_` and `-`. */
const acceptedId = /^[A-Za-z0-9_-]{1,40}$/
const notAllowed = /[^A-Za-z0-9_-]/g
const maxIdLength = 40

/** Gives tool calls ids that every provider accepts, each once in a prompt. Stored ids stay as they are. */
interface CallIds {
  /** The id on the wire of a call that comes now; the same history always gets the same ids, so prompt caches keep working. */
  take(id: string): string
}

function createCallIds(): CallIds {
  const taken = new Set<string>()
  // Some servers give every call of a conversation one id: what comes next is kept, not counted anew.
  const nextNumbers = new Map<string, number>()
  return {
    take(id) {
      const base = acceptedId.test(id) ? id : `${id.replace(notAllowed, '_').slice(0, 31)}_${hash(id)}`
      let wire = base
      let number = nextNumbers.get(base) ?? 2
      for (; taken.has(wire); number += 1) {
        const suffix = `_${number}`
        wire = base.slice(0, maxIdLength - suffix.length) + suffix
      }
      nextNumbers.set(base, number)
      taken.add(wire)
      return wire
    },
  }
}

/** Eight hexadecimal digits (FNV-1a), so that long ids with one beginning stay apart. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return (value >>> 0).toString(16).padStart(8, '0')
}

/**
 * Gives reasoning details of OpenRouter the ids that their calls have on the wire: a signature names the call that it is for.
 *
 * @param ids - ids on the wire by the stored ones, of the calls of one answer that have another there
 */
function renameDetails(parts: readonly AssistantPart[], ids: ReadonlyMap<string, string>): AssistantPart[] {
  if (ids.size === 0) return [...parts]
  return parts.map((part) => {
    const data = part.type === 'reasoning' ? part.providerOptions : undefined
    const details = data?.['openrouter']?.['reasoning_details']
    if (!data || !Array.isArray(details)) return part
    const renamed = (details as readonly JSONValue[]).map((detail): JSONValue => {
      if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return detail
      const fields = detail as JSONObject // no list, so an object
      const wire = typeof fields['id'] === 'string' ? ids.get(fields['id']) : undefined
      return wire === undefined ? fields : { ...fields, id: wire }
    })
    const providerOptions: SharedV4ProviderOptions = { ...data, openrouter: { reasoning_details: renamed } }
    return { ...part, providerOptions }
  })
}

/** Key under which the runtime notes who wrote reasoning that has no data of its provider. Never sent. */
const ownerKey = 'homeward'

/** The provider that wrote a part, as {@link ownReasoning} noted it. */
function reasoningOwner(data: SharedV4ProviderMetadata | undefined): string | undefined {
  const provider = data?.[ownerKey]?.['provider']
  return typeof provider === 'string' ? provider : undefined
}

/** What is stored with reasoning that has no data of its provider, so that it goes back to nobody else. */
export const ownReasoning = (provider: string): SharedV4ProviderMetadata => ({ [ownerKey]: { provider } })
