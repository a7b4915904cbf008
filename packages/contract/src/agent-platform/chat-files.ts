import { readDataUrl } from './data-url.ts'

/** A file of a chat's message, as a request for a run takes it. */
interface ChatFile {
  readonly name?: string
  readonly media_type: unknown
  readonly data: string | Uint8Array
}

/** Files of a message of the AI SDK; undefined without any. Files at other addresses are left out. */
export function filesOf(message: Readonly<Record<string, unknown>>): ChatFile[] | undefined {
  const files = partsOf(message).flatMap((part) => (isFile(part) ? [toChatFile(part)].filter(isPresent) : []))
  return files.length > 0 ? files : undefined
}

/** Place of the first file that is not in the message itself, among its parts. */
export function findRemoteFile(message: unknown): number | undefined {
  const place = partsOf(message).findIndex((part) => isFile(part) && toChatFile(part) === undefined)
  return place < 0 ? undefined : place
}

function toChatFile({ url, mediaType, filename }: FilePart): ChatFile | undefined {
  const read = typeof url === 'string' ? readDataUrl(url) : undefined
  if (!read) return undefined
  const name = typeof filename === 'string' && { name: filename }
  return { ...name, media_type: mediaType ?? read.mediaType, data: read.data }
}

interface FilePart {
  readonly url?: unknown
  readonly mediaType?: unknown
  readonly filename?: unknown
}

function partsOf(message: unknown): readonly unknown[] {
  const parts: unknown =
    typeof message === 'object' && message !== null ? Reflect.get(message, 'parts') : undefined
  return Array.isArray(parts) ? parts : []
}

const isFile = (part: unknown): part is FilePart =>
  typeof part === 'object' && part !== null && Reflect.get(part, 'type') === 'file'

const isPresent = (file: ChatFile | undefined): file is ChatFile => file !== undefined
