import { expect, it } from 'vitest'
import { changedLabels, changeEach } from './edit-labels.tsx'

it('adds and removes labels, and says when nothing changes', () => {
  expect(changedLabels(['a', 'b'], { add: ['c', 'a'], remove: ['b'] })).toEqual(['a', 'c'])
  expect(changedLabels(['a'], { add: ['a'], remove: ['b'] })).toBeUndefined()
})

it('changes all devices although one fails, and names that one', async () => {
  const devices = Array.from({ length: 9 }, (_, index) => ({ id: `d${index}`, name: `Device ${index}` }))
  const changed: string[] = []
  const steps: number[] = []
  const result = await changeEach(
    devices,
    async (id) => {
      await Promise.resolve()
      if (id === 'd3') throw new Error('gone')
      changed.push(id)
    },
    ({ done }) => steps.push(done),
  )
  expect(changed).toHaveLength(8)
  expect(result).toMatchObject({ done: 9, failed: [{ name: 'Device 3', error: new Error('gone') }] })
  expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
})
