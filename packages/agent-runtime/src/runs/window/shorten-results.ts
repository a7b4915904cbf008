import { createHash } from 'node:crypto'
import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { cut } from '../../json/to-json.ts'
import { resultsFolder } from '../../tools/workspace/stored-results.ts'
import type { ResultFile } from './result-files.ts'

type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>
type Output = LanguageModelV4ToolResultPart['output']

/** A message whose long results are shortened. */
export interface ShortMessage {
  readonly message: ToolMessage
  /** Files that the shortened results name, and that have to be written. */
  readonly files: readonly ResultFile[]
}

/** How results are shortened. */
export interface Shortening {
  /** Longest result that is left, in characters. */
  readonly maxChars: number
  /** Whether line breaks are kept: a result that the model has not read yet is more than a reminder. */
  readonly keepsLines: boolean
  /** Whether the whole results can be kept in files. */
  readonly hasFiles: boolean
}

/**
 * Replaces long results by their beginning and the name of a file with the full result. The name follows from the content: the
 * same result always becomes the same text, in each run and each process.
 */
export function shortenResults(message: ToolMessage, how: Shortening): ShortMessage {
  const files: ResultFile[] = []
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result') return part
    const text = textOf(part.output)
    if (text === undefined) return part
    if (text.length <= how.maxChars) return how.keepsLines ? part : withoutFiles(part, text)
    const known = knownFile(part)
    const path = known ?? (how.hasFiles ? nameOf(text) : undefined)
    if (known === undefined && path !== undefined) files.push({ path, text })
    const value = toShort(text, path, how)
    return { ...part, output: toOutput(part.output, value, how) }
  })
  return { message: { ...message, content }, files }
}

/** A new result keeps its pictures and documents: the model has not seen them yet. */
function toOutput(output: Output, text: string, { keepsLines }: Shortening): Output {
  if (output.type === 'error-text' || output.type === 'error-json') return { type: 'error-text', value: text }
  const files =
    output.type === 'content' && keepsLines ? output.value.filter(({ type }) => type === 'file') : []
  if (files.length === 0) return { type: 'text', value: text }
  return { type: 'content', value: [{ type: 'text', text }, ...files] }
}

/** The names of files instead of the files. */
const withoutFiles = (part: LanguageModelV4ToolResultPart, text: string): LanguageModelV4ToolResultPart =>
  part.output.type === 'content' ? { ...part, output: { type: 'text', value: text } } : part

const nameOf = (text: string) =>
  `${resultsFolder}/${createHash('sha256').update(text).digest('hex').slice(0, 24)}.txt`

function toShort(text: string, path: string | undefined, { maxChars, keepsLines }: Shortening): string {
  const size = `${text.length.toLocaleString('en')} characters`
  const where = path === undefined ? `It had ${size}.` : `All ${size} are in the workspace file ${path}.`
  const head = `[Shortened to fit the context window. ${where}]`
  // beyond what is shown, blanks need not be looked at
  const beginning = cut(text, maxChars)
  const shown = keepsLines ? `\n${beginning}` : ` ${beginning.replaceAll(/\s+/g, ' ').trim()}`
  return cut(head + shown, maxChars).toWellFormed()
}

/** What a result says as text; undefined for a call that was not made. */
function textOf(output: Output): string | undefined {
  if (output.type === 'text' || output.type === 'error-text') return output.value
  if (output.type === 'json' || output.type === 'error-json') return JSON.stringify(output.value, null, 1)
  if (output.type !== 'content') return undefined
  const texts = output.value.map((part) => {
    if (part.type === 'text') return part.text
    return part.type === 'file' ? `[file ${part.filename ?? ''}, ${part.mediaType}]` : `[${part.type}]`
  })
  return texts.join('\n')
}

/** The file that a result is a part of already: reading it again gives the same. */
function knownFile({ toolName, output }: LanguageModelV4ToolResultPart): string | undefined {
  if (toolName !== 'read_file' || output.type !== 'json') return undefined
  const { value } = output
  const path: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'path') : undefined
  return typeof path === 'string' && path.length <= 200 ? path : undefined
}
