import { isDeepStrictEqual } from 'node:util'
import type { RunMessage, RunRequest } from '@homeward/contract/agent-platform'
import type { ModelMessage } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { GivenContext } from '../store/ports/given-context.ts'

const maxInstructions = 1_000_000

/**
 * Rejects a history next to a stored conversation, because the model would read both or one of them would be lost, and
 * instructions that are not text.
 *
 * @throws {RuntimeError} `validation_error`
 */
export function assertContext(request: RunRequest, instructions: string | undefined): void {
  const { messages, store, conversation_id: id, regenerate } = request
  if (messages && (store !== false || id !== undefined || regenerate === true)) {
    throw unusable('"messages" needs "store": false, and neither "conversation_id" nor "regenerate"')
  }
  const isText: boolean = typeof instructions === 'string' // a host without types may give anything
  if (instructions !== undefined && !(isText && instructions.length <= maxInstructions)) {
    throw unusable(`"instructions" must be a string of at most ${maxInstructions} characters`)
  }
}

const unusable = (fault: string) => new RuntimeError('validation_error', `Starting a run failed: ${fault}.`)

/** The form in which it is stored. */
export function toGivenContext(
  messages: readonly RunMessage[] | undefined,
  instructions: string | undefined,
): GivenContext {
  return {
    ...(messages && { history: messages.map(toModelMessage) }),
    ...(instructions !== undefined && { instructions }),
  }
}

/** Whether two runs read the same before their task. */
export function isSameContext(one: GivenContext, other: GivenContext): boolean {
  return one.instructions === other.instructions && isDeepStrictEqual(one.history, other.history)
}

const toModelMessage = ({ role, content: text }: RunMessage): ModelMessage =>
  role === 'user' ? { role, text } : { role, parts: [{ type: 'text', text }] }
