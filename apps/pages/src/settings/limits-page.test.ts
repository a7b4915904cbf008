import { expect, it } from 'vitest'
import { describeQuota } from './limits-page.tsx'

it('says how much of a limit is used, and what is left once it is little', () => {
  const format = (count: number) => `${count} devices`
  expect(describeQuota(2, 5, format)).toBe('2 of at most 5 devices')
  expect(describeQuota(4, 5, format)).toBe('4 of at most 5 devices, 1 devices left')
  expect(describeQuota(6, 5, format)).toBe('6 devices: the limit of 5 devices is reached')
})
