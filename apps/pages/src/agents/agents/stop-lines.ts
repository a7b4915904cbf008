const escapes: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\\': '\\' }
const escaped = new Map(Object.entries(escapes).map(([sign, letter]) => [letter, sign]))

/** Texts at which a model stops, one per line. Line breaks and tabs in them are written as `\n` and `\t`. */
export function toStopLines(texts: readonly string[]): string {
  return texts
    .map((text) => text.replaceAll(/[\n\r\t\\]/g, (sign) => `\\${escapes[sign] ?? sign}`))
    .join('\n')
}

/** The texts of the lines. Empty lines are left out; blanks count. */
export function toStopTexts(lines: string): string[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll(/\\([nrt\\])/g, (_all, letter: string) => escaped.get(letter) ?? letter))
}
