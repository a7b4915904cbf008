import { describe, expect, it } from 'vitest'
import { at, cursorOf, definitionOf, ms, openBook, timeOf } from './testing/book-kit.ts'

describe('A9: a schedule that is new', () => {
  it.each([
    ['just now', at('09:00:29.000'), '09:00:29.000', '09:01:00.000'],
    ['two minutes ago', at('08:58:30.000'), '08:58:30.000', '08:59:00.000'],
    ['longer ago', at('08:58:29.999'), '08:58:30.000', '08:59:00.000'],
    ['by a clock that is ahead', at('09:30:00.000'), '09:00:30.000', '09:01:00.000'],
    ['nobody knows when', '', '08:58:30.000', '08:59:00.000'],
  ])('begins when it was saved, not long ago: %s', async (_, savedAt, through, due) => {
    const { book, asked } = openBook('09:00:30.000')
    await book.update([definitionOf('a', { savedAt })])
    expect(asked()).toEqual([`start a ${through}`])
    expect(timeOf(book.nextDue() ?? 0)).toBe(due)
  })

  it('goes on behind the cursor that another process has put there', async () => {
    const { book, cursors, takeAll } = openBook('09:00:30.000')
    cursors.set('a', cursorOf('a', at('08:30:00.000')))
    await book.update([definitionOf('a')])
    expect(takeAll()).toEqual(['a 08:31:00.000'])
  })

  it('was not missed: nobody was to be there before', async () => {
    const { book } = openBook('09:00:30.000')
    await book.update([definitionOf('a')])
    expect(book.takeDue(1)).toMatchObject([{ isResumed: false, isGone: false, through: ms('08:58:30.000') }])
  })
})

describe('A9: a schedule that was carried out before', () => {
  it('goes on behind its cursor, and what is due was missed until it has caught up', async () => {
    const { book, asked } = openBook('09:00:30.000')
    await book.update([definitionOf('a')], [cursorOf('a', at('08:58:00.000'))])
    expect(asked()).toEqual([])
    const [entry] = book.takeDue(1)
    if (!entry) throw new Error('It is not due.')
    expect(entry).toMatchObject({ isResumed: true, due: ms('08:59:00.000') })
    entry.through = entry.due
    book.putBack(entry)
    expect(entry).toMatchObject({ isResumed: true, due: ms('09:00:00.000') })
    expect(book.takeDue(1)).toEqual([entry])
    entry.through = entry.due
    book.putBack(entry)
    expect(entry).toMatchObject({ isResumed: false, due: ms('09:01:00.000') })
  })

  it('waits ten seconds when it was due in the last ten: another process may be at it', async () => {
    for (const [time, until] of [
      ['09:00:09.999', '09:00:19.999'],
      ['09:00:10.000', '08:31:00.000'],
    ] as const) {
      const { book, clock, takeAll } = openBook(time)
      // whatever was due before
      await book.update([definitionOf('a')], [cursorOf('a', at('08:30:00.000'))])
      expect(timeOf(book.nextDue() ?? 0)).toBe(until)
      clock.now = Math.max(clock.now, ms(until) - 1)
      expect(takeAll().length).toBe(until > time ? 0 : 1)
      clock.now = ms('09:00:20.000')
      expect(book.nextDue()).toBe(until > time ? ms('08:31:00.000') : undefined)
      expect(takeAll()).toEqual(until > time ? ['a 08:31:00.000'] : [])
    }
  })

  it('waits for nothing when its clock is put back, nor when it is gone', async () => {
    const { book, clock, takeAll } = openBook('09:00:05.000')
    const ids = ['a', 'b', 'c']
    const cursors = ids.map((id) => cursorOf(id, at('07:59:00.000')))
    await book.update(
      ids.map((id) => definitionOf(id)),
      cursors,
    )
    await book.update(['b', 'c'].map((id) => definitionOf(id)))
    expect(takeAll()).toEqual([])
    clock.now = ms('08:00:05.000')
    expect(takeAll()).toEqual(['b 08:00:00.000', 'c 08:00:00.000'])
    expect(book.nextDue()).toBeUndefined()
  })

  it('waits on when schedules are edited a thousand times meanwhile', async () => {
    const { book, clock, takeAll } = openBook('09:00:05.000')
    await book.update([definitionOf('a')], [cursorOf('a', at('08:59:00.000'))])
    for (let edit = 0; edit < 1000; edit += 1) {
      await book.update([definitionOf('a'), definitionOf('b', { schedule: `${1 + (edit % 2)} * * * *` })])
    }
    expect(takeAll()).toEqual([])
    clock.now = ms('09:00:15.000')
    expect(takeAll()).toEqual(['a 09:00:00.000'])
  })

  it('begins anew when it is another one by now', async () => {
    const { book, asked, takeAll } = openBook('09:00:30.000')
    await book.update([definitionOf('a')], [cursorOf('a', at('08:30:00.000'), '5 * * * *')])
    expect(asked()).toEqual(['start a 08:58:30.000'])
    expect(takeAll()).toEqual(['a 08:59:00.000'])
  })

  it('begins now when its cursor is more than an hour ahead: a clock was wrong', async () => {
    for (const [through, calls, due] of [
      ['10:00:30.000', [], '10:01:00.000'],
      ['10:00:30.001', ['stop a', 'start a 09:00:30.000'], '09:01:00.000'],
    ] as const) {
      const { book, asked } = openBook('09:00:30.000')
      await book.update([definitionOf('a')], [cursorOf('a', at(through))])
      expect(asked()).toEqual(calls)
      expect(timeOf(book.nextDue() ?? 0)).toBe(due)
    }
  })
})

describe('A9: what is set now', () => {
  it('leaves alone what stays as it is', async () => {
    const { book, asked } = openBook('09:00:30.000')
    await book.update([definitionOf('a'), definitionOf('b')])
    asked()
    await book.update([definitionOf('b', { input: 'Other words' }), definitionOf('a')])
    expect(asked()).toEqual([])
  })

  it('ends what is disabled, deleted or cannot be read, and cursors that nobody needs', async () => {
    const { book, asked, takeEvery } = openBook('09:00:30.000')
    const all = ['kept', 'disabled', 'deleted', 'broken'].map((id) => definitionOf(id))
    await book.update(all, [cursorOf('old', at('08:00:00.000'))])
    expect(asked()[0]).toBe('stop old')
    const now = [
      definitionOf('kept'),
      definitionOf('disabled', { enabled: false }),
      definitionOf('broken', { schedule: 'each day' }),
    ]
    await book.update(now)
    expect(asked()).toEqual(['rest disabled', 'rest broken', 'stop deleted'])
    await book.update(now)
    expect(asked()).toEqual([])
    await book.update([definitionOf('kept')])
    expect(asked()).toEqual(['stop disabled', 'stop broken'])
    expect(takeEvery().map(({ subject }) => subject.id)).toEqual(['kept'])
  })

  it('begins anew when it is enabled again, in this process or in another', async () => {
    const { book, cursors, asked } = openBook('09:00:30.000')
    await book.update([definitionOf('a')], [cursorOf('a', at('08:00:00.000'))])
    await book.update([definitionOf('a', { enabled: false })])
    expect(asked()).toEqual(['rest a'])
    const other = openBook('09:00:30.000')
    await other.book.update([definitionOf('a')], [...cursors.values()])
    expect(other.asked()).toEqual(['start a 08:58:30.000'])
    await book.update([definitionOf('a')])
    expect(asked()).toEqual(['start a 08:58:30.000'])
  })

  it('puts another schedule in the place of one, from when it was saved', async () => {
    const { book, asked, takeAll } = openBook('09:00:30.000')
    await book.update([definitionOf('a')])
    asked()
    await book.update([definitionOf('a', { schedule: '0 * * * *', savedAt: at('08:59:30.000') })])
    expect(asked()).toEqual(['start a 08:59:30.000'])
    expect(takeAll()).toEqual(['a 09:00:00.000'])
    expect(book.nextDue()).toBeUndefined()
  })

  it('goes on where it was with one that was dropped, and with one that a clock put far ahead', async () => {
    const { book, clock, asked } = openBook('09:00:30.000')
    await book.update([definitionOf('a')])
    asked()
    const [entry] = book.takeDue(1)
    if (!entry) throw new Error('It is not due.')
    entry.through = ms('09:00:00.000')
    entry.isGone = true
    book.putBack(entry)
    expect(book.nextDue()).toBeUndefined()
    await book.update([definitionOf('a')])
    expect(asked()).toEqual(['start a 09:00:00.000'])

    clock.now = ms('09:01:00.000')
    const [again] = book.takeDue(1)
    if (!again) throw new Error('It is gone.')
    again.through = clock.now + 3_600_000
    await book.update([definitionOf('a')])
    expect(asked()).toEqual([])
    again.through += 1
    await book.update([definitionOf('a')])
    // not further than now, whatever it was
    expect(asked()).toEqual(['start a 09:01:00.000'])
  })
})

describe('A9: what is due', () => {
  it('is taken by its time, so many at once, from its very millisecond on', async () => {
    const { book, clock } = openBook('09:00:30.000')
    const minutes = { a: 3, b: 2, c: 1, d: 4, e: 5, f: 6, g: 7 }
    await book.update(
      Object.entries(minutes).map(([id, minute]) => definitionOf(id, { schedule: `${minute} 9 * * *` })),
    )
    const take = (limit: number) => book.takeDue(limit).map(({ subject }) => subject.id)
    expect(book.nextDue()).toBe(ms('09:01:00.000'))
    clock.now = ms('09:00:59.999')
    expect(take(9)).toEqual([])
    clock.now = ms('09:03:00.000')
    expect(take(2)).toEqual(['c', 'b'])
    expect(take(2)).toEqual(['a'])
    expect(take(2)).toEqual([])
    expect(book.nextDue()).toBe(ms('09:04:00.000'))
    clock.now = ms('09:07:00.000')
    expect(take(9)).toEqual(['d', 'e', 'f', 'g'])
  })

  it('is nothing of a schedule that never comes again, or is gone', async () => {
    const { book, takeEvery } = openBook('09:00:30.000')
    await book.update(['a', 'b'].map((id) => definitionOf(id)))
    const [first, second] = book.takeDue(2)
    if (!first || !second) throw new Error('They are not due.')
    book.putBack({ ...first, times: { ...first.times, months: '0'.repeat(13) } })
    expect(book.nextDue()).toBeUndefined()
    second.isGone = true
    book.putBack(second)
    expect(takeEvery()).toEqual([])
    expect(book.nextDue()).toBeUndefined()
  })

  it('stays right when a schedule was edited a thousand times', async () => {
    const { book, takeAll, takeEvery } = openBook('09:00:30.000')
    for (let edit = 0; edit < 1000; edit += 1) {
      await book.update([definitionOf('a', { schedule: `${edit % 2} * * * *` }), definitionOf('b')])
    }
    expect(takeAll()).toEqual(['b 08:59:00.000'])
    expect(takeEvery().map(({ subject, due }) => [subject.id, timeOf(due)])).toEqual([['a', '09:01:00.000']])
  })
})
