import type { Statement } from '@homeward/kit/sql'

/** What a list filters by; each shape is a statement of its own. There are a few dozen at the most. */
type Shape = Readonly<Record<string, boolean | number | string | undefined>>

/** Keeps the statement of each shape once it was built. */
export function rememberStatements<Key extends Shape, Args, Row>(
  compile: (shape: Key) => Statement<Args, Row>,
): (shape: Key) => Statement<Args, Row> {
  const known = new Map<string, Statement<Args, Row>>()
  return (shape) => {
    const key = Object.values(shape).join(' ')
    const statement = known.get(key) ?? compile(shape)
    known.set(key, statement)
    return statement
  }
}
