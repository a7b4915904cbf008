import { expect, it } from 'vitest'
import { toEnvironmentSchema } from './environment-schema.ts'

it('takes every variable for a secret but those that the server shows', () => {
  expect(toEnvironmentSchema(['W_KEY', 'W_USER', 'W_NEW'], { W_KEY: true, W_USER: 'anna' })).toEqual({
    type: 'object',
    properties: {
      W_KEY: { type: 'string', format: 'password' },
      W_USER: { type: 'string' },
      W_NEW: { type: 'string', format: 'password' },
    },
  })
})
