/** A word, with quoted parts anywhere in it. A quote without its end, and a last backslash, count as they are. */
const word = /(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+/gs
const quoted = /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs

/** Splits a command line as a shell does, without anything else that a shell does. */
export function splitCommand(text: string): string[] {
  const words = text.match(word) ?? []
  return words.map((found) =>
    found.replaceAll(quoted, (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? '') : double.replaceAll(/\\(["`$\\])/g, '$1'),
    ),
  )
}
