import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { ModelMessage } from '../ports/message.ts'
import { agentOf, createKit, toolOf } from '../runs/testing/run-kit.ts'
import { createSummarize } from '../runs/create-summarize.ts'
import { modelsOf } from '../runs/testing/run-kit.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { loadHistory } from './history.ts'

const user = (text: string): ModelMessage => ({ role: 'user', text })
const said = (text: string): ModelMessage => ({ role: 'assistant', parts: [{ type: 'text', text }] })
const called = (id: string): ModelMessage[] => [
  { role: 'assistant', parts: [{ type: 'tool_call', id, name: 'look', args: {} }] },
  { role: 'tool', results: [{ id, name: 'look', result: 'found' }] },
]

async function storeOf(messages: readonly ModelMessage[]) {
  const store = createTestStore()
  await store.appendMessages({
    conversationId: 'c',
    agentId: 'helper',
    messages: messages.map((message, index) => ({ id: `m${index}`, message })),
    now: '2026-01-01T00:00:00.000Z',
  })
  return store
}

async function load(messages: readonly ModelMessage[], maxTokens: number) {
  const store = await storeOf(messages)
  const conversation = await store.findConversation('c')
  if (!conversation) throw new Error('no conversation')
  return loadHistory(store, conversation, { maxTokens, estimateTokens: (text) => text.length })
}

describe('A12: history', () => {
  it('A12: is everything when everything fits', async () => {
    const messages = [user('a'), ...called('1'), said('b'), user('c'), said('d')]
    const history = await load(messages, 10_000)
    expect(history.messages.map(({ message }) => message)).toEqual(messages)
    expect(history.leftOutThrough).toBe(0)
  })

  it('A12: is the newest turns that fit, whole', async () => {
    const history = await load([user('x'.repeat(500)), said('y'), user('c'), ...called('1'), said('d')], 400)
    expect(history.messages.map(({ message }) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(history.leftOutThrough).toBe(2)
  })

  it('A12: is nothing when the newest turn alone does not fit', async () => {
    const history = await load([user('a'), said('b'), user('c'), said('x'.repeat(500))], 400)
    expect(history.messages).toEqual([])
    expect(history.leftOutThrough).toBe(4)
  })

  it('A12: is cut only between turns, fits its budget, and is always the newest part', async () => {
    const turn = fc.array(fc.nat(400), { minLength: 0, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 60 }), fc.nat(6000), async (turns, maxTokens) => {
        const messages = turns.flatMap((sizes, index) => [
          user(`u${index}`),
          ...sizes.flatMap((size, call) => called(`${index}.${call}${'x'.repeat(size)}`)),
          said('end'),
        ])
        if (messages.length === 0) return
        const history = await load(messages, maxTokens)
        const kept = history.messages.map(({ message }) => message)
        expect(kept).toEqual(messages.slice(messages.length - kept.length))
        expect(kept.length + history.leftOutThrough).toBe(messages.length)
        expect(kept[0]?.role ?? 'user').toBe('user')
        const size = kept.reduce((sum, message) => {
          if (message.role === 'user') return sum + message.text.length
          return sum + JSON.stringify(message.role === 'tool' ? message.results : '').length
        }, 0)
        expect(size).toBeLessThanOrEqual(maxTokens + kept.length * 2)
      }),
      { numRuns: 60 },
    )
  })

  it('estimates too many tokens rather than too few', () => {
    expect(estimateTokens('')).toBe(0)
    expect(estimateTokens('Where is the report?')).toBe(7)
    expect(estimateTokens('報告はどこですか')).toBe(8)
  })
})

describe('A12: summaries', () => {
  const longTurns = Array.from({ length: 12 }, (_, index) => [
    user(`question ${index} ${'x'.repeat(100)}`),
    said(`answer ${index}`),
  ])

  it('A12: stand for what was left out, are made once for many turns, and delete nothing', async () => {
    const store = await storeOf(longTurns.flat())
    const kit = createKit({
      store,
      historyTokens: 600,
      estimateTokens: (text) => text.length,
      steps: [
        ...Array.from({ length: 4 }, (_, part) => ({ text: `Summary ${part}.` })),
        { text: 'One.' },
        { text: 'Two.' },
      ],
    })
    await kit.run('Go on', { conversation_id: 'c' })
    const summaries = kit.model.calls.length - 1
    expect(summaries).toBeGreaterThan(0)
    const prompt = kit.model.calls.at(-1)?.prompt
    expect(prompt?.[0]?.content).toContain(`Summary ${summaries - 1}.`)
    expect(JSON.stringify(prompt)).toContain('question 11')
    expect(JSON.stringify(prompt)).not.toContain('question 1 ')
    await kit.run('And on', { conversation_id: 'c' })
    expect(kit.model.calls.length).toBe(summaries + 2) // no summary again
    expect((await store.findConversation('c'))?.messageCount).toBe(24 + 4)
  })

  it('A12: are cut where a model does not know an end, so that messages fit beside them', async () => {
    const store = await storeOf(longTurns.flat())
    const endless = { text: `Matters most. ${'and so on '.repeat(500)}` }
    const kit = createKit({
      store,
      historyTokens: 800,
      estimateTokens: (text) => text.length,
      steps: [...Array.from({ length: 4 }, () => endless), { text: 'One.' }],
    })
    await kit.run('Go on', { conversation_id: 'c' })
    const { summary = '' } = (await store.findConversation('c')) ?? {}
    expect(summary).toMatch(/^Matters most\./)
    expect(summary.length).toBeLessThanOrEqual(200)
    expect(JSON.stringify(kit.model.calls.at(-1)?.prompt)).toContain('question 11')
  })

  it('A12: count what they read, also where a provider does not tell how much that was', async () => {
    const store = await storeOf(longTurns.flat())
    const kit = createKit({
      store,
      historyTokens: 600,
      estimateTokens: (text) => text.length,
      steps: Array.from({ length: 5 }, () => ({ text: 'Said.', usage: null })),
    })
    const { run_id: runId } = await kit.run('Go on', { conversation_id: 'c' })
    const calls = await store.listEvents({ type: 'model.completed', runId, limit: 9 })
    const told = calls.map(({ data }) => data['input_tokens'])
    expect(told).toEqual(kit.model.calls.map(({ prompt }) => JSON.stringify(prompt).length))
  })

  it('A12: a run goes on without one when the model cannot give it, and says what is missing', async () => {
    const store = await storeOf(longTurns.flat())
    const kit = createKit({
      store,
      historyTokens: 600,
      estimateTokens: (text) => text.length,
      steps: [{ text: '' }, { text: 'Still here.' }],
    })
    expect(await kit.run('Go on', { conversation_id: 'c' })).toMatchObject({
      success: true,
      output: 'Still here.',
    })
    expect(kit.model.calls[1]?.prompt[0]?.content).toContain('they do not fit')
    expect(kit.warnings).toContain('Summarizing a conversation failed')
  })

  it('A12: can be asked for; only what is new is summed up', async () => {
    const store = await storeOf([user('I am Ada.'), ...called('1'), said('Hello Ada.')])
    const model = createScriptedModel([{ text: 'The user is Ada.' }, { text: 'Ada likes tea.' }])
    const options = {
      store,
      agents: { find: async () => agentOf() },
      models: modelsOf({ 'scripted/main': model }),
      tools: { forRun: async () => ({ tools: [toolOf('look', () => 1)], instructions: '' }) },
      workspace: async () => '/w',
    }
    const summarize = createSummarize(options)
    const find = async () => (await store.findConversation('c')) ?? expect.fail('no conversation')
    expect(await summarize(await find())).toBe('The user is Ada.')
    expect(await summarize(await find())).toBe('The user is Ada.')
    await store.appendMessages({
      conversationId: 'c',
      agentId: 'helper',
      now: '2026-01-02T00:00:00.000Z',
      messages: [{ id: 'm9', message: user('I like tea.') }],
    })
    expect(await summarize(await find())).toBe('Ada likes tea.')
    const second = JSON.stringify(model.calls[1]?.prompt)
    expect(second).toContain('The user is Ada.')
    expect(second).toContain('I like tea.')
    expect(second).not.toContain('I am Ada.')
    expect(await find()).toMatchObject({ summarizedSeq: 5, messageCount: 5 })
    model.assertComplete()
  })
})
