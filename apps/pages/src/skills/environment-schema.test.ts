import { expect, it } from 'vitest'
import { needsConfig, toEnvironmentSchema } from './environment-schema.ts'

it('takes every variable for a secret but those that the server shows', () => {
  const names = ['W_KEY', 'W_USER', 'W_NEW']
  expect(toEnvironmentSchema({ required_env: names }, { W_KEY: true, W_USER: 'anna' })).toEqual({
    type: 'object',
    properties: {
      W_KEY: { type: 'string', format: 'password' },
      W_USER: { type: 'string' },
      W_NEW: { type: 'string', format: 'password' },
    },
  })
})

it.each([null, 'api.example'])('asks for an address where tools need one: now %j', (host) => {
  const needs = { required_env: [], base_host: host }
  expect(needsConfig(needs)).toBe(true)
  expect(toEnvironmentSchema(needs, {})).toMatchObject({ properties: { base: { type: 'string' } } })
})

it('has nothing to ask for without variables and such tools', () => {
  expect(needsConfig({ required_env: [] })).toBe(false)
})
