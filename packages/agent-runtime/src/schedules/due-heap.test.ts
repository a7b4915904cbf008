import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDueHeap } from './due-heap.ts'

const dues = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60 })

it('gives what is due first, first, whatever comes in between', () => {
  fc.assert(
    fc.property(dues, fc.array(fc.integer({ min: -1, max: 20 }), { maxLength: 60 }), (first, later) => {
      const heap = createDueHeap<{ due: number }>()
      const left: number[] = []
      const add = (due: number) => {
        heap.add({ due })
        left.push(due)
      }
      for (const due of first) add(due)
      // -1 takes one
      for (const due of [...later, ...Array<number>(130).fill(-1)]) {
        left.sort((a, b) => a - b)
        expect([heap.size, heap.peek()?.due]).toEqual([left.length, left[0]])
        if (due < 0) expect(heap.take()?.due).toBe(left.shift())
        else add(due)
      }
    }),
  )
})

it('gives all that are due by a time and leaves them', () => {
  fc.assert(
    fc.property(dues, fc.integer({ min: -1, max: 21 }), (added, by) => {
      const heap = createDueHeap<{ due: number }>()
      for (const due of added) heap.add({ due })
      const found = heap.dueBy(by).map(({ due }) => due)
      const expected = added.filter((due) => due <= by)
      expect(found.toSorted((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b))
      expect(heap.size).toBe(added.length)
    }),
  )
})

it('is empty once it is cleared', () => {
  const heap = createDueHeap<{ due: number }>()
  for (const due of [3, 1, 2]) heap.add({ due })
  heap.clear()
  expect([heap.size, heap.peek(), heap.take(), heap.dueBy(9)]).toEqual([0, undefined, undefined, []])
})
