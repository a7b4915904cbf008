import { expect, it } from 'vitest'
import { parseByteRange } from './download-file.ts'

it.each([
  ['bytes=0-', 0, 10],
  ['bytes=0-0', 0, 1],
  ['bytes=3-5', 3, 6],
  ['bytes=9-9', 9, 10],
  ['bytes=4-99999999999999999999', 4, 10],
  ['bytes=-3', 7, 10],
  ['bytes=-99', 0, 10],
  ['Bytes= 2-3 ', 2, 4],
])('C26: %s of ten bytes is a part', (header, start, end) => {
  expect(parseByteRange(header, 10)).toEqual({ start, end })
})

it.each(['bytes=10-', 'bytes=10-20', 'bytes=99999999999999999999-', 'bytes=-0'])(
  'C26: %s asks for none of ten bytes',
  (header) => {
    expect(parseByteRange(header, 10)).toBe('unsatisfiable')
  },
)

it.each([
  undefined,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=5-4',
  'bytes=0-1,4-5',
  'bytes=a-b',
  'bytes=1.5-2',
  'bytes=--1',
  'bytes=0x1-2',
  'lines=0-1',
  'kilobytes=0-1',
])('C26: %s means the whole file', (header) => {
  expect(parseByteRange(header, 10)).toBeUndefined()
})

it.each(['bytes=0-', 'bytes=-1', 'bytes=5-'])('C26: %s of an empty file means all of it', (header) => {
  expect(parseByteRange(header, 0)).toBeUndefined()
})
