import { describe, expect, it } from 'vitest'
import type { OccurrenceOutcome, Occurrence } from '../store/ports/schedule-store.ts'
import { createFireDue } from './fire-due.ts'
import type { ScheduleDefinition } from './schedule-definition.ts'
import { at, cursorOf, definitionOf, ms, openBook, timeOf } from './testing/book-kit.ts'

/** What carries out the schedules of a book, over a store that writes down what it gets. */
function openFires(time: string) {
  const kit = openBook(time)
  const set = new Map<string, ScheduleDefinition>()
  const writes: (readonly Occurrence[])[] = []
  const told: string[] = []
  const answer = { outcome: ({ task }: Occurrence): OccurrenceOutcome => (task ? 'fired' : 'noted') }
  let ids = 0
  const fireDue = createFireDue({
    store: {
      async recordOccurrences(fires) {
        const outcomes = fires.map(answer.outcome)
        writes.push(fires)
        return outcomes
      },
    },
    book: kit.book,
    find: async ({ id }) => set.get(id),
    onFired: ({ id, subject }) => void told.push(`${subject.id} ${id}`),
    now: () => kit.clock.now,
    createId: () => `t${(ids += 1)}`,
  })
  return {
    ...kit,
    fireDue,
    set,
    told,
    answer,
    /** How many fires each write had. */
    sizes: () => writes.map((fires) => fires.length),
    /** What was written since the last time. */
    written: () =>
      writes
        .splice(0)
        .flat()
        .map(
          ({ subject, scheduledFor, task }) =>
            `${task ? '' : 'missed '}${subject.id} ${scheduledFor.slice(11, -1)}`,
        ),
    /** Sets schedules and takes them into the book. */
    async save(definitions: readonly ScheduleDefinition[], ...through: string[]) {
      for (const definition of definitions) set.set(definition.subject.id, definition)
      const cursors = definitions.flatMap(({ subject, schedule }, index) => {
        const time = through[index]
        return time === undefined ? [] : [cursorOf(subject.id, at(time), schedule)]
      })
      await kit.book.update(definitions, cursors)
    },
  }
}

describe('A9: carrying out what is due', () => {
  it('makes one fire for the time that has come, and goes on with the next', async () => {
    const { fireDue, save, clock, written, told, book } = openFires('08:59:30.000')
    await save([definitionOf('a', { savedAt: at('08:59:30.000') })])
    expect(await fireDue()).toBe(false)
    expect(written()).toEqual([])
    clock.now = ms('09:00:00.000')
    expect(await fireDue()).toBe(false)
    expect(written()).toEqual(['a 09:00:00.000'])
    expect(told).toEqual(['a t1'])
    expect(timeOf(book.nextDue() ?? 0)).toBe('09:01:00.000')
  })

  it('of what comes late, carries out what is not a minute old, and notes the others', async () => {
    const seconds = { schedule: '*/30 * * * * *', savedAt: at('09:00:00.000') }
    const { fireDue, save, clock, written, book } = openFires('09:00:00.000')
    await save([definitionOf('a', seconds)])
    clock.now = ms('09:01:59.999')
    await fireDue()
    expect(written()).toEqual(['missed a 09:00:30.000', 'a 09:01:00.000', 'a 09:01:30.000'])
    expect(timeOf(book.nextDue() ?? 0)).toBe('09:02:00.000')
  })

  it('asks what is missed only when it is a second late or more', async () => {
    for (const [now, expected] of [
      ['09:00:01.999', ['a 09:00:01.000']],
      ['09:00:02.000', ['a 09:00:01.000', 'a 09:00:02.000']],
    ] as const) {
      const { fireDue, save, clock, written } = openFires('09:00:00.000')
      await save([definitionOf('a', { schedule: '* * * * * *', savedAt: at('09:00:00.000') })])
      clock.now = ms(now)
      await fireDue()
      expect(written()).toEqual(expected)
    }
  })

  it('of what nobody carried out until now, all was missed that was due at the start, however short ago', async () => {
    const kept = ['08:59:00.000', '08:59:00.000', '08:59:00.000']
    const { fireDue, save, written, clock } = openFires('09:00:00.000')
    const [skip, latest, all] = (['skip', 'latest', 'all'] as const).map((id) =>
      definitionOf(id, { catchUp: id, overlap: 'skip' }),
    )
    if (!skip || !latest || !all) throw new Error('One is missing.')
    await save([skip, latest, all], ...kept)
    clock.now = ms('09:00:09.999')
    await fireDue()
    expect(written()).toEqual([])
    clock.now = ms('09:00:10.000')
    await fireDue()
    expect(written().toSorted()).toEqual([
      'all 09:00:00.000',
      'latest 09:00:00.000',
      'missed skip 09:00:00.000',
    ])
  })

  it('of what became due since the start, nothing was missed, unless it is a minute old', async () => {
    for (const [now, expected] of [
      ['09:00:30.000', ['missed a 09:00:00.000', 'a 09:00:20.000']],
      ['09:01:20.000', ['missed a 09:00:00.000', 'missed a 09:00:20.000', 'a 09:00:40.000']],
    ] as const) {
      const { fireDue, save, written, clock } = openFires('09:00:00.000')
      await save([definitionOf('a', { schedule: '*/20 * * * * *' })], '08:59:40.000')
      clock.now = ms(now)
      await fireDue()
      expect(written().slice(0, expected.length)).toEqual(expected)
    }
  })

  it('goes on until nothing is due, with `all` 250 times at once', async () => {
    const { fireDue, save, sizes, book } = openFires('09:00:30.000')
    const ids = ['a', 'b', 'c']
    await save(
      ids.map((id) => definitionOf(id, { catchUp: 'all' })),
      ...ids.map(() => '04:50:00.000'),
    )
    await fireDue()
    expect(sizes()).toEqual([500, 250])
    expect(timeOf(book.nextDue() ?? 0)).toBe('09:01:00.000')
    const { fireDue: again, save: keep, sizes: counted } = openFires('09:00:30.000')
    await keep([definitionOf('a', { catchUp: 'all' })], '04:49:00.000')
    await again()
    expect(counted()).toEqual([250, 1])
  })
})

describe('A9: what is set by then', () => {
  it.each([
    ['deleted', undefined],
    ['disabled', definitionOf('a', { enabled: false })],
    ['another one', definitionOf('a', { schedule: '0 * * * *' })],
    ['in another zone', definitionOf('a', { timezone: 'Europe/Berlin' })],
  ])('is %s: nothing is carried out, and it is time to look', async (_, changed) => {
    const { fireDue, save, set, written, takeEvery } = openFires('09:00:30.000')
    await save([definitionOf('a'), definitionOf('b')])
    if (changed) set.set('a', changed)
    else set.delete('a')
    expect(await fireDue()).toBe(true)
    expect(written().filter((fire) => !fire.includes('b '))).toEqual([])
    expect(takeEvery().map(({ subject }) => subject.id)).toEqual(['b'])
  })

  it('was changed by somebody else: what is stale is not told, and it is time to look', async () => {
    const { fireDue, save, answer, told, takeEvery, sizes } = openFires('09:00:30.000')
    const saved = { savedAt: at('08:59:30.000') }
    await save([definitionOf('a', saved), definitionOf('b', saved)])
    answer.outcome = ({ subject }) => (subject.id === 'a' ? 'stale' : 'done')
    expect(await fireDue()).toBe(true)
    expect(told).toEqual([])
    expect(sizes().length).toBeGreaterThan(0)
    expect(takeEvery().map(({ subject }) => subject.id)).toEqual(['b'])
  })

  it('counts when the store has failed, too: nothing is lost, and nothing is told', async () => {
    const { fireDue, save, answer, written, told, book } = openFires('09:00:00.000')
    await save([definitionOf('a', { savedAt: at('08:59:30.000') })])
    const { outcome } = answer
    answer.outcome = () => {
      throw new Error('disk full')
    }
    await expect(fireDue()).rejects.toThrow('disk full')
    expect([written(), told, timeOf(book.nextDue() ?? 0)]).toEqual([[], [], '09:00:00.000'])
    answer.outcome = outcome
    await fireDue()
    expect(written()).toEqual(['a 09:00:00.000'])
  })
})
