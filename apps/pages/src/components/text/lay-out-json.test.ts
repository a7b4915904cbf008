import { expect, it } from 'vitest'
import { layOutJson } from './markdown-text.tsx'

it('lays out JSON that stands in one line', () => {
  expect(layOutJson('{"name":"vm","tags":[1]}\n')).toBe('{\n  "name": "vm",\n  "tags": [\n    1\n  ]\n}')
})

it.each(['{"a": 1,\n "b": 2}', '{"id":12345678901234567890}', '{"a":1,"a":2}', '{"a":', ''])(
  'leaves %j as it is',
  (text) => {
    expect(layOutJson(text)).toBe(text)
  },
)
