import { expect, it } from 'vitest'
import { toStopLines, toStopTexts } from './model-settings-draft.ts'

it('gives stop texts back as they were, whatever they hold', () => {
  const texts = ['END', '\n\n', ' blank ', String.raw`\n`, '\\', '\t\r\nx', String.raw`C:\new`]
  expect(toStopTexts(toStopLines(texts))).toEqual(texts)
  expect(toStopLines(['\n\n', 'b'])).toBe('\\n\\n\nb')
})

it('leaves out empty lines and keeps an unknown escape', () => {
  expect(toStopTexts('a\n\nb\\q\n')).toEqual(['a', 'b\\q'])
  expect(toStopTexts('')).toEqual([])
})
