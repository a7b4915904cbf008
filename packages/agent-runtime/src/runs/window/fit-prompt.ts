import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ContextWindow } from './context-windows.ts'
import { planFit, type FitPlan } from './plan-fit.ts'
import type { PromptTokens } from './prompt-tokens.ts'
import { shortenResults, type Shortening, type ShortMessage } from './shorten-results.ts'
import type { ResultFile } from './result-files.ts'

type Prompt = LanguageModelV4CallOptions['prompt']
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>

/** A prompt that fits, and the files that it names. */
interface FittedPrompt {
  readonly prompt: Prompt
  /** Files that have to be in the workspace before the prompt is sent. */
  readonly files: readonly ResultFile[]
}

/** Options of {@link createPromptFit}. */
interface PromptFitOptions {
  readonly tokens: PromptTokens
  /** `provider/model-id`, for errors. */
  readonly model: string
  readonly window: ContextWindow
  /** Whether shortened results name files of the workspace. */
  readonly hasFiles: boolean
}

/**
 * Fits a prompt.
 *
 * @param taskAt place of the task in the prompt
 * @throws {RuntimeError} `validation_error` when the parts that cannot be shortened are larger than the window.
 */
export type PromptFit = (
  prompt: Prompt,
  taskAt: number,
  tools: LanguageModelV4CallOptions['tools'],
) => FittedPrompt

/** Tokens that are left for the answer. */
export const answerReserve = ({ tokens }: ContextWindow): number => Math.min(16_000, Math.floor(tokens / 4))

/** Results of earlier steps, in characters: small windows get fewer. */
const maxReminder = 2000
const minReminder = 300

/**
 * Builds a function that fits prompts into one window (see {@link planFit}). It caches shortened messages, so that a message becomes
 * the same object in each turn.
 */
export function createPromptFit({ tokens, model, window, hasFiles }: PromptFitOptions): PromptFit {
  const shortened = new WeakMap<ToolMessage, ShortMessage>()
  const reminder: Shortening = {
    maxChars: Math.min(maxReminder, Math.max(minReminder, Math.floor(window.tokens / 50))),
    keepsLines: false,
    hasFiles,
  }

  function shorten(message: ToolMessage): ShortMessage {
    let short = shortened.get(message)
    if (!short) shortened.set(message, (short = shortenResults(message, reminder)))
    return short
  }

  return (prompt, taskAt, tools) => {
    const toolTokens = tokens.ofTools(tools)
    if (window.isLearned !== true) assertFits({ model, window, tokens, prompt, taskAt, tools })
    const room = Math.max(0, window.tokens - answerReserve(window) - toolTokens)
    const plan = planFit({
      prompt,
      taskAt,
      room,
      tokensOf: tokens.ofMessage,
      shortTokensOf: (message) => {
        if (message.role !== 'tool') return tokens.ofMessage(message)
        return Math.min(tokens.ofMessage(message), tokens.ofMessage(shorten(message).message))
      },
    })
    const newestAt = prompt.findLastIndex(({ role }) => role === 'tool')
    const newest = prompt[newestAt]
    const excess = plan.tokens - room
    const files: ResultFile[] = []
    const use = (short: ShortMessage) => {
      files.push(...short.files)
      return short.message
    }
    const fitted = prompt.flatMap((message, at): LanguageModelV4Message[] => {
      if (isLeftOut(plan, taskAt, at)) return []
      if (at === taskAt) return [withNotes(message, plan, prompt, taskAt)]
      if (message.role !== 'tool') return [message]
      if (at < plan.shortBefore) return [use(shorten(message))]
      if (message !== newest || excess <= 0) return [message]
      return [use(shortenNewest(message, tokens.ofMessage(message) - excess, tokens, hasFiles))]
    })
    return { prompt: fitted, files }
  }
}

const isLeftOut = ({ historyFrom, stepsFrom }: FitPlan, taskAt: number, at: number) =>
  at < taskAt ? at > 0 && at < historyFrom : at > taskAt && at < stepsFrom

/** Divides the room that is left between new results that are too large for it. */
function shortenNewest(
  message: ToolMessage,
  target: number,
  tokens: PromptTokens,
  hasFiles: boolean,
): ShortMessage {
  const toLength = (maxChars: number) => shortenResults(message, { maxChars, keepsLines: true, hasFiles })
  let maxChars = Math.max(minReminder, Math.floor((target / message.content.length) * 3))
  let short = toLength(maxChars)
  // text without an alphabet has more tokens than a third of its characters
  for (let tries = 0; tries < 4 && maxChars > minReminder; tries += 1) {
    const size = tokens.ofMessage(short.message)
    if (size <= target) break
    maxChars = Math.max(minReminder, Math.floor((maxChars * 0.9 * Math.max(0, target)) / size))
    short = toLength(maxChars)
  }
  return short
}

/** Adds a note before the task if messages or steps were left out. */
function withNotes(
  message: LanguageModelV4Message,
  { historyFrom, stepsFrom }: FitPlan,
  prompt: Prompt,
  taskAt: number,
): LanguageModelV4Message {
  if (message.role !== 'user') return message
  const steps = prompt.slice(taskAt + 1, stepsFrom).filter(({ role }) => role === 'assistant').length
  const notes = [
    ...(historyFrom > 1 ? ['[Earlier messages of this conversation do not fit and are not shown.]'] : []),
    ...(steps > 0 ? [`[The first ${steps} steps of this task do not fit and are not shown.]`] : []),
  ]
  if (notes.length === 0) return message
  return { ...message, content: [{ type: 'text', text: notes.join('\n') }, ...message.content] }
}

/** The parts of a call that cannot be shortened, and the window for them. */
interface FixedParts extends Omit<PromptFitOptions, 'hasFiles'> {
  readonly prompt: Prompt
  readonly taskAt: number
  readonly tools: LanguageModelV4CallOptions['tools']
}

/** Estimates are rather too large, so only a prompt that is far too long fails before it is sent. */
const sureShare = 0.75

function assertFits(parts: FixedParts): void {
  const { fixed, task } = measure(parts)
  if ((fixed + task) * sureShare > parts.window.tokens) throw tooLong(parts)
}

function measure({ prompt, taskAt, tools, tokens }: FixedParts) {
  const [system] = prompt
  const task = prompt[taskAt]
  return {
    fixed: tokens.ofTools(tools) + (system?.role === 'system' ? tokens.ofMessage(system) : 0),
    task: task ? tokens.ofMessage(task) : 0,
  }
}

/** The error for a prompt that cannot be made short enough. */
export function tooLong(parts: FixedParts): RuntimeError {
  const { model, window } = parts
  const { fixed, task } = measure(parts)
  const count = (tokens: number) => tokens.toLocaleString('en')
  const fix =
    fixed > task ? 'Shorten the personality, or offer fewer skills and tools' : 'Send a shorter message'
  return new RuntimeError(
    'validation_error',
    `Calling the model ${model} failed: the prompt does not fit into the context window of ${count(window.tokens)} tokens. ` +
      `The system prompt and the tools use about ${count(fixed)} tokens, the message about ${count(task)}. ` +
      `${fix}, or use a model with a larger window.`,
  )
}
