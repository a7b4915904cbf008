/** What moves a terminal's cursor, breaks a line, or turns the direction of the text behind it. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** Shows what others wrote, such as the path of a file that somebody asks for, on one line and as it is. */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
