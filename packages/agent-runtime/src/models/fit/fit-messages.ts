import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { createCallIds } from './call-ids.ts'
import { createHostedFit, isHosted } from './hosted-parts.ts'
import { reasoningOwner } from './reasoning-owner.ts'
import { renameDetails } from './rename-details.ts'
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
