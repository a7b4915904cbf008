import { expect, it } from 'vitest'
import { parseArguments } from './approval-view.tsx'

it('reads one JSON object', () => {
  expect(parseArguments('{"a": [1]}')).toEqual({ args: { a: [1] } })
})

it.each([
  ['[1]', 'The arguments must be one JSON object.'],
  ['null', 'The arguments must be one JSON object.'],
  ['{"a": ', 'The arguments are not valid JSON. Check commas, quotes and brackets.'],
])('rejects %s', (text, problem) => {
  expect(parseArguments(text)).toEqual({ problem })
})
