import { createMemoryStore } from '../../memory/create-memory-store.ts'
import { CloudStoreError } from '../../ports/cloud-store-error.ts'
import type { CloudStore } from '../../ports/cloud-store.ts'
import { toText } from '@homeward/kit/testing'
import type { Act } from './act.ts'
import { lookAt } from './rounds.ts'

/** What a caller got: one text for all answers that are alike. Undefined where there was no answer. */
export type Answer = string | undefined

/** Acts in the order in which they happened, one after the other. */
export type History = readonly Act[]

/** The answer to an act. A refusal is one as well. */
export async function answerOf(act: Act, store: CloudStore): Promise<string> {
  try {
    return toText(await act.run(store))
  } catch (error) {
    if (CloudStoreError.is(error)) return `refused: ${error.code}`
    throw error
  }
}

/** What can be seen of a store, as one text. */
export async function viewOf(store: CloudStore): Promise<string> {
  return toText(await lookAt(store))
}

/** What the model answers to the acts of a history, and the model afterwards. */
export async function replay(history: History): Promise<{ answers: readonly string[]; store: CloudStore }> {
  const store = createMemoryStore()
  const answers: string[] = []
  for (const act of history) answers.push(await answerOf(act, store))
  return { answers, store }
}

/**
 * Every way in which the acts of a round may have happened after a history: in any order, all that were answered and any
 * of the others, and each with the answer that was given.
 */
export async function explain(
  history: History,
  round: readonly Act[],
  answers: readonly Answer[],
): Promise<readonly History[]> {
  const explanations: History[] = []
  for (const order of ordersOf(round)) {
    if (round.some((act, index) => answers[index] !== undefined && !order.includes(act))) continue
    const tried = [...history, ...order]
    const model = (await replay(tried)).answers.slice(history.length)
    const fits = order.every((act, place) => {
      const answer = answers[round.indexOf(act)]
      return answer === undefined || answer === model[place]
    })
    if (fits) explanations.push(tried)
  }
  return explanations
}

/** All orders of all subsets. */
function ordersOf(acts: readonly Act[]): readonly (readonly Act[])[] {
  const longer = acts.flatMap((first) =>
    ordersOf(acts.filter((act) => act !== first)).map((rest) => [first, ...rest]),
  )
  return [[], ...longer]
}
