import type { JsonObject } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { redactSecrets, replaceConfig } from './config-secrets.ts'
import { configSchema as schema } from '../testing/config-schema.ts'

describe('A15: secrets of a config', () => {
  it('are shown as booleans', () => {
    expect(redactSecrets(schema, { units: 'metric', api_key: 'k' })).toEqual({
      units: 'metric',
      api_key: true,
      hidden: false,
    })
  })

  it('are guessed by their names without a schema', () => {
    expect(redactSecrets(undefined, { API_TOKEN: 't', base: 'b' })).toEqual({ API_TOKEN: true, base: 'b' })
  })

  it('keep their value when they are absent or sent back as they were shown', () => {
    const old = { units: 'metric', api_key: 'k', hidden: 'h' }
    expect(replaceConfig(schema, old, { units: 'imperial', api_key: true })).toEqual({
      units: 'imperial',
      api_key: 'k',
      hidden: 'h',
    })
  })

  it.each([
    [{ base: 'https://two.example/api', api_key: true }],
    [{ base: 'http://one.example/api' }],
    [{ base: 'https://one.example:8443/api' }],
    [{ units: 'metric', api_key: true }],
    [{ base: 'https://one.example/api', mirrors: ['HTTPS://two.example'] }],
    [{ base: 'https://one.example/api', auth: { url: 'https://two.example' } }],
  ])('do not go to another address that a config names: %j', (given) => {
    const old = { base: 'https://one.example/api', api_key: 'k', hidden: 'https://h.example' }
    expect(Object.values(replaceConfig(schema, old, given))).not.toContain('k')
    expect(replaceConfig(schema, old, { ...given, api_key: 'new' })).toMatchObject({ api_key: 'new' })
    const same = { base: 'https://one.example/v2', hidden: true }
    expect(replaceConfig(schema, old, same)).toEqual({ ...same, api_key: 'k', hidden: 'https://h.example' })
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
    expect(redactSecrets(deep, full)).toEqual({
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
    expect(replaceConfig(deep, full, redactSecrets(deep, full))).toEqual(full)
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
    expect(redactSecrets({ properties: {} }, hostile)).toEqual(hostile)
    expect(redactSecrets({ $ref: '#/constructor/__proto__', items: 7 }, { a: [1] })).toEqual({ a: true })
  })
})

describe('A15: secrets behind references', () => {
  const password = { type: 'string', format: 'password' }
  const at = ($ref: string, $defs: JsonObject, $id?: string): JsonObject => ({
    ...($id !== undefined && { $id }),
    properties: { k: { $ref } },
    $defs,
  })

  it.each<[string, JsonObject]>([
    ['an anchor', at('#sec', { s: { $anchor: 'sec', ...password } })],
    ['an anchor of draft 7', at('#sec', { s: { $id: '#sec', ...password } })],
    ['a relative address', at('sec.json', { s: { $id: 'sec.json', ...password } })],
    [
      'an address below that of the schema',
      at('b/s', { s: { $id: '/a/b/s', ...password } }, 'https://x.y/a/c'),
    ],
    ['an absolute address', at('https://x.y/c#/$defs/s', { s: password }, 'https://x.y/c')],
    ['an anchor elsewhere', at('o#sec', { o: { $id: 'o', items: { $anchor: 'sec', ...password } } })],
    ['a dynamic anchor', at('#sec', { s: { $dynamicAnchor: 'sec', ...password } })],
    [
      'a pointer through a part of its own',
      at('o#/$defs/s', { s: {}, o: { $id: 'o', $defs: { s: password } } }),
    ],
    [
      'a pointer in a part of its own',
      at('o', { s: {}, o: { $id: 'o', $ref: '#/$defs/s', $defs: { s: password } } }),
    ],
    ['a dynamic reference', { properties: { k: { $dynamicRef: '#/$defs/s' } }, $defs: { s: password } }],
  ])('are found: %s', (_, schema) => {
    expect(redactSecrets(schema, { k: 'p', open: 'o' })).toEqual({ k: true, open: 'o' })
    expect(replaceConfig(schema, { k: 'p' }, { k: true })).toEqual({ k: 'p' })
  })

  it.each([
    'other.json',
    'http://json-schema.org/draft-07/schema#',
    '#nothing',
    '#/$defs/nothing',
    '#/properties/k/0',
    'http://[',
    '#two',
    7,
  ])('are taken for granted behind what leads to nothing that is known: %j', ($ref) => {
    const properties = { k: { $ref }, open: {}, one: { $anchor: 'two' }, other: { $anchor: 'two' } }
    expect(redactSecrets({ properties }, { k: 'p', open: 'o' })).toEqual({ k: true, open: 'o' })
    expect(redactSecrets({ $ref }, { k: { deep: 'p' }, list: ['p'] })).toEqual({ k: true, list: true })
  })

  it('are taken for granted behind a dynamic reference that another part may redirect', () => {
    const list = { $id: 'list', items: { $dynamicRef: '#item' }, $defs: { any: { $dynamicAnchor: 'item' } } }
    const schema = {
      properties: { k: { $ref: 'list' } },
      $defs: { list, s: { $dynamicAnchor: 'item', ...password } },
    }
    expect(redactSecrets(schema, { k: ['p'] })).toEqual({ k: [true] })
  })

  it('leave what is none as it is, behind every kind of reference', () => {
    const text = { type: 'string' }
    const schema: JsonObject = {
      $id: 'https://x.y/config.schema.json#',
      properties: {
        anchor: { $ref: '#text' },
        $id: text,
        whole: { $ref: 'https://x.y/config.schema.json#/$defs/a~1b%20c' },
        any: { $ref: '#/$defs/any' },
        again: { $dynamicRef: '#' },
      },
      $defs: { t: { $anchor: 'text', ...text }, 'a/b c': text, any: true },
    }
    const config = { anchor: 'a', whole: 'w', any: 'x', again: { anchor: 'a' }, $id: 'i' }
    expect(redactSecrets(schema, config)).toEqual(config)
    const defs = { ...(schema['$defs'] as JsonObject), n: { $id: 'text.json', ...text } }
    const several = {
      ...schema,
      properties: { ...(schema['properties'] as JsonObject), named: { $ref: 'text.json' } },
      $defs: defs,
    }
    expect(redactSecrets(several, { ...config, named: 'n' })).toEqual({ ...config, named: 'n', again: true })
  })

  it('are taken for granted where a schema says more than is looked at', () => {
    const many: JsonObject[] = Array.from({ length: 1500 }, (_, index) => ({ minLength: index }))
    expect(redactSecrets({ properties: { k: { anyOf: [password, ...many] } } }, { k: 'p' })).toEqual({
      k: true,
    })
  })
})
