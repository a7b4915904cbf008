import { describe, expect, it } from 'vitest'
import { threadCpuMs } from '../../../../../tests/thread-cpu-ms.ts'
import { parseOutput } from './output-schema.ts'

describe('JSON in the answer of a model', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['  [1,2]\n', [1, 2]],
    ['"text"', 'text'],
    ['null', null],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['```\n[1]\n```', [1]],
    ['Here it is:\n```json\n{"a":"```"}\n```\nAnything else?', { a: '```' }],
    ['The answer is {"a":{"b":[1]}}. Done.', { a: { b: [1] } }],
    ['Numbers: [1, 2, 3].', [1, 2, 3]],
    ['As [1] says: {"a":1}', { a: 1 }],
    ['{"a":"\\ud83d"}', { a: '\uFFFD' }],
    ['Result: {"a":1}. Note {x}.', { a: 1 }],
    ['{not} {"b":"}"} then {"a":[1]} and {y', { a: [1] }],
    ['{"id":2512292042121000001}', { id: '2512292042121000001' }],
  ])('is found in %j', (text, value) => {
    expect(parseOutput(text)).toEqual({ values: expect.arrayContaining([value]) })
  })

  it.each(['', '   ', 'No.', '{"a":', 'text {not json}', '```json\n{"a":}\n```', 'a } b {'])(
    'is not found in %j',
    (text) => {
      expect(parseOutput(text)).toEqual({
        problem: expect.stringMatching(/^the output is (?:empty|not valid JSON)$/),
      })
    },
  )

  it('is the last value that can be read, if there are several', () => {
    expect(parseOutput('First {"a":1}, no: {"a":2}.')).toEqual({ values: [{ a: 2 }, { a: 1 }] })
  })

  it('is found once', () => {
    expect(parseOutput(' {"a":[1]}\n')).toEqual({ values: [{ a: [1] }, [1]] })
  })

  it('is rejected if it nests too deeply', () => {
    const deep = '['.repeat(200) + ']'.repeat(200)
    expect(parseOutput(deep)).toEqual({ problem: 'the output nests deeper than 100 levels' })
  })

  it('is looked for in two million characters without delay', async () => {
    const cpuMs = await threadCpuMs(() => {
      parseOutput('{"a":['.repeat(330_000))
      parseOutput('```'.repeat(660_000))
      parseOutput('}{'.repeat(1_000_000))
    })
    expect(cpuMs).toBeLessThan(5000)
  })
})
