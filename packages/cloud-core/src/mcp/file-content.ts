import type { Upload } from '@homeward/contract/device-cloud'
import type { McpContent } from '@homeward/contract/mcp'
import { gatherBytes, readChunks } from '@homeward/kit'
import type { DeviceToolContext } from './device-tool.ts'

/** Bytes of text that one answer holds: below 1,500 tokens. */
export const shownBytes = 4000
const maxPictureBytes = 1024 * 1024

/** Pictures that clients show to models, by their first bytes. */
const pictures = [
  { mimeType: 'image/png', starts: [0x89, 0x50, 0x4e, 0x47] },
  { mimeType: 'image/jpeg', starts: [0xff, 0xd8, 0xff] },
  { mimeType: 'image/gif', starts: [0x47, 0x49, 0x46, 0x38] },
  { mimeType: 'image/webp', starts: [0x52, 0x49, 0x46, 0x46] },
]

/** What of a file an answer can show. */
interface Shown {
  readonly more: Readonly<Record<string, number | string>>
  readonly content?: readonly McpContent[]
}

/** Reads the part of a stored file that a model can use. */
export async function readFileContent(
  { size = 0, fileUrl = '' }: Upload,
  offset: number,
  context: DeviceToolContext,
): Promise<Shown> {
  if (offset >= size) return { more: { content_note: `The file ends at byte ${size}.` } }
  const bytes = await readPart(fileUrl, offset, Math.min(offset + shownBytes, size), context)
  const picture = pictures.find(({ starts }) => starts.every((byte, place) => bytes[place] === byte))
  if (picture && offset === 0 && size <= maxPictureBytes) {
    const data = toBase64(await readPart(fileUrl, 0, size, context))
    return { more: {}, content: [{ type: 'image', data, mimeType: picture.mimeType }] }
  }
  const text = toText(bytes)
  if (text === undefined) return { more: { content_note: 'Not text. Download the file from "url".' } }
  const next = offset + new TextEncoder().encode(text).length
  return { more: { text, ...(next < size && { next_offset: next }) } }
}

/** The bytes from `start` up to `end`, also where the store of files does not know parts. */
async function readPart(
  fileUrl: string,
  start: number,
  end: number,
  { call, signal }: DeviceToolContext,
): Promise<Uint8Array> {
  const [id = '', fileName = ''] = fileUrl.split('/').slice(-2).map(decodeURIComponent)
  const { status, body } = await call('downloadFile', {
    params: { id, fileName },
    headers: { range: `bytes=${start}-${end - 1}` },
    signal,
  })
  let place = status === 206 ? start : 0
  const gathered = gatherBytes(end - start)
  for await (const chunk of readChunks(body)) {
    gathered.add(chunk.subarray(Math.max(0, start - place), Math.max(0, end - place)))
    place += chunk.length
    if (place >= end) break
  }
  return gathered.bytes()
}

/** The text of the bytes, without a character that is cut at their end; undefined if they are not text. */
function toText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** `Buffer` is not everywhere. */
function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += 8192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192))
  }
  return btoa(binary)
}
