import { expect, it } from 'vitest'
import { decisionText } from './decision-text.ts'

it.each([
  [{ status: 'approved' }, 'A person approved the call.'],
  [{ status: 'approved', edited_args: {} }, 'A person approved the call with changed arguments.'],
  [{ status: 'denied', reason: 'Too much' }, 'A person denied the call: Too much'],
  [
    { status: 'denied', reason: 'x', decided_by: 'timeout' },
    'No one decided in time, so the call was denied.',
  ],
  [{ status: 'responded' }, 'A person answered in place of the tool.'],
] as const)('says of %j: %s', (approval, text) => {
  expect(decisionText(approval)).toBe(text)
})
