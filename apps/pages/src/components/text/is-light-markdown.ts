/** Markdown of this length is laid out fast enough to grow while it is read. */
const longestMarkdown = 30_000

/** A line that begins with so many lists and quotations in one another: each of them takes longer than the one before. */
const deepNesting = /^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){40}/m

/** In one paragraph each of them is compared with those before: ten thousand of them take a minute. */
const mostDelimiters = 2000
const delimiters = /[*_~[\]`]/g
const codeFences = /^ {0,3}(`{3,})[^`\n]*\n[^]*?(?:^ {0,3}\1`*[ \t]*$|$(?![^]))/gm
const endOfParagraph = /\n(?:[ \t]*\n| {0,3}(?:[-+*]|#{1,6})[ \t])/

/** Whether Markdown can be laid out without holding the page up. */
export function isLightMarkdown(text: string): boolean {
  return text.length <= longestMarkdown && !deepNesting.test(text) && !hasDenseParagraph(text)
}

function hasDenseParagraph(text: string): boolean {
  // What is in code delimits nothing.
  const paragraphs = text.replaceAll(codeFences, '').split(endOfParagraph)
  return paragraphs.some((paragraph) => (paragraph.match(delimiters)?.length ?? 0) > mostDelimiters)
}
