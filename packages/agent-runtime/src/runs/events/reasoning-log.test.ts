import { describe, expect, it } from 'vitest'
import { createKit, namesOf } from '../testing/run-kit.ts'
import { createReasoningLog } from './reasoning-log.ts'

const textOf = (pieces: Iterable<{ readonly delta: string }>) =>
  Array.from(pieces, ({ delta }) => delta).join('')

describe('reasoning log', () => {
  it('gives each reader every piece once, before the event that followed it', () => {
    const log = createReasoningLog()
    log.add('r', 1, 'a')
    log.add('r', 1, 'b')
    log.add('r', 3, 'c')
    const reader = log.read('r', 0)
    expect(textOf(reader.before(2))).toBe('ab')
    expect(textOf(reader.before(3))).toBe('')
    log.add('r', 4, 'd')
    expect(textOf(reader.before(9))).toBe('cd')
    expect(textOf(log.read('r', 0).before(9))).toBe('abcd')
    expect(textOf(log.read('other', 0).before(9))).toBe('')
  })

  it('gives a reader that resumes after an event only what it cannot have seen', () => {
    const log = createReasoningLog()
    log.add('r', 1, 'seen')
    const reader = log.read('r', 1)
    log.add('r', 1, 'new')
    expect(textOf(reader.before(9))).toBe('new')
    log.add('r', 5, 'later')
    expect(textOf(log.read('r', 1).before(9))).toBe('later')
  })

  it('drops the oldest pieces of a long run, and the oldest of many runs', () => {
    const log = createReasoningLog()
    const piece = 'x'.repeat(1000)
    for (let number = 0; number < 500; number += 1) log.add('long', 1, piece)
    const reader = log.read('long', 0)
    const held = textOf(reader.before(9)).length
    expect(held).toBeLessThanOrEqual(200_000)
    expect(held).toBeGreaterThan(100_000)
    for (let run = 0; run < 40; run += 1) log.add(`run ${run}`, 1, 'x'.repeat(199_000))
    expect(textOf(log.read('long', 0).before(9))).toBe('')
    expect(textOf(log.read('run 39', 0).before(9))).toHaveLength(199_000)
    log.add('long', 1, 'again')
    expect(textOf(reader.before(9))).toBe('again')
  })
})

describe('reasoning of a run', () => {
  const steps = [
    { reasoning: 'I should look.', toolCalls: [{ name: 'none' }] },
    { reasoning: 'The key is hunter2-hunter2.', text: 'Done.' },
  ]

  it('comes only if asked for, in order, with secrets removed, and is not stored', async () => {
    const { runs, store, run } = createKit({ steps, secrets: async () => ['hunter2-hunter2'] })
    const { run_id: id } = await run()
    expect(namesOf(await Array.fromAsync(runs.events(id, 0)))).not.toContain('reasoning')
    const events = await Array.fromAsync(runs.events(id, 0, undefined, { reasoning: true }))
    expect(namesOf(events).filter((name) => name !== 'usage')).toEqual([
      'start',
      'reasoning',
      'tool_start',
      'tool_call',
      'reasoning',
      'assistant',
      'done',
    ])
    const thoughts = events.flatMap(({ event }) => (event.event === 'reasoning' ? [event.data.delta] : []))
    expect(thoughts).toEqual(['I should look.', expect.not.stringContaining('hunter2')])
    expect(JSON.stringify(await store.listRunEvents(id, 0))).not.toContain('I should look')
    await runs.close()
    const after = createKit({ store })
    const replayed = await Array.fromAsync(after.runs.events(id, 0, undefined, { reasoning: true }))
    expect(namesOf(replayed)).not.toContain('reasoning')
  })
})
