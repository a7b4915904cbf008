import { getEventListeners } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { withHostChecks } from '../runtime/host-checks.ts'
import type { EmbeddingModel } from '../ports/model.ts'
import { createMemories } from './create-memories.ts'
import { createEmbedder } from './embedder.ts'

/** Puts words about animals at one end and all others at the other. */
function animals(fail = false): EmbeddingModel {
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'animals',
    maxEmbeddingsPerCall: 1,
    supportsParallelCalls: true,
    async doEmbed({ values }) {
      if (fail) throw new Error('down')
      return {
        embeddings: values.map((text) => (/dog|puppy|cat/.test(text) ? [1, 0] : [0, 1])),
        warnings: [],
      }
    },
  }
}

function open(embeddingModel?: EmbeddingModel) {
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  const warn = vi.fn()
  const memories = withHostChecks(
    'memory',
    createMemories({
      store: createTestStore(),
      now: () => nowMs,
      createId: () => crypto.randomUUID(),
      embedder: embeddingModel && createEmbedder(embeddingModel, { warn, error() {} }),
    }),
  )
  return { memories, warn, advance: (ms: number) => (nowMs += ms) }
}

describe('createMemories', () => {
  it('A11: finds what was written, ranked, with every documented field', async () => {
    const { memories } = open()
    const { id } = await memories.write({
      agent_id: 'a',
      text: 'The report is due on Friday',
      tags: ['work', 'work'],
    })
    await memories.write({ agent_id: 'a', text: 'Lunch on Friday', user_id: 'u' })
    const found = await memories.search({ q: 'when is the report due?' })
    expect(found[0]).toEqual({
      id,
      agent_id: 'a',
      user_id: null,
      text: 'The report is due on Friday',
      tags: ['work'],
      created_at: '2026-01-01T00:00:00.000Z',
      score: expect.any(Number),
    })
    expect(await memories.search({ q: 'friday', agent_id: 'b' })).toEqual([])
    expect(await memories.search({ q: 'friday', tags: ['work'] })).toHaveLength(1)
    expect(await memories.search({ q: 'friday', user_id: 'u' })).toMatchObject([{ text: 'Lunch on Friday' }])
  })

  it('A11: forgets at the time that was said, whatever zone it was written in', async () => {
    const { memories, advance } = open()
    await memories.write({ agent_id: 'a', text: 'code 1234', expires_at: '2026-01-01T03:00:00+02:00' })
    await memories.write({ agent_id: 'a', text: 'code 5678', expires_at: '2026-01-01T01:30:00' })
    expect(await memories.search({ q: 'code' })).toHaveLength(2)
    advance(3_600_001)
    expect(await memories.search({ q: 'code' })).toMatchObject([{ text: 'code 5678' }])
    advance(3_600_000)
    expect(await memories.search({ q: 'code' })).toEqual([])
  })

  it('A11: marks what was written from content of strangers', async () => {
    const { memories } = open()
    await memories.write({ agent_id: 'a', text: 'a page said so' }, { trust: 'untrusted' })
    expect(await memories.search({ q: 'page' })).toMatchObject([{ trust: 'untrusted' }])
  })

  it('A11: gives 10 unless asked, at most 50', async () => {
    const { memories } = open()
    for (let at = 0; at < 12; at += 1) await memories.write({ agent_id: 'a', text: `fact ${at}` })
    expect(await memories.search({ q: 'fact' })).toHaveLength(10)
    expect(await memories.search({ q: 'fact', limit: 3 })).toHaveLength(3)
    await expect(memories.search({ q: 'fact', limit: 51 })).rejects.toMatchObject({
      code: 'validation_error',
    })
    await expect(memories.search({ q: '' })).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('A11: waits for no embedding model that never answers: searches by words, and does not write', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const model = animals()
    const { memories, warn } = open(model)
    await memories.write({ agent_id: 'a', text: 'Lunch on Friday' })
    model.doEmbed = () => new Promise(() => {})
    const found = memories.search({ q: 'friday' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await found).toMatchObject([{ text: 'Lunch on Friday' }])
    expect(warn).toHaveBeenCalledOnce()
    const writing = expect(memories.write({ agent_id: 'a', text: 'Supper' })).rejects.toMatchObject({
      code: 'model_error',
      retryable: true,
    })
    await vi.advanceTimersByTimeAsync(60_000)
    await writing
    const leaving = new AbortController()
    const left = expect(memories.search({ q: 'x' }, leaving.signal)).rejects.toThrow('nobody waits')
    leaving.abort(new Error('nobody waits'))
    await left
    expect(vi.getTimerCount()).toBe(0)
  })

  it('an answered question leaves nothing at the signal of its caller', async () => {
    const model = animals()
    const signals: (AbortSignal | undefined)[] = []
    const { doEmbed } = model
    model.doEmbed = async (call) => {
      signals.push(call.abortSignal)
      return doEmbed(call)
    }
    const { memories } = open(model)
    const { signal } = new AbortController()
    await memories.search({ q: 'dog' }, signal)
    expect(signals.map((each) => each?.aborted)).toEqual([true])
    expect([signal.aborted, getEventListeners(signal, 'abort')]).toEqual([false, []])
  })

  it.each([[[Number.NaN, 1]], [[1e300, 1]], [[]], [undefined]])(
    'A11: keeps no vector that is none: %j',
    async (vector) => {
      const model = animals()
      model.doEmbed = async () => ({ embeddings: vector ? [vector] : [], warnings: [] })
      const { memories } = open(model)
      await expect(memories.write({ agent_id: 'a', text: 'x' })).rejects.toThrow('has no valid vector')
    },
  )

  it('A11: finds by meaning too with an embedding model, and by words when that fails', async () => {
    const { memories } = open(animals())
    await memories.write({ agent_id: 'a', text: 'Rex is a good dog' })
    await memories.write({ agent_id: 'a', text: 'The car is red' })
    expect((await memories.search({ q: 'puppy' }))[0]).toMatchObject({ text: 'Rex is a good dog' })

    const broken = open(animals(true))
    await expect(broken.memories.write({ agent_id: 'a', text: 'x' })).rejects.toMatchObject({
      code: 'model_error',
    })
    expect(await broken.memories.search({ q: 'x' })).toEqual([])
    expect(broken.warn).toHaveBeenCalledOnce()
  })

  it('A11: compares no vector with those of another model, whatever their length', async () => {
    const store = createTestStore()
    const open = (modelId: string) =>
      withHostChecks(
        'memory',
        createMemories({
          store,
          now: Date.now,
          createId: () => crypto.randomUUID(),
          embedder: createEmbedder({ ...animals(), modelId }, { warn() {}, error() {} }),
        }),
      )
    const [before, after] = [open('animals'), open('animals-large')]
    await before.write({ agent_id: 'a', text: 'Rex is a good dog' })
    expect(await before.search({ q: 'puppy' })).toHaveLength(1)
    expect(await after.search({ q: 'puppy' })).toEqual([])
    expect(await after.search({ q: 'good' })).toMatchObject([{ text: 'Rex is a good dog' }])
    await after.write({ agent_id: 'a', text: 'Tom is a cat' })
    expect(await after.search({ q: 'puppy' })).toMatchObject([{ text: 'Tom is a cat' }])
  })

  it('A11: keeps no text that says nothing', async () => {
    const { memories } = open()
    await expect(memories.write({ agent_id: 'a', text: ' \n\t' })).rejects.toMatchObject({
      code: 'validation_error',
      message: 'Writing a memory failed: "text" must not be blank.',
    })
  })

  it('A11: deletes once', async () => {
    const { memories } = open()
    const { id } = await memories.write({ agent_id: 'a', text: 'x y' })
    await memories.delete(id)
    await expect(memories.delete(id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await memories.search({ q: 'x y' })).toEqual([])
  })
})
