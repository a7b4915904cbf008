import { expect, it } from 'vitest'
import { cutText } from './cut-text.ts'

it('says that there is more where a text is cut, at the end of a word or of a letter', () => {
  expect(cutText('One two', 7)).toBe('One two')
  expect(cutText('One two three', 9)).toBe('One two … The rest is on the page.')
  expect(cutText('ab😀cd', 3)).toBe('ab … The rest is on the page.')
  expect(cutText('木'.repeat(50), 40)).toBe(`${'木'.repeat(40)} … The rest is on the page.`)
})
