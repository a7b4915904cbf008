import { makeDocx, makePdf, makePptx } from '../../../kit/src/testing/make-documents.ts'
import { afterEach, describe, expect, it } from 'vitest'
import type { EmbeddingModel } from '../ports/model.ts'
import { createRuntime } from '../runtime/create-runtime.ts'
import type { RuntimeOptions } from '../runtime/runtime-options.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import { createSqliteStore } from '../store/sqlite/index.ts'

let runtime: AgentRuntime
afterEach(() => runtime.close())

async function open(options: RuntimeOptions = {}): Promise<AgentRuntime['collections']> {
  runtime = createRuntime({ environment: {}, ...options })
  await runtime.collections.create({ id: 'docs' })
  return runtime.collections
}

/** The document once it was read. */
async function settled(id: string, collection = 'docs') {
  await expect
    .poll(async () => (await runtime.collections.document(collection, id)).status, { timeout: 60_000 })
    .not.toBe('queued')
  return runtime.collections.document(collection, id)
}

/** Adds a document, and gives it once it was read. */
async function add(name: string, given: string | Uint8Array, mediaType?: string) {
  const content = typeof given === 'string' ? { text: given } : { data: given as never }
  const [document] = await runtime.collections.add('docs', { name, ...content, media_type: mediaType })
  return settled(document!.id)
}

const found = async (q: string) =>
  (await runtime.collections.search('docs', { q })).map(({ name, page, heading }) =>
    [name, page, heading].filter((each) => each !== undefined).join(' '),
  )

it('lets everything else have its turn between the pieces of a large document', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  let turn = 0
  const turns: number[] = []
  const watched: typeof store = {
    ...store,
    readDocumentPiece(...given) {
      turns.push(turn)
      setImmediate(() => (turn += 1))
      return store.readDocumentPiece(...given)
    },
  }
  await open({ store: watched })
  await add('large.txt', new Uint8Array(4 * 1024 * 1024))
  expect(turns).toHaveLength(4)
  expect(new Set(turns).size).toBe(4)
})

it('finds what documents say, with the page, the slide and the heading', async () => {
  await open()
  const bytes = (buffer: Buffer) => new Uint8Array(buffer)
  for (const [name, content] of [
    ['notes.md', '# Holidays\nTwenty-eight days of zebra leave.\n## Sickness\nCall in the walrus.'],
    ['page.html', '<h1>Costs</h1><p>The giraffe costs ten.</p>'],
    ['list.csv', 'animal,price\npelican,7'],
    ['data.json', '{"animal":"ocelot"}'],
    ['plain', 'A lone heron.'],
    ['book.pdf', bytes(makePdf(['nothing here', 'a badger appears']))],
    ['deck.pptx', bytes(makePptx(['one', 'the lynx slide']))],
    ['letter.docx', bytes(makeDocx(['# Offer', 'we offer a mole']))],
    ['mail.eml', 'Subject: Offer\r\nContent-Type: text/plain\r\n\r\nwe saw a newt'],
  ] as const) {
    const document = await add(name, content)
    expect([name, document.error, document.status]).toEqual([name, undefined, 'ready'])
  }
  expect(await found('how many days of zebra leave?')).toEqual(['notes.md Holidays'])
  expect(await found('walrus')).toEqual(['notes.md Sickness'])
  expect(await found('giraffe')).toEqual(['page.html Costs'])
  expect(await found('pelican')).toEqual(['list.csv'])
  expect(await found('ocelot')).toEqual(['data.json'])
  expect(await found('heron')).toEqual(['plain'])
  expect(await found('badger')).toEqual(['book.pdf 2'])
  expect(await found('lynx')).toEqual(['deck.pptx 2'])
  expect(await found('mole')).toEqual(['letter.docx Offer'])
  expect(await found('newt')).toEqual(['mail.eml'])
}, 120_000)

it('says in a sentence why a document failed, and nothing else suffers', async () => {
  await open()
  const pdf = (pages: readonly string[]) => new Uint8Array(makePdf(pages))
  expect((await add('scan.pdf', pdf(['', '']))).error).toContain('has no text. If it is a scan')
  expect((await add('broken.pdf', 'no PDF at all', 'application/pdf')).error).toContain('is damaged')
  expect((await add('a.zip', new Uint8Array([1, 0, 2]))).error).toContain(
    '"application/octet-stream" cannot be read',
  )
  expect((await add('fine.txt', 'a fine fox')).status).toBe('ready')
  const [again] = await runtime.collections.add('docs', { name: 'scan.pdf', data: pdf(['', '']) })
  expect(again?.status).toBe('queued')
}, 120_000)

it('writes nothing of a document that has too many sections', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  let written = 0
  await open({
    store: {
      ...store,
      addDocumentChunks(given, signal) {
        written += given.chunks.length
        return store.addDocumentChunks(given, signal)
      },
    },
  })
  expect((await add('many.md', '# A\nb\n'.repeat(20_001))).error).toContain('its text is too long')
  expect(written).toBe(0)
})

it('replaces a document by its name once the new one is ready', async () => {
  await open()
  const first = await add('a.txt', 'the red fox')
  expect((await add('a.txt', 'the red fox')).id).toBe(first.id)
  const second = await add('a.txt', 'the blue whale')
  expect(second.id).not.toBe(first.id)
  expect(await found('fox whale')).toEqual(['a.txt'])
  expect((await runtime.collections.documents('docs')).documents).toHaveLength(1)
  await runtime.collections.deleteDocument('docs', second.id)
  expect(await found('whale')).toEqual([])
})

describe('documents of users', () => {
  it('need a user, and are found for that user only', async () => {
    const collections = await open()
    await collections.create({ id: 'own', per_user: true })
    const text = { name: 'a.txt', text: 'the same fox' }
    await expect(collections.add('own', text)).rejects.toMatchObject({ code: 'validation_error' })
    await expect(collections.add('docs', { ...text, user_id: 'ann' })).rejects.toMatchObject({
      code: 'validation_error',
    })
    for (const user_id of ['ann', 'bob']) {
      const [document] = await collections.add('own', { ...text, user_id })
      await settled(document!.id, 'own')
    }
    expect(await collections.search('own', { q: 'fox' })).toHaveLength(2)
    expect(await collections.search('own', { q: 'fox', userId: 'ann' })).toHaveLength(1)
    expect(await collections.search('own', { q: 'fox', userId: 'eve' })).toEqual([])
    await expect(collections.update('own', { per_user: false })).rejects.toMatchObject({ code: 'conflict' })
    expect(await collections.update('own', { name: 'Own', description: null })).toMatchObject({ name: 'Own' })
  })
})

it('finds by meaning with an embedding model, and calls it again when it fails', async () => {
  const model: EmbeddingModel & { calls: number } = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'meaning',
    maxEmbeddingsPerCall: 10,
    supportsParallelCalls: false,
    calls: 0,
    async doEmbed({ values }) {
      this.calls += 1
      if (this.calls === 1) throw new Error('down')
      const embeddings = values.map((text) => (/dog|hound/.test(text) ? [0, 1] : [1, 0]))
      return { embeddings, warnings: [] }
    },
  }
  await open({ embeddingModel: model })
  await add('a.md', '# One\nA cat sleeps.\n# Two\nA dog barks.')
  expect(await found('hound')).toEqual(['a.md Two'])
})

it('reads a long text without holding up the process', async () => {
  await open()
  await add('warm.txt', 'The first document loads the libraries.')
  const line = 'The quick brown fox jumps over the lazy dog, and the needle lies elsewhere.\n'
  const text = `${line.repeat(20_000)}A hidden narwhal.\n`
  let longest = 0
  // CPU time of this thread: other processes do not count
  const cpuMs = () => process.threadCpuUsage().user / 1000
  const first = cpuMs()
  let last = first
  const timer = setInterval(() => {
    const at = cpuMs()
    longest = Math.max(longest, at - last)
    last = at
  }, 1)
  const document = await add('long.txt', text)
  clearInterval(timer)
  last = cpuMs()
  expect(document.status).toBe('ready')
  expect(document.chunks).toBeGreaterThan(1000)
  expect(await found('narwhal')).toEqual(['long.txt'])
  // One turn starts the child process. A busy machine makes that one, and all of them, several times as long.
  expect(longest).toBeLessThan((last - first) / 2)
}, 120_000)
