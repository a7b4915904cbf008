import { foundScopes, type SearchResults } from '@homeward/contract/device-cloud'

/** One file, app or other answer of a search. */
export interface AnswerRow {
  readonly scope: string
  /** Its fields as the device gave them. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Rows of the results of one search, by scope. Of a scope that is no list, its value is the one row. */
export function toAnswerRows(results: SearchResults): readonly AnswerRow[] {
  return foundScopes(results).flatMap(([scope, answer]) => {
    const answers: readonly unknown[] = Array.isArray(answer) ? answer : [answer]
    return answers
      .filter((each) => each !== undefined && each !== null)
      .map((each) => ({ scope, fields: toFields(each) }))
  })
}

function toFields(answer: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof answer === 'object' && !Array.isArray(answer)
  return isObject ? (answer as Readonly<Record<string, unknown>>) : { value: answer } // an object it is
}
