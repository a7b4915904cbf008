import { describe, expect, it } from 'vitest'
import { createScriptedModel } from './scripted-model.ts'

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }]

describe('a scripted model', () => {
  it('plays its steps in order, whole and streamed, and records its calls', async () => {
    const model = createScriptedModel([
      { reasoning: 'Hm.', text: ['He', 'llo'], usage: { input: 7, output: 2, cached: 3 } },
      (call) => ({ toolCalls: [{ name: 'look', args: { at: call.prompt.length } }] }),
    ])
    const { stream } = await model.doStream({ prompt })
    const parts = await Array.fromAsync(stream)
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish',
    ])
    expect(parts.at(-1)).toMatchObject({ usage: { inputTokens: { total: 7, noCache: 4, cacheRead: 3 } } })
    const whole = await model.doGenerate({ prompt })
    expect(whole).toMatchObject({
      content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'look', input: '{"at":1}' }],
      finishReason: { unified: 'tool-calls' },
    })
    expect(model.calls.map(({ method }) => method)).toEqual(['stream', 'generate'])
    model.assertComplete()
  })

  it('says when steps are left, and when it is called once more', async () => {
    const model = createScriptedModel([{ text: 'One.' }])
    expect(() => model.assertComplete()).toThrow('1 steps and was called 0 times')
    await model.doGenerate({ prompt })
    model.assertComplete()
    await expect(model.doGenerate({ prompt })).rejects.toThrow('called once more')
    expect(() => model.assertComplete()).toThrow('called 2 times')
  })

  it('fails as it is told: before the answer, within it, or by a stream that only ends', async () => {
    const error = new Error('told')
    const model = createScriptedModel([
      { error },
      { text: 'Half', error },
      { text: 'Half', cut: true },
      { text: 'x', error },
      { cut: true },
    ])
    await expect(model.doStream({ prompt })).rejects.toBe(error)
    await expect(Array.fromAsync((await model.doStream({ prompt })).stream)).rejects.toBe(error)
    const cut = await Array.fromAsync((await model.doStream({ prompt })).stream)
    expect(cut.some(({ type }) => type === 'finish')).toBe(false)
    await expect(model.doGenerate({ prompt })).rejects.toBe(error)
    await expect(model.doGenerate({ prompt })).rejects.toThrow('cut off')
  })

  it('waits at its gate, and heeds an abort', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const model = createScriptedModel([{ text: 'Late.', gate: () => promise }, { text: 'Never.' }])
    let isDone = false
    const answer = model.doGenerate({ prompt }).then(() => (isDone = true))
    await Promise.resolve()
    expect(isDone).toBe(false)
    resolve()
    await answer
    await expect(model.doStream({ prompt, abortSignal: AbortSignal.abort('gone') })).rejects.toBe('gone')
  })
})
