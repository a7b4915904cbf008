import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { changeFiles, fileMarkOf, filesIn } from '../../files/prompt-files.ts'
import type { ModelMessage, RefusedContent, RefusedPart } from '../../ports/message.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { StoredMessage } from '../../store/ports/conversation-store.ts'
import { addUsage, countPartial, openCall } from '../loop/ask-model.ts'
import { callModel, type ModelCall } from '../loop/call.ts'
import { userMessage } from '../loop/prompt.ts'
import type { Run } from '../loop/run.ts'

/** Calls that find out what a provider refuses. */
const maxProbes = 4

/** Asks whether the provider takes the prompt without these parts. @returns undefined when that cannot be told */
type IsAccepted = (what: readonly RefusedContent[]) => Promise<boolean | undefined>

/**
 * Finds out what a provider refuses of a call, and marks it in the conversation. Only parts without which the same prompt is
 * accepted are marked: a wrong setting loses nothing.
 *
 * @returns the error that names the parts; undefined if they are not found
 */
export async function findRefused(
  run: Run,
  call: ModelCall,
  refusal: RuntimeError,
): Promise<RuntimeError | undefined> {
  const { prompt } = call.options
  countPartial(run, refusal)
  let left = maxProbes
  const isAccepted: IsAccepted = async (what) => {
    left -= 1
    return left < 0 ? undefined : isPromptAccepted(run, call, without(prompt, run.taskAt, what))
  }
  for (const group of toGroups(prompt, run.taskAt, refusal.details?.['status'] === 404)) {
    const answer = await isAccepted(group)
    if (answer === undefined) return undefined
    if (!answer) continue
    const what = await narrow(group, isAccepted)
    const subject = describe(prompt, what)
    const note = `The model's provider rejected ${subject}. The conversation continues without it.`
    run.writer.add({ role: 'assistant', parts: [{ type: 'refused', note, what }] })
    return toError(refusal, subject)
  }
  return undefined
}

function toError({ message, details }: RuntimeError, subject: string): RuntimeError {
  const [attempt = '', ...reason] = message.split(' failed: ')
  return new RuntimeError(
    'model_error',
    `${attempt} failed: the provider rejected ${subject} (${reason.join(' failed: ')}). The conversation continues without it. ` +
      'Send something else, or send it in another form.',
    details ? { details } : {},
  )
}

/** Finds a smaller part that is enough. */
async function narrow(
  group: readonly RefusedContent[],
  isAccepted: IsAccepted,
): Promise<readonly RefusedContent[]> {
  let what = group
  while (what.length > 1) {
    const middle = Math.ceil(what.length / 2)
    const halves = [what.slice(0, middle), what.slice(middle)]
    let found: typeof what | undefined
    for (const half of halves) if (!found && (await isAccepted(half))) found = half
    if (!found) break
    what = found
  }
  return what
}

/** What may be refused, the likeliest first: files of this turn, its texts, earlier files and reasoning, everything. */
function toGroups(prompt: LanguageModelV4Prompt, taskAt: number, isGone: boolean): RefusedContent[][] {
  const earlier = prompt.slice(0, taskAt).filter(({ role }) => role !== 'system')
  const own = prompt.slice(taskAt)
  const files = toFiles(own)
  const texts: RefusedContent[] = [{ kind: 'task' }, ...resultsIn(own)]
  const old: RefusedContent[] = toFiles(earlier)
  if (earlier.some(hasReasoning)) old.push({ kind: 'reasoning' })
  // providers report a model or an address that does not exist like this too, and files that a model does not read
  if (isGone) return [files, old].filter(({ length }) => length > 0)
  const all: RefusedContent[][] = [files, [...texts, ...files], old]
  if (earlier.length > 0 || own.length > 1) all.push([{ kind: 'all' }])
  return all.filter(({ length }) => length > 0)
}

function toFiles(prompt: LanguageModelV4Prompt): RefusedContent[] {
  const ids = new Set(filesIn(prompt).map(fileIdOf))
  return [...ids].flatMap((id) => (id === undefined ? [] : [{ kind: 'file', id }]))
}

const fileIdOf = (part: ReturnType<typeof filesIn>[number]) =>
  part.data.type === 'reference' && fileMarkOf(part) ? part.data.reference['homeward'] : undefined

const resultsIn = (prompt: LanguageModelV4Prompt): RefusedContent[] =>
  prompt.flatMap(({ role, content }) =>
    role === 'tool'
      ? content.flatMap((part) =>
          part.type === 'tool-result' ? [{ kind: 'result' as const, id: part.toolCallId }] : [],
        )
      : [],
  )

const hasReasoning = ({ role, content }: LanguageModelV4Message) =>
  role === 'assistant' &&
  content.some((part) => part.type === 'reasoning' || (part.type !== 'file' && part.providerOptions))

/** Sends a prompt until its answer begins. Its usage counts for the run. */
async function isPromptAccepted(
  run: Run,
  call: ModelCall,
  prompt: LanguageModelV4Prompt,
): Promise<boolean | undefined> {
  const begun = new AbortController()
  const stop = () => begun.abort(new Error('The provider accepts the prompt'))
  const signal = AbortSignal.any([run.signal, begun.signal])
  const startedAtMs = openCall(run)
  let isRefused = false
  const { onRetry: _, stages = [], ...same } = call
  try {
    const turn = await callModel(run.context, run.chain, {
      ...same,
      options: { ...call.options, prompt, abortSignal: signal },
      signal,
      // a prompt that ends before the task cannot be fitted, and need not
      stages: prompt.length > run.taskAt ? stages : stages.filter(({ name }) => name !== 'window'),
      listener: { onDelta: stop, onPart: stop },
      isProbe: true,
      async findRefused() {
        isRefused = true
        return undefined
      },
    })
    addUsage(run, turn, { startedAtMs })
    return true
  } catch (cause) {
    run.signal.throwIfAborted()
    countPartial(run, cause)
    if (begun.signal.aborted) return true
    return isRefused ? false : undefined
  }
}

/** Words for people. */
function describe(prompt: LanguageModelV4Prompt, what: readonly RefusedContent[]): string {
  const names = new Map(filesIn(prompt).map((part) => [fileIdOf(part), part.filename ?? 'file']))
  const tools = new Map(
    prompt.flatMap(({ role, content }) =>
      role === 'tool'
        ? content.flatMap((part) =>
            part.type === 'tool-result' ? [[part.toolCallId, part.toolName] as const] : [],
          )
        : [],
    ),
  )
  const words = what.map((one) => {
    if (one.kind === 'file') return `the file "${names.get(one.id) ?? 'file'}"`
    if (one.kind === 'result') return `the result of the tool "${tools.get(one.id) ?? 'tool'}"`
    if (one.kind === 'task') return 'the text of the message'
    return one.kind === 'reasoning' ? 'earlier reasoning' : 'the messages of the conversation up to here'
  })
  const last = words.pop() ?? ''
  return words.length > 0 ? `${words.join(', ')} and ${last}` : last
}

/** What is not shown of a message. */
interface Hidden {
  readonly files: ReadonlySet<string>
  /** Whether its text is not shown, if it is a person's. */
  readonly text: boolean
  /** Ids of calls. */
  readonly results: ReadonlySet<string>
  readonly reasoning: boolean
}

const nothing: ReadonlySet<string> = new Set()
const hiddenText = "[This text is not shown: the model's provider rejected it.]"
const hiddenStart = "[Earlier messages are not shown: the model's provider rejected them.]"

const idsOf = (what: readonly RefusedContent[], kind: 'file' | 'result'): ReadonlySet<string> =>
  new Set(what.flatMap((one) => (one.kind === kind ? [one.id] : [])))

const has = (what: readonly RefusedContent[], kind: RefusedContent['kind']) =>
  what.some((one) => one.kind === kind)

function without(
  prompt: LanguageModelV4Prompt,
  taskAt: number,
  what: readonly RefusedContent[],
): LanguageModelV4Prompt {
  if (has(what, 'all')) return [...prompt.filter(({ role }) => role === 'system'), userMessage(hiddenStart)]
  const files = idsOf(what, 'file')
  const results = idsOf(what, 'result')
  const [task, reasoning] = [has(what, 'task'), has(what, 'reasoning')]
  return prompt.map((message, at) =>
    hide(message, {
      files,
      text: task && at === taskAt,
      results: at > taskAt ? results : nothing,
      reasoning: reasoning && at < taskAt,
    }),
  )
}

function hide(message: LanguageModelV4Message, hidden: Hidden): LanguageModelV4Message {
  const shown = hideTexts(message, hidden)
  return hidden.files.size > 0 ? (changeFiles([shown], toShownFile(hidden))[0] ?? shown) : shown
}

function hideTexts(
  message: LanguageModelV4Message,
  { text, results, reasoning }: Hidden,
): LanguageModelV4Message {
  if (message.role === 'user' && text) {
    const content = message.content.map((part) =>
      part.type === 'text' ? { ...part, text: hiddenText } : part,
    )
    return { ...message, content }
  }
  if (message.role === 'tool' && results.size > 0) {
    const content = message.content.map((part) =>
      part.type === 'tool-result' && results.has(part.toolCallId)
        ? { ...part, output: { type: 'text' as const, value: hiddenText } }
        : part,
    )
    return { ...message, content }
  }
  if (message.role !== 'assistant' || !reasoning) return message
  return { ...message, content: message.content.filter(({ type }) => type !== 'reasoning').map(withoutData) }
}

const toShownFile =
  ({ files }: Hidden) =>
  (part: ReturnType<typeof filesIn>[number]) => {
    const id = fileIdOf(part)
    if (id === undefined || !files.has(id)) return part
    const name = part.filename ?? 'file'
    return {
      type: 'text' as const,
      text: `[The file "${name}" is not shown: the model's provider rejected it.]`,
    }
  }

/** A part without what a provider attached to it. A file keeps what says where its bytes are. */
function withoutData<Part extends { readonly providerOptions?: unknown }>(part: Part): Part {
  if (part.providerOptions === undefined || ('type' in part && part.type === 'file')) return part
  const { providerOptions: _, ...plain } = part
  return plain as Part // only an optional field is gone
}

/** Shows a run the earlier messages of its conversation without what a provider has refused of them. */
export function showAccepted(run: Run, messages: readonly StoredMessage[]): void {
  const marks = messages.flatMap((stored, at) =>
    marksOf(stored.message).map(({ what }) => ({ ...stored, at, what })),
  )
  const files = new Set(marks.flatMap(({ what }) => [...idsOf(what, 'file')]))
  const lastOf = (kind: RefusedContent['kind']) => marks.findLast(({ what }) => has(what, kind))?.at ?? -1
  const [startAfter, reasoningBefore] = [lastOf('all'), lastOf('reasoning')]
  const hiddenTexts = new Set(
    marks.filter(({ what }) => has(what, 'task')).map((mark) => questionOf(messages, mark)),
  )
  if (startAfter >= 0) run.show({ role: 'user', text: hiddenStart }, true)
  for (const [at, stored] of messages.entries()) {
    const { message, runId } = stored
    if (at <= startAfter || isOnlyMark(message)) continue
    const own = marks.filter((mark) => mark.runId === runId && mark.at > at)
    const hidden: Hidden = {
      files,
      text: hiddenTexts.has(stored),
      results:
        message.role === 'tool' ? new Set(own.flatMap(({ what }) => [...idsOf(what, 'result')])) : nothing,
      reasoning: at < reasoningBefore,
    }
    run.show(message, true, (shown) => hide(shown, hidden))
  }
}

const marksOf = (message: ModelMessage): RefusedPart[] =>
  message.role === 'assistant' ? message.parts.flatMap((part) => (part.type === 'refused' ? [part] : [])) : []

const isOnlyMark = (message: ModelMessage) =>
  message.role === 'assistant' && message.parts.every(({ type }) => type === 'refused')

/** The message that a turn answered: its own, or that of another run, which it answers again. */
function questionOf(
  messages: readonly StoredMessage[],
  { at, runId }: { readonly at: number; readonly runId?: string },
): StoredMessage | undefined {
  const before = messages.slice(0, at).filter(({ message }) => message.role === 'user')
  return before.findLast((stored) => stored.runId === runId) ?? before.at(-1)
}
