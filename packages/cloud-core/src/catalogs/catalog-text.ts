import { type CatalogFile, catalogLimits } from '@homeward/contract/device-cloud'
import { payloadTooLarge, validationError } from '@homeward/contract/handler'
import { sleep } from '@homeward/kit'

/** How long reading may hold the event loop, in milliseconds. */
const turnMs = 10

/**
 * Decompresses a catalog, and gives its text in parts of whole lines: a few kilobytes are in memory at a time, and the event
 * loop gets its turns.
 *
 * @throws {HttpError} 400 if it is not gzip-compressed UTF-8 or a line is too long, 413 if the text is too large.
 */
export async function* readCatalogText(content: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const gunzip = new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array> // it takes any bytes
  let [bytes, rest] = [0, '']
  let startedAt = performance.now()
  try {
    for await (const chunk of content.pipeThrough(gunzip)) {
      bytes += chunk.length
      if (bytes > catalogLimits.bytes) throw payloadTooLarge('The text of the catalog', catalogLimits.bytes)
      const text = rest + decoder.decode(chunk, { stream: true })
      const end = text.lastIndexOf('\n') + 1
      rest = text.slice(end)
      if (rest.length > catalogLimits.lineBytes) throw longLine()
      if (end > 0) yield text.slice(0, end)
      if (performance.now() - startedAt < turnMs) continue
      await sleep(0)
      startedAt = performance.now()
    }
    rest += decoder.decode()
  } catch (error) {
    throw error instanceof TypeError ? unreadable(error) : error
  }
  if (rest !== '') yield rest
}

/** What `DecompressionStream` and `TextDecoder` say of bytes that they cannot read. */
const unreadable = (cause: TypeError) =>
  Object.assign(validationError('body: must be NDJSON in UTF-8, compressed by gzip'), { cause })

const longLine = () => validationError(`body: a line has more than ${catalogLimits.lineBytes} bytes`)

/** Lines of a part of a catalog. */
export function* linesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length;) {
    const at = text.indexOf('\n', start)
    const end = at < 0 ? text.length : at
    if (end - start > catalogLimits.lineBytes) throw longLine()
    yield text.slice(start, end)
    start = end + 1
  }
}

/** The rows of a catalog that was checked when it was stored. */
export async function* readCatalogRows(
  content: ReadableStream<Uint8Array>,
): AsyncGenerator<CatalogFile, void> {
  let isHead = true
  for await (const text of readCatalogText(content)) {
    for (const line of linesOf(text)) {
      if (!isHead) yield JSON.parse(line) as CatalogFile
      isHead = false
    }
  }
}
