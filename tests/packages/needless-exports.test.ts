import { expect, it } from 'vitest'
import { findNeedlessExports } from './needless-exports.ts'

it('every exported name is imported by another file, or named by an entry of its package', () => {
  const found = findNeedlessExports().map(({ file, name }) => `${file}: ${name}`)
  expect(found, 'remove "export", or the name if nothing uses it').toEqual([])
})
