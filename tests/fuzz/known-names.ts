import * as fc from 'fast-check'

/** Gives what exists under a name at the moment: values for a field, or for a parameter of an operation. */
export type KnownValues = (name: string, template: string) => readonly string[]

/** Of the form of an id, so that nothing is wrong with it but that nobody knows it. */
const mark = /^known\.([\w-]+)\.(\d+)$/

/**
 * Stands for something that exists by the time the request is sent: what earlier answers named cannot be known when
 * requests are drawn.
 */
export function drawKnown(name: string): fc.Arbitrary<string> {
  // Small numbers are what exists first, and what shrinking ends at.
  return fc.nat({ max: 9999 }).map((place) => `known.${name}.${place}`)
}

/** Puts what exists into a drawn value, however deep. Where nothing exists yet, the mark itself stays: an unknown id. */
export function fillKnown(value: unknown, template: string, known: KnownValues): unknown {
  if (typeof value === 'string') {
    const [, name, place] = mark.exec(value) ?? []
    if (name === undefined) return value
    const values = known(name, template)
    return values[Number(place) % values.length] ?? value
  }
  if (Array.isArray(value)) return value.map((each) => fillKnown(each, template, known))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, fillKnown(each, template, known)]),
  )
}
