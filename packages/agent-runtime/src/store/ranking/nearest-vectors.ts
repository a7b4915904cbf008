/** Something with a vector. */
export interface VectorOf<Key> {
  readonly key: Key
  readonly vector: Float32Array
}

/** How near a vector is: 1 for the same direction. */
export interface NearVector<Key> {
  readonly key: Key
  readonly nearness: number
}

/** Whether two vectors can be compared, by the models that made them. One whose model is not known counts as of any. */
export function isSameModel(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other
}

/**
 * The vectors that point most nearly the same way as `target`, nearest first. Vectors of another length come from
 * another model and are passed over, and so are those that point away from it.
 */
export function nearestVectors<Key>(
  target: Float32Array,
  candidates: readonly VectorOf<Key>[],
  limit: number,
): NearVector<Key>[] {
  const near: NearVector<Key>[] = []
  for (const { key, vector } of candidates) {
    const nearness = vector.length === target.length ? cosine(target, vector) : 0
    if (nearness > 0) near.push({ key, nearness })
  }
  return nearestOf(near, limit)
}

/** The nearest of several, nearest first. */
export function nearestOf<Key>(near: readonly NearVector<Key>[], limit: number): NearVector<Key>[] {
  return near.toSorted((a, b) => b.nearness - a.nearness).slice(0, limit)
}

function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0
  let lengthA = 0
  let lengthB = 0
  for (let index = 0; index < a.length; index += 1) {
    const left = a[index] ?? 0
    const right = b[index] ?? 0
    dot += left * right
    lengthA += left * left
    lengthB += right * right
  }
  const product = Math.sqrt(lengthA) * Math.sqrt(lengthB)
  return product > 0 ? dot / product : 0
}
