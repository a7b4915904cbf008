/** Thrown by a conformance case whose promise is broken. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError'
}

/** Fails unless both are alike: same values, same keys in any order. A key that holds undefined counts as absent. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const got = toText(actual)
  const wanted = toText(expected)
  if (got !== wanted) throw new ConformanceError(`Checking ${what} failed: got ${got}, expected ${wanted}.`)
}

/** Fails unless the condition holds. */
export function expectTrue(condition: boolean, what: string): void {
  if (!condition) throw new ConformanceError(`Checking ${what} failed: it does not hold.`)
}

/** Fails unless the call rejects; gives what it rejected with. */
export async function expectRejection(call: () => Promise<unknown>, what: string): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  throw new ConformanceError(`Checking ${what} failed: the call resolved, expected a rejection.`)
}

/** One text for all values that are alike. */
export function toText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const entries = Object.entries(value).filter(([, held]) => held !== undefined)
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([key, held]) => `${JSON.stringify(key)}: ${toText(held)}`).join(', ')}}`
}

/** Fails unless every call, made with a signal that has aborted, rejects with the signal's reason. */
export async function expectAborts(
  calls: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>,
): Promise<void> {
  for (const [name, call] of Object.entries(calls)) {
    const reason = new Error('the caller gave up')
    const thrown = await expectRejection(
      () => call(AbortSignal.abort(reason)),
      `${name} with an aborted signal`,
    )
    expectTrue(thrown === reason, `that ${name} rejects with the reason of its signal`)
  }
}

/** Fails unless the call rejects with an error of this code. */
export async function expectCode(call: () => Promise<unknown>, code: string, what: string): Promise<void> {
  const error = await expectRejection(call, what)
  expectSame(
    typeof error === 'object' && error !== null && 'code' in error && error.code,
    code,
    `the code of ${what}`,
  )
}
