import { CatalogFile, CatalogHead, catalogLimits } from '@homeward/contract/device-cloud'
import {
  describeIssue,
  describeIssues,
  HttpError,
  payloadTooLarge,
  validationError,
} from '@homeward/contract/handler'
import * as z from 'zod/mini'
import { linesOf, readCatalogText } from './catalog-text.ts'

/** Bytes that are checked while they pass. */
interface CheckedCatalog {
  /** The same bytes. Fails at its end, before they are taken for whole, if they are not a catalog. */
  readonly content: AsyncIterable<Uint8Array>
  /** The first line. @throws {Error} before `content` has ended */
  head(): CatalogHead
}

/**
 * Checks a catalog as it comes in. Its cost for the server is bounded: by the compressed bytes, by the text, by
 * the length of a line, and by the number of rows.
 *
 * The content throws {@link HttpError}: 400 for an invalid catalog, 413 for a catalog that is too large.
 */
export function checkCatalog(body: AsyncIterable<Uint8Array>): CheckedCatalog {
  let checked: CatalogHead | undefined

  async function* pass(): AsyncGenerator<Uint8Array, void> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const rows = readRows(readable)
    rows.catch(() => {}) // asked for below, where the body has not failed before
    let bytes = 0
    try {
      for await (const chunk of uncut(body)) {
        bytes += chunk.length
        if (bytes > catalogLimits.compressedBytes)
          throw payloadTooLarge('The catalog', catalogLimits.compressedBytes)
        // A reader that fails takes no more: its reason is what counts.
        await Promise.race([writer.write(chunk), rows])
        yield chunk
      }
      await Promise.race([writer.close(), rows])
      checked = await rows
    } finally {
      writer.abort().catch(() => {})
    }
  }

  return {
    content: pass(),
    head() {
      if (checked === undefined)
        throw new Error('Reading the head of a catalog failed: it is not checked yet.')
      return checked
    },
  }
}

/** The first line of a catalog whose lines are all as they must be. */
async function readRows(compressed: ReadableStream<Uint8Array>): Promise<CatalogHead> {
  let head: CatalogHead | undefined
  let rows = 0
  for await (const text of readCatalogText(compressed)) {
    for (const line of linesOf(text)) {
      if (head === undefined) {
        head = parseLine(CatalogHead, line, 1)
        continue
      }
      rows += 1
      if (rows > catalogLimits.files)
        throw validationError(`body: must have at most ${catalogLimits.files} rows`)
      parseLine(CatalogFile, line, rows + 1)
    }
  }
  if (head === undefined) throw validationError('body: is empty, expected a first line {"asOf", "files"}')
  if (rows !== head.files) throw validationError(`files: is ${head.files}, but the body has ${rows} rows`)
  return head
}

function parseLine<Row>(schema: z.ZodMiniType<Row>, line: string, number: number): Row {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw validationError(`body: line ${number} is not valid JSON`)
  }
  const parsed = z.safeParse(schema, value, { error: describeIssue })
  if (parsed.success) return parsed.data
  throw validationError(`body: line ${number}: ${describeIssues(parsed.error.issues, 'row')}`)
}

/** The same bytes. A connection that was cut is not a failure of the server. */
async function* uncut(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw Object.assign(validationError('body: the connection was cut'), { cause: error })
  }
}
