/** Counts answers, so that a test can act after some of them and not after some time. */
interface AnswerCount {
  /** Notes one answer. */
  note(): void
  /** Resolves with the answer that makes it `count`. */
  reached(count: number): Promise<void>
}

/** Starts counting at 0. */
export function createAnswerCount(): AnswerCount {
  let answers = 0
  let goal = Infinity
  let onGoal = () => {}
  return {
    note() {
      answers += 1
      if (answers >= goal) onGoal()
    },
    reached: (count) =>
      new Promise((resolve) => {
        goal = count
        onGoal = resolve
        if (answers >= goal) resolve()
      }),
  }
}
