import type { Json } from '@homeward/contract/agent-platform'
import { cleanLine, toSafeJson } from '../../terminal/clean-text.ts'
import type { ApprovalPart, ToolPart, Turn, TurnFile } from '@homeward/contract/runs'

/** A value on one line, cut to a length that no terminal is wide enough for. */
function toLine(value: Json | undefined, maxLength = 500): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const line = cleanLine(text.slice(0, maxLength * 4))
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}

const isEmptyObject = (value: Json) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Arguments on one line: `text: "a b c", limit: 3`. */
function toArguments(args: Json): string {
  if (args === null || isEmptyObject(args)) return ''
  if (typeof args !== 'object' || Array.isArray(args)) return toLine(args)
  return Object.entries(args)
    .map(([name, value]) => `${cleanLine(name)}: ${toLine(JSON.stringify(value), 200)}`)
    .join(', ')
}

const toolMarks = { running: '…', done: '✓', failed: '✗' } as const

/** A tool call on one line, with the state of its result. */
export function toToolLine({ name, args, state, progress, result, error }: ToolPart): string {
  const call = `${toolMarks[state]} ${cleanLine(name)}(${toArguments(args)})`
  const outcome = state === 'running' ? toLine(progress) : state === 'failed' ? toLine(error) : toLine(result)
  return outcome === '' ? call : `${call} → ${outcome}`
}

/** What the model thinks, on one line: the newest words while it thinks. */
export function toReasoningLine(text: string, isThinking: boolean): string {
  if (!isThinking) return `∴ Thought: ${toLine(text)}`
  const words = cleanLine(text.slice(-2000))
  return `∴ Thinking: ${words.length > 200 ? `…${words.slice(-199)}` : words}`
}

/** A file that the model made, and where its bytes are. */
export const toFileLine = ({ id, name, bytes }: TurnFile, url: string) =>
  `▪ ${cleanLine(name)} (${formatBytes(bytes)}): ${url}/api/files/${id}`

/** Bytes as people read them. */
function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`
}

/** The question about a call that waits. */
export const toQuestion = ({ tool, args }: Pick<ApprovalPart, 'tool' | 'args'>) =>
  `Approve ${cleanLine(tool)}(${toArguments(args)})?`

/** The arguments of a call that waits, whole. */
export function toDetails({ tool, args }: Pick<ApprovalPart, 'tool' | 'args'>): string {
  return `${cleanLine(tool)} would be called with:\n${toSafeJson(args, 2)}`
}

/** Lines below an answer: its sources and warnings, and why it ended before its end. */
export function toEndLines(turn: Turn): readonly { readonly text: string; readonly isError: boolean }[] {
  const sources = turn.sources.map((source, index) => {
    const { title = '', place } =
      'url' in source
        ? { title: source.title, place: source.url }
        : { title: source.name, place: source.page === undefined ? '' : `page ${source.page}` }
    return note(`[${index + 1}] ${[cleanLine(title), cleanLine(place)].filter(Boolean).join(' ')}`)
  })
  return [...sources, ...turn.warnings.map((text) => note(`Warning: ${cleanLine(text)}`)), ...toEnd(turn)]
}

const note = (text: string) => ({ text, isError: false })

const stopNotes: Readonly<Record<string, string>> = {
  max_turns: 'Stopped: the agent used all its turns (limits.max_turns).',
  max_tokens: 'Stopped: the answer reached the token limit of the agent.',
  max_runtime: 'Stopped: the run reached its longest duration.',
}

function toEnd({ status, failure, stopReason }: Turn) {
  if (status === 'cancelled') return [note('Stopped.')]
  if (failure) return [{ text: `Failed: ${cleanLine(failure.message)}`, isError: true }]
  const stopNote = stopReason === undefined ? undefined : stopNotes[stopReason]
  return stopNote === undefined ? [] : [note(stopNote)]
}
