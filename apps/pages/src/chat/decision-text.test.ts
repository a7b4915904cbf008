import { expect, it } from 'vitest'
import { decisionText } from './approval-view.tsx'

it.each([
  [{ status: 'approved' }, 'A person approved it.'],
  [{ status: 'approved', edited_args: {} }, 'A person approved it with changed arguments.'],
  [{ status: 'denied', reason: 'Too much' }, 'A person denied it: Too much'],
  [{ status: 'denied', reason: 'x', decided_by: 'timeout' }, 'Nobody decided in time, so it was denied.'],
  [{ status: 'responded' }, 'A person answered in place of the tool.'],
] as const)('says of %j: %s', (approval, text) => {
  expect(decisionText(approval)).toBe(text)
})
