import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { mapPacked } from './map-packed.ts'

test('gives what map gives, also for lists of nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer(), { nil: undefined })), (items) => {
      const change = (item: number | undefined) => [item]
      expect(mapPacked(items, change)).toEqual(items.map(change))
    }),
  )
})
