import { expect, it } from 'vitest'
import { boundText, createBoundedOutput } from './bounded-output.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

it('keeps the end of a text whose marks are longer than the bytes they stand for', () => {
  const text = 'Gr\uFFFD\uFFFDe: Ende'
  expect(boundText(latin1('Größe: Ende'), 100)).toEqual({ text, truncated: false })
  const output = createBoundedOutput(100)
  output.add(latin1('Größe: Ende'))
  expect(output.text(100)).toEqual({ text, truncated: false })
})

it('says so when the marks are too long, and cuts none in two', () => {
  expect(boundText(latin1('ééé'), 8)).toEqual({ text: '\uFFFD\uFFFD', truncated: true })
  expect(boundText(Buffer.from('aé'), 2)).toEqual({ text: 'a', truncated: true })
  expect(boundText(Buffer.from('aé').subarray(0, 2), 10, true)).toEqual({ text: 'a', truncated: true })
})
