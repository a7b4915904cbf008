import { expect, it } from 'vitest'
import { isOlderVersion } from './device-facts.tsx'

it('compares versions by their numbers, and takes nothing else for old', () => {
  expect(isOlderVersion('0.9.10', '0.10.0')).toBe(true)
  expect(isOlderVersion('1.2.3', '1.2.4')).toBe(true)
  expect(isOlderVersion('1.10.0', '1.9.9')).toBe(false)
  expect(isOlderVersion('1.2.3', '1.2.3')).toBe(false)
  expect(isOlderVersion('my agent', '1.2.3')).toBe(false)
})
