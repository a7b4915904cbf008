import type { JsonObject } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { checkConfig, hideSecrets, replaceConfig } from './config-schema.ts'

const schema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    base: { type: 'string', format: 'uri' },
    api_key: { type: 'string', format: 'password' },
    hidden: { type: 'string', writeOnly: true },
    units: { enum: ['metric', 'imperial'] },
  },
  required: ['units'],
  additionalProperties: false,
}

describe('A15: secrets of a config', () => {
  it('are shown as booleans', () => {
    expect(hideSecrets(schema, { units: 'metric', api_key: 'k' })).toEqual({
      units: 'metric',
      api_key: true,
      hidden: false,
    })
  })

  it('are guessed by their names without a schema', () => {
    expect(hideSecrets(undefined, { API_TOKEN: 't', base: 'b' })).toEqual({ API_TOKEN: true, base: 'b' })
  })

  it('keep their value when they are absent or sent back as they were shown', () => {
    const old = { units: 'metric', api_key: 'k', hidden: 'h' }
    expect(replaceConfig(schema, old, { units: 'imperial', api_key: true })).toEqual({
      units: 'imperial',
      api_key: 'k',
      hidden: 'h',
    })
  })

  it.each([null, false, ''])('are cleared by %j', (value) => {
    expect(replaceConfig(schema, { api_key: 'k' }, { units: 'metric', api_key: value })).toEqual({
      units: 'metric',
    })
  })
})

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

  it('says that a schema is none', async () => {
    await expect(checkConfig({ type: 'nonsense' }, {})).rejects.toMatchObject({ code: 'invalid_skill' })
  })
})
