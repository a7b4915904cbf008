import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createOrderedRows } from './ordered-rows.ts'
import { addSorted, findPlace, removeAll, removeSorted } from './sorted-rows.ts'

interface Row {
  readonly time: string
  readonly id: string
}
const orderOf = ({ time, id }: Row) => [time, id] as const
const textOf = ({ time, id }: Row) => `${time} ${id}`
const compare = (a: Row, b: Row) => (textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b)))

// few values, so that rows often share a time; each row once
const letter = fc.constantFrom('a', 'b', 'c', 'd')
const someRows = fc.uniqueArray(fc.record({ time: letter, id: letter }), { selector: textOf })

it('keeps rows in the order of their time and id, whatever comes and goes', () => {
  fc.assert(
    fc.property(someRows, fc.nat(), (added, at) => {
      const sorted: Row[] = []
      const ordered = createOrderedRows(compare)
      for (const row of added) {
        addSorted(sorted, orderOf, row)
        ordered.add(row)
      }
      const expected = added.toSorted(compare)
      expect(sorted).toEqual(expected)
      expect(ordered.rows).toEqual(expected)

      const gone = expected[at % Math.max(1, expected.length)]
      const left = expected.filter((row) => row !== gone)
      // a row that looks alike is not the row, and what is not there takes nothing along
      for (const row of gone === undefined ? [] : [{ ...gone }, { time: 'b', id: 'bb' }, gone]) {
        expect(sorted).toEqual(expected)
        removeSorted(sorted, orderOf, row)
        ordered.remove(row)
      }
      expect(sorted).toEqual(left)
      removeAll(sorted, new Set(left.filter((_, index) => index % 3 === at % 3)))
      expect(sorted).toEqual(left.filter((_, index) => index % 3 !== at % 3))
      expect(ordered.rows).toEqual(left)
    }),
  )
})

it('finds the first row at or behind a place', () => {
  const rows = ['a a', 'a c', 'b a'].map((text) => ({ time: text.slice(0, 1), id: text.slice(2) }))
  const places = ['A a', 'a a', 'a b', 'a c', 'a d', 'b a', 'b b', 'c a'].map((text) =>
    findPlace(rows, orderOf, [text.slice(0, 1), text.slice(2)]),
  )
  expect(places).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
})
