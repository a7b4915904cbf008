import { expect, it } from 'vitest'
import { streamOf } from '../../models/model-answer.ts'
import { createAbortHub } from '../../concurrency/abort-hub.ts'
import { createModelTurn, readModelTurn, turnText } from './model-turn.ts'

const usage = {
  inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined },
}

const longAnswer = (words: number) =>
  streamOf([
    { type: 'text-start', id: 't' },
    ...Array.from({ length: words }, () => ({ type: 'text-delta', id: 't', delta: 'word ' }) as const),
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
  ])

it('lets others in while it reads a long answer that never waits for a network', async () => {
  let turns = 0
  let pending = setImmediate(function count() {
    turns += 1
    pending = setImmediate(count)
  })
  const turn = createModelTurn()
  const hub = createAbortHub(new AbortController().signal)
  await readModelTurn(longAnswer(5000), turn, 1_000_000, () => {}, hub)
  clearImmediate(pending)
  expect(turnText(turn)).toBe('word '.repeat(5000))
  expect(turns).toBeGreaterThanOrEqual(100)
})

it('ends at once when it is stopped while others have their turn', async () => {
  const stopping = new AbortController()
  const turn = createModelTurn()
  setImmediate(() => stopping.abort(new Error('stopped')))
  const hub = createAbortHub(stopping.signal)
  await expect(readModelTurn(longAnswer(5000), turn, 1_000_000, () => {}, hub)).rejects.toThrow('stopped')
  expect(turnText(turn).length).toBeLessThan(2500)
})
