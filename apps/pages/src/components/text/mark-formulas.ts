/** Code, in which nothing is a formula: fenced blocks, also one that is not closed yet, and spans. */
const code =
  /(^ {0,3}(`{3,}|~{3,})[^\n]*\n[^]*?(?:^ {0,3}\2[`~]*[ \t]*$|$(?![^]))|(`+)(?!`)[^]*?[^`]\3(?!`))/gm

/** As models write displayed formulas: `\[…\]`, or `$$…$$` by itself on its lines. */
const displayed = /\\\[([^]{1,4000}?)\\\]|^[ \t]*\$\$([^$]{1,4000}?)\$\$[ \t]*$/gm

/**
 * As models write formulas within a line: `\(…\)`, or `$…$`. As in Pandoc, no space stands inside a dollar sign and no digit
 * behind the second one: "$5 and $10" are prices.
 */
const inLine = /\\\(([^\n]{1,1000}?)\\\)|(?<![\\$\w])\$(?![\s$])([^$\n]{1,1000}?)(?<![\s\\])\$(?![$\d])/g

/** Whether a text may hold formulas: then their library is worth loading. */
export const mayHoldFormulas = (text: string): boolean => /\$[^$\n]+\$|\$\$|\\\(|\\\[/.test(text)

/** Markdown with each formula in the one form that is read as such. Code stays as it is. */
export function markFormulas(text: string): string {
  let marked = ''
  let end = 0
  for (const found of text.matchAll(code)) {
    marked += markProse(text.slice(end, found.index)) + found[0]
    end = found.index + found[0].length
  }
  return marked + markProse(text.slice(end))
}

function markProse(text: string): string {
  return text
    .replaceAll(displayed, (_, bracketed?: string, dollars?: string) => {
      const formula = (bracketed ?? dollars ?? '').trim()
      return formula === '' ? '' : `\n\n$$\n${formula}\n$$\n\n`
    })
    .replaceAll(
      inLine,
      (_, bracketed?: string, dollars?: string) => `$$${(bracketed ?? dollars ?? '').trim()}$$`,
    )
}
