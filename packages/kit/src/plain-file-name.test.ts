import { expect, it } from 'vitest'
import { attachmentHeader, toPlainFileName } from './plain-file-name.ts'

it.each([
  ['/home/ada/notes.txt', 'notes.txt'],
  ['C:\\Users\\ada\\notes.txt', 'notes.txt'],
  ['../../etc/passwd', 'passwd'],
  ['a\r\nb"c.txt', 'a__b_c.txt'],
  ['..', 'file'],
  ['', 'file'],
  // as one reads it, invoiceexe.png
  ['invoice\u202egnp.exe', 'invoice_gnp.exe'],
  ['\u2066a\u2069.txt', '_a_.txt'],
  ['cafe\u0301.txt', 'cafe\u0301.txt'],
  ['نامه\u200cها.txt', 'نامه\u200cها.txt'],
])('makes a plain name of %j', (path, name) => {
  expect(toPlainFileName(path)).toBe(name)
})

it('keeps the ending of a long name, and no half of a character', () => {
  expect(toPlainFileName(`${'x'.repeat(300)}.txt`)).toBe(`${'x'.repeat(196)}.txt`)
  expect(toPlainFileName(`😀${'x'.repeat(199)}`)).toBe(`\ufffd${'x'.repeat(199)}`)
})

it('writes a name that every browser can read', () => {
  expect(attachmentHeader("a 100% 'é'.txt")).toBe(
    "attachment; filename=\"a 100_ '_'.txt\"; filename*=UTF-8''a%20100%25%20%27%C3%A9%27.txt",
  )
})
