import { ClientError } from '@homeward/contract/client'
import { expect, it } from 'vitest'
import { describeError } from './error-state.tsx'

it('says what to do after a refused token in words for people, not for programs', () => {
  const detail = 'Send the access token in the header "Authorization: Bearer <token>".'
  const refused = new ClientError('HTTP', 'updateAgent failed', {
    status: 401,
    error: 'Unauthorized',
    detail,
  })
  expect(describeError(refused)).toEqual({
    title: 'The access token is invalid',
    text: 'Sign in, then try again.',
  })
  const other = new ClientError('HTTP', 'updateAgent failed', { status: 403, error: 'Forbidden', detail })
  expect(describeError(other)).toEqual({ title: 'Forbidden', text: detail })
})
