// Named import, so that tests that fake the global timers do not hold up reads.
import { setImmediate } from 'node:timers'

interface Question<Args, Answer> {
  readonly args: Args
  readonly signal: AbortSignal | undefined
  answer(answer: Answer): void
  refuse(error: unknown): void
}

/** Answers the same question about many things. */
interface ReadTogether<Args, Answer> {
  ask(args: Args, signal?: AbortSignal): Promise<Answer>
}

/**
 * Puts questions together that come at the same moment, or while all lanes are busy: what a fleet asks for all day costs
 * one statement for many devices, and alone one statement for one.
 *
 * @param readAll gives the answers in the order of the questions
 * @param lanes statements at the same time
 * @param maxTogether what one statement answers at the most
 */
export function createReadTogether<Args, Answer>(
  readAll: (argsList: readonly Args[]) => Promise<readonly Answer[]>,
  lanes: number,
  maxTogether = 256,
): ReadTogether<Args, Answer> {
  const queue: Question<Args, Answer>[] = []
  let busy = 0
  let isScheduled = false

  const pump = () => {
    isScheduled = false
    while (busy < lanes && queue.length > 0) {
      busy += 1
      void answerAll(queue.splice(0, maxTogether)).finally(() => {
        busy -= 1
        pump()
      })
    }
  }

  async function answerAll(questions: readonly Question<Args, Answer>[]): Promise<void> {
    const live = questions.filter(({ signal, refuse }) => {
      if (signal?.aborted === true) refuse(signal.reason)
      return signal?.aborted !== true
    })
    if (live.length === 0) return
    try {
      const answers = await readAll(live.map(({ args }) => args))
      for (const [index, question] of live.entries()) question.answer(answers[index]!)
    } catch (error) {
      for (const question of live) question.refuse(error)
    }
  }

  return {
    ask: (args, signal) =>
      new Promise<Answer>((answer, refuse) => {
        queue.push({ args, signal, answer, refuse })
        if (!isScheduled) setImmediate(pump)
        isScheduled = true
      }),
  }
}
