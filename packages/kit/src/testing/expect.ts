/** Thrown by a conformance case whose rule is broken. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError'
}

/** Checks that two values are equal. The order of keys does not matter, and a key with undefined counts as missing. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const got = toText(actual)
  const wanted = toText(expected)
  if (got !== wanted) throw new ConformanceError(`Checking ${what} failed: got ${got}, expected ${wanted}.`)
}

/** Checks that the condition is true. */
export function expectTrue(condition: boolean, what: string): void {
  if (!condition) throw new ConformanceError(`Checking ${what} failed: it does not hold.`)
}

/** Checks that the call rejects, and returns the error. */
export async function expectRejection(call: () => Promise<unknown>, what: string): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  throw new ConformanceError(`Checking ${what} failed: the call resolved, expected a rejection.`)
}

/** Converts equal values to the same text. */
export function toText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const entries = Object.entries(value).filter(([, held]) => held !== undefined)
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([key, held]) => `${JSON.stringify(key)}: ${toText(held)}`).join(', ')}}`
}

/** Checks that every call with an aborted signal rejects with the signal's reason. */
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

/** Checks that the call rejects with an error of this code. */
export async function expectCode(call: () => Promise<unknown>, code: string, what: string): Promise<void> {
  const error = await expectRejection(call, what)
  expectSame(
    typeof error === 'object' && error !== null && 'code' in error && error.code,
    code,
    `the code of ${what}`,
  )
}
