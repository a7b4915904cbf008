/** The decisions (`C9`, `A4`) with which the titles of test cases start, in the order in which they stand. */
export function decisionsInTitles(source: string): string[] {
  // What opens a case: a call by its name, one that `each` gave, or the name of a case that is data.
  const titles = source.matchAll(
    /(?:\b(?:it|test|describe|\w+Case)(?:\.\w+)*\(|\)\(|\bname:)\s*(['"`])([AC]\d+(?:, [AC]\d+)*): /g,
  )
  return [...titles].flatMap(([, , numbers = '']) => numbers.split(', '))
}
