import { createNameMatcher } from '@homeward/contract/device-cloud'
import { expect, it } from 'vitest'
import { describeTried, toAnyWord } from './other-ways.tsx'

it('offers a pattern that names with any of several words fit', () => {
  const pattern = toAnyWord('acme "invoice, 2024"') ?? ''
  const { matches } = createNameMatcher(pattern)
  const fits = (name: string) => matches({ name, path: () => name, fullPath: () => name })
  expect(['Acme.txt', 'my Invoice.pdf', '2024-08.csv', 'letter.txt'].filter(fits)).toEqual([
    'Acme.txt',
    'my Invoice.pdf',
    '2024-08.csv',
  ])
  expect([toAnyWord('invoice'), toAnyWord('*.pdf'), toAnyWord('a {b} , c')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

it('says what was tried: words or a pattern, and where', () => {
  expect(describeTried({ query: ' acme 2024 ', scope: ['files'] })).toContain('name or path: acme 2024.')
  expect(describeTried({ query: 'acme', scope: ['content'] })).toContain('name, path or text: acme.')
  expect(describeTried({ query: '*.pdf', scope: ['files'] })).toContain('pattern *.pdf')
  expect(describeTried({ query: 'vim', scope: ['apps'] })).toBe('The devices that answered found nothing.')
})
