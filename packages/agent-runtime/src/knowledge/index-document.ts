import { sleep } from '@homeward/kit'
import type { DocumentPart, DocumentReader } from '@homeward/kit/documents'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import type { Embedder } from '../memory/embedder.ts'
import type { Logger } from '../ports/logger.ts'
import { reasonOf } from '../ports/reason-of.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { ClaimedDocument, DocumentChunk, DocumentStore } from '../store/ports/document-store.ts'
import { toChunks } from './chunk-text.ts'
import { formatOf, unknownKind, whyUnread } from './document-kind.ts'

/** What {@link createIndexDocument} is built from. */
export interface IndexDocumentOptions {
  readonly store: DocumentStore
  readonly reader: DocumentReader
  /** Makes vectors of passages. @default none: they are found by words only */
  readonly embedder?: Embedder | undefined
  readonly owner: string
  /** How long a document stays with its owner, in milliseconds, if nothing is heard of it. */
  readonly leaseMs: number
  readonly logger: Logger
  readonly now: () => number
}

/** How often a document may be taken up: what ends its process again and again must not do so forever. */
const maxAttempts = 5
/** Passages of a document. */
const maxChunks = 20_000
/** Passages that are written at once: a few milliseconds of work. */
const chunksAtOnce = 16
/** Passages that are counted at once: a few milliseconds of work. */
const chunksCountedAtOnce = 256
/** Pauses before an embedding model is called again, in milliseconds. */
const embedPausesMs = [1000, 5000, 20_000]

/** What a document has failed with. */
class Unindexed extends Error {}
/** Another process has the document, or it was deleted. */
class Lost extends Error {}

/** What reads the text of a claimed document. */
function createReadText({ store, reader }: IndexDocumentOptions) {
  async function readBytes({ id, bytes }: ClaimedDocument, signal: AbortSignal): Promise<Uint8Array> {
    const content = new Uint8Array(bytes)
    let size = 0
    for (let place = 0; size < bytes; place += 1) {
      const piece = await store.readDocumentPiece(id, place, signal)
      if (!piece)
        throw new Unindexed('Reading the document failed: its bytes are incomplete. Upload it again.')
      content.set(piece, size)
      size += piece.length
      await yieldToEventLoop() // the store may give all of them without a pause
    }
    return content
  }

  return async function readText(document: ClaimedDocument, signal: AbortSignal) {
    const format = formatOf(document.name, document.mediaType)
    if (!format) throw new Unindexed(unknownKind(document.mediaType))
    const read = await reader.read(format, await readBytes(document, signal), signal)
    if (read.outcome === 'unread') throw new Unindexed(whyUnread(read.reason, format))
    if (read.truncated) throw tooLong()
    return read
  }
}

/** What gives passages their vectors. */
function createEmbed({ embedder }: IndexDocumentOptions) {
  return async function embed(
    chunks: readonly DocumentChunk[],
    signal: AbortSignal,
  ): Promise<readonly DocumentChunk[]> {
    if (!embedder || chunks.length === 0) return chunks
    const texts = chunks.map(({ heading, text }) => (heading === undefined ? text : `${heading}\n${text}`))
    for (const pauseMs of [...embedPausesMs, undefined]) {
      try {
        const { model, embeddings } = await embedder.embedTexts(texts, signal)
        return chunks.map((chunk, index) => ({
          ...chunk,
          embedded: { embeddingModel: model, embedding: Float32Array.from(embeddings[index] ?? []) },
        }))
      } catch (error) {
        signal.throwIfAborted()
        if (!RuntimeError.is(error)) throw error
        if (pauseMs === undefined)
          throw new Unindexed(
            'Reading the document failed: the embedding model cannot be reached. Upload the document again.',
            { cause: error },
          )
        await sleep(pauseMs, signal)
      }
    }
    return chunks
  }
}

/** Counted before the first is written, or paid to an embedding model. @throws {Unindexed} if a document may not have so many */
async function countChunks(parts: readonly DocumentPart[]): Promise<number> {
  let count = 0
  for (const _ of toChunks(parts)) {
    count += 1
    if (count > maxChunks) throw tooLong()
    if (count % chunksCountedAtOnce === 0) await yieldToEventLoop()
  }
  return count
}

/** Builds the function that reads a claimed document and makes it ready, or failed. An abort leaves it in the queue. */
export function createIndexDocument(options: IndexDocumentOptions) {
  const { store, owner, leaseMs, logger, now } = options
  const readText = createReadText(options)
  const embed = createEmbed(options)
  const until = () => new Date(now() + leaseMs).toISOString()

  async function index(document: ClaimedDocument, signal: AbortSignal) {
    const { id: documentId, collectionId, attempts } = document
    if (attempts > maxAttempts)
      throw new Unindexed(
        `Reading the document failed: the server stopped ${maxAttempts} times while reading it. Split the document, then upload it again.`,
      )
    const { parts, pages } = await readText(document, signal)
    const chunks = await countChunks(parts)
    const before = new Date(0).toISOString()
    // what an earlier attempt has left
    while (await store.sweepDocuments({ before, documentId }, signal)) await yieldToEventLoop()
    let batch: DocumentChunk[] = []
    const write = async () => {
      const isOwn = await store.addDocumentChunks(
        { collectionId, documentId, owner, until: until(), chunks: await embed(batch, signal) },
        signal,
      )
      if (!isOwn) throw new Lost()
      batch = []
      await yieldToEventLoop()
    }
    for (const chunk of toChunks(parts)) {
      batch.push(chunk)
      if (batch.length === chunksAtOnce) await write()
    }
    await write()
    return { chunks, ...(pages !== undefined && { pages }) }
  }

  /** Says again and again that the document is in work. */
  function keep({ id: documentId, collectionId }: ClaimedDocument, lose: () => void) {
    return setInterval(
      () => {
        void store
          .addDocumentChunks({ collectionId, documentId, owner, until: until(), chunks: [] })
          .then((isOwn) => isOwn || lose())
          .catch((error: unknown) =>
            logger.warn('Saving a document failed. Retrying.', {
              documentId,
              reason: reasonOf(error),
            }),
          )
      },
      Math.floor(leaseMs / 3),
    )
  }

  return async (document: ClaimedDocument, signal: AbortSignal): Promise<void> => {
    const { id: documentId, collectionId } = document
    const lost = new AbortController()
    const timer = keep(document, () => lost.abort(new Lost()))
    try {
      const ready = await index(document, AbortSignal.any([signal, lost.signal]))
      await store.finishDocument({ collectionId, documentId, owner, ready }, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Lost) return
      if (!(error instanceof Unindexed)) throw error
      await store.finishDocument({ collectionId, documentId, owner, error: error.message }, signal)
    } finally {
      clearInterval(timer)
      lost.abort()
    }
  }
}

const tooLong = () =>
  new Unindexed('Reading the document failed: its text is too long. Split it into several documents.')
