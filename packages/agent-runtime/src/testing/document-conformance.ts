import { type ConformanceCase, expectAborts, expectSame } from '@homeward/kit/testing'
import type {
  ChunkQuery,
  DocumentChunk,
  NewDocument,
  StoredCollection,
  StoredDocument,
} from '../store/ports/document-store.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { type StoreHarness, storeCase } from './conformance-case.ts'
import { at, oddText } from './conformance-fixtures.ts'

const collectionOf = (id: string, changes: Partial<StoredCollection> = {}): StoredCollection => ({
  id,
  name: oddText,
  perUser: false,
  createdAt: at(0),
  updatedAt: at(0),
  ...changes,
})

const documentOf = (id: string, changes: Partial<NewDocument> = {}): NewDocument => ({
  id,
  collectionId: 'c1',
  name: id,
  mediaType: 'text/plain',
  bytes: 3,
  sha256: `hash of ${id}`,
  createdAt: at(1),
  ...changes,
})

/** Queues a document, and gives it as it is stored. */
async function add(
  store: RuntimeStore,
  id: string,
  changes: Partial<NewDocument> = {},
): Promise<StoredDocument | undefined> {
  await store.addDocumentPiece({ documentId: id, place: 0, bytes: new Uint8Array([1, 2, 3]), at: at(0) })
  const stored = await store.insertDocuments([documentOf(id, changes)], 99)
  return stored ? stored[0] : undefined
}

const claim = (store: RuntimeStore, second = 10, owner = 'o1') =>
  store.claimDocuments({ owner, now: at(second), until: at(second + 10), limit: 9 })

/** Makes a queued document ready. */
async function finish(store: RuntimeStore, documentId: string, texts: readonly (string | DocumentChunk)[]) {
  await claim(store)
  const own = { collectionId: 'c1', documentId, owner: 'o1' }
  const chunks = texts.map((text, place) => (typeof text === 'string' ? { place, text } : text))
  expectSame(await store.addDocumentChunks({ ...own, until: at(30), chunks }), true, 'the chunks')
  expectSame(await store.finishDocument({ ...own, ready: { chunks: texts.length } }), true, 'the end')
}

const search = async (store: RuntimeStore, text: string, changes: Partial<ChunkQuery> = {}) => {
  const found = await store.searchDocuments({ collectionId: 'c1', text, limit: 10, ...changes })
  return found.map((chunk) => `${chunk.documentId}/${chunk.place}`)
}

const sweepAll = async (store: RuntimeStore) => {
  for (let count = 0; count < 50; count += 1) if (!(await store.sweepDocuments({ before: at(0) }))) return
}

const idsOf = async (store: RuntimeStore) => {
  const { rows } = await store.listDocuments({ collectionId: 'c1' }, { limit: 99 })
  return rows.map(({ id, status }) => `${id} ${status}`)
}

/** Promises of `DocumentStore`. */
export const documentStoreConformance: readonly ConformanceCase<StoreHarness<RuntimeStore>>[] = [
  storeCase('keeps collections as they are, by their ids, and no more than allowed', async (store) => {
    const second = collectionOf('c2', { perUser: true, description: oddText })
    expectSame(await store.insertCollection(second, 2), true, 'the first')
    expectSame(await store.insertCollection(collectionOf('c1'), 2), true, 'the second')
    expectSame(await store.insertCollection(collectionOf('c1'), 9), false, 'the same id')
    expectSame(await store.insertCollection(collectionOf('c3'), 2), undefined, 'one too many')
    expectSame(await store.listCollections(), [collectionOf('c1'), second], 'the collections')
    const change = (before: StoredCollection) => ({ ...before, name: 'new', perUser: true })
    const changed = collectionOf('c1', { name: 'new', perUser: true })
    expectSame(await store.changeCollection('c1', change), changed, 'a change')
    expectSame(await store.findCollection('c1'), changed, 'the changed one')
    expectSame(await store.changeCollection('c9', change), undefined, 'a change of none')
    await add(store, 'd1', { userId: 'u1' })
    const back = (before: StoredCollection) => ({ ...before, perUser: false })
    expectSame(await store.changeCollection('c1', back), false, 'a change that documents forbid')
    expectSame(await store.deleteCollection('c1'), true, 'a deletion')
    expectSame(await store.deleteCollection('c1'), false, 'a second deletion')
    expectSame(await store.findDocument('c1', 'd1'), undefined, 'a document of it')
    expectSame(await store.insertDocuments([documentOf('d2')], 9), undefined, 'a document for it')
  }),
  storeCase('queues documents with their pieces, and tells one owner of each', async (store) => {
    await store.insertCollection(collectionOf('c1'), 9)
    const given = documentOf('d1', { userId: 'u1', metadata: { a: oddText }, name: oddText })
    const stored: StoredDocument = { ...given, status: 'queued' }
    expectSame(await add(store, 'd1', given), stored, 'the document')
    expectSame(await store.insertDocuments([documentOf('d2'), documentOf('d3')], 2), false, 'too many')
    expectSame(await store.readDocumentPiece('d1', 0), new Uint8Array([1, 2, 3]), 'its piece')
    expectSame(await store.readDocumentPiece('d1', 1), undefined, 'the piece behind the last')
    expectSame(await store.findDocument('c1', 'd1'), stored, 'the document by its id')
    expectSame(await store.findDocument('c2', 'd1'), undefined, 'the document in another collection')
    const race = await Promise.all(['o1', 'o2', 'o3'].map((owner) => claim(store, 10, owner)))
    expectSame(
      race.flat().map(({ id, attempts }) => [id, attempts]),
      [['d1', 1]],
      'what all claimed',
    )
    expectSame(await claim(store, 19), [], 'a claim within the lease')
    expectSame(
      (await claim(store, 20, 'o9')).map(({ attempts }) => attempts),
      [2],
      'a claim behind it',
    )
    const late = { collectionId: 'c1', documentId: 'd1', owner: 'o1' }
    expectSame(await store.addDocumentChunks({ ...late, until: at(40), chunks: [] }), false, 'late chunks')
    expectSame(await store.finishDocument({ ...late, error: 'x' }), false, 'a late end')
    expectSame(await store.finishDocument({ ...late, owner: 'o9', error: oddText }), true, 'the end')
    const failed = { ...stored, status: 'failed', error: oddText }
    expectSame(await store.findDocument('c1', 'd1'), failed, 'the failed one')
    expectSame(await claim(store, 99), [], 'a claim of what has ended')
    await sweepAll(store)
    expectSame(await store.readDocumentPiece('d1', 0), undefined, 'a piece of what has ended')
    expectSame((await add(store, 'd4', { ...given, id: 'd4' }))?.id, 'd1', 'the same document again')
    expectSame(await store.readDocumentPiece('d1', 0), new Uint8Array([1, 2, 3]), 'its new piece')
    expectSame(
      (await claim(store, 99)).map(({ attempts }) => attempts),
      [1],
      'a claim of it',
    )
  }),
  storeCase('finds passages of documents that are ready, best first, and nothing else', async (store) => {
    await store.insertCollection(collectionOf('c1'), 9)
    await store.insertCollection(collectionOf('c2'), 9)
    await add(store, 'a.txt')
    await claim(store)
    const own = { collectionId: 'c1', documentId: 'a.txt', owner: 'o1' }
    const chunk: DocumentChunk = { place: 0, text: 'the red fox runs', page: 3, heading: 'Animals' }
    const chunks = [chunk, { place: 1, text: 'the fox sleeps, the fox' }, { place: 2, text: 'a blue sky' }]
    await store.addDocumentChunks({ ...own, until: at(30), chunks })
    expectSame(await search(store, 'fox'), [], 'what is not ready')
    await store.finishDocument({ ...own, ready: { chunks: 3, pages: 4 } })
    const document = await store.findDocument('c1', 'a.txt')
    expectSame([document?.status, document?.chunks, document?.pages], ['ready', 3, 4], 'the document')
    expectSame(await search(store, 'does a red fox run?'), ['a.txt/0', 'a.txt/1', 'a.txt/2'], 'some words')
    expectSame(await search(store, 'red fox', { limit: 1 }), ['a.txt/0'], 'the best one')
    expectSame(await search(store, 'animals'), ['a.txt/0'], 'a word of the heading')
    expectSame(await search(store, 'a.txt sky', { limit: 2 }).then((all) => all.length), 2, 'by the name')
    expectSame(await search(store, 'fox', { collectionId: 'c2' }), [], 'another collection')
    const [best] = await store.searchDocuments({ collectionId: 'c1', text: 'animals', limit: 1 })
    expectSame({ ...best, score: 1 }, { ...chunk, documentId: 'a.txt', name: 'a.txt', score: 1 }, 'a passage')
  }),
  storeCase('finds by meaning with vectors of the same model', async (store) => {
    await store.insertCollection(collectionOf('c1'), 9)
    await add(store, 'd1')
    const chunkOf = (place: number, text: string, vector: readonly number[], model = 'm') => ({
      place,
      text,
      embedded: { embedding: Float32Array.from(vector), embeddingModel: model },
    })
    await finish(store, 'd1', [
      chunkOf(0, 'a cat', [1, 0]),
      chunkOf(1, 'a dog', [0, 1]),
      chunkOf(2, 'a bird', [1, 0], 'other'),
    ])
    const asked = { embedding: Float32Array.from([0, 1]), embeddingModel: 'm' }
    expectSame(await search(store, 'hound', asked), ['d1/1'], 'by meaning')
    expectSame((await search(store, 'cat', asked)).toSorted(), ['d1/0', 'd1/1'], 'by both')
    expectSame(await search(store, 'hound', { ...asked, userId: 'u1' }), [], 'for a user')
  }),
  storeCase('A26: finds and lists what belongs to a user', async (store) => {
    await store.insertCollection(collectionOf('c1', { perUser: true }), 9)
    for (const user of ['u1', 'u2']) {
      await add(store, `of ${user}`, { userId: user, name: 'same' })
      await finish(store, `of ${user}`, ['the same fox'])
    }
    expectSame((await search(store, 'fox')).length, 2, 'of all')
    expectSame(await search(store, 'fox', { userId: 'u1' }), ['of u1/0'], 'of one')
    expectSame(await search(store, 'fox', { userId: 'U1' }), [], 'of another spelling')
    const filter = { collectionId: 'c1', userId: 'u2' }
    const { rows } = await store.listDocuments(filter, { limit: 1 })
    expectSame(
      rows.map(({ id }) => id),
      ['of u2'],
      'the documents of one',
    )
  }),
  storeCase('replaces a document of the same name once the new one is ready', async (store) => {
    await store.insertCollection(collectionOf('c1'), 9)
    await add(store, 'd1', { name: 'n' })
    await finish(store, 'd1', ['the old fox'])
    const again = await add(store, 'd2', { name: 'n', sha256: 'hash of d1', metadata: { a: 1 } })
    expectSame([again?.id, again?.metadata], ['d1', { a: 1 }], 'the same bytes')
    await add(store, 'd3', { name: 'n' })
    await add(store, 'd4', { name: 'n' })
    expectSame(await idsOf(store), ['d4 queued', 'd1 ready'], 'the newest that is queued, and the old one')
    expectSame(await search(store, 'fox'), ['d1/0'], 'what is found until then')
    await finish(store, 'd4', ['the new fox'])
    expectSame(await idsOf(store), ['d4 ready'], 'the new one')
    expectSame(await search(store, 'fox'), ['d4/0'], 'what is found then')
    await add(store, 'd5', { name: 'n' })
    await claim(store, 60)
    const own = { collectionId: 'c1', documentId: 'd5', owner: 'o1' }
    await store.finishDocument({ ...own, error: 'broken' })
    expectSame(await search(store, 'fox'), ['d4/0'], 'what is found when the new one failed')
    await sweepAll(store)
    expectSame(await search(store, 'fox'), ['d4/0'], 'what is found behind a sweep')
  }),
  storeCase('finds nothing of a deleted document, and sweeps what is left of it', async (store) => {
    await store.insertCollection(collectionOf('c1'), 9)
    await add(store, 'd1')
    const texts = Array.from({ length: 250 }, (_, index) => `fox number${index}`)
    await finish(store, 'd1', texts)
    await add(store, 'd2')
    await finish(store, 'd2', ['a fox'])
    expectSame(await store.deleteDocument('c2', 'd1'), false, 'a deletion in another collection')
    expectSame(await store.deleteDocument('c1', 'd1'), true, 'a deletion')
    expectSame(await store.deleteDocument('c1', 'd1'), false, 'a second deletion')
    expectSame(await search(store, 'fox'), ['d2/0'], 'what is found at once')
    await sweepAll(store)
    expectSame(await store.sweepDocuments({ before: at(0) }), false, 'a sweep of nothing')
    expectSame(await search(store, 'number7 fox'), ['d2/0'], 'what is found behind a sweep')
    await add(store, 'd3')
    await claim(store)
    const write = { collectionId: 'c1', documentId: 'd3', owner: 'o1', until: at(30) }
    await store.addDocumentChunks({ ...write, chunks: [{ place: 0, text: 'half a zebra' }] })
    expectSame(await store.sweepDocuments({ before: at(0), documentId: 'd3' }), false, 'a fresh start')
    await store.finishDocument({ ...write, ready: { chunks: 0 } })
    expectSame(await search(store, 'zebra'), [], 'what an earlier attempt left')
  }),
  storeCase('sweeps pieces of uploads that never ended', async (store) => {
    const piece = { documentId: 'd1', place: 0, bytes: new Uint8Array([1]), at: at(5) }
    await store.addDocumentPiece(piece)
    await store.sweepDocuments({ before: at(5) })
    expectSame(await store.readDocumentPiece('d1', 0), new Uint8Array([1]), 'a young one')
    await store.sweepDocuments({ before: at(6) })
    expectSame(await store.readDocumentPiece('d1', 0), undefined, 'an old one')
  }),
  storeCase('lists documents newest first, page by page', async (store) => {
    await store.insertCollection(collectionOf('c1'), 9)
    for (const id of ['d1', 'd2', 'd3']) await add(store, id)
    const filter = { collectionId: 'c1' }
    const first = await store.listDocuments(filter, { limit: 2 })
    expectSame(
      first.rows.map(({ id }) => id),
      ['d3', 'd2'],
      'the first page',
    )
    const second = await store.listDocuments(filter, { limit: 2, cursor: first.nextCursor })
    expectSame(
      second.rows.map(({ id }) => id),
      ['d1'],
      'the second page',
    )
    expectSame(second.nextCursor, undefined, 'the end')
  }),
  storeCase('gives up when its signal aborts before a change is made', async (store) => {
    await store.insertCollection(collectionOf('c1'), 9)
    const own = { collectionId: 'c1', documentId: 'd1', owner: 'o1' }
    await expectAborts({
      insertCollection: (signal) => store.insertCollection(collectionOf('c2'), 9, undefined, signal),
      changeCollection: (signal) => store.changeCollection('c1', (same) => same, undefined, signal),
      deleteCollection: (signal) => store.deleteCollection('c1', undefined, signal),
      findCollection: (signal) => store.findCollection('c1', signal),
      listCollections: (signal) => store.listCollections(signal),
      addDocumentPiece: (signal) =>
        store.addDocumentPiece({ documentId: 'd', place: 0, bytes: new Uint8Array(1), at: at(0) }, signal),
      readDocumentPiece: (signal) => store.readDocumentPiece('d', 0, signal),
      insertDocuments: (signal) => store.insertDocuments([documentOf('d1')], 9, undefined, signal),
      findDocument: (signal) => store.findDocument('c1', 'd1', signal),
      listDocuments: (signal) => store.listDocuments({ collectionId: 'c1' }, { limit: 1 }, signal),
      deleteDocument: (signal) => store.deleteDocument('c1', 'd1', undefined, signal),
      claimDocuments: (signal) =>
        store.claimDocuments({ owner: 'o1', now: at(0), until: at(1), limit: 1 }, signal),
      addDocumentChunks: (signal) => store.addDocumentChunks({ ...own, until: at(1), chunks: [] }, signal),
      finishDocument: (signal) => store.finishDocument({ ...own, error: 'x' }, signal),
      sweepDocuments: (signal) => store.sweepDocuments({ before: at(0) }, signal),
      searchDocuments: (signal) => store.searchDocuments({ collectionId: 'c1', text: 'x', limit: 1 }, signal),
    })
    expectSame((await store.listCollections()).length, 1, 'the collections')
  }),
]
