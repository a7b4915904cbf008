/* oxlint-disable no-control-regex -- control characters are what is looked for */
import { stripVTControlCharacters } from 'node:util'

/**
 * Characters that move a cursor, start an escape sequence, or turn the direction of the text after them. A line break and
 * a tab stay.
 */
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Sequences that `stripVTControlCharacters` leaves: strings of the kinds DCS, SOS, PM and APC, with their end. */
const strings =
  /(?:\u001b[PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g

/** A Markdown renderer would turn `&#27;` into the character itself. */
const references = /&#(?:x0*([0-9a-f]{1,6})|0*(\d{1,7}));/gi

/**
 * Takes out of a text what a terminal acts on: escape sequences (also titles, links and the clipboard), control characters
 * but for line breaks and tabs, and marks that reverse text. Models, tools and files may have written it.
 */
export function cleanText(text: string): string {
  const lines = text.replaceAll('\r\n', '\n')
  return stripVTControlCharacters(lines.replace(strings, '')).replace(unsafe, '')
}

/** Cleans a text and puts it on one line. */
export const cleanLine = (text: string) => cleanText(text).replaceAll(/\s+/g, ' ').trim()

/** Cleans Markdown: also of numeric character references to control characters. */
export function cleanMarkdown(text: string): string {
  return cleanText(text).replace(references, (reference, hexadecimal?: string, decimal?: string) => {
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    if (code > 0x10_ffff || code === 9 || code === 10) return ' '
    return cleanText(String.fromCodePoint(code)) === '' ? '' : reference
  })
}

/** Longest start of an escape sequence that waits for its end. */
const longestStart = 4096

/** Where an escape sequence begins that the text does not end. */
const openEnd = /(?:\r|\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b\u009c]*\u001b?)?)$/

/** Cleans a text that arrives in pieces: a sequence that two pieces share is taken out as well. */
export interface TextCleaner {
  /** @returns what can be shown of the text so far and was not given before */
  add(piece: string): string
  /** @returns the rest */
  end(): string
}

export function createTextCleaner(): TextCleaner {
  let waiting = ''
  return {
    add(piece) {
      const text = waiting + piece
      const start = openEnd.exec(text)?.index ?? text.length
      waiting = text.length - start > longestStart ? '' : text.slice(start)
      return cleanText(text.slice(0, text.length - waiting.length))
    },
    end() {
      const rest = cleanText(waiting)
      waiting = ''
      return rest
    },
  }
}

/** JSON that is safe to print: what a terminal acts on is escaped. */
export const toSafeJson = (value: unknown, indent?: number) =>
  JSON.stringify(value, undefined, indent).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
