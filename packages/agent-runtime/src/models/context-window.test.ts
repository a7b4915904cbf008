import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Tool } from '../index.ts'
import type { MockProviderResponse } from '../testing/index.ts'
import { localWire, openWorld, refusalsOf } from './testing/provider-world.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'homeward-window-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const kib50 = 50 * 1024
const limits = { max_turns: 60 }

/** A tool whose results are long, each another one. */
function longTool(chars = kib50, stopAt = Infinity) {
  const calls: unknown[] = []
  const reached = Promise.withResolvers<void>()
  const tool: Tool = {
    id: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object', properties: { at: { type: 'number' } } },
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: false,
    async execute({ at }, { signal }) {
      calls.push(at)
      if (calls.length >= stopAt) {
        reached.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      }
      return `${JSON.stringify(at)}: ${'The result of looking. '.repeat(chars / 23)}`
    },
  }
  return { tool, calls, reached: reached.promise }
}

const looks = (count: number): MockProviderResponse[] => [
  ...Array.from({ length: count }, (_, at) => ({ calls: [{ id: `c${at}`, name: 'look', args: { at } }] })),
  { text: 'Done.' },
]

describe('a run with 40 long results in a window of 128,000 tokens', () => {
  it('ends without a rejection if the window is known', async () => {
    const { standIn, ...wire } = localWire(looks(40), { windowTokens: 128_000 })
    const { tool, calls } = longTool()
    const context = { window_tokens: 128_000 }
    await using world = await openWorld(wire, { home, tools: [tool] }, { limits, context })
    expect(await world.say('Look')).toMatchObject({ success: true, stop_reason: 'done', output: 'Done.' })
    expect(calls).toHaveLength(40)
    expect(refusalsOf(standIn)).toEqual([])
    const bodies = standIn.requests.map(({ body }) => JSON.stringify(body))
    const path = /results\/[0-9a-f]{24}\.txt/.exec(bodies.at(-1) ?? '')?.[0] ?? ''
    const stored = await readFile(join(home, 'workspaces', 'helper', path), 'utf8')
    expect(stored).toMatch(/^0: The result/)
    expect(stored.length).toBeGreaterThan(51_000)
  })

  it('ends after a few rejections if it is not', async () => {
    const { standIn, ...wire } = localWire(looks(40), { windowTokens: 128_000 })
    await using world = await openWorld(wire, { home, tools: [longTool().tool] }, { limits })
    const result = await world.say('Look')
    expect(result).toMatchObject({ success: true, stop_reason: 'done', output: 'Done.' })
    expect(refusalsOf(standIn).length).toBeLessThanOrEqual(2)
    const events = await Array.fromAsync(world.runtime.runs.events(result.run_id, 0))
    expect(events.map(({ event }) => event)).toContainEqual({
      event: 'retry',
      data: expect.objectContaining({ model: 'openai/local', in_ms: 0 }),
    })
  })

  it('resumes in another process with the same prompts as without a restart', async () => {
    const context = { window_tokens: 128_000 }
    const { standIn: undisturbed, ...plain } = localWire(looks(40), { windowTokens: 128_000 })
    await using whole = await openWorld(plain, { tools: [longTool().tool] }, { limits, context })
    await whole.say('Look')
    const { standIn, ...wire } = localWire(looks(40), { windowTokens: 128_000 })
    const { tool, reached } = longTool(kib50, 30)
    const first = await openWorld(wire, { home, tools: [tool], closeGraceMs: 0 }, { limits, context })
    const { runId } = await first.runtime.runs.start({ agent_id: 'helper', task: 'Look' })
    await reached
    await first.runtime.close()
    await using again = await openWorld(wire, { home, tools: [longTool().tool] })
    await again.runtime.start()
    const events = await Array.fromAsync(again.runtime.runs.events(runId, 0))
    expect(events.at(-1)?.event).toMatchObject({ event: 'done', data: { finalContent: 'Done.' } })
    const bodiesOf = ({ requests }: typeof standIn) => requests.map(({ body }) => JSON.stringify(body).length)
    expect(bodiesOf(standIn)).toEqual(bodiesOf(undisturbed))
  })
})

describe('T: a model with 8,192 tokens', () => {
  const answers = Array.from({ length: 40 }, (_, at) => ({
    text: `Answer ${at}. ${'More words. '.repeat(100)}`,
  }))

  it.each([
    ['whose window is not known', {}, {}, 1],
    ['of the setting', { CONTEXT_WINDOW_TOKENS: '8192' }, {}, 0],
    ['of the agent', {}, { context: { window_tokens: 8192 } }, 0],
  ])('%s answers every message of a long conversation', async (_, variables, agent, refusals) => {
    const { standIn, ...wire } = localWire(answers, { windowTokens: 8192 })
    const environment = { ...wire.environment, ...variables }
    await using world = await openWorld({ ...wire, environment }, { compaction: true }, agent)
    for (let at = 0; at < 20; at += 1) {
      const result = await world.say(`Question ${at}. ${'Some words. '.repeat(200)}`)
      expect(result, `message ${at}`).toMatchObject({ success: true })
    }
    expect(refusalsOf(standIn).length).toBeLessThanOrEqual(refusals)
  })

  it('ends a run with results far larger than the window, and the next one', async () => {
    const { standIn, ...wire } = localWire(looks(30), { windowTokens: 8192 })
    await using world = await openWorld(wire, { home, tools: [longTool(200_000).tool] }, { limits })
    expect(await world.say('Look')).toMatchObject({ success: true, output: 'Done.' })
    expect(await world.say('And now?')).toMatchObject({ success: true, output: 'ok' })
    expect(refusalsOf(standIn).length).toBeLessThanOrEqual(3)
  })

  it('is learned from a server that reports no number', async () => {
    const { standIn, ...wire } = localWire(looks(10), { windowTokens: 8192 })
    const silent: typeof fetch = async (input, init) => {
      const response = await standIn.fetch(input, init)
      if (response.status !== 400) return response
      const error = { message: 'the input length exceeds the context length', type: 'invalid_request_error' }
      return Response.json({ error }, { status: 400 })
    }
    const hosts = { 'gpu.example': { fetch: silent } }
    await using world = await openWorld({ ...wire, hosts }, { tools: [longTool().tool] }, { limits })
    expect(await world.say('Look')).toMatchObject({ success: true, output: 'Done.' })
  })

  it('fails with a message that names the system prompt if that does not fit', async () => {
    const { standIn, ...wire } = localWire([], { windowTokens: 8192 })
    const personality = 'You help. '.repeat(8000)
    await using world = await openWorld(wire, {}, { personality })
    const error = expect.stringMatching(
      /does not fit into the context window of [\d,]+ tokens\. The system prompt/,
    )
    expect(await world.say('Hi')).toMatchObject({ success: false, code: 'validation_error', error })
    await world.runtime.agents.update('helper', { context: { window_tokens: 8192 } })
    expect(await world.say('Hi')).toMatchObject({ success: false, code: 'validation_error', error })
    expect(refusalsOf(standIn)).toHaveLength(1)
  })

  it('uses a fallback with a larger window if the prompt cannot be made short enough', async () => {
    const { standIn: small, ...wire } = localWire([], { windowTokens: 2000 })
    const { standIn: large } = localWire([{ text: 'From the large one.' }])
    const hosts = { ...wire.hosts, 'openrouter.ai': large }
    const agent = { personality: 'You help. '.repeat(1500), fallback_models: ['openrouter/some/model'] }
    await using world = await openWorld({ ...wire, hosts }, {}, agent)
    expect(await world.say('Hi')).toMatchObject({ success: true, output: 'From the large one.' })
    expect(refusalsOf(small)).toHaveLength(1)
  })
})
