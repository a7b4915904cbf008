const keptTexts = 100

/** Makes ISO 8601 texts. Schedules that are due together share their times: most are asked for again and again. */
export function createTimeTexts(): (time: number) => string {
  const known = new Map<number, string>()
  return (time) => {
    let text = known.get(time)
    if (text !== undefined) return text
    text = new Date(time).toISOString()
    if (known.size >= keptTexts) known.clear()
    known.set(time, text)
    return text
  }
}
