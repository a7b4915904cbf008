/** Markdown of this length is laid out fast enough to grow while it is read. */
const longestMarkdown = 60_000

/** A line that begins with so many lists and quotations in one another: each of them takes longer than the one before. */
const deepNesting = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){40}/m

/** Whether Markdown can be laid out without holding the page up. */
export function isLightMarkdown(text: string): boolean {
  return text.length <= longestMarkdown && !deepNesting.test(text)
}
