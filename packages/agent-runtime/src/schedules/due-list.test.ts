import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDueList } from './schedule-registry.ts'

const time = fc.integer({ min: 0, max: 20 })
const step = fc.oneof(
  time.map((due) => ({ kind: 'add', due }) as const),
  fc.nat({ max: 20 }).map((index) => ({ kind: 'remove', index }) as const),
  fc.tuple(time, fc.nat({ max: 4 })).map(([by, limit]) => ({ kind: 'take', by, limit }) as const),
)

it('gives the earliest item first, whatever is added, removed and taken', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const list = createDueList<{ due: number; id: number }>()
      let left: { due: number; id: number }[] = []
      for (const [id, one] of steps.entries()) {
        if (one.kind === 'add') {
          const item = { due: one.due, id }
          list.add(item)
          left = [...left, item].toSorted((a, b) => a.due - b.due)
        } else if (one.kind === 'remove') {
          const item = left[one.index] ?? { due: 0, id }
          list.remove(item)
          left = left.filter((other) => other !== item)
        } else {
          const taken = left.filter(({ due }) => due <= one.by).slice(0, one.limit)
          expect(list.take(one.by, one.limit)).toEqual(taken)
          left = left.filter((item) => !taken.includes(item))
        }
        expect(list.nextDue()).toBe(left[0]?.due)
      }
    }),
  )
})
