import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createThoughtReader, splitThoughts } from './thoughts.ts'

function readAll(deltas: readonly string[]) {
  const reader = createThoughtReader()
  const pieces = [...deltas.flatMap((delta) => reader.read(delta)), ...reader.end()]
  const of = (type: string) =>
    pieces
      .filter((piece) => piece.type === type)
      .map(({ delta }) => delta)
      .join('')
  return { reasoning: of('reasoning'), text: of('text') }
}

/** A text in pieces. */
const pieces = (text: string, cuts: readonly number[]) => {
  const places = [
    0,
    ...cuts.map((cut) => cut % (text.length + 1)).toSorted((one, other) => one - other),
    text.length,
  ]
  return places.slice(1).map((end, index) => text.slice(places[index], end))
}

it('reads a leading thought as reasoning, wherever the pieces of a stream end', () => {
  const words = fc.string().filter((text) => !text.includes('<'))
  const answer = fc
    .string({ minLength: 1 })
    .map((text) => text.trimStart())
    .filter((text) => text !== '')
  fc.assert(
    fc.property(words, answer, fc.array(fc.nat()), (thought, text, cuts) => {
      expect(readAll(pieces(` <think>${thought}</think>\n\n${text}`, cuts))).toEqual({
        reasoning: thought,
        text,
      })
    }),
  )
})

it('leaves every text without a leading thought as it is', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.nat()), (text, cuts) => {
      fc.pre(!text.trimStart().startsWith('<think>'))
      expect(readAll(pieces(text, cuts))).toEqual({ reasoning: '', text })
    }),
  )
  expect(readAll(['a <think>b</think>'])).toEqual({ reasoning: '', text: 'a <think>b</think>' })
  expect(readAll(['<thi', 'nk'])).toEqual({ reasoning: '', text: '<think' })
})

it('does not read a beginning of spaces again with each piece', () => {
  const reader = createThoughtReader()
  const before = process.threadCpuUsage().user
  const pieces = Array.from({ length: 100_000 }, () => reader.read('\n \n')).flat()
  expect(process.threadCpuUsage().user - before).toBeLessThan(2_000_000)
  expect(pieces.map(({ delta }) => delta).join('')).toHaveLength(300_000)
})

it('takes a thought that does not end for reasoning', () => {
  expect(readAll(['<think>open <', '/thin'])).toEqual({ reasoning: 'open </thin', text: '' })
})

it('knows a thought without its opening tag by a closing tag at the end of a line', () => {
  const split = (text: string) => splitThoughts([{ type: 'text', text }])
  expect(split('They want {json}.\n</think>\n{"a":1}')).toEqual([
    { type: 'reasoning', text: 'They want {json}.' },
    { type: 'text', text: '{"a":1}' },
  ])
  for (const text of ['Use </think> here.', 'Write <think>x</think>\nand', 'Plain.'])
    expect(split(text)).toEqual([{ type: 'text', text }])
})
