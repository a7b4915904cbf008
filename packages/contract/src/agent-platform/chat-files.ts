/** A file of a chat's message, as a request for a run takes it. */
interface ChatFile {
  readonly name?: string
  readonly media_type: unknown
  readonly data: string | Uint8Array
}

/** `data:image/png;base64,…`: media type with parameters, whether it is base64, and the rest. */
const dataUrl = /^data:([^,]*?)(;base64)?,/i

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
  const [start, ownType, isBase64] = (typeof url === 'string' && dataUrl.exec(url)) || []
  if (typeof url !== 'string' || start === undefined) return undefined
  const rest = url.slice(start.length)
  return {
    ...(typeof filename === 'string' && { name: filename }),
    media_type: mediaType ?? (ownType || 'text/plain'),
    // what cannot be decoded is told by the schema: it is no base64 either
    data: isBase64 ? rest : (toUtf8(rest) ?? rest),
  }
}

function toUtf8(encoded: string): Uint8Array | undefined {
  try {
    return new TextEncoder().encode(decodeURIComponent(encoded))
  } catch {
    return undefined
  }
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
