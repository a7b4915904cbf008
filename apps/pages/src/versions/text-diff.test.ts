import { expect, it } from 'vitest'
import { describeValue } from './agent-changes.tsx'
import { type DiffPiece, diffTexts } from './text-diff.ts'
import { describeCalls } from './what-if-page.tsx'

const shown = (pieces: readonly DiffPiece[]) =>
  pieces
    .map(({ kind, text }) => (kind === 'same' ? text : `[${kind === 'added' ? '+' : '-'}${text}]`))
    .join('')

it.each([
  ['the same', 'the same', 'the same'],
  ['Be brief.', 'Be very brief.', 'Be [+very ]brief.'],
  ['Answer in German, please.', 'Answer in English, please.', 'Answer in [-German,][+English,] please.'],
  ['tell the time', 'are a pirate', '[-tell the time][+are a pirate]'],
  ['', 'new', '[+new]'],
  ['one line\nanother line', 'one line', 'one line[-\nanother line]'],
])('shows what changed from %j to %j', (before, after, difference) => {
  const pieces = diffTexts(before, after)
  expect(shown(pieces)).toBe(difference)
  const textOf = (other: DiffPiece['kind']) =>
    pieces.flatMap(({ kind, text }) => (kind === other ? [] : [text])).join('')
  expect([textOf('added'), textOf('removed')]).toEqual([before, after])
})

it('shows values of fields as people read them', () => {
  expect(describeValue({ max_turns: 5, max_runtime: null })).toBe('Max turns: 5\nMax runtime: –')
  expect(describeValue(['time', 'read_file'])).toBe('time, read_file')
  expect([describeValue(false), describeValue([]), describeValue(null)]).toEqual(['no', undefined, undefined])
})

it('compares tool calls in words', () => {
  expect(describeCalls({ added: 1, removed: 0, changed: 2 })).toBe('1 more, 2 with other arguments')
  expect(describeCalls({ added: 0, removed: 0, changed: 0 })).toBe('the same')
})
