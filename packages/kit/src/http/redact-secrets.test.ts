import { expect, it } from 'vitest'
import { redactSecrets } from './index.ts'

it('takes secrets out of a text, also as a part of an address', () => {
  expect(redactSecrets('key=a%20b, a b!', ['a b', '', undefined])).toBe('key=[hidden], [hidden]!')
})
