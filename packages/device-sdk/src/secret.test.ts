import { format, inspect } from 'node:util'
import { expect, it } from 'vitest'
import { Secret } from './secret.ts'

it('gives its text to nobody but reveal', () => {
  const secret = new Secret('hw_topsecretkey')
  const printed = [
    `${secret}`,
    String(secret),
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ deep: [secret] }, { showHidden: true, depth: 9 }),
    format('%s %o %j', secret, secret, secret),
    JSON.stringify(structuredClone(secret)),
    JSON.stringify({ ...secret }),
    Object.getOwnPropertyNames(secret).join(','),
  ]
  expect(printed.join('\n')).not.toContain('topsecret')
  expect(secret.reveal()).toBe('hw_topsecretkey')
})
