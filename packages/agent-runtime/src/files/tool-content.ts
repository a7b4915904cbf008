import { FileBytes, maxFiles } from '@homeward/contract/agent-platform'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { ToolContent, ToolFilePart } from '../ports/tool-content.ts'
import { toNewFiles, type GivenFile, type NewFiles } from './to-files.ts'

/** A result whose files are apart. */
interface TakenFiles extends NewFiles {
  /** The result with a reference in the place of each file. */
  readonly result: JsonObject
}

/** Whether a tool returned files. Any other value is plain JSON. */
export function isToolContent(value: unknown): value is ToolContent {
  if (typeof value !== 'object' || value === null || !('content' in value)) return false
  const { content } = value
  if (!Array.isArray(content) || !content.some(isFile)) return false
  return content.every((part) => isFile(part) || isText(part))
}

const isFile = (part: unknown): part is ToolFilePart =>
  typeof part === 'object' && part !== null && 'type' in part && part.type === 'file' && 'data' in part

const isText = (part: unknown): part is { readonly type: 'text'; readonly text: string } =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  part.type === 'text' &&
  'text' in part &&
  typeof part.text === 'string'

/**
 * Takes the files out of a result.
 *
 * @throws {Error} that says what is wrong with them.
 */
export async function takeFiles(value: ToolContent, createId: () => string): Promise<TakenFiles> {
  const { content, ...others } = value
  const given = content.filter((part) => part.type === 'file').map(toGivenFile)
  if (given.length > maxFiles) throw new Error(`it must have at most ${maxFiles} files`)
  const { files, contents } = await toNewFiles(given, createId)
  let place = 0
  const parts = content.map((part): Json => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    return { type: 'file', ...files[place++] } // there is one for each
  })
  // of a file there are only references left, and the rest was JSON
  return { result: { ...(others as JsonObject), content: parts }, files, contents }
}

function toGivenFile({ media_type, data, name }: ToolFilePart, index: number): GivenFile {
  const which = `file ${index + 1}`
  if (typeof media_type !== 'string' || !/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(media_type))
    throw new Error(`${which} needs a "media_type" such as "image/png"`)
  const read = FileBytes.safeParse(data)
  if (!read.success)
    throw new Error(`the "data" of ${which} ${read.error.issues[0]?.message ?? 'is invalid'}`)
  return {
    media_type: media_type.toLowerCase(),
    data: read.data,
    ...(typeof name === 'string' && { name }),
  }
}
