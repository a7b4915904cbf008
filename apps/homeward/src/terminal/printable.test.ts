import { expect, it } from 'vitest'
import { printable } from './printable.ts'

it('lets nobody who asks for a file write into the terminal', () => {
  expect(printable('/a\u001b[2J\nonline\r\u202egnp.exe\u2028')).toBe(
    '/a\\u001b[2J\\u000aonline\\u000d\\u202egnp.exe\\u2028',
  )
})

it('leaves letters of every language as they are', () => {
  expect(printable('/Übung/写真 📷.jpg')).toBe('/Übung/写真 📷.jpg')
})
