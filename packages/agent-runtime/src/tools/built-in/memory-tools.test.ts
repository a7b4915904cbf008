import { expect, it, vi } from 'vitest'
import type { EmbeddingModel } from '../../ports/model.ts'
import { createTestStore } from '../../testing/create-test-store.ts'
import { createEmbedder } from '../../memory/embedder.ts'
import type { ToolContext } from '../../ports/tool.ts'
import { createMemoryTools } from './memory-tools.ts'

const context: ToolContext = {
  agentId: 'a',
  runId: 'r',
  conversationId: 'c',
  idempotencyKey: 'k',
  workspace: '/nowhere',
  tainted: false,
  depth: 0,
  metadata: {},
  context: undefined,
  progress() {},
  writeData() {},
  ask: async () => Promise.reject(new Error('Nobody answers in this test')),
  signal: new AbortController().signal,
}

it('A11: a run finds what belongs to its user alone, and a run without one what belongs to nobody', async () => {
  const [search, write] = createMemoryTools({
    memory: createTestStore(),
    now: () => Date.parse('2026-01-01T00:00:00.000Z'),
    maxResultBytes: 10_000,
  })
  const users = { ann: { userId: 'ann' }, bob: { userId: 'bob' }, nobody: {} }
  for (const [name, user] of Object.entries(users))
    await write?.execute({ text: `The password of ${name}` }, { ...context, ...user })
  for (const [name, user] of Object.entries(users)) {
    const found = await search?.execute({ query: 'password' }, { ...context, ...user })
    expect(found).toMatchObject({ results: [{ text: `The password of ${name}` }] })
    expect(found).toHaveProperty('results.length', 1)
  }
})

it('A8: memory_write made again remembers once, and another call of the run something else', async () => {
  const memory = createTestStore()
  const [search, write] = createMemoryTools({ memory, now: () => 0, maxResultBytes: 10_000 })
  expect(write?.idempotent).toBe(true)
  const first = await write?.execute({ text: 'Ann likes tea' }, context)
  expect(await write?.execute({ text: 'Ann likes tea' }, context)).toEqual(first)
  await write?.execute({ text: 'Ann likes tea' }, { ...context, idempotencyKey: 'k2' })
  expect(await search?.execute({ query: 'tea' }, context)).toHaveProperty('results.length', 2)
})

it('A11: memory_write remembers no text that says nothing', async () => {
  const memory = createTestStore()
  const options = { memory, now: () => 0, maxResultBytes: 10_000 }
  const [, write] = createMemoryTools(options)
  await expect(write?.execute({ text: ' \n' }, context)).rejects.toMatchObject({
    code: 'validation_error',
    message: 'Reading the argument "text" failed: the value must be a non-empty string.',
  })
})

it('A11: memory_search finds by words while the embedding model is down, as the interface does', async () => {
  const model: EmbeddingModel = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'down',
    maxEmbeddingsPerCall: 1,
    supportsParallelCalls: false,
    doEmbed: () => Promise.reject(new Error('down')),
  }
  const memory = createTestStore()
  const createdAt = '2026-01-01T00:00:00.000Z'
  await memory.writeMemory({ id: 'm1', agentId: 'a', text: 'The report is due', tags: [], createdAt })
  const warn = vi.fn()
  const [search, write] = createMemoryTools({
    memory,
    embedder: createEmbedder(model, { warn, error() {} }),
    now: () => Date.parse(createdAt),
    maxResultBytes: 10_000,
  })
  expect(await search?.execute({ query: 'report' }, context)).toMatchObject({ results: [{ id: 'm1' }] })
  expect(warn).toHaveBeenCalledOnce()
  // what could not be found by its meaning later is not kept as if it could
  await expect(write?.execute({ text: 'A fact' }, context)).rejects.toMatchObject({ code: 'model_error' })
})
