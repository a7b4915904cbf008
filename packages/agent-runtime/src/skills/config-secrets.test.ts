import type { JsonObject } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { hideSecrets, replaceConfig } from './config-secrets.ts'
import { configSchema as schema } from './testing/config-schema.ts'

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

  const deep: JsonObject = {
    properties: {
      auth: { $ref: '#/$defs/auth' },
      servers: { type: 'array', items: { $ref: '#/$defs/server' } },
      tokens: { type: 'array', items: { type: 'string', format: 'password' } },
      kind: { type: 'string' },
    },
    additionalProperties: { allOf: [{ writeOnly: true }] },
    if: { properties: { kind: { const: 'pin' } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: { pin: { format: 'password' } } },
    $defs: {
      auth: { properties: { user: {}, password: { format: 'password' }, again: { $ref: '#/$defs/auth' } } },
      server: { properties: { url: {}, token: { writeOnly: true } } },
    },
  }
  const full = {
    auth: { user: 'anna', password: 'p1', again: { password: 'p2' } },
    servers: [
      { url: 'https://a.example', token: 't1' },
      { url: 'https://b.example', token: 't2' },
    ],
    tokens: ['x1', 'x2'],
    kind: 'pin',
    pin: 'n1',
    other: 'o1',
  }

  it('are found behind references, in lists, in branches and among unnamed properties', () => {
    expect(hideSecrets(deep, full)).toEqual({
      auth: { user: 'anna', password: true, again: { password: true } },
      servers: [
        { url: 'https://a.example', token: true },
        { url: 'https://b.example', token: true },
      ],
      tokens: [true, true],
      kind: 'pin',
      pin: true,
      other: true,
    })
    expect(replaceConfig(deep, full, hideSecrets(deep, full))).toEqual(full)
  })

  it('of a list stay with their entry, and never move to another one', () => {
    const given = {
      auth: { user: 'berta', password: true },
      servers: [
        { url: 'https://b.example', token: true },
        { url: 'https://evil.example', token: true },
      ],
      tokens: [true, 'new'],
    }
    expect(replaceConfig(deep, full, given)).toEqual({
      auth: { user: 'berta', password: 'p1' },
      servers: [{ url: 'https://b.example', token: 't2' }, { url: 'https://evil.example' }],
      tokens: ['x1', 'new'],
      pin: 'n1',
      other: 'o1',
    })
  })

  it('are told from names like those of every object', () => {
    const hostile = JSON.parse('{"__proto__": {"a": 1}, "constructor": "c"}') as JsonObject
    expect(Object.keys(replaceConfig({ properties: {} }, {}, hostile))).toEqual(['__proto__', 'constructor'])
    expect(hideSecrets({ properties: {} }, hostile)).toEqual(hostile)
    expect(hideSecrets({ $ref: '#/constructor/__proto__', items: 7 }, { a: [1] })).toEqual({
      a: [1],
    })
  })
})
