/** The last word where it is not whole, and half of a letter of two codes. */
const halfAtEnd = /\s+\S{0,30}$|[\uD800-\uDBFF]$/

/** A text up to a length; one that is longer ends with a whole word, and says that there is more on the page. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength).replace(halfAtEnd, '')} … The rest is on the page.`
}
