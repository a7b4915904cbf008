import type { LanguageModelV4Message } from '@ai-sdk/provider'

/** A prompt that has to fit, and its measures in tokens. */
interface FitRequest {
  /** A system message, the earlier messages of the conversation, the task, and the steps since. */
  readonly prompt: readonly LanguageModelV4Message[]
  /** Place of the task in `prompt`. */
  readonly taskAt: number
  /** Tokens that all messages may take together. */
  readonly room: number
  readonly tokensOf: (message: LanguageModelV4Message) => number
  /** Of a message whose tool results are shortened; never more than {@link tokensOf}. */
  readonly shortTokensOf: (message: LanguageModelV4Message) => number
}

/** The parts of a prompt that are sent. */
export interface FitPlan {
  /** Tool results in messages before this place are shortened. */
  readonly shortBefore: number
  /** Place of the first message of the conversation that is sent; messages from 1 up to it are left out. */
  readonly historyFrom: number
  /** Place of the first step that is sent; steps between the task and it are left out. */
  readonly stepsFrom: number
  /** Tokens of the parts that are sent. */
  readonly tokens: number
}

/** A prompt beyond the larger share of the room is cut to the smaller one. In between it only grows, so prompt caches work. */
const high = 0.8
const low = 0.5

/**
 * Decides which parts of a prompt are sent: first the oldest tool results are shortened, then the oldest messages of the conversation
 * are left out, then the oldest steps. The task and the newest step stay.
 *
 * Goes through the turns of the run as they happened, so that a longer prompt is cut in the same way as in the turn before,
 * also in another process.
 */
export function planFit(request: FitRequest): FitPlan {
  const { prompt, taskAt, room, tokensOf } = request
  const plan = { shortBefore: 1, historyFrom: 1, stepsFrom: taskAt + 1, tokens: 0 }
  for (const [at, message] of prompt.entries()) {
    plan.tokens += tokensOf(message)
    // The model is called after the task, and after the results of its calls.
    const isCalled = at >= taskAt && message.role !== 'assistant'
    if (isCalled && plan.tokens > room * high) cutTo(room * low, plan, request, at)
  }
  return plan
}

type OpenPlan = { -readonly [Name in keyof FitPlan]: FitPlan[Name] }

/** @param newest place of the message that the model has not read yet */
function cutTo(target: number, plan: OpenPlan, request: FitRequest, newest: number): void {
  const { prompt, taskAt, room, tokensOf, shortTokensOf } = request
  const sizeAt = (at: number) => {
    const message = prompt[at]
    if (!message) return 0
    return at < plan.shortBefore ? shortTokensOf(message) : tokensOf(message)
  }
  const newestStep = prompt.findLastIndex(({ role }, at) => at < newest && role === 'assistant')
  const keptFrom = Math.max(newestStep, taskAt)
  let fixed = 0
  for (const [at, message] of prompt.slice(0, newest + 1).entries())
    if (at === 0 || at === taskAt || at >= keptFrom) fixed += tokensOf(message)
  // Whatever is left out, the target is not reached: then only what must be left out is.
  const isOutOfReach = fixed > target
  const aim = isOutOfReach ? room : target
  for (; plan.shortBefore < newest && plan.tokens > aim; plan.shortBefore += 1) {
    const message = prompt[plan.shortBefore]
    const isSent = plan.shortBefore >= (plan.shortBefore > taskAt ? plan.stepsFrom : plan.historyFrom)
    if (isSent && message?.role === 'tool') plan.tokens -= tokensOf(message) - shortTokensOf(message)
  }
  if (plan.tokens <= (isOutOfReach ? room : room * high)) return
  // An answer stays with its question, and a result with its call.
  while (plan.historyFrom < taskAt && plan.tokens > aim) {
    do plan.tokens -= sizeAt(plan.historyFrom++)
    while (plan.historyFrom < taskAt && prompt[plan.historyFrom]?.role !== 'user')
  }
  while (plan.stepsFrom < newestStep && plan.tokens > aim) {
    do plan.tokens -= sizeAt(plan.stepsFrom++)
    while (plan.stepsFrom < newestStep && prompt[plan.stepsFrom]?.role !== 'assistant')
  }
}
