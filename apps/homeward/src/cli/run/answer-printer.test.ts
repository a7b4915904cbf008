import { expect, it } from 'vitest'
import type { FollowedRunEvent } from '@homeward/contract/runs'
import { createAnswerPrinter } from './print-run.ts'

const text = (delta: string): FollowedRunEvent => ({ event: 'assistant', data: { delta } })
const call: FollowedRunEvent = { event: 'tool_start', data: { id: '1', name: 'look', args: {} } }
const restart: FollowedRunEvent = { event: 'restart' }
const done = (finalContent: string): FollowedRunEvent => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const rest = { turnCount: 1, success: true, output: '', turns: 1, tool_calls: 0, steps: [], usage }
  const run = { model: 'm', run_id: 'r', conversation_id: 'c', stop_reason: 'done' } as const
  return { event: 'done', data: { finalContent, ...rest, ...run } }
}

function printed(...events: readonly FollowedRunEvent[]): readonly string[] {
  const pieces: string[] = []
  const printer = createAnswerPrinter((piece) => pieces.push(piece))
  for (const each of events) printer.add(each)
  printer.end()
  return pieces
}

it('prints each piece at once, and ends the last line', () => {
  expect(printed(text('Hel'), text('lo'), done('Hello'))).toEqual(['Hel', 'lo', '\n'])
  expect(printed(text('Hello\n'))).toEqual(['Hello\n'])
})

it('puts an empty line between texts, and prints an answer that only the end holds', () => {
  expect(printed(text('Looking.'), call, text('Found.')).join('')).toBe('Looking.\n\nFound.\n')
  expect(printed(call, done('Found.')).join('')).toBe('Found.\n')
})

it('prints nothing a second time when events begin again', () => {
  const again = [restart, text('Looking.'), call, text('Fo'), text('und it.')]
  expect(printed(text('Looking.'), call, text('Found'), ...again).join('')).toBe('Looking.\n\nFound it.\n')
})

it('takes out escape sequences, also those that two pieces share', () => {
  expect(printed(text('a\u001b]0;tit'), text('le\u0007b'), text('\u001b[3'), text('1mc')).join('')).toBe(
    'abc\n',
  )
})
