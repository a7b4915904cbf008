import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { isLongInteger, parseExactJson, quoteLongIntegers } from './exact-json.ts'

it('keeps every digit of every integer, and changes nothing else', () => {
  const long = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.array(long), fc.boolean(), (value, integers, isPretty) => {
      const plain = JSON.stringify(value, null, isPretty ? 2 : 0)
      const read = parseExactJson(`{"plain":${plain},"ids":[${integers.join(', ')}]}`)
      expect(read).toEqual({
        plain: JSON.parse(JSON.stringify(value)),
        ids: integers.map((one) => (Number.isSafeInteger(Number(one)) ? Number(one) : expect.anything())),
      })
      expect((read as { ids: unknown[] }).ids.map(String)).toEqual(integers.map(String))
    }),
  )
})

it.each([
  ['{"id":2512292042121000001}', { id: '2512292042121000001' }],
  ['{"id":-9223372036854775807}', { id: '-9223372036854775807' }],
  ['[9007199254740993 ,9007199254740992]', ['9007199254740993', 9007199254740992]],
  ['2512292042121000001', '2512292042121000001'],
  [
    '{"a\\"1":"2512292042121000001","b\\\\":[1234567890123456789]}',
    { 'a"1': '2512292042121000001', 'b\\': ['1234567890123456789'] },
  ],
  ['["text \\" 2512292042121000001 more"]', ['text " 2512292042121000001 more']],
  ['[0.12345678901234567890,1e1000,1.5e-12345678901234567890]', [0.12345678901234568, Infinity, 0]],
  ['[12345678901234567890.5]', [Number('12345678901234567890.5')]],
])('reads %s', (text, value) => {
  expect(parseExactJson(text)).toEqual(value)
})

it('leaves the bounds of a JSON Schema numbers', () => {
  const schema = '{"p":[{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}]}'
  expect(parseExactJson(schema)).toEqual(JSON.parse(schema))
  expect(parseExactJson('{"type":"limit","maximum":9223372036854775807}')).toMatchObject({
    maximum: '9223372036854775807',
  })
})

it('takes a text that is not JSON as it is', () => {
  expect(quoteLongIntegers('"open 2512292042121000001')).toBe('"open 2512292042121000001')
  expect(() => parseExactJson('id: 2512292042121000001')).toThrow(SyntaxError)
  expect(isLongInteger('12345678901234567.5')).toBe(false)
})

it('reads a long text once', () => {
  const text = `["${'\\"'.repeat(500_000)}",${'1'.repeat(500_000)}]`
  const before = process.threadCpuUsage().user
  expect(parseExactJson(text)).toHaveLength(2)
  expect(process.threadCpuUsage().user - before).toBeLessThan(1_000_000)
})
