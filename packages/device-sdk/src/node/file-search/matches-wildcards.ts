/** Whether `*` (any text) and `?` (one character) of `pattern` cover `subject`; takes at most length x length steps. */
export function matchesWildcards(pattern: string, subject: string): boolean {
  let at = 0
  let patternAt = 0
  let starAt = -1
  let resumeAt = 0
  while (at < subject.length) {
    const wanted = pattern[patternAt]
    if (wanted === '*') {
      starAt = patternAt
      resumeAt = at
      patternAt += 1
    } else if (wanted === '?' || wanted === subject[at]) {
      at += 1
      patternAt += 1
    } else if (starAt >= 0) {
      // Only the last star needs to give way: what stood before it matches as early as it can.
      resumeAt += 1
      at = resumeAt
      patternAt = starAt + 1
    } else return false
  }
  while (pattern[patternAt] === '*') patternAt += 1
  return patternAt === pattern.length
}
