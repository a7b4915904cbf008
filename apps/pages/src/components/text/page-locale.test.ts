import { expect, it } from 'vitest'
import { toPageLocale } from './page-locale.ts'

it('writes dates in English, whatever the language of the browser, by the clock of the reader', () => {
  const written = (language: string) => {
    const options = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
    return new Intl.DateTimeFormat(toPageLocale(language), options).format(Date.UTC(2026, 10, 3, 14, 5))
  }
  expect(written('en-US')).toMatch(/^Nov 3, 2026, 2:05\sPM$/)
  expect(written('en-GB')).toBe('3 Nov 2026, 14:05')
  for (const language of ['de', 'ja-JP', 'fa-IR', 'fr-FR'])
    expect(written(language)).toBe('3 Nov 2026, 14:05')
  // WebKitGTK says the first on a machine whose locale is C
  for (const language of ['C', '']) expect(written(language)).toBe('3 Nov 2026, 14:05')
  expect(written('ar-EG')).toMatch(/^3 Nov 2026, 2:05\spm$/)
})
