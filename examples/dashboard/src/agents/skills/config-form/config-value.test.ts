import type { RJSFSchema } from '@rjsf/utils'
import { expect, it } from 'vitest'
import { toFormValue } from './config-value.ts'

it('leaves out secrets that are not set, and nothing else that is false', () => {
  const schema: RJSFSchema = {
    properties: {
      key: { type: 'string', format: 'password' },
      other: { type: 'string', writeOnly: true },
      loud: { type: 'boolean' },
      auth: { $ref: '#/$defs/auth' },
    },
    $defs: { auth: { properties: { pin: { format: 'password' }, open: { type: 'boolean' } } } },
  }
  const shown = { key: false, other: true, loud: false, auth: { pin: false, open: false }, extra: false }
  expect(toFormValue(schema, shown)).toEqual({
    other: true,
    loud: false,
    auth: { open: false },
    extra: false,
  })
  expect(toFormValue({ $ref: '#/nowhere' }, { key: false })).toEqual({ key: false })
})
