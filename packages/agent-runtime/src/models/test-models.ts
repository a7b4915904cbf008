import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Model } from '../ports/model.ts'
import { sleep } from '@homeward/kit'
import { cut } from '../json/to-json.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { streamOf, toGenerateResult, toModelUsage, toStreamParts, type ModelAnswer } from './model-answer.ts'
import { planNextCall, planToolCall } from './plan-tool-call.ts'

/** What a trial model says: text, or one tool call. */
type TrialAnswer =
  | { readonly text: string }
  | {
      readonly call: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
      /** Time to wait before the call. */
      readonly afterMs?: number
    }

/** How often it reads pending results again. The pause doubles each time. */
const rereads = { most: 4, firstMs: 250 }

const trialModels: Readonly<Record<string, (call: LanguageModelV4CallOptions) => TrialAnswer>> = {
  echo: (call) => ({ text: lastTask(call) }),
  tools: answerWithTool,
}

/**
 * Gives a model of the built-in provider `test`, which needs no key and no network:
 *
 * - `test/echo` answers with the task.
 * - `test/tools` calls the tool that fits the task best, once, and answers with its result, JSON as a block of Markdown.
 *   Tools of skills go before the built-in ones. A JSON object in the task is taken as the arguments, or as
 *   `{"tool": …, "args": {…}}`; otherwise required arguments are filled from the task, and where none is required, a text
 *   that it quotes is given. For a tool that requires ids it first calls `<first word>_list`, and after it `<tool>_results`, if there
 *   are such tools. It reads pending results again, for 4 s at most. If no tool fits, it says in plain words what it is.
 *
 * Both count four characters as a token, and stop at the token limit of the call.
 *
 * @throws {RuntimeError} `validation_error` for any other id.
 */
export function createTestModel(modelId: string): Model {
  const trial = Object.hasOwn(trialModels, modelId) ? trialModels[modelId] : undefined
  if (!trial) {
    const known = Object.keys(trialModels).map((id) => `test/${id}`)
    throw new RuntimeError(
      'validation_error',
      `Choosing the model failed: no built-in model has the name "${cut(modelId, 100)}". Use ${known.join(' or ')}.`,
    )
  }
  const answer = async (call: LanguageModelV4CallOptions): Promise<ModelAnswer> => {
    call.abortSignal?.throwIfAborted()
    const given = trial(call)
    if ('call' in given && given.afterMs !== undefined) await sleep(given.afterMs, call.abortSignal)
    return toAnswer(given, call)
  }
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId,
    supportedUrls: {},
    doGenerate: async (call) => toGenerateResult(await answer(call)),
    doStream: async (call) => ({ stream: streamOf(toStreamParts(await answer(call))) }),
  }
}

function toAnswer(trial: TrialAnswer, call: LanguageModelV4CallOptions): ModelAnswer {
  const input = Math.ceil(promptLength(call) / 4)
  if ('call' in trial) {
    const text = JSON.stringify(trial.call.args)
    return {
      text: [],
      // One call at a time: the number of messages tells this call from those of other turns.
      calls: [{ id: `call-${call.prompt.length}`, name: trial.call.name, input: text }],
      usage: toModelUsage(input, Math.ceil(text.length / 4)),
      finish: 'tool-calls',
    }
  }
  const cap = (call.maxOutputTokens ?? Infinity) * 4
  const text = trial.text.slice(0, cap)
  return {
    text: text.match(/\S+\s*|\s+/g) ?? [],
    calls: [],
    usage: toModelUsage(input, Math.ceil(text.length / 4)),
    finish: text.length < trial.text.length ? 'length' : 'stop',
  }
}

const whatItIs =
  'I am the built-in test model, not a language model. I only call the tool that best matches your words and show what it ' +
  'returned. Connect a model provider to get real answers.'

function answerWithTool(call: LanguageModelV4CallOptions): TrialAnswer {
  const last = call.prompt.at(-1)
  const task = lastTask(call)
  if (last?.role === 'tool') {
    const done = last.content.findLast((part) => part.type === 'tool-result')
    const isUsable = done && /^(?:json|text)$/.test(done.output.type)
    const next = isUsable
      ? planNextCall(task, call.tools ?? [], done.toolName, JSON.stringify(done.output))
      : undefined
    if (next) return { call: next }
    return rereadOf(call.prompt) ?? { text: tellResults(last.content) }
  }
  const planned = planToolCall(task, call.tools ?? [])
  return planned ? { call: planned } : { text: whatItIs }
}

/** The last call again if its results are pending. */
function rereadOf(prompt: LanguageModelV4CallOptions['prompt']): TrialAnswer | undefined {
  const [asked, last] = prompt.slice(-2)
  if (asked?.role !== 'assistant' || last?.role !== 'tool') return undefined
  const call = asked.content.findLast((part) => part.type === 'tool-call')
  if (call === undefined || !call.toolName.endsWith('_results')) return undefined
  if (!/\\?"status\\?":\s*\\?"pending/.test(JSON.stringify(last.content))) return undefined
  const start = prompt.findLastIndex(({ role }) => role === 'user')
  const reads = prompt
    .slice(start)
    .filter(
      ({ role, content }) =>
        role === 'tool' &&
        content.some((part) => part.type === 'tool-result' && part.toolName === call.toolName),
    )
  if (reads.length > rereads.most) return undefined
  const args = call.input as Record<string, unknown> // `toAnswer` wrote it
  return { call: { name: call.toolName, args }, afterMs: rereads.firstMs * 2 ** (reads.length - 1) }
}

type ToolContent = Extract<LanguageModelV4CallOptions['prompt'][number], { role: 'tool' }>['content']

function tellResults(content: ToolContent): string {
  const told = content.map((part) => {
    if (part.type !== 'tool-result') return ''
    const { output } = part
    if (output.type === 'text') return `${part.toolName} answered: ${output.value}`
    if (output.type === 'error-text') return `${part.toolName} failed: ${output.value}`
    if (output.type === 'json') return `${part.toolName} answered:\n${toCodeBlock(output.value)}`
    return `${part.toolName} was not run.`
  })
  return told.filter(Boolean).join('\n')
}

const toCodeBlock = (value: unknown) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``

/** Text of the newest message that a person wrote. */
function lastTask(call: LanguageModelV4CallOptions): string {
  const message = call.prompt.findLast(({ role }) => role === 'user')
  if (message?.role !== 'user') return ''
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function promptLength(call: LanguageModelV4CallOptions): number {
  return call.prompt.reduce((sum, { content }) => {
    return sum + (typeof content === 'string' ? content.length : JSON.stringify(content).length)
  }, 0)
}
