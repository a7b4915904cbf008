import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { addSorted, comparePositions, findPlace, readPage, removeSorted } from './sorted-rows.ts'

interface Row {
  readonly createdAt: string
  readonly id: string
}
const rowOf = (text: string): Row => ({ createdAt: text.slice(0, 1), id: text.slice(1) })
const textOf = ({ createdAt, id }: Row) => createdAt + id
const compare = (a: Row, b: Row) => (textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b)))

// few values, so that rows often share a time; each row once
const letter = fc.constantFrom('a', 'b', 'c', 'd')
const someRows = fc.uniqueArray(fc.record({ createdAt: letter, id: letter }), { selector: textOf })

it('keeps rows in the order of their time and id, whatever comes and goes', () => {
  fc.assert(
    fc.property(someRows, fc.nat(), (added, at) => {
      const rows: Row[] = []
      for (const row of added) addSorted(rows, row)
      const expected = added.toSorted(compare)
      expect(rows).toEqual(expected)
      expect(expected).toEqual(added.toSorted(comparePositions))

      const gone = expected[at % Math.max(1, expected.length)]
      // a row that looks alike is not the row, and what is not there takes nothing along
      for (const row of [rowOf('Aa'), rowOf('bbb'), ...(gone ? [{ ...gone }] : [])]) removeSorted(rows, row)
      expect(rows).toEqual(expected)
      if (gone) removeSorted(rows, gone)
      expect(rows).toEqual(expected.filter((row) => row !== gone))
    }),
  )
})

it('finds the first row at or behind a place', () => {
  const rows = ['aa', 'ac', 'ba'].map(rowOf)
  const places = ['Aa', 'aa', 'ab', 'ac', 'ad', 'ba', 'bb', 'ca'].map((text) => findPlace(rows, rowOf(text)))
  expect(places).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
})

it('takes a row for as far as itself', () => {
  const order = ['ab', 'ba', 'bb', 'bc', 'ca'].map((text) => comparePositions(rowOf(text), rowOf('bb')))
  expect(order).toEqual([-1, -1, 0, 1, 1])
})

it('C11: looks at no more rows than it takes to know that there is more', () => {
  const looked: string[] = []
  const rows = ['aa', 'ab', 'ba', 'bb'].map(rowOf)
  readPage(rows, { limit: 1 }, (row) => looked.push(textOf(row)) > 0)
  expect(looked).toEqual(['bb', 'ba'])
})

it('C11: reads what is accepted from the newest on, and says where it goes on only when there is more', () => {
  const rows = ['aa', 'ab', 'ba', 'bb', 'ca'].map(rowOf)
  const read = (limit: number, after?: string, accepts?: (row: Row) => boolean) => {
    const page = readPage(rows, { limit, ...(after && { after: rowOf(after) }) }, accepts)
    return [page.rows.map(textOf), page.next && textOf(page.next)]
  }
  expect(read(2)).toEqual([['ca', 'bb'], 'bb'])
  expect(read(2, 'bb')).toEqual([['ba', 'ab'], 'ab'])
  expect(read(2, 'ab')).toEqual([['aa'], undefined])
  expect(read(5)).toEqual([['ca', 'bb', 'ba', 'ab', 'aa'], undefined])
  // what it is to go on behind may be gone
  expect(read(2, 'b')).toEqual([['ab', 'aa'], undefined])
  expect(read(9, undefined, ({ id }) => id === 'a')).toEqual([['ca', 'ba', 'aa'], undefined])
  expect(read(1, 'ca', ({ id }) => id === 'a')).toEqual([['ba'], 'ba'])
})
