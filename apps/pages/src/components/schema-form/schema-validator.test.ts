import type { RJSFSchema } from '@rjsf/utils'
import { describe, expect, it } from 'vitest'
import { schemaValidator } from './schema-validator.ts'

const auth = {
  oneOf: [
    { properties: { token: { type: 'string', format: 'password' } }, required: ['token'] },
    {
      properties: { user: { type: 'string' }, password: { type: 'string', writeOnly: true } },
      required: ['user', 'password'],
    },
  ],
} satisfies RJSFSchema

const schema: RJSFSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://skills.example/config',
  type: 'object',
  properties: {
    base: { type: 'string', format: 'uri', minLength: 3 },
    limit: { type: 'integer', minimum: 1 },
    units: { enum: ['metric', 'imperial'] },
    'a.b': { type: 'string' },
    servers: { type: 'array', minItems: 1, items: { $ref: '#/$defs/server' } },
    auth,
  },
  required: ['base'],
  additionalProperties: false,
  $defs: { server: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] } },
}

const messages = (value: Record<string, unknown>, rules = schema) =>
  schemaValidator.validateFormData(value, rules).errors.map(({ property, message }) => [property, message])

describe('checking a form without compiling', () => {
  it('finds nothing wrong with what fits', () => {
    expect(
      messages({ base: 'https://a.example', limit: 1, units: 'metric', servers: [{ url: 'x' }] }),
    ).toEqual([])
  })

  it('puts each problem where people can change it', () => {
    expect(messages({ limit: 0, units: 'feet', servers: [{}] })).toEqual([
      ['.base', 'is required'],
      ['.limit', '0 is less than 1.'],
      ['.units', 'must be one of the choices'],
      ['.servers.0.url', 'is required'],
    ])
    expect(messages({ base: 7 })).toEqual([['.base', 'must be of the type string']])
    const { errorSchema } = schemaValidator.validateFormData(
      { base: 'https://a.example', 'a.b': 1, servers: [{}] },
      schema,
    )
    expect(errorSchema).toMatchObject({
      'a.b': { __errors: ['must be of the type string'] },
      servers: { 0: { url: { __errors: ['is required'] } } },
    })
  })

  it('takes a secret that is kept or removed, and no other value of its kind', () => {
    const base = 'https://a.example'
    expect(messages({ base, auth: { token: true } })).toEqual([])
    expect(messages({ base, auth: { user: 'anna', password: null } })).toEqual([])
    expect(messages({ base, auth: { token: 7 } }).length).toBeGreaterThan(0)
    const [, withPassword] = auth.oneOf
    expect(schemaValidator.isValid(withPassword!, { user: 'anna', password: true }, schema)).toBe(true)
    expect(schemaValidator.isValid(withPassword!, { token: true }, schema)).toBe(false)
  })

  it('says of the choices that fit best what they lack', () => {
    const base = 'https://a.example'
    expect(messages({ base, auth: { user: 'anna' } })).toEqual([
      ['.auth.token', 'is required'],
      ['.auth.password', 'is required'],
    ])
    expect(messages({ base, auth: {} })).toEqual([['.auth.token', 'is required']])
    expect(messages({ base, auth: { token: true, user: 'anna', password: true } })).toEqual([
      ['.auth', 'fits none of the choices'],
    ])
  })

  it('follows references from a part to the whole', () => {
    expect(schemaValidator.isValid({ $ref: '#/$defs/server' }, { url: 'x' }, schema)).toBe(true)
    expect(schemaValidator.isValid({ $ref: '#/$defs/server' }, {}, schema)).toBe(false)
  })

  it.each([
    { $ref: '#/nowhere' },
    { type: 'nonsense' },
    { properties: { a: { pattern: '(' } } },
    { properties: 7 },
    { $id: 'no address at all', properties: { a: { $ref: 'https://elsewhere.example/schema' } } },
  ])('leaves a schema that it cannot read to the server: %j', (broken) => {
    const rules = broken as RJSFSchema
    expect(() => schemaValidator.validateFormData({ a: 'x' }, rules)).not.toThrow()
    expect(() => schemaValidator.isValid(rules, { a: 'x' }, rules)).not.toThrow()
  })

  it('survives schemas that refer to themselves and are nested without end', () => {
    const cyclic: RJSFSchema = { properties: { next: { $ref: '#' } }, required: ['name'] }
    expect(messages({ next: { next: {} } }, cyclic).length).toBeGreaterThan(1)
    let deep: RJSFSchema = { type: 'string' }
    for (let depth = 0; depth < 1000; depth++) deep = { properties: { a: deep } }
    expect(() => messages({ a: {} }, deep)).not.toThrow()
  })
})
