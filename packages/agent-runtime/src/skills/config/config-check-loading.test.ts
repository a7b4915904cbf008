import { expect, it, onTestFinished, vi } from 'vitest'
import { createConfigCheck } from './config-check.ts'

it('tries again to load what checking takes, where that has failed once', async () => {
  onTestFinished(() => vi.doUnmock('ajv'))
  vi.doMock('ajv', () => {
    throw new Error('too many open files')
  })
  const check = createConfigCheck()
  const schema = { properties: { city: { type: 'string' } } }
  await expect(check(schema, { city: 'Rome' })).rejects.toThrow()
  vi.doUnmock('ajv')
  await check(schema, { city: 'Rome' })
  await expect(check(schema, { city: 1 })).rejects.toMatchObject({ code: 'validation_error' })
})
