/** A function that some parts call and a part that is made after them provides. */
export interface LaterCall<Given extends readonly unknown[], Result> {
  readonly call: (...given: Given) => Promise<Result>
  /** Says what answers: once, before the first call. */
  provide(answer: (...given: Given) => Promise<Result>): void
}

/** Joins two parts that need each other: the first is given `call`, the second is given to `provide`. */
export function createLaterCall<Given extends readonly unknown[], Result>(
  name: string,
): LaterCall<Given, Result> {
  let provided: ((...given: Given) => Promise<Result>) | undefined
  return {
    async call(...given) {
      if (!provided) throw new Error(`Opening the runtime failed: ${name} was called before it was provided.`)
      return provided(...given)
    },
    provide(answer) {
      provided = answer
    },
  }
}
