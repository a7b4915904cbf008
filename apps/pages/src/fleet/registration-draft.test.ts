import { ClientError } from '@homeward/contract/client'
import { expect, it } from 'vitest'
import { readRefusal } from './registration.tsx'

it('puts what the server refused of the metadata at the field that holds all of it', () => {
  const refuse = (detail: string) => new ClientError('HTTP', 'registerDevice failed', { status: 400, detail })
  expect(readRefusal(refuse('metadata: is larger than 8192 bytes; name: Too small'))).toEqual({
    fields: { more: 'Is larger than 8192 bytes', name: 'Too small' },
    rest: undefined,
  })
  expect(readRefusal(refuse('metadata.rooms[0].id: Too big')).fields).toEqual({ more: 'Too big' })
  expect(readRefusal(null)).toEqual({ fields: {}, rest: undefined })
})
