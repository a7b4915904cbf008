import type { JsonObject } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { createConfigCheck } from './config-check.ts'
import { configSchema as schema } from '../testing/config-schema.ts'

const checkConfig = createConfigCheck()
describe('checking a config', () => {
  it('takes one that matches', async () => {
    await expect(checkConfig(schema, { units: 'metric', base: 'https://a.example' })).resolves.toBeUndefined()
  })

  it.each([
    [{ units: 'feet' }, 'units'],
    [{}, 'units'],
    [{ units: 'metric', base: 'no address' }, 'base'],
    [{ units: 'metric', extra: 1 }, 'config'],
  ])('refuses %j and names the property', async (config, where) => {
    await expect(checkConfig(schema, config as JsonObject)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(where) as string,
    })
  })

  it('does not wait for a pattern that tries every way', async () => {
    const slow = { properties: { base: { type: 'string', pattern: '^(a+)+$' } } }
    const check = checkConfig(slow, { base: `${'a'.repeat(40)}!` })
    await expect(check).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('could not be checked') as string,
    })
    await expect(checkConfig(slow, { base: 'aaa' })).resolves.toBeUndefined()
  })

  it('A15: accepts a config whose schema has rules that cannot be checked, and checks the others', async () => {
    const schema = { properties: { a: { type: 'nonsense' }, b: { pattern: '^https\\:' } } }
    await checkConfig(schema, { a: 1, b: 'https://x.example' })
    await expect(checkConfig(schema, { b: 'ftp://x.example' })).rejects.toMatchObject({
      code: 'validation_error',
    })
  })
})
