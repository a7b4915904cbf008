/** JSON in a line of its own as lines that people can read; any other text, and what would not come out the same, as it is. */
export function layOutJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    // numbers with many digits and repeated names would be others
    return JSON.stringify(value) === text.trim() ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}
